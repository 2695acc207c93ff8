/* dap_array_check(): the keys of one dictionary, against each other and against the buffer's extent. */
#include "check_rows.h"

#include <inttypes.h>

static const row common_keys[] = {
    {"unknown type", &block, {{KEY_TYPE, 0, 'x', 0}}, DAP_ERR_DIM, "axis 0|dist_type|'x'", 1},
    {"0.9's type under 0.10", &block, {{KEY_TYPE, 0, 'n', 0}}, DAP_ERR_DIM, "axis 0|dist_type|'n'", 1},
    {"upper case", &block, {{KEY_TYPE, 0, 'B', 0}}, DAP_ERR_DIM, "axis 0|dist_type|'B'", 1},
    {"not printable", &block, {{KEY_TYPE, 0, '\n', 0}}, DAP_ERR_DIM, "axis 0|dist_type|10", 1},
    {"the empty dictionary under 0.9",
     &table2,
     {{KEY_VERSION, 0, 0, "0.9.0"}},
     DAP_ERR_DIM,
     "axis 0|dist_type|byte 0|0.9",
     1},
    {"size absent", &block, {{KEY_SIZE, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|size|absent", 1},
    {"proc_grid_size absent",
     &block,
     {{KEY_PROCS, 0, DAP_ABSENT, 0}},
     DAP_ERR_DIM,
     "axis 0|proc_grid_size|absent",
     1},
    {"proc_grid_rank absent",
     &block,
     {{KEY_RANK, 0, DAP_ABSENT, 0}},
     DAP_ERR_DIM,
     "axis 0|proc_grid_rank|absent",
     1},
    {"size absent in 'c'", &cyclic, {{KEY_SIZE, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|size|absent", 1},
    {"the axis is named", &table2, {{KEY_SIZE, 1, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 1|size|absent", 1},
    {"negative size", &block, {{KEY_SIZE, 0, -1, 0}}, DAP_ERR_DIM, "axis 0|size|-1", 1},
    {"no process", &block, {{KEY_PROCS, 0, 0, 0}}, DAP_ERR_DIM, "axis 0|proc_grid_size|0", 6},
    {"fewer than no process", &cyclic, {{KEY_PROCS, 0, -2, 0}}, DAP_ERR_DIM, "axis 0|proc_grid_size|-2", 6},
    {"negative rank", &block, {{KEY_RANK, 0, -1, 0}}, DAP_ERR_DIM, "axis 0|proc_grid_rank|-1", 6},
    {"rank behind the last", &block, {{KEY_RANK, 0, 3, 0}}, DAP_ERR_DIM, "axis 0|proc_grid_rank|3", 6},
};

static const row block_keys[] = {
    {"start absent", &block, {{KEY_START, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|start|absent", 1},
    {"stop absent", &block, {{KEY_STOP, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|stop|absent", 1},
    {"negative start", &block, {{KEY_START, 0, -1, 0}}, DAP_ERR_DIM, "axis 0|start|-1", 8},
    {"stop before start", &block, {{KEY_STOP, 0, 2, 0}}, DAP_ERR_DIM, "axis 0|stop|2|start|3", 8},
    {"stop behind size", &block, {{KEY_STOP, 0, 13, 0}}, DAP_ERR_DIM, "axis 0|stop|13|size|12", 8},
    {"negative padding", &block, {{KEY_PAD_LOW, 0, -1, 0}}, DAP_ERR_DIM, "axis 0|padding|-1", 10},
    {"negative padding, high end", &block, {{KEY_PAD_HIGH, 0, -2, 0}}, DAP_ERR_DIM, "axis 0|padding|-2", 10},
    {"absent is not 0 for padding",
     &block,
     {{KEY_PAD_LOW, 0, DAP_ABSENT, 0}},
     DAP_ERR_DIM,
     "axis 0|padding",
     10},
    {"more padding than range", &block, {{KEY_PAD_LOW, 0, 7, 0}}, DAP_ERR_DIM, "axis 0|padding|7|6", 10},
    {"more padding than range, together",
     &block,
     {{KEY_PAD_LOW, 0, 4, 0}, {KEY_PAD_HIGH, 0, 3, 0}},
     DAP_ERR_DIM,
     "axis 0|padding|4|3|6",
     10},
    {"paddings whose sum overflows",
     &block,
     {{KEY_PAD_LOW, 0, INT64_MAX, 0}, {KEY_PAD_HIGH, 0, INT64_MAX, 0}},
     DAP_ERR_DIM,
     "axis 0|padding",
     10},
    {"extent too small", &block, {{KEY_EXTENT, 0, 5, 0}}, DAP_ERR_BUFFER, "axis 0|extent|5|6", 4},
    {"extent too large", &edge, {{KEY_EXTENT, 0, 7, 0}}, DAP_ERR_BUFFER, "axis 0|extent|7|5", 4},
    {"extent of ranges without padding, as 0.9 has",
     &block,
     {{KEY_EXTENT, 0, 8, 0}},
     DAP_ERR_BUFFER,
     "axis 0|extent|8|6|padding",
     8},
    {"no elements where some are", &block, {{KEY_EXTENT, 0, 0, 0}}, DAP_ERR_BUFFER, "axis 0|extent|0|6", 4},
};

static const row cyclic_keys[] = {
    {"start absent", &cyclic, {{KEY_START, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|start|absent", 1},
    {"negative start", &cyclic, {{KEY_START, 0, -2, 0}}, DAP_ERR_DIM, "axis 0|start|-2", 14},
    {"block_size 0", &cyclic, {{KEY_BLOCK, 0, 0, 0}}, DAP_ERR_DIM, "axis 0|block_size|0", 13},
    {"block_size negative", &cyclic, {{KEY_BLOCK, 0, -4, 0}}, DAP_ERR_DIM, "axis 0|block_size|-4", 13},
    {"start inside a block", &cyclic, {{KEY_START, 0, 3, 0}}, DAP_ERR_DIM, "axis 0|start|3|block_size|2", 14},
    {"start behind the first round", &cyclic, {{KEY_START, 0, 6, 0}}, DAP_ERR_DIM, "axis 0|start|6", 14},
    {"extent too large", &cyclic, {{KEY_EXTENT, 0, 5, 0}}, DAP_ERR_BUFFER, "axis 0|extent|5|4", 4},
    {"extent of an empty process", &cyclic, {{KEY_START, 0, 10, 0}}, DAP_ERR_BUFFER, "axis 0|extent|4|0", 4},
    {"the document's faulty count, process 0 of 5/3/2",
     &partial,
     {{KEY_RANK, 0, 0, 0}, {KEY_START, 0, 0, 0}, {KEY_EXTENT, 0, 5, 0}},
     DAP_ERR_BUFFER,
     "axis 0|extent|5|num_owned_indices|3",
     15},
    {"the document's faulty count, process 1 of 5/3/2",
     &partial,
     {{KEY_EXTENT, 0, 0, 0}},
     DAP_ERR_BUFFER,
     "axis 0|extent|0|num_owned_indices|2",
     15},
    {"the faulty count, process 0 of 17/3/4: blocks 0, 4 and the rest of 2",
     &partial,
     {{KEY_SIZE, 0, 17, 0},
      {KEY_PROCS, 0, 4, 0},
      {KEY_RANK, 0, 0, 0},
      {KEY_START, 0, 0, 0},
      {KEY_EXTENT, 0, 8, 0}},
     DAP_ERR_BUFFER,
     "axis 0|extent|8|num_owned_indices|6",
     15},
    {"wrong in another way than the document's count",
     &partial,
     {{KEY_EXTENT, 0, 1, 0}},
     DAP_ERR_BUFFER,
     "axis 0|extent|1|2",
     4},
};

/* As large as numbers get: nothing overflows on the way to the verdict. */
static const row huge_numbers[] = {
    {"0.10: padding of the whole of the longest dimension",
     &block,
     {{KEY_SIZE, 0, INT64_MAX, 0},
      {KEY_START, 0, 0, 0},
      {KEY_STOP, 0, INT64_MAX, 0},
      {KEY_PAD_LOW, 0, INT64_MAX / 2, 0},
      {KEY_PAD_HIGH, 0, INT64_MAX / 2, 0}},
     DAP_ERR_BUFFER,
     "axis 0|extent 6",
     4},
    {"0.9: more padding than can be counted",
     &block09,
     {{KEY_SIZE, 0, INT64_MAX, 0}, {KEY_PAD_LOW, 0, INT64_MAX, 0}, {KEY_PAD_HIGH, 0, INT64_MAX, 0}},
     DAP_ERR_RANGE,
     "axis 0|padding|2^63",
     0},
    {"0.9: a range and padding that together are more",
     &block09,
     {{KEY_SIZE, 0, INT64_MAX, 0}, {KEY_STOP, 0, INT64_MAX, 0}, {KEY_PAD_LOW, 0, INT64_MAX - 1, 0}},
     DAP_ERR_RANGE,
     "axis 0|padding|2^63",
     0},
    {"a block as long as can be",
     &cyclic,
     {{KEY_SIZE, 0, INT64_MAX, 0},
      {KEY_BLOCK, 0, INT64_MAX, 0},
      {KEY_PROCS, 0, INT64_MAX, 0},
      {KEY_RANK, 0, INT64_MAX - 1, 0},
      {KEY_START, 0, 0, 0}},
     DAP_ERR_BUFFER,
     "axis 0|extent 4",
     4},
    {"an index beyond 2^63",
     &listed,
     {{KEY_SIZE, 0, INT64_MAX, 0}, TEST_LIST(0, 0, -1, 3), {KEY_INDEX_DTYPE, 0, DAP_U8, 0}},
     DAP_ERR_DIM,
     "axis 0|indices[1]",
     17},
    {"more indices than there can be",
     &listed,
     {{KEY_INDEX_COUNT, 0, INT64_MAX, 0}, {KEY_INDICES_NULL, 0, 0, 0}},
     DAP_ERR_DIM,
     "axis 0|indices|NULL",
     17},
};

static const row list_keys[] = {
    {"indices absent",
     &listed,
     {{KEY_INDEX_COUNT, 0, DAP_ABSENT, 0}},
     DAP_ERR_DIM,
     "axis 0|indices|absent",
     1},
    {"size absent", &listed, {{KEY_SIZE, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "axis 0|size|absent", 1},
    {"indices, but NULL", &listed, {{KEY_INDICES_NULL, 0, 0, 0}}, DAP_ERR_DIM, "axis 0|indices|NULL|3", 17},
    {"fewer than none", &listed, {{KEY_INDEX_COUNT, 0, -1, 0}}, DAP_ERR_DIM, "axis 0|indices|-1", 17},
    {"of reals", &listed, {{KEY_INDEX_DTYPE, 0, DAP_F4, 0}}, DAP_ERR_DIM, "axis 0|indices|float32", 17},
    {"of bools", &listed, {{KEY_INDEX_DTYPE, 0, DAP_BOOL, 0}}, DAP_ERR_DIM, "axis 0|indices|bool", 17},
    {"of no type", &listed, {{KEY_INDEX_DTYPE, 0, DAP_NONE, 0}}, DAP_ERR_DIM, "axis 0|indices|none", 17},
    {"of an unknown type", &listed, {{KEY_INDEX_DTYPE, 0, 99, 0}}, DAP_ERR_DIM, "axis 0|indices|none", 17},
    {"a negative index", &listed, {TEST_LIST(0, 7, -2, 3)}, DAP_ERR_DIM, "axis 0|indices[1] -2|negative", 17},
    {"an index behind the last",
     &listed,
     {TEST_LIST(0, 7, 0, 8)},
     DAP_ERR_DIM,
     "axis 0|indices[2] 8|size 8",
     17},
    {"one of them twice", &listed, {TEST_LIST(0, 3, 0, 3)}, DAP_ERR_DIM, "axis 0|indices|3 twice", 17},
    {"one of few twice, of a long dimension",
     &listed,
     {TEST_LIST(0, 900, 7, 900), {KEY_SIZE, 0, 1000, 0}},
     DAP_ERR_DIM,
     "axis 0|indices|900 twice",
     17},
    {"extent too small", &listed, {{KEY_EXTENT, 0, 2, 0}}, DAP_ERR_BUFFER, "axis 0|extent 2|3 indices", 4},
    {"extent too large", &listed, {{KEY_EXTENT, 0, 4, 0}}, DAP_ERR_BUFFER, "axis 0|extent 4|3 indices", 4},
    {"a dimension of none", &listed, {{KEY_SIZE, 0, 0, 0}}, DAP_ERR_DIM, "axis 0|indices[0] 7|size 0", 17},
};

/* What no other processes could make whole. */
static const row alone[] = {
    {"the first does not begin at 0",
     &edge,
     {{KEY_START, 0, 1, 0}, {KEY_EXTENT, 0, 4, 0}},
     DAP_ERR_DIM,
     "axis 0|first process|from 1, not from 0",
     8},
    {"the last does not end at size",
     &block,
     {{KEY_RANK, 0, 2, 0}, {KEY_PAD_HIGH, 0, 0, 0}},
     DAP_ERR_DIM,
     "axis 0|last process|to 9, not to size 12",
     8},
    {"0.9: the first does not begin at 0",
     &block09,
     {{KEY_RANK, 0, 0, 0}, {KEY_PAD_LOW, 0, 0, 0}, {KEY_EXTENT, 0, 7, 0}},
     DAP_ERR_DIM,
     "axis 0|first process|from 3, not from 0",
     8},
    {"the only one does not have all",
     &edge,
     {{KEY_PROCS, 0, 1, 0}, {KEY_PAD_HIGH, 0, 0, 0}},
     DAP_ERR_DIM,
     "axis 0|last process|to 5, not to size 8",
     8},
    {"the first is empty, wherever it says",
     &edge,
     {{KEY_START, 0, 4, 0},
      {KEY_STOP, 0, 4, 0},
      {KEY_PAD_LOW, 0, 0, 0},
      {KEY_PAD_HIGH, 0, 0, 0},
      {KEY_EXTENT, 0, 0, 0}},
     DAP_OK,
     "",
     0},
    {"dealt out to one, who is empty",
     &cyclic,
     {{KEY_PROCS, 0, 1, 0}, {KEY_RANK, 0, 0, 0}, {KEY_START, 0, 10, 0}, {KEY_EXTENT, 0, 0, 0}},
     DAP_ERR_DIM,
     "axis 0|start 10|5 blocks for 1",
     14},
    {"dealt out to three, who all get some",
     &cyclic,
     {{KEY_START, 0, 10, 0}, {KEY_EXTENT, 0, 0, 0}},
     DAP_ERR_DIM,
     "axis 0|start 10|empty|5 blocks for 3",
     14},
    {"dealt out to three, the last of whom gets none",
     &cyclic,
     {{KEY_SIZE, 0, 4, 0}, {KEY_START, 0, 10, 0}, {KEY_EXTENT, 0, 0, 0}},
     DAP_OK,
     "",
     0},
    {"more padding than it owns for its neighbour",
     &block,
     {{KEY_PAD_LOW, 0, 4, 0}},
     DAP_ERR_DIM,
     "axis 0|communication padding[0] 4|more than 1",
     10},
    {"more padding than is left for its neighbour to own",
     &block09,
     {{KEY_PAD_HIGH, 0, 4, 0}, {KEY_EXTENT, 0, 11, 0}},
     DAP_ERR_DIM,
     "axis 0|communication padding[1] 4|more than 3",
     10},
    {"the only list has not all",
     &listed,
     {{KEY_PROCS, 0, 1, 0}, {KEY_RANK, 0, 0, 0}},
     DAP_ERR_DIM,
     "axis 0|only process|3 indices|size 8",
     17},
};

ROWS(common_keys)
ROWS(block_keys)
ROWS(cyclic_keys)
ROWS(list_keys)
ROWS(huge_numbers)
ROWS(alone)

/* Indices of every integer type, and where they do not lie on its boundaries. */
static void indices_of_any_width(void **state)
{
  (void)state;
  static const unsigned char one[] = {1, 1, 1, 1, 1, 1, 1, 1, 1},
                             ones[] = {255, 255, 255, 255, 255, 255, 255, 255};
  for (dap_dtype dtype = DAP_I1; dtype <= DAP_U8; dtype++) {
    const bool is_signed = dtype == DAP_I1 || dtype == DAP_I2 || dtype == DAP_I4 || dtype == DAP_I8;
    dap_array array = listed;
    dap_error err = {0};
    array.dims[0].indices = one + 1;
    array.dims[0].indices_dtype = dtype;
    array.dims[0].index_count = array.shape[0] = 1;
    array.dims[0].size = INT64_C(0x0101010101010102); /* one more than the largest of them */
    TEST_CASE("%s, ones", dap_dtype_name(dtype));
    EXPECT_OK(dap_array_check(&array, &err), &err);
    TEST_CASE("%s, all bits set", dap_dtype_name(dtype));
    array.dims[0].indices = ones;
    const bool fits = !is_signed && dtype != DAP_U8;
    EXPECT_FAIL(dap_array_check(&array, &err), fits ? DAP_OK : DAP_ERR_DIM, &err,
                is_signed ? "indices[0] -1 is negative" : "indices[0] is 2^63 - 1 or more");
  }
  SETTLE();
}

/* The faulty count blames itself exactly where it differs from the true one. */
static void the_faulty_count_is_named(void **state)
{
  (void)state;
  for (int64_t size = 0; size <= 12; size++)
    for (int64_t bs = 1; bs <= 5; bs++)
      for (int64_t procs = 1; procs <= 4; procs++)
        for (int64_t rank = 0; rank < procs; rank++) {
          int64_t owned = 0, faulty = rank == 0 ? size % bs : 0;
          for (int64_t i = 0; i < size; i++) owned += i / bs % procs == rank;
          for (int64_t b = 0; b < size / bs; b++) faulty += b % procs == rank ? bs : 0;
          dap_array array = cyclic;
          array.dims[0].size = size;
          array.dims[0].block_size = bs;
          array.dims[0].proc_grid_size = procs;
          array.dims[0].proc_grid_rank = rank;
          array.dims[0].start = rank * bs;
          array.shape[0] = faulty;
          dap_error err = {0};
          TEST_CASE("size %" PRId64 " bs %" PRId64 " rank %" PRId64 "/%" PRId64, size, bs, rank, procs);
          EXPECT_FAIL(dap_array_check(&array, &err), owned == faulty ? DAP_OK : DAP_ERR_BUFFER, &err,
                      "num_owned_indices");
          array.shape[0] = owned;
          EXPECT_OK(dap_array_check(&array, &err), &err);
        }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_common_keys),    cmocka_unit_test(check_block_keys),
    cmocka_unit_test(check_cyclic_keys),    cmocka_unit_test(check_list_keys),
    cmocka_unit_test(check_huge_numbers),   cmocka_unit_test(check_alone),
    cmocka_unit_test(indices_of_any_width), cmocka_unit_test(the_faulty_count_is_named),
};

MPI_TEST_MAIN(tests)
