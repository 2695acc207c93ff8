/* dap_array_check(): the keys of one dictionary, against each other and against the buffer's extent. */
#include "check_rows.h"

#include <inttypes.h>

static const row common_keys[] = {
    {"unknown type", &block, {{KEY_TYPE, 0, 'x', 0}}, DAP_ERR_DIM, "dim 0|dist_type|'x'"},
    {"0.9's type under 0.10", &block, {{KEY_TYPE, 0, 'n', 0}}, DAP_ERR_DIM, "dim 0|dist_type|'n'"},
    {"upper case", &block, {{KEY_TYPE, 0, 'B', 0}}, DAP_ERR_DIM, "dim 0|dist_type|'B'"},
    {"not printable", &block, {{KEY_TYPE, 0, '\n', 0}}, DAP_ERR_DIM, "dim 0|dist_type|10"},
    {"unstructured, to come", &block, {{KEY_TYPE, 0, 'u', 0}}, DAP_ERR_UNSUPPORTED, "dim 0|dist_type|'u'"},
    {"size absent", &block, {{KEY_SIZE, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "dim 0|size|absent"},
    {"proc_grid_size absent",
     &block,
     {{KEY_PROCS, 0, DAP_ABSENT, 0}},
     DAP_ERR_DIM,
     "dim 0|proc_grid_size|absent"},
    {"proc_grid_rank absent",
     &block,
     {{KEY_RANK, 0, DAP_ABSENT, 0}},
     DAP_ERR_DIM,
     "dim 0|proc_grid_rank|absent"},
    {"size absent in 'c'", &cyclic, {{KEY_SIZE, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "dim 0|size|absent"},
    {"the axis is named", &table2, {{KEY_SIZE, 1, DAP_ABSENT, 0}}, DAP_ERR_DIM, "dim 1|size|absent"},
    {"negative size", &block, {{KEY_SIZE, 0, -1, 0}}, DAP_ERR_DIM, "dim 0|size|-1"},
    {"no process", &block, {{KEY_PROCS, 0, 0, 0}}, DAP_ERR_DIM, "dim 0|proc_grid_size|0"},
    {"fewer than no process", &cyclic, {{KEY_PROCS, 0, -2, 0}}, DAP_ERR_DIM, "dim 0|proc_grid_size|-2"},
    {"negative rank", &block, {{KEY_RANK, 0, -1, 0}}, DAP_ERR_DIM, "dim 0|proc_grid_rank|-1"},
    {"rank behind the last", &block, {{KEY_RANK, 0, 3, 0}}, DAP_ERR_DIM, "dim 0|proc_grid_rank|3"},
};

static const row block_keys[] = {
    {"start absent", &block, {{KEY_START, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "dim 0|start|absent"},
    {"stop absent", &block, {{KEY_STOP, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "dim 0|stop|absent"},
    {"negative start", &block, {{KEY_START, 0, -1, 0}}, DAP_ERR_DIM, "dim 0|start|-1"},
    {"stop before start", &block, {{KEY_STOP, 0, 2, 0}}, DAP_ERR_DIM, "dim 0|stop|2|start|3"},
    {"stop behind size", &block, {{KEY_STOP, 0, 13, 0}}, DAP_ERR_DIM, "dim 0|stop|13|size|12"},
    {"negative padding", &block, {{KEY_PAD_LOW, 0, -1, 0}}, DAP_ERR_DIM, "dim 0|padding|-1"},
    {"negative padding, high end", &block, {{KEY_PAD_HIGH, 0, -2, 0}}, DAP_ERR_DIM, "dim 0|padding|-2"},
    {"absent is not 0 for padding", &block, {{KEY_PAD_LOW, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "dim 0|padding"},
    {"more padding than range", &block, {{KEY_PAD_LOW, 0, 7, 0}}, DAP_ERR_DIM, "dim 0|padding|7|6"},
    {"more padding than range, together",
     &block,
     {{KEY_PAD_LOW, 0, 4, 0}, {KEY_PAD_HIGH, 0, 3, 0}},
     DAP_ERR_DIM,
     "dim 0|padding|4|3|6"},
    {"paddings whose sum overflows",
     &block,
     {{KEY_PAD_LOW, 0, INT64_MAX, 0}, {KEY_PAD_HIGH, 0, INT64_MAX, 0}},
     DAP_ERR_DIM,
     "dim 0|padding"},
    {"extent too small", &block, {{KEY_EXTENT, 0, 5, 0}}, DAP_ERR_BUFFER, "dim 0|extent|5|6"},
    {"extent too large", &edge, {{KEY_EXTENT, 0, 7, 0}}, DAP_ERR_BUFFER, "dim 0|extent|7|5"},
    {"extent of ranges without padding, as 0.9 has",
     &block,
     {{KEY_EXTENT, 0, 8, 0}},
     DAP_ERR_BUFFER,
     "dim 0|extent|8|6|padding"},
    {"no elements where some are", &block, {{KEY_EXTENT, 0, 0, 0}}, DAP_ERR_BUFFER, "dim 0|extent|0|6"},
};

static const row cyclic_keys[] = {
    {"start absent", &cyclic, {{KEY_START, 0, DAP_ABSENT, 0}}, DAP_ERR_DIM, "dim 0|start|absent"},
    {"negative start", &cyclic, {{KEY_START, 0, -2, 0}}, DAP_ERR_DIM, "dim 0|start|-2"},
    {"block_size 0", &cyclic, {{KEY_BLOCK, 0, 0, 0}}, DAP_ERR_DIM, "dim 0|block_size|0"},
    {"block_size negative", &cyclic, {{KEY_BLOCK, 0, -4, 0}}, DAP_ERR_DIM, "dim 0|block_size|-4"},
    {"start inside a block", &cyclic, {{KEY_START, 0, 3, 0}}, DAP_ERR_DIM, "dim 0|start|3|block_size|2"},
    {"start behind the first round", &cyclic, {{KEY_START, 0, 6, 0}}, DAP_ERR_DIM, "dim 0|start|6"},
    {"extent too large", &cyclic, {{KEY_EXTENT, 0, 5, 0}}, DAP_ERR_BUFFER, "dim 0|extent|5|4"},
    {"extent of an empty process", &cyclic, {{KEY_START, 0, 10, 0}}, DAP_ERR_BUFFER, "dim 0|extent|4|0"},
    {"the document's faulty count, process 0 of 5/3/2",
     &partial,
     {{KEY_RANK, 0, 0, 0}, {KEY_START, 0, 0, 0}, {KEY_EXTENT, 0, 5, 0}},
     DAP_ERR_BUFFER,
     "dim 0|extent|5|num_owned_indices|3"},
    {"the document's faulty count, process 1 of 5/3/2",
     &partial,
     {{KEY_EXTENT, 0, 0, 0}},
     DAP_ERR_BUFFER,
     "dim 0|extent|0|num_owned_indices|2"},
    {"the faulty count, process 0 of 17/3/4: blocks 0, 4 and the rest of 2",
     &partial,
     {{KEY_SIZE, 0, 17, 0},
      {KEY_PROCS, 0, 4, 0},
      {KEY_RANK, 0, 0, 0},
      {KEY_START, 0, 0, 0},
      {KEY_EXTENT, 0, 8, 0}},
     DAP_ERR_BUFFER,
     "dim 0|extent|8|num_owned_indices|6"},
    {"wrong in another way than the document's count",
     &partial,
     {{KEY_EXTENT, 0, 1, 0}},
     DAP_ERR_BUFFER,
     "dim 0|extent|1|2"},
};

ROWS(common_keys)
ROWS(block_keys)
ROWS(cyclic_keys)

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
    cmocka_unit_test(check_common_keys),
    cmocka_unit_test(check_block_keys),
    cmocka_unit_test(check_cyclic_keys),
    cmocka_unit_test(the_faulty_count_is_named),
};

MPI_TEST_MAIN(tests)
