/* dap_layout_join(): the parts of all processes put together in one, and everything that is wrong with them. */
#include "check_rows.h"

#include <dapbridge/join.h>
#include <inttypes.h>

/* ---- the parts of all processes ----------------------------------------------------------------- */

enum { PARTS = 6, FOUND = 32 };

typedef struct finding {
  int rank, rule;
  dap_status status;
  char text[DAP_ERROR_TEXT];
} finding;

typedef struct parts {
  dap_layout *layout; /* that the right parts come from */
  int nprocs;
  dap_array part[PARTS];
  int refuses;      /* rank whose part is not to be had; -1: none */
  int asked[PARTS]; /* how often for each */
  finding found[FOUND];
  int count; /* of found */
} parts;

static dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  parts *p = context;
  p->asked[rank]++;
  if (rank == p->refuses) return dap_fail(err, DAP_ERR_LIBRARY, "no file for %d", rank);
  *array = p->part[rank];
  return DAP_OK;
}

static void tell(void *context, dap_status status, const dap_error *error)
{
  parts *p = context;
  if (!EXPECT(p->count < FOUND)) return;
  finding *f = &p->found[p->count++];
  *f = (finding){.rank = error->rank, .rule = error->rule, .status = status};
  snprintf(f->text, sizeof f->text, "%s", error->text);
}

static void make_parts(int ndim, const dap_dist dists[], const int ranks[], parts *p)
{
  dap_error err = {0};
  dap_layout *plain = NULL;
  *p = (parts){.refuses = -1};
  EXPECT_OK(dap_layout_create(ndim, dists, &plain, &err), &err);
  p->layout = plain;
  if (ranks) {
    EXPECT_OK(dap_layout_reorder(plain, ranks, &p->layout, &err), &err);
    dap_layout_destroy(&plain);
  }
  p->nprocs = dap_layout_nprocs(p->layout);
  for (int rank = 0; rank < p->nprocs; rank++)
    EXPECT_OK(dap_array_init(&p->part[rank], p->layout, rank, DAP_I4, DAP_ORDER_F, NULL, &err), &err);
}

/* What the parts keep is theirs, whatever a test has written over it. */
static void release_parts(parts *p)
{
  for (int rank = 0; rank < p->nprocs; rank++) dap_array_release(&p->part[rank]);
  dap_layout_destroy(&p->layout);
}

/* ---- right ones --------------------------------------------------------------------------------- */

static const int64_t a0[] = {4, 0}, a1[] = {1, 4, 2}, a2[] = {3}, a_lengths[] = {2, 3, 1};
static const int64_t *const a_lists[] = {a0, a1, a2};
static const int64_t b0[] = {0, 1}, b1[] = {3, 2}, b_lengths[] = {2, 2};
static const int64_t *const b_lists[] = {b0, b1};
static const int turned[] = {3, 1, 5, 0, 2, 4};

static const struct {
  const char *why;
  int ndim;
  dap_dist dists[3];
  const int *ranks;
} right[] = {
    {"a scalar", 0, {{0}}, NULL},
    {"one process", 1, {{.procs = 1, .size = 4}}, NULL},
    {"padded, dealt out",
     2,
     {{.procs = 3, .size = 7, .halo = 1},
      {.cut = DAP_CUT_CYCLIC, .procs = 2, .size = 5, .block_size = 2, .first_owner = 1}},
     NULL},
    {"the same in another order",
     2,
     {{.procs = 3, .size = 7, .halo = 1}, {.cut = DAP_CUT_CYCLIC, .procs = 2, .size = 5, .block_size = 2}},
     turned},
    {"padding that wraps round",
     1,
     {{.procs = 4, .size = 9, .halo = 2, .periodic = true, .wraps = true}},
     NULL},
    {"lists, in another order",
     2,
     {{.cut = DAP_CUT_INDICES, .procs = 3, .size = 5, .lengths = a_lengths, .indices = a_lists},
      {.cut = DAP_CUT_INDICES,
       .procs = 2,
       .size = 4,
       .lengths = b_lengths,
       .indices = b_lists,
       .one_to_one = true}},
     turned},
    {"full copies of all but one axis",
     3,
     {{.cut = DAP_CUT_WHOLE, .procs = 2, .size = 3},
      {.procs = 3, .size = 2},
      {.cut = DAP_CUT_WHOLE, .procs = 1, .size = 0}},
     NULL},
};

static void right_parts_are_joined(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
    for (int told = 0; told < 2; told++) {
      parts p;
      dap_error err = {.rank = 41, .rule = 42, .text = "untouched"};
      dap_layout *got = NULL;
      TEST_CASE("%s%s", right[i].why, told ? ", with someone to tell" : "");
      make_parts(right[i].ndim, right[i].dists, right[i].ranks, &p);
      const dap_join join = {.nprocs = p.nprocs, .context = &p, .part = part_of, .tell = told ? tell : NULL};
      EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
      EXPECT(err.rank == 41 && err.rule == 42 && !strcmp(err.text, "untouched"));
      EXPECT(dap_layout_is_equal(got, p.layout));
      EXPECT_INT(p.count, 0);
      for (int k = 0; got && k < right[i].ndim; k++)
        for (int c = 0; c < dap_layout_procs(got, k); c++) EXPECT(dap_layout_knows(got, k, c));
      dap_layout_destroy(&got);
      EXPECT_INT(dap_layout_join(&join, &got, NULL), DAP_OK);
      dap_layout_destroy(&got);
      release_parts(&p);
    }
  SETTLE();
}

/* Dictionaries alone: what a buffer would say is not looked at, and what only it can say is missing. */
static void dictionaries_are_enough(void **state)
{
  (void)state;
  const dap_dist dists[] = {{.procs = 3, .size = 7, .halo = 1}, dap_dist_even(4, 1)};
  dap_error err = {0};
  dap_layout *got = NULL;
  parts p;
  make_parts(2, dists, NULL, &p);
  const parts kept = p;
  dap_join join = {.nprocs = 3, .context = &p, .part = part_of};
  for (int rank = 0; rank < 3; rank++) {
    dap_array *part = &p.part[rank];
    part->ndim = 7 - rank;
    part->dtype = rank ? DAP_NONE : (dap_dtype)99;
    part->data = NULL;
    for (int k = 0; k < DAP_MAX_NDIM; k++) part->shape[k] = -rank, part->strides[k] = INT64_MIN;
  }
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_BUFFER, &err, "rank 0: |2|7 dim");
  join.without_buffers = true;
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  EXPECT(dap_layout_is_equal(got, p.layout));
  dap_layout_destroy(&got);
  for (int rank = 0; rank < 3; rank++) p.part[rank].dims[1] = (dap_dim){0};
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_DIM, &err, "rank 0: dim 1|empty dictionary|buffer");
  expect_rule(&err, 12);
  EXPECT(got == NULL);
  join.without_buffers = false;
  p = kept;
  for (int rank = 0; rank < 3; rank++) p.part[rank].dims[1] = (dap_dim){0};
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  EXPECT(dap_layout_is_equal(got, p.layout));
  dap_layout_destroy(&got);
  p = kept;
  release_parts(&p);
  SETTLE();
}

static void rules_may_be_named(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_padded(9, 3, 1);
  dap_error err = {0};
  dap_layout *got = NULL;
  parts p;
  make_parts(1, &dist, NULL, &p);
  dap_join join = {.nprocs = 3, .context = &p, .part = part_of};
  for (int rank = 0; rank < 3; rank++) {
    snprintf(p.part[rank].version, DAP_VERSION_TEXT, "0.9.0"); /* of dictionaries that are 0.10's */
  }
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_BUFFER, &err, "rank 0: dim 0|0.9.*|exclude");
  expect_rule(&err, 8);
  join.rules = "0.10.5";
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  EXPECT(dap_layout_is_equal(got, p.layout));
  dap_layout_destroy(&got);
  for (int rank = 0; rank < 3; rank++) snprintf(p.part[rank].version, DAP_VERSION_TEXT, "ours");
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  dap_layout_destroy(&got);
  snprintf(p.part[2].version, DAP_VERSION_TEXT, "theirs");
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_LAYOUT, &err, "rank 2: |'theirs'|'ours' on rank 0");
  expect_rule(&err, 2);
  join.rules = "0.11";
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_VERSION, &err, "rank 0: rules '0.11'");
  expect_rule(&err, 2);
  release_parts(&p);
  SETTLE();
}

/* ---- wrong ones: everything that is found ------------------------------------------------------- */

enum { CULPRITS = 4, FINDINGS = 8 };

static const struct {
  const char *why;
  size_t right; /* row whose parts are changed */
  struct {
    int rank;
    test_change changes[TEST_CHANGES];
  } culprits[CULPRITS];
  struct {
    int rank, rule;
    dap_status status;
    const char *parts;
  } found[FINDINGS]; /* in this order; status DAP_OK closes it */
} wrong[] = {
    {"a fault in each of two dictionaries of one process, and one in another's",
     2,
     {{1, {{KEY_TYPE, 0, 'x', 0}, {KEY_BLOCK, 1, 0, 0}}}, {4, {{KEY_SIZE, 1, -1, 0}}}},
     {{1, 1, DAP_ERR_DIM, "dim 0: dist_type 'x'"},
      {1, 13, DAP_ERR_DIM, "dim 1: block_size 0"},
      {4, 1, DAP_ERR_DIM, "dim 1: size -1"}}},
    {"faults of one dictionary that do not need each other",
     2,
     {{0, {{KEY_START, 0, -1, 0}, {KEY_PAD_HIGH, 0, -1, 0}, {KEY_PROCS, 0, 0, 0}}}},
     {{0, 6, DAP_ERR_DIM, "dim 0: proc_grid_size 0"},
      {0, 8, DAP_ERR_DIM, "dim 0: start -1"},
      {0, 10, DAP_ERR_DIM, "dim 0: padding[1] -1"}}},
    {"the buffer and the dictionaries of one, the version of another",
     2,
     {{2, {{KEY_DTYPE, 0, 0, 0}, {KEY_START, 1, 1, 0}}}, {5, {{KEY_VERSION, 0, 0, "0.8"}}}},
     {{2, 20, DAP_ERR_BUFFER, "dtype 0"},
      {2, 14, DAP_ERR_DIM, "dim 1: start 1"},
      {5, 2, DAP_ERR_VERSION, "'0.8'"}}},
    {"too few dictionaries, each of which is still read",
     2,
     {{3, {{KEY_DIM_COUNT, 0, 1, 0}, {KEY_STOP, 0, 99, 0}}}},
     {{3, 4, DAP_ERR_BUFFER, "1 dictionaries"}, {3, 8, DAP_ERR_DIM, "dim 0: stop 99"}}},
    {"rank 0 of another version, others' empty dictionaries all the same",
     2,
     {{0, {{KEY_VERSION, 0, 0, "7.0"}}}, {1, {{KEY_TYPE, 0, 0, 0}}}, {2, {{KEY_TYPE, 1, 0, 0}}}},
     {{0, 2, DAP_ERR_VERSION, "'7.0'"}}},
    {"differences from rank 0, of those that are right themselves",
     2,
     {{1, {{KEY_PERIODIC, 0, 1, 0}}}, {3, {{KEY_DTYPE, 0, DAP_F4, 0}}}, {5, {{KEY_SIZE, 1, -5, 0}}}},
     {{5, 1, DAP_ERR_DIM, "dim 1: size -5"},
      {1, 7, DAP_ERR_LAYOUT, "dim 0: periodic 1"},
      {3, 20, DAP_ERR_LAYOUT, "float32|int32"}}},
    {"a grid of more than there are",
     2,
     {{0, {{KEY_PROCS, 0, 4, 0}}},
      {1, {{KEY_PROCS, 0, 4, 0}}},
      {2, {{KEY_PROCS, 0, 4, 0}}},
      {3, {{KEY_PROCS, 0, 4, 0}}}},
     {{4, 7, DAP_ERR_LAYOUT, "dim 0: proc_grid_size 3"}, {5, 7, DAP_ERR_LAYOUT, "dim 0: proc_grid_size 3"}}},
    {"two places taken twice",
     3,
     {{5, {{KEY_RANK, 1, 1, 0}}}, {4, {{KEY_RANK, 0, 1, 0}}}},
     {{4, 6, DAP_ERR_LAYOUT, "rank 0 has the same place"}, {5, 6, DAP_ERR_LAYOUT, "same place"}}},
    {"two axes told differently at one coordinate",
     2,
     {{1, {{KEY_START, 0, 1, 0}, {KEY_EXTENT, 0, 3, 0}}}, {4, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}}},
     {{1, 7, DAP_ERR_LAYOUT, "dim 0: start 1 differs from 0 on rank 0"},
      {4, 7, DAP_ERR_LAYOUT, "dim 1: start 0 differs from 2 on rank 0"}}},
    {"one axis told differently, the other does not tile",
     2,
     {{0, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}},
      {2, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}},
      {4, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}},
      {5, {{KEY_STOP, 0, 6, 0}, {KEY_EXTENT, 0, 2, 0}}}},
     {{5, 7, DAP_ERR_LAYOUT, "dim 0: stop 6 differs from 7 on rank 4"},
      {0, 14, DAP_ERR_LAYOUT, "dim 1: |block 0 on different"}}},
    {"lists: one is told differently, and the other axis has a gap",
     5,
     {{3, {TEST_LIST(0, 4, 1)}}, {1, {TEST_LIST(0, 4, 1)}}, {4, {TEST_LIST(1, 2, 3)}}},
     {{4, 7, DAP_ERR_LAYOUT, "dim 1: indices[0] 2 differs from 3 on rank 1"},
      {0, 17, DAP_ERR_LAYOUT, "dim 0: index 0 of size 5 is held by no process"}}},
    {"lists: a gap here, a duplicate where there must be none there",
     5,
     {{3, {TEST_LIST(0, 4, 1)}},
      {1, {TEST_LIST(0, 4, 1), TEST_LIST(1, 3, 2, 1), {KEY_EXTENT, 1, 3, 0}}},
      {0, {TEST_LIST(1, 3, 2, 1), {KEY_EXTENT, 1, 3, 0}}},
      {4, {TEST_LIST(1, 3, 2, 1), {KEY_EXTENT, 1, 3, 0}}}},
     {{0, 17, DAP_ERR_LAYOUT, "dim 0: index 0"}, {0, 18, DAP_ERR_LAYOUT, "dim 1: index 1|proc_grid_rank 0"}}},
    {"lists: another number, and too few in all",
     5,
     {{2, {TEST_LIST(0, 3, 0), {KEY_EXTENT, 0, 2, 0}}}},
     {{4, 7, DAP_ERR_LAYOUT, "dim 0: number of indices 1 differs from 2 on rank 2"}}},
};

static void expect_findings(const parts *p, size_t i)
{
  int want = 0;
  while (want < FINDINGS && wrong[i].found[want].status) want++;
  for (int k = 0; k < p->count && k < want; k++) {
    const finding *got = &p->found[k];
    char begin[32];
    snprintf(begin, sizeof begin, "rank %d: ", wrong[i].found[k].rank);
    TEST_CASE("%s: finding %d", wrong[i].why, k);
    EXPECT_MSG(got->rank == wrong[i].found[k].rank && got->rule == wrong[i].found[k].rule &&
                   got->status == wrong[i].found[k].status && !strncmp(got->text, begin, strlen(begin)) &&
                   test_contains(got->text, wrong[i].found[k].parts),
               "got rank %d, rule %d, %s, \"%s\"", got->rank, got->rule, dap_status_name(got->status),
               got->text);
  }
  TEST_CASE("%s", wrong[i].why);
  EXPECT_MSG(p->count == want, "%d findings, expected %d; the next is \"%s\"", p->count, want,
             p->count > want ? p->found[want].text : "none");
}

/* With someone to tell all is told; the status and the error are the first's, with and without. */
static void everything_is_told(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const size_t r = wrong[i].right;
    parts p;
    make_parts(right[r].ndim, right[r].dists, right[r].ranks, &p);
    const parts kept = p;
    for (int k = 0; k < CULPRITS && wrong[i].culprits[k].changes[0].key; k++)
      apply_changes(&p.part[wrong[i].culprits[k].rank], wrong[i].culprits[k].changes);
    dap_join join = {.nprocs = p.nprocs, .context = &p, .part = part_of, .tell = tell};
    dap_error all = {0}, first = {0};
    dap_layout *got = p.layout; /* anything but NULL */
    TEST_CASE("%s", wrong[i].why);
    EXPECT_INT(dap_layout_join(&join, &got, &all), wrong[i].found[0].status);
    EXPECT(got == NULL);
    EXPECT(p.count > 0 && all.rank == p.found[0].rank && !strcmp(all.text, p.found[0].text));
    expect_rule(&all, p.found[0].rule);
    expect_findings(&p, i);
    join.tell = NULL;
    EXPECT_INT(dap_layout_join(&join, &got, &first), wrong[i].found[0].status);
    EXPECT(got == NULL && first.rank == all.rank && first.rule == all.rule && !strcmp(first.text, all.text));
    EXPECT_INT(dap_layout_join(&join, &got, NULL), wrong[i].found[0].status);
    p = kept;
    release_parts(&p);
  }
  SETTLE();
}

/* ---- parts that are not to be had, and what is not there ----------------------------------------- */

static void a_part_that_fails(void **state)
{
  (void)state;
  for (int told = 0; told < 2; told++)
    for (int rank = 0; rank < 6; rank++) {
      parts p;
      dap_error err = {0};
      make_parts(right[2].ndim, right[2].dists, NULL, &p);
      p.refuses = rank;
      const dap_join join = {.nprocs = p.nprocs, .context = &p, .part = part_of, .tell = told ? tell : NULL};
      dap_layout *got = p.layout;
      char want[64];
      snprintf(want, sizeof want, "rank %d: no file for %d", rank, rank);
      TEST_CASE("of rank %d", rank);
      EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_LIBRARY, &err, want);
      expect_rule(&err, 0);
      EXPECT(got == NULL && err.rank == rank);
      EXPECT_INT(p.count, told);
      EXPECT_INT(p.asked[rank], 1); /* nothing is asked again once it has failed */
      release_parts(&p);
    }
  SETTLE();
}

/* One part of six: that the others are missing, and what is wrong with it all the same. */
static void one_part_of_many(void **state)
{
  (void)state;
  for (int faulty = 0; faulty < 2; faulty++) {
    parts p;
    dap_error err = {0};
    dap_layout *got = NULL;
    make_parts(right[2].ndim, right[2].dists, NULL, &p);
    if (faulty) p.part[0].dims[0].start = 1;
    if (faulty) p.part[0].shape[0]--;
    const dap_join join = {.nprocs = 1, .context = &p, .part = part_of, .tell = tell};
    TEST_CASE("%s", faulty ? "whose range begins at 1" : "as it should be");
    EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_LAYOUT, &err,
                "rank 0: dim 0: the product|1 process");
    expect_rule(&err, 6);
    EXPECT_INT(p.count, 1 + faulty);
    if (faulty)
      EXPECT(p.found[1].rule == 8 && test_contains(p.found[1].text, "rank 0: dim 0: |from 1, not from 0"));
    EXPECT(got == NULL);
    release_parts(&p);
  }
  SETTLE();
}

static void what_is_not_there_is_refused(void **state)
{
  (void)state;
  parts p;
  dap_error err = {0};
  dap_layout *got = (dap_layout *)&p;
  make_parts(right[1].ndim, right[1].dists, NULL, &p);
  dap_join join = {.nprocs = 1, .context = &p, .part = part_of};
  EXPECT_FAIL(dap_layout_join(NULL, &got, &err), DAP_ERR_ARG, &err, "join|NULL");
  EXPECT(got == NULL);
  EXPECT_FAIL(dap_layout_join(&join, NULL, &err), DAP_ERR_ARG, &err, "layout|NULL");
  join.nprocs = 0;
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_ARG, &err, "nprocs 0");
  join.nprocs = -3;
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_ARG, &err, "nprocs -3");
  join.nprocs = 1;
  join.part = NULL;
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_ARG, &err, "part|NULL");
  EXPECT_INT(p.asked[0], 0);
  release_parts(&p);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_parts_are_joined),
    cmocka_unit_test(dictionaries_are_enough),
    cmocka_unit_test(rules_may_be_named),
    cmocka_unit_test(everything_is_told),
    cmocka_unit_test(a_part_that_fails),
    cmocka_unit_test(one_part_of_many),
    cmocka_unit_test(what_is_not_there_is_refused),
};

MPI_TEST_MAIN(tests)
