/* dap_layout_assemble() refuses parts that do not make a whole, and wrong processes wherever they are. */
#include "refuse.h"

static const row ranges[] = {
    {"a gap",
     PADDED,
     2,
     1,
     {{KEY_START, 0, 4, 0}, {KEY_FIT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|4",
     8},
    {"an overlap",
     PADDED,
     2,
     1,
     {{KEY_START, 0, 2, 0}, {KEY_FIT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|proc_grid_rank 1|3|4",
     8},
    {"the first does not begin at 0",
     PADDED,
     1,
     0,
     {{KEY_START, 0, 1, 0}, {KEY_FIT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|0",
     8},
    {"the last does not end at size",
     PLAIN,
     1,
     LAST,
     {{KEY_START, 0, 0, 0}, {KEY_STOP, 0, 0, 0}, {KEY_FIT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|no process owns|size",
     8},
    {"a hole in the middle",
     PLAIN,
     3,
     1,
     {{KEY_START, 0, 0, 0}, {KEY_STOP, 0, 0, 0}, {KEY_FIT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|no process owns|1",
     8},
    {"all on both",
     PLAIN,
     2,
     1,
     {{KEY_START, 0, 0, 0}, {KEY_STOP, 0, 2, 0}, {KEY_FIT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|proc_grid_rank 1|0|1",
     8},
    {"paddings that differ across an interface",
     PADDED,
     2,
     1,
     {{KEY_START, 0, 4, 0}, {KEY_PAD_LOW, 0, 0, 0}, {KEY_FIT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|padding[1] 1|proc_grid_rank 0|padding[0] 0|1",
     10},
    {"padding wider than the neighbour's own",
     PLAIN,
     4,
     1,
     {{KEY_STOP, 0, 4, 0}, {KEY_PAD_HIGH, 0, 2, 0}, {KEY_FIT, 0, 0, 0}},
     2,
     {{KEY_START, 0, 0, 0}, {KEY_PAD_LOW, 0, 2, 0}, {KEY_FIT, 0, 0, 0}},
     DAP_ERR_LAYOUT,
     "axis 0|padding 2|1|2",
     10},
};

static const row deals[] = {
    {"both hold block 0",
     CYCLIC,
     2,
     1,
     {{KEY_START, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|start 0|block 0",
     14},
    {"one that owns says that it is empty",
     CYCLIC,
     2,
     1,
     {{KEY_START, 0, 1000, 0}, {KEY_EXTENT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|start 1000|proc_grid_rank 1|4",
     14},
    {"the only one says that it is empty",
     CYCLIC,
     1,
     EVERY,
     {{KEY_START, 0, 1000, 0}, {KEY_EXTENT, 0, 0, 0}},
     NO_MORE,
     DAP_ERR_LAYOUT,
     "axis 0|start 1000|4",
     14},
};

static const row two_culprits[] = {
    {"the lowest rank speaks",
     PADDED,
     3,
     2,
     {{KEY_SIZE, 0, -3, 0}},
     1,
     {{KEY_ABI, 0, 5, 0}},
     DAP_ERR_ARG,
     "rank 1: abi 5",
     0},
    {"a process's own fault comes before a difference",
     PADDED,
     3,
     1,
     {{KEY_SIZE, 0, 100, 0}},
     2,
     {{KEY_TYPE, 0, 'x', 0}},
     DAP_ERR_DIM,
     "rank 2: axis 0|'x'",
     1},
};

ROWS(ranges)
ROWS(deals)
ROWS(two_culprits)

/* What one process alone gets wrong, on each rank in turn. */
static void any_rank_may_be_wrong(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    test_change changes[TEST_CHANGES];
    dap_status want;
    const char *text;
    int rule;
  } alone[] = {
      {"abi", {{KEY_ABI, 0, 9, 0}}, DAP_ERR_ARG, "abi 9", 0},
      {"version", {{KEY_VERSION, 0, 0, "7.0"}}, DAP_ERR_VERSION, "__version__ '7.0'", 2},
      {"size absent", {{KEY_SIZE, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|size|absent", 1},
      {"start absent", {{KEY_START, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|start|absent", 1},
      {"negative padding", {{KEY_PAD_HIGH, 0, -2, 0}}, DAP_ERR_DIM, "axis 0|padding[1] -2", 10},
      {"stop behind size", {{KEY_STOP, 0, 1000, 0}}, DAP_ERR_DIM, "axis 0|stop 1000", 8},
      {"rank outside", {{KEY_RANK, 0, 6, 0}}, DAP_ERR_DIM, "axis 0|proc_grid_rank 6", 6},
      {"extent", {{KEY_EXTENT, 0, 77, 0}}, DAP_ERR_BUFFER, "axis 0|extent 77", 4},
      {"unstructured, nothing listed", {{KEY_TYPE, 0, 'u', 0}}, DAP_ERR_BUFFER, "axis 0|extent|0 indices", 4},
      {"unstructured, no list",
       {{KEY_TYPE, 0, 'u', 0}, {KEY_INDEX_COUNT, 0, DAP_ABSENT, 0}},
       DAP_ERR_DIM,
       "axis 0|indices|absent",
       1},
      {"strides", {{KEY_STRIDE, 0, INT64_MAX / 2, 0}}, DAP_ERR_RANGE, "2^63", 0},
  };
  for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      char parts[128];
      snprintf(parts, sizeof parts, "rank %d: |%s", culprit, alone[i].text);
      row r = {alone[i].why, PADDED,        1,     culprit,      {{KEY_END, 0, 0, 0}},
               NO_MORE,      alone[i].want, parts, alone[i].rule};
      memcpy(r.changes, alone[i].changes, sizeof r.changes);
      check_row(&r);
    }
}

/* A process that passes NULL is a wrong process like any other. */
static void null_arguments(void **state)
{
  (void)state;
  for (int culprit = 0; culprit < test_nprocs(); culprit++)
    for (int which = 0; which < 2; which++) {
      const bool mine = test_rank() == culprit;
      dap_layout *layout = NULL, *got = NULL;
      dap_array array;
      dap_error err = {0};
      make_base(CYCLIC, &layout, &array);
      const dap_status s = dap_layout_assemble(MPI_COMM_WORLD, mine && which ? NULL : &array,
                                               mine && !which ? NULL : &got, &err);
      TEST_CASE("%s is NULL on rank %d", which ? "local" : "layout", culprit);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "rank|NULL");
      EXPECT_INT(err.rank, culprit);
      EXPECT(got == NULL);
      dap_array_release(&array);
      dap_layout_destroy(&layout);
    }
  SETTLE();
}

/* Ranges that leave the padding out, which tile as they stand: the text says what they look like. */
static void ranges_without_their_padding(void **state)
{
  (void)state;
  const int me = test_rank(), P = test_nprocs();
  if (P == 1) skip(); /* no interface */
  dap_layout *layout = NULL, *got = NULL;
  dap_array array;
  dap_error err = {0};
  make_base(PADDED, &layout, &array);
  array.dims[0].start = 4 * me;
  array.dims[0].stop = 4 * me + 4;
  array.shape[0] = 4;
  dap_status s = dap_layout_assemble(MPI_COMM_WORLD, &array, &got, &err);
  TEST_CASE("buffers without padding");
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LAYOUT, "axis 0|exclude|padding|(rule 8)");
  array.shape[0] = 4 + (me > 0) + (me < P - 1);
  s = dap_layout_assemble(MPI_COMM_WORLD, &array, &got, &err);
  TEST_CASE("buffers with padding");
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_BUFFER, "axis 0|extent|padding|0.10|(rule 8)");
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_ranges),       cmocka_unit_test(check_deals),
    cmocka_unit_test(check_two_culprits), cmocka_unit_test(any_rank_may_be_wrong),
    cmocka_unit_test(null_arguments),     cmocka_unit_test(ranges_without_their_padding),
};

MPI_TEST_MAIN(tests)
