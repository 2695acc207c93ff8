/* Tests dap_array_check() with legal arrays, and with arrays whose envelope or dictionaries are wrong. */
#include "check_rows.h"

static const row legal[] = {
    {"a padded block", &block, "", IS_LEGAL},
    {"an edge block with boundary padding", &edge, "", IS_LEGAL},
    {"blocks dealt out", &cyclic, "", IS_LEGAL},
    {"a partial last block is its dealt owner's", &partial, "", IS_LEGAL},
    {"empty dictionary; block_size absent", &table2, "", IS_LEGAL},
    {"no dimension", &scalar, "", IS_LEGAL},
    {"another 0.10", &block, "version 0.10.1", IS_LEGAL},
    {"0.9: the same range without its padding, which the buffer has besides", &block,
     "version 0.9.0, extent 8", IS_LEGAL},
    {"another 0.9", &block, "version 0.9.1, extent 8", IS_LEGAL},
    {"0.0.1", &block, "version 0.0.1, extent 8", IS_LEGAL},
    {"no padding", &block, "pad_low 0, pad_high 0", IS_LEGAL},
    {"start == stop is empty, without data", &block, "stop 3, pad_low 0, pad_high 0, extent 0, no_data",
     IS_LEGAL},
    {"empty at the very end", &edge, "start 8, stop 8, pad_low 0, pad_high 0, extent 0", IS_LEGAL},
    {"boundary padding as wide as all that is owned", &edge, "pad_low 4, periodic 1", IS_LEGAL},
    {"cyclic: start at size is empty", &cyclic, "size 4, start 4, extent 0", IS_LEGAL},
    {"cyclic: start behind size, no multiple, is empty too", &cyclic, "size 4, start 17, extent 0", IS_LEGAL},
    {"a rotated first owner: block 0 is rank 1's", &cyclic, "start 0, extent 4", IS_LEGAL},
    {"a block size beyond size", &cyclic, "block_size 64, start 0, extent 10", IS_LEGAL},
    {"keys of other kinds do not matter to 'b'", &block, "block_size -3, one_to_one 1", IS_LEGAL},
    {"keys of other kinds do not matter to 'c'", &cyclic, "stop -9, pad_low -1, periodic 1", IS_LEGAL},
    {"nothing in an empty dictionary matters", &table2, "size -5, procs 0, rank 9, start -1, stop 1",
     IS_LEGAL},
    {"a list", &listed, "", IS_LEGAL},
    {"an empty list, without data or indices", &listed,
     "index_count 0, no_indices, index_dtype none, extent 0, no_data", IS_LEGAL},
    {"keys of other kinds do not matter to 'u'", &listed,
     "start absent, stop -9, pad_low -1, block_size -3, periodic 1", IS_LEGAL},
    {"read-only", &block, "readonly 1", IS_LEGAL},
    {"negative stride", &block, "stride -8", IS_LEGAL},
    {"elements that overlap are the reader's affair", &block, "stride 3", IS_LEGAL},
    {"the stride of an extent of 1 does not matter", &block, "stop 5, pad_high 0, extent 2, stride 1",
     IS_LEGAL},
};

static const row envelope[] = {
    {"abi of a later release", &block, "abi 2", DAP_ERR_ARG, "abi|2", 0},
    {"zeroed", &block, "abi 0", DAP_ERR_ARG, "abi|0", 0},
    {"no version", &block, "version ", DAP_ERR_VERSION, "__version__|''", 2},
    {"a later version", &block, "version 0.11.0", DAP_ERR_VERSION, "__version__|'0.11.0'", 2},
    {"0.10 means another reading than 0.9", &block, "version 0.9.0", DAP_ERR_BUFFER,
     "axis 0|extent 6|without|0.9.*|exclude", 8},
    {"no closing NUL", &block, "version 0.10.0.000000000", DAP_ERR_VERSION, "__version__|NUL", 2},
    {"too many dictionaries", &block, "dim_count 2", DAP_ERR_BUFFER, "dim_data|2|1", 4},
    {"too few dictionaries", &table2, "dim_count 1", DAP_ERR_BUFFER, "dim_data|1|2", 4},
    {"ndim negative", &block, "ndim -1, dim_count -1", DAP_ERR_BUFFER, "ndim|-1", 0},
    {"ndim too large", &block, "ndim 9, dim_count 9", DAP_ERR_BUFFER, "ndim|9", 0},
    {"no element type", &block, "dtype none", DAP_ERR_BUFFER, "dtype|0", 20},
    {"unknown element type", &block, "dtype 99", DAP_ERR_BUFFER, "dtype|99", 20},
    {"elements but no data", &block, "no_data", DAP_ERR_BUFFER, "data|NULL|6", 0},
    {"a scalar without data", &scalar, "no_data", DAP_ERR_BUFFER, "data|NULL", 0},
    {"negative extent", &block, "extent -1", DAP_ERR_BUFFER, "axis 0|extent|-1", 0},
    {"too many elements", &table2, "extent 4611686018427387904", DAP_ERR_RANGE, "2^63", 0},
    {"too many bytes", &table2, "extent 2305843009213693952, axis 1 extent 1", DAP_ERR_RANGE, "2^63|bytes",
     0},
    {"strides that reach too far", &block, "stride 4611686018427387904", DAP_ERR_RANGE, "2^63|bytes", 0},
    {"strides that reach too far back", &block, "stride min", DAP_ERR_RANGE, "2^63|bytes", 0},
};

static const row common_keys[] = {
    {"unknown type", &block, "type x", DAP_ERR_DIM, "axis 0|dist_type|'x'", 1},
    {"0.9's type under 0.10", &block, "type n", DAP_ERR_DIM, "axis 0|dist_type|'n'", 1},
    {"upper case", &block, "type B", DAP_ERR_DIM, "axis 0|dist_type|'B'", 1},
    {"not printable", &block, "type \n", DAP_ERR_DIM, "axis 0|dist_type|10", 1},
    {"the empty dictionary under 0.9", &table2, "version 0.9.0", DAP_ERR_DIM, "axis 0|dist_type|byte 0|0.9",
     1},
    {"size absent", &block, "size absent", DAP_ERR_DIM, "axis 0|size|absent", 1},
    {"proc_grid_size absent", &block, "procs absent", DAP_ERR_DIM, "axis 0|proc_grid_size|absent", 1},
    {"proc_grid_rank absent", &block, "rank absent", DAP_ERR_DIM, "axis 0|proc_grid_rank|absent", 1},
    {"the axis is named", &table2, "axis 1 size absent", DAP_ERR_DIM, "axis 1|size|absent", 1},
    {"negative size", &block, "size -1", DAP_ERR_DIM, "axis 0|size|-1", 1},
    {"no process", &block, "procs 0", DAP_ERR_DIM, "axis 0|proc_grid_size|0", 6},
    {"negative rank", &block, "rank -1", DAP_ERR_DIM, "axis 0|proc_grid_rank|-1", 6},
    {"rank behind the last", &block, "rank 3", DAP_ERR_DIM, "axis 0|proc_grid_rank|3", 6},
};

static const row block_keys[] = {
    {"start absent", &block, "start absent", DAP_ERR_DIM, "axis 0|start|absent", 1},
    {"stop absent", &block, "stop absent", DAP_ERR_DIM, "axis 0|stop|absent", 1},
    {"negative start", &block, "start -1", DAP_ERR_DIM, "axis 0|start|-1", 8},
    {"stop before start", &block, "stop 2", DAP_ERR_DIM, "axis 0|stop|2|start|3", 8},
    {"stop behind size", &block, "stop 13", DAP_ERR_DIM, "axis 0|stop|13|size|12", 8},
    {"negative padding", &block, "pad_low -1", DAP_ERR_DIM, "axis 0|padding|-1", 10},
    {"absent is not 0 for padding", &block, "pad_low absent", DAP_ERR_DIM, "axis 0|padding", 10},
    {"more padding than range", &block, "pad_low 7", DAP_ERR_DIM, "axis 0|padding|7|6", 10},
    {"more padding than range, together", &block, "pad_low 4, pad_high 3", DAP_ERR_DIM,
     "axis 0|padding|4|3|6", 10},
    {"paddings whose sum overflows", &block, "pad_low max, pad_high max", DAP_ERR_DIM, "axis 0|padding", 10},
    {"extent too small", &block, "extent 5", DAP_ERR_BUFFER, "axis 0|extent|5|6", 4},
    {"extent too large", &edge, "extent 7", DAP_ERR_BUFFER, "axis 0|extent|7|5", 4},
    {"extent of ranges without padding, as 0.9 has", &block, "extent 8", DAP_ERR_BUFFER,
     "axis 0|extent|8|6|padding", 8},
    {"no elements where some are", &block, "extent 0", DAP_ERR_BUFFER, "axis 0|extent|0|6", 4},
};

static const row cyclic_keys[] = {
    {"start absent", &cyclic, "start absent", DAP_ERR_DIM, "axis 0|start|absent", 1},
    {"negative start", &cyclic, "start -2", DAP_ERR_DIM, "axis 0|start|-2", 14},
    {"block_size 0", &cyclic, "block_size 0", DAP_ERR_DIM, "axis 0|block_size|0", 13},
    {"block_size negative", &cyclic, "block_size -4", DAP_ERR_DIM, "axis 0|block_size|-4", 13},
    {"start inside a block", &cyclic, "start 3", DAP_ERR_DIM, "axis 0|start|3|block_size|2", 14},
    {"start behind the first round", &cyclic, "start 6", DAP_ERR_DIM, "axis 0|start|6", 14},
    {"extent too large", &cyclic, "extent 5", DAP_ERR_BUFFER, "axis 0|extent|5|4", 4},
    {"extent of an empty process", &cyclic, "start 10", DAP_ERR_BUFFER, "axis 0|extent|4|0", 4},
    {"the document's faulty count, process 0 of 5/3/2", &partial, "rank 0, start 0, extent 5", DAP_ERR_BUFFER,
     "axis 0|extent|5|num_owned_indices|3", 15},
    {"the document's faulty count, process 1 of 5/3/2", &partial, "extent 0", DAP_ERR_BUFFER,
     "axis 0|extent|0|num_owned_indices|2", 15},
    {"the faulty count, process 0 of 17/3/4: blocks 0, 4 and the rest of 2", &partial,
     "size 17, procs 4, rank 0, start 0, extent 8", DAP_ERR_BUFFER, "axis 0|extent|8|num_owned_indices|6",
     15},
    {"wrong in another way than the document's count", &partial, "extent 1", DAP_ERR_BUFFER,
     "axis 0|extent|1|2", 4},
};

static const row list_keys[] = {
    {"indices absent", &listed, "index_count absent", DAP_ERR_DIM, "axis 0|indices|absent", 1},
    {"size absent", &listed, "size absent", DAP_ERR_DIM, "axis 0|size|absent", 1},
    {"indices, but NULL", &listed, "no_indices", DAP_ERR_DIM, "axis 0|indices|NULL|3", 17},
    {"fewer than none", &listed, "index_count -1", DAP_ERR_DIM, "axis 0|indices|-1", 17},
    {"of reals", &listed, "index_dtype float32", DAP_ERR_DIM, "axis 0|indices|float32", 17},
    {"of bools", &listed, "index_dtype bool", DAP_ERR_DIM, "axis 0|indices|bool", 17},
    {"of no type", &listed, "index_dtype none", DAP_ERR_DIM, "axis 0|indices|none", 17},
    {"of an unknown type", &listed, "index_dtype 99", DAP_ERR_DIM, "axis 0|indices|none", 17},
    {"a negative index", &listed, "indices 7 -2 3", DAP_ERR_DIM, "axis 0|indices[1] -2|negative", 17},
    {"an index behind the last", &listed, "indices 7 0 8", DAP_ERR_DIM, "axis 0|indices[2] 8|size 8", 17},
    {"one of them twice", &listed, "indices 3 0 3", DAP_ERR_DIM, "axis 0|indices|3 twice", 17},
    {"one of few twice, of a long dimension", &listed, "indices 900 7 900, size 1000", DAP_ERR_DIM,
     "axis 0|indices|900 twice", 17},
    {"extent too small", &listed, "extent 2", DAP_ERR_BUFFER, "axis 0|extent 2|3 indices", 4},
    {"extent too large", &listed, "extent 4", DAP_ERR_BUFFER, "axis 0|extent 4|3 indices", 4},
    {"a dimension of none", &listed, "size 0", DAP_ERR_DIM, "axis 0|indices[0] 7|size 0", 17},
};

/* Numbers at the limits of their types. No computation may overflow. */
static const row huge_numbers[] = {
    {"0.10: padding of the whole of the longest dimension", &block,
     "size max, start 0, stop max, pad_low max/2, pad_high max/2", DAP_ERR_BUFFER, "axis 0|extent 6", 4},
    {"0.9: more padding than can be counted", &block09, "size max, pad_low max, pad_high max", DAP_ERR_RANGE,
     "axis 0|padding|2^63", 0},
    {"0.9: a range and padding that together are more", &block09, "size max, stop max, pad_low max-1",
     DAP_ERR_RANGE, "axis 0|padding|2^63", 0},
    {"a block as long as can be", &cyclic, "size max, block_size max, procs max, rank max-1, start 0",
     DAP_ERR_BUFFER, "axis 0|extent 4", 4},
    {"an index beyond 2^63", &listed, "size max, indices 0 -1 3, index_dtype uint64", DAP_ERR_DIM,
     "axis 0|indices[1]", 17},
    {"more indices than there can be", &listed, "index_count max, no_indices", DAP_ERR_DIM,
     "axis 0|indices|NULL", 17},
};

ROWS(legal)
ROWS(envelope)
ROWS(common_keys)
ROWS(block_keys)
ROWS(cyclic_keys)
ROWS(list_keys)
ROWS(huge_numbers)

/* Tests indices of every integer type, also at unaligned addresses. */
static void indices_of_any_width(void **state)
{
  (void)state;
  static const unsigned char one[] = {1, 1, 1, 1, 1, 1, 1, 1, 1},
                             ones[] = {255, 255, 255, 255, 255, 255, 255, 255};
  for (dap_dtype dtype = DAP_I1; dtype <= DAP_U8; dtype++) {
    const bool is_signed = dtype == DAP_I1 || dtype == DAP_I2 || dtype == DAP_I4 || dtype == DAP_I8;
    dap_array right, array;
    dap_error err = {0};
    make_base(&listed, &right);
    array = right;
    array.dims[0].indices = one + 1;
    array.dims[0].indices_dtype = dtype;
    array.dims[0].index_count = array.shape[0] = 1;
    array.dims[0].size = INT64_C(0x0101010101010102); /* one more than the largest index */
    TEST_CASE("%s, ones", dap_dtype_name(dtype));
    EXPECT_OK(dap_array_check(&array, &err), &err);
    TEST_CASE("%s, all bits set", dap_dtype_name(dtype));
    array.dims[0].indices = ones;
    const bool fits = !is_signed && dtype != DAP_U8;
    EXPECT_FAIL(dap_array_check(&array, &err), fits ? DAP_OK : DAP_ERR_DIM, &err,
                is_signed ? "indices[0] -1|negative" : "indices[0]|2^63 - 1");
    dap_array_release(&right);
  }
  SETTLE();
}

/* The extent that the protocol's faulty function gives must be refused, with the function's name, exactly if
 * it differs from the right one. */
static void the_faulty_count_is_named(void **state)
{
  (void)state;
  dap_array right;
  make_base(&cyclic, &right);
  for (int64_t size = 0; size <= 12; size++)
    for (int64_t bs = 1; bs <= 5; bs++)
      for (int64_t procs = 1; procs <= 4; procs++)
        for (int64_t rank = 0; rank < procs; rank++) {
          int64_t owned = 0, faulty = rank == 0 ? size % bs : 0;
          for (int64_t i = 0; i < size; i++) owned += i / bs % procs == rank;
          for (int64_t b = 0; b < size / bs; b++) faulty += b % procs == rank ? bs : 0;
          dap_array array = right;
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
  dap_array_release(&right);
  SETTLE();
}

static void no_array_is_refused(void **state)
{
  (void)state;
  dap_error err = {0};
  EXPECT_FAIL(dap_array_check(NULL, &err), DAP_ERR_ARG, &err, "array|NULL");
  const dap_array zeroed = {0};
  EXPECT_FAIL(dap_array_check(&zeroed, &err), DAP_ERR_ARG, &err, "abi");
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_legal),
    cmocka_unit_test(check_envelope),
    cmocka_unit_test(check_common_keys),
    cmocka_unit_test(check_block_keys),
    cmocka_unit_test(check_cyclic_keys),
    cmocka_unit_test(check_list_keys),
    cmocka_unit_test(check_huge_numbers),
    cmocka_unit_test(indices_of_any_width),
    cmocka_unit_test(the_faulty_count_is_named),
    cmocka_unit_test(no_array_is_refused),
};

MPI_TEST_MAIN(tests)
