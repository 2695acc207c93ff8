/* Tests dap_layout_join(), which joins the parts of all processes in one process, with missing parts, and
 * its findings about wrong ones. */
#include "layouts.h"
#include "mutate.h"

#include <dapbridge/join.h>

/* ---- the parts of all processes ----------------------------------------------------------------- */

enum { PARTS = 6, FOUND = 32 };

typedef struct finding {
  int rank, rule;
  dap_status status;
  char text[DAP_ERROR_TEXT];
} finding;

typedef struct parts {
  dap_layout *layout; /* layout of the valid parts */
  int nprocs;
  dap_array part[PARTS];
  int refuses;      /* rank whose part cannot be returned; -1: none */
  int asked[PARTS]; /* number of calls for each rank */
  finding found[FOUND];
  int count; /* number of entries of `found` */
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

static void make_parts(const char *text, parts *p)
{
  dap_error err = {0};
  *p = (parts){.refuses = -1, .layout = read_layout(text)};
  p->nprocs = dap_layout_nprocs(p->layout);
  for (int rank = 0; rank < p->nprocs; rank++)
    EXPECT_OK(dap_array_init(&p->part[rank], p->layout, rank, DAP_I4, DAP_ORDER_F, NULL, &err), &err);
}

/* Releases the parts. They still refer to their own memory, so tests must restore changed ones. */
static void release_parts(parts *p)
{
  for (int rank = 0; rank < p->nprocs; rank++) dap_array_release(&p->part[rank]);
  dap_layout_destroy(&p->layout);
}

/* ---- valid parts -------------------------------------------------------------------------------- */

static const char padded[] = "7x5 on 3x2: b(halo 1), c(2, first 1)",
                  turned[] = "7x5 on 3x2: b(halo 1), c(2); ranks 3 1 5 0 2 4",
                  listed[] = "5x4 on 3x2: u[4,0][1,4,2][3], u[0,1][3,2](one to one); ranks 3 1 5 0 2 4";

/* Joins dictionaries without buffers. Wrong buffers are ignored, and an axis whose size only a buffer
 * tells is an error. */
static void dictionaries_are_enough(void **state)
{
  (void)state;
  dap_error err = {0};
  dap_layout *got = NULL;
  parts p;
  make_parts("7x4 on 3x1: b(halo 1), b", &p);
  const parts kept = p;
  dap_join join = {.nprocs = 3, .context = &p, .part = part_of};
  for (int rank = 0; rank < 3; rank++) {
    dap_array *part = &p.part[rank];
    part->ndim = 7 - rank;
    part->dtype = rank ? DAP_NONE : (dap_dtype)99;
    part->data = NULL;
    for (int k = 0; k < DAP_MAX_NDIM; k++) part->shape[k] = -rank, part->strides[k] = INT64_MIN;
  }
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_BUFFER, &err, "rank 0: |2|7 axes");
  join.without_buffers = true;
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  EXPECT(dap_layout_is_equal(got, p.layout));
  dap_layout_destroy(&got);
  for (int rank = 0; rank < 3; rank++) p.part[rank].dims[1] = (dap_dim){0};
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_DIM, &err,
              "rank 0: axis 1|empty dictionary|buffer");
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
  dap_error err = {0};
  dap_layout *got = NULL;
  parts p;
  make_parts("9 on 3: b(halo 1)", &p);
  dap_join join = {.nprocs = 3, .context = &p, .part = part_of};
  for (int rank = 0; rank < 3; rank++) {
    snprintf(p.part[rank].version, DAP_VERSION_TEXT, "0.9.0"); /* the dictionaries are valid in 0.10 */
  }
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_BUFFER, &err, "rank 0: axis 0|0.9.*|exclude");
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

/* ---- parts that cannot be returned, and missing parts -------------------------------------------- */

static void a_part_that_fails(void **state)
{
  (void)state;
  for (int told = 0; told < 2; told++)
    for (int rank = 0; rank < 6; rank++) {
      parts p;
      dap_error err = {0};
      make_parts(padded, &p);
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
      EXPECT_INT(p.asked[rank], 1); /* a failed part is not requested again */
      release_parts(&p);
    }
  SETTLE();
}

/* Joins one part of six. The error must report the missing parts, and also the faults of this part. */
static void one_part_of_many(void **state)
{
  (void)state;
  for (int faulty = 0; faulty < 2; faulty++) {
    parts p;
    dap_error err = {0};
    dap_layout *got = NULL;
    make_parts(padded, &p);
    if (faulty) p.part[0].dims[0].start = 1;
    if (faulty) p.part[0].shape[0]--;
    const dap_join join = {.nprocs = 1, .context = &p, .part = part_of, .tell = tell};
    TEST_CASE("%s", faulty ? "whose range begins at 1" : "as it should be");
    EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_LAYOUT, &err,
                "rank 0: axis 0: proc_grid_size|for only 1");
    expect_rule(&err, 6);
    EXPECT_INT(p.count, 1 + faulty);
    if (faulty)
      EXPECT(p.found[1].rule == 8 && test_contains(p.found[1].text, "rank 0: axis 0: |from 1, not from 0"));
    EXPECT(got == NULL);
    release_parts(&p);
  }
  SETTLE();
}

static void missing_arguments_are_refused(void **state)
{
  (void)state;
  parts p;
  dap_error err = {0};
  dap_layout *got = (dap_layout *)&p;
  make_parts("4: b", &p);
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

/* ---- wrong parts -------------------------------------------------------------------------------- */

enum { FINDINGS = 3 };

static const struct {
  const char *why, *right;
  const char *changes;         /* "rank: changes; rank: changes", in the words of change_array() */
  const char *found[FINDINGS]; /* in this order: rank, rule, status, parts of the text */
} wrong[] = {
    {"a fault in each of two dictionaries of one process, and one in another's",
     padded,
     "1: type x, axis 1 block_size 0; 4: axis 1 size -1",
     {"1 1 DIM axis 0|dist_type 'x'", "1 13 DIM axis 1|block_size 0", "4 1 DIM axis 1|size -1"}},
    {"faults of one dictionary that do not need each other",
     padded,
     "0: start -1, pad_high -1, procs 0",
     {"0 6 DIM axis 0|proc_grid_size 0", "0 8 DIM axis 0|start -1", "0 10 DIM axis 0|padding[1] -1"}},
    {"the buffer and the dictionaries of one, the version of another",
     padded,
     "2: dtype 0, axis 1 start 1; 5: version 0.8",
     {"2 20 BUFFER dtype 0", "2 14 DIM axis 1|start 1", "5 2 VERSION '0.8'"}},
    {"too few dictionaries, each of which is still read",
     padded,
     "3: dim_count 1, stop 99",
     {"3 4 BUFFER 1 dictionaries", "3 8 DIM axis 0|stop 99"}},
    {"rank 0 of another version, others' empty dictionaries all the same",
     padded,
     "0: version 7.0; 1: type {}; 2: axis 1 type {}",
     {"0 2 VERSION '7.0'"}},
    {"differences from rank 0, of those that are right themselves",
     padded,
     "1: periodic 1; 3: dtype float32; 5: axis 1 size -5",
     {"5 1 DIM axis 1|size -5", "1 7 LAYOUT axis 0|periodic 1", "3 20 LAYOUT float32|int32"}},
    {"a grid of more than there are",
     padded,
     "0: procs 4; 1: procs 4; 2: procs 4; 3: procs 4",
     {"4 7 LAYOUT axis 0|proc_grid_size 3", "5 7 LAYOUT axis 0|proc_grid_size 3"}},
    {"two places taken twice",
     turned,
     "5: axis 1 rank 1; 4: rank 1",
     {"4 6 LAYOUT rank 0", "5 6 LAYOUT rank "}},
    {"two axes told differently at one coordinate",
     padded,
     "1: start 1, extent 3; 4: axis 1 start 0, axis 1 extent 3",
     {"1 7 LAYOUT axis 0|start 1|0|rank 0", "4 7 LAYOUT axis 1|start 0|2|rank 0"}},
    {"one axis told differently, the other does not tile",
     padded,
     "0: axis 1 start 0, axis 1 extent 3; 2: axis 1 start 0, axis 1 extent 3; 4: axis 1 start 0, axis 1 "
     "extent 3; 5: stop 6, extent 2",
     {"5 7 LAYOUT axis 0|stop 6|7|rank 4", "0 14 LAYOUT axis 1||block 0"}},
    {"lists: one is told differently, and the other axis has a gap",
     listed,
     "3: indices 4 1; 1: indices 4 1; 4: axis 1 indices 2 3",
     {"4 7 LAYOUT axis 1|indices[0] 2|3|rank 1", "0 17 LAYOUT axis 0|index 0"}},
    {"lists: a gap here, a duplicate where there must be none there",
     listed,
     "3: indices 4 1; 1: indices 4 1, axis 1 indices 3 2 1, axis 1 extent 3; 0: axis 1 indices 3 2 1, axis 1 "
     "extent 3; 4: axis 1 indices 3 2 1, axis 1 extent 3",
     {"0 17 LAYOUT axis 0|index 0", "0 18 LAYOUT axis 1|index 1|proc_grid_rank 0"}},
    {"lists: told differently, and one of them leaves a gap, which may be the fault",
     listed,
     "2: indices 0",
     {"4 7 LAYOUT axis 0|indices[0] 3|0|rank 2"}},
    {"lists: another number, and too few in all",
     listed,
     "2: indices 3 0, extent 2",
     {"4 7 LAYOUT axis 0|number of indices 1|2|rank 2"}},
};

static void spoil_parts(const char *changes, parts *p)
{
  for (const char *at = changes; *at;) {
    char one[160], *end = NULL;
    const size_t length = strcspn(at, ";");
    const long rank = strtol(at, &end, 10);
    snprintf(one, sizeof one, "%.*s", (int)(length - (size_t)(end + 1 - at)), end + 1);
    if (EXPECT(rank >= 0 && rank < p->nprocs && *end == ':')) change_array(&p->part[rank], one);
    at += length + (at[length] == ';');
  }
}

static void expect_finding(const finding *got, const char *want)
{
  char begin[32], status[16];
  int rank = -1, rule = -1, read = 0;
  EXPECT(sscanf(want, "%d %d %15s %n", &rank, &rule, status, &read) == 3);
  snprintf(begin, sizeof begin, "rank %d: ", rank);
  EXPECT_MSG(got->rank == rank && got->rule == rule && !strcmp(dap_status_name(got->status), status) &&
                 !strncmp(got->text, begin, strlen(begin)) && test_contains(got->text, want + read),
             "got rank %d, rule %d, %s, \"%s\", not %s", got->rank, got->rule, dap_status_name(got->status),
             got->text, want);
}

/* A listener receives all findings. The status and the error are those of the first finding, with and
 * without it. */
static void everything_is_told(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    parts p;
    make_parts(wrong[i].right, &p);
    const parts kept = p;
    spoil_parts(wrong[i].changes, &p);
    dap_join join = {.nprocs = p.nprocs, .context = &p, .part = part_of, .tell = tell};
    dap_error all = {0}, first = {0};
    dap_layout *got = p.layout; /* any value except NULL */
    int want = 0;
    TEST_CASE("%s", wrong[i].why);
    const dap_status told = dap_layout_join(&join, &got, &all);
    EXPECT_INT(told, p.found[0].status);
    EXPECT(got == NULL && p.count > 0 && all.rank == p.found[0].rank && !strcmp(all.text, p.found[0].text));
    expect_rule(&all, p.found[0].rule);
    while (want < FINDINGS && wrong[i].found[want]) want++;
    EXPECT_MSG(p.count == want, "%d findings, expected %d; the last is \"%s\"", p.count, want,
               p.count ? p.found[p.count - 1].text : "none");
    for (int k = 0; k < p.count && k < want; k++) expect_finding(&p.found[k], wrong[i].found[k]);
    join.tell = NULL;
    EXPECT_INT(dap_layout_join(&join, &got, &first), told);
    EXPECT(got == NULL && first.rank == all.rank && first.rule == all.rule && !strcmp(first.text, all.text));
    p = kept;
    release_parts(&p);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(dictionaries_are_enough),
    cmocka_unit_test(rules_may_be_named),
    cmocka_unit_test(a_part_that_fails),
    cmocka_unit_test(one_part_of_many),
    cmocka_unit_test(missing_arguments_are_refused),
    cmocka_unit_test(everything_is_told),
};

MPI_TEST_MAIN(tests)
