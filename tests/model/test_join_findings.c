/* Everything that is wrong with the parts of all processes, as dap_layout_join() tells it. */
#include "join_parts.h"

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
     {{1, 1, DAP_ERR_DIM, "axis 0: dist_type 'x'"},
      {1, 13, DAP_ERR_DIM, "axis 1: block_size 0"},
      {4, 1, DAP_ERR_DIM, "axis 1: size -1"}}},
    {"faults of one dictionary that do not need each other",
     2,
     {{0, {{KEY_START, 0, -1, 0}, {KEY_PAD_HIGH, 0, -1, 0}, {KEY_PROCS, 0, 0, 0}}}},
     {{0, 6, DAP_ERR_DIM, "axis 0: proc_grid_size 0"},
      {0, 8, DAP_ERR_DIM, "axis 0: start -1"},
      {0, 10, DAP_ERR_DIM, "axis 0: padding[1] -1"}}},
    {"the buffer and the dictionaries of one, the version of another",
     2,
     {{2, {{KEY_DTYPE, 0, 0, 0}, {KEY_START, 1, 1, 0}}}, {5, {{KEY_VERSION, 0, 0, "0.8"}}}},
     {{2, 20, DAP_ERR_BUFFER, "dtype 0"},
      {2, 14, DAP_ERR_DIM, "axis 1: start 1"},
      {5, 2, DAP_ERR_VERSION, "'0.8'"}}},
    {"too few dictionaries, each of which is still read",
     2,
     {{3, {{KEY_DIM_COUNT, 0, 1, 0}, {KEY_STOP, 0, 99, 0}}}},
     {{3, 4, DAP_ERR_BUFFER, "1 dictionaries"}, {3, 8, DAP_ERR_DIM, "axis 0: stop 99"}}},
    {"rank 0 of another version, others' empty dictionaries all the same",
     2,
     {{0, {{KEY_VERSION, 0, 0, "7.0"}}}, {1, {{KEY_TYPE, 0, 0, 0}}}, {2, {{KEY_TYPE, 1, 0, 0}}}},
     {{0, 2, DAP_ERR_VERSION, "'7.0'"}}},
    {"differences from rank 0, of those that are right themselves",
     2,
     {{1, {{KEY_PERIODIC, 0, 1, 0}}}, {3, {{KEY_DTYPE, 0, DAP_F4, 0}}}, {5, {{KEY_SIZE, 1, -5, 0}}}},
     {{5, 1, DAP_ERR_DIM, "axis 1: size -5"},
      {1, 7, DAP_ERR_LAYOUT, "axis 0: periodic 1"},
      {3, 20, DAP_ERR_LAYOUT, "float32|int32"}}},
    {"a grid of more than there are",
     2,
     {{0, {{KEY_PROCS, 0, 4, 0}}},
      {1, {{KEY_PROCS, 0, 4, 0}}},
      {2, {{KEY_PROCS, 0, 4, 0}}},
      {3, {{KEY_PROCS, 0, 4, 0}}}},
     {{4, 7, DAP_ERR_LAYOUT, "axis 0: proc_grid_size 3"},
      {5, 7, DAP_ERR_LAYOUT, "axis 0: proc_grid_size 3"}}},
    {"two places taken twice",
     3,
     {{5, {{KEY_RANK, 1, 1, 0}}}, {4, {{KEY_RANK, 0, 1, 0}}}},
     {{4, 6, DAP_ERR_LAYOUT, "rank 0 has the same place"}, {5, 6, DAP_ERR_LAYOUT, "same place"}}},
    {"two axes told differently at one coordinate",
     2,
     {{1, {{KEY_START, 0, 1, 0}, {KEY_EXTENT, 0, 3, 0}}}, {4, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}}},
     {{1, 7, DAP_ERR_LAYOUT, "axis 0: start 1 differs from 0 on rank 0"},
      {4, 7, DAP_ERR_LAYOUT, "axis 1: start 0 differs from 2 on rank 0"}}},
    {"one axis told differently, the other does not tile",
     2,
     {{0, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}},
      {2, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}},
      {4, {{KEY_START, 1, 0, 0}, {KEY_EXTENT, 1, 3, 0}}},
      {5, {{KEY_STOP, 0, 6, 0}, {KEY_EXTENT, 0, 2, 0}}}},
     {{5, 7, DAP_ERR_LAYOUT, "axis 0: stop 6 differs from 7 on rank 4"},
      {0, 14, DAP_ERR_LAYOUT, "axis 1: |block 0 on different"}}},
    {"lists: one is told differently, and the other axis has a gap",
     5,
     {{3, {TEST_LIST(0, 4, 1)}}, {1, {TEST_LIST(0, 4, 1)}}, {4, {TEST_LIST(1, 2, 3)}}},
     {{4, 7, DAP_ERR_LAYOUT, "axis 1: indices[0] 2 differs from 3 on rank 1"},
      {0, 17, DAP_ERR_LAYOUT, "axis 0: index 0 of size 5 is held by no process"}}},
    {"lists: a gap here, a duplicate where there must be none there",
     5,
     {{3, {TEST_LIST(0, 4, 1)}},
      {1, {TEST_LIST(0, 4, 1), TEST_LIST(1, 3, 2, 1), {KEY_EXTENT, 1, 3, 0}}},
      {0, {TEST_LIST(1, 3, 2, 1), {KEY_EXTENT, 1, 3, 0}}},
      {4, {TEST_LIST(1, 3, 2, 1), {KEY_EXTENT, 1, 3, 0}}}},
     {{0, 17, DAP_ERR_LAYOUT, "axis 0: index 0"},
      {0, 18, DAP_ERR_LAYOUT, "axis 1: index 1|proc_grid_rank 0"}}},
    {"lists: told differently, and one of them leaves a gap, which may be the fault",
     5,
     {{2, {TEST_LIST(0, 0)}}},
     {{4, 7, DAP_ERR_LAYOUT, "axis 0: indices[0] 3 differs from 0 on rank 2"}}},
    {"lists: another number, and too few in all",
     5,
     {{2, {TEST_LIST(0, 3, 0), {KEY_EXTENT, 0, 2, 0}}}},
     {{4, 7, DAP_ERR_LAYOUT, "axis 0: number of indices 1 differs from 2 on rank 2"}}},
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(everything_is_told)};

MPI_TEST_MAIN(tests)
