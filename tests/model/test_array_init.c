/* dap_array_init() and dap_array_release(): what a layout gives each process. */
#include "brute.h"
#include "buffers.h"
#include "mpi_test.h"

/* The dictionaries, extents and strides of one process. */
static void check_array(const dap_layout *layout, int rank, const dap_array *array, dap_dtype dtype,
                        dap_order order)
{
  const int ndim = dap_layout_ndim(layout);
  int coords[DAP_MAX_NDIM] = {0};
  int64_t stride = dap_dtype_size(dtype), count = 1;
  dap_error err = {0};
  dap_layout_coords(layout, rank, coords);
  EXPECT_INT(array->abi, DAP_ARRAY_ABI);
  EXPECT(!strcmp(array->version, "0.10.0"));
  EXPECT_INT(array->dim_count, ndim);
  EXPECT_INT(array->ndim, ndim);
  EXPECT_INT(array->dtype, dtype);
  EXPECT(!array->readonly);
  for (int i = 0; i < ndim; i++) {
    const int k = order == DAP_ORDER_C ? ndim - 1 - i : i;
    const int64_t extent = dap_layout_extent(layout, k, coords[k]);
    const dap_dim *got = &array->dims[k];
    dap_dim dim;
    EXPECT_OK(dap_layout_dim(layout, NULL, k, coords[k], &dim, &err), &err);
    EXPECT_INT(array->shape[k], extent);
    if (extent > 1) EXPECT_INT(array->strides[k], stride);
    stride *= extent ? extent : 1;
    count *= extent;
    EXPECT(dim.dist_type == got->dist_type && dim.size == got->size && dim.start == got->start &&
           dim.stop == got->stop && dim.proc_grid_size == got->proc_grid_size &&
           dim.proc_grid_rank == got->proc_grid_rank && dim.padding[0] == got->padding[0] &&
           dim.padding[1] == got->padding[1] && dim.periodic == got->periodic &&
           dim.block_size == got->block_size);
  }
  EXPECT_INT(dap_array_count(array), count);
  EXPECT_INT(dap_array_bytes(array), count * dap_dtype_size(dtype));
  EXPECT_OK(dap_array_check(array, &err), &err);
}

static void check_allocated(const dap_layout *layout, int rank, dap_dtype dtype, dap_order order)
{
  dap_array array;
  dap_error err = {0};
  memset(&array, 0x5A, sizeof array);
  if (!EXPECT_OK(dap_array_init(&array, layout, rank, dtype, order, NULL, &err), &err)) return;
  check_array(layout, rank, &array, dtype, order);
  const unsigned char *bytes = array.data;
  EXPECT((uintptr_t)bytes % 64 == 0);
  EXPECT(bytes || dap_array_bytes(&array) == 0);
  for (int64_t i = 0; i < dap_array_bytes(&array); i++) EXPECT(bytes[i] == 0);
  fill_global(layout, rank, &array);
  check_global(layout, rank, &array, PADDING_POISON);
  dap_array_release(&array);
  static const dap_array zeroed;
  EXPECT(memcmp(&array.abi, &zeroed.abi, sizeof array.abi) == 0 && !array.data && !array.release);
  dap_array_release(&array);
}

static void check_borrowed(const dap_layout *layout, int rank, dap_dtype dtype, dap_order order)
{
  dap_array array;
  double mine = 3.0;
  EXPECT_OK(dap_array_init(&array, layout, rank, dtype, order, &mine, NULL), NULL);
  check_array(layout, rank, &array, dtype, order);
  EXPECT(array.data == &mine && array.release == NULL);
  dap_array_release(&array);
  EXPECT(mine == 3.0 && array.data == NULL);
}

static void random_arrays(void **state)
{
  (void)state;
  test_random random = test_random_init(3);
  for (int i = 0; i < 120; i++) {
    const int ndim = i % 5;
    int procs[DAP_MAX_NDIM];
    int64_t lengths[4][BRUTE_PROCS];
    dap_dist dists[4];
    random_grid(&random, ndim ? (int)test_random_int(&random, 1, 6) : 1, ndim ? ndim : 1, procs);
    for (int k = 0; k < ndim; k++) dists[k] = random_dist(&random, procs[k], 7, true, lengths[k]);
    const dap_dtype dtype = (dap_dtype)test_random_int(&random, DAP_BOOL, DAP_C16);
    const dap_order order = test_random_one_in(&random, 2) ? DAP_ORDER_C : DAP_ORDER_F;
    dap_layout *layout = NULL;
    TEST_CASE("case %d: %s, order %c", i, dap_dtype_name(dtype), (char)order);
    if (!EXPECT_OK(dap_layout_create(ndim, dists, &layout, NULL), NULL)) break;
    for (int rank = 0; rank < dap_layout_nprocs(layout); rank++) {
      check_allocated(layout, rank, dtype, order);
      check_borrowed(layout, rank, dtype, order);
    }
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* An allocated array outlives its layout; a struct may be moved by copying and zeroing. */
static void an_array_stands_alone(void **state)
{
  (void)state;
  const dap_dist dist = {.procs = 2, .size = 9, .halo = 2};
  dap_layout *layout = NULL;
  dap_array array, moved;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  EXPECT_OK(dap_array_init(&array, layout, 1, DAP_F8, DAP_ORDER_C, NULL, NULL), NULL);
  dap_layout_destroy(&layout);
  moved = array;
  array = (dap_array){0};
  dap_array_release(&array);
  EXPECT_INT(moved.shape[0], 6);
  EXPECT_OK(dap_array_check(&moved, NULL), NULL);
  memset(moved.data, 1, (size_t)dap_array_bytes(&moved));
  dap_array_release(&moved);
  dap_array_release(NULL);
  SETTLE();
}

static int released;

static void release_mine(dap_array *array)
{
  released += array->private_data == &released;
}

static void the_producers_release_is_called_once(void **state)
{
  (void)state;
  dap_array array = {.abi = DAP_ARRAY_ABI, .release = release_mine, .private_data = &released};
  dap_array_release(&array);
  dap_array_release(&array);
  EXPECT_INT(released, 1);
  SETTLE();
}

static void wrong_arguments_are_refused(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_even(5, 2), huge = dap_dist_even(INT64_MAX / 4, 1);
  dap_layout *layout = NULL, *too_large = NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  EXPECT_OK(dap_layout_create(1, &huge, &too_large, NULL), NULL);
  const struct {
    const char *why;
    const dap_layout *layout;
    int rank;
    dap_dtype dtype;
    dap_order order;
    dap_status want;
    const char *parts;
  } rows[] = {
      {"no layout", NULL, 0, DAP_F8, DAP_ORDER_C, DAP_ERR_ARG, "layout"},
      {"rank low", layout, -1, DAP_F8, DAP_ORDER_C, DAP_ERR_ARG, "rank -1"},
      {"rank high", layout, 2, DAP_F8, DAP_ORDER_C, DAP_ERR_ARG, "rank 2"},
      {"no type", layout, 0, DAP_NONE, DAP_ORDER_C, DAP_ERR_ARG, "dtype|0"},
      {"unknown type", layout, 0, (dap_dtype)77, DAP_ORDER_C, DAP_ERR_ARG, "dtype|77"},
      {"rank and dtype exchanged, rank 1", layout, DAP_F8, (dap_dtype)1, DAP_ORDER_C, DAP_ERR_ARG,
       "rank 11|were rank and dtype exchanged"},
      {"rank and dtype exchanged, rank 0", layout, DAP_BOOL, DAP_NONE, DAP_ORDER_C, DAP_ERR_ARG,
       "dtype 0|were rank and dtype exchanged"},
      {"no order", layout, 0, DAP_F8, (dap_order)0, DAP_ERR_ARG, "order|0"},
      {"too many bytes", too_large, 0, DAP_F8, DAP_ORDER_F, DAP_ERR_RANGE, "2^63"},
      {"too much memory", too_large, 0, DAP_I2, DAP_ORDER_C, DAP_ERR_NOMEM, "memory"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_array array;
    dap_error err = {0};
    memset(&array, 0x5A, sizeof array);
    TEST_CASE("%s", rows[i].why);
    EXPECT_FAIL(
        dap_array_init(&array, rows[i].layout, rows[i].rank, rows[i].dtype, rows[i].order, NULL, &err),
        rows[i].want, &err, rows[i].parts);
    EXPECT(array.abi == 0 && array.ndim == 0 && !array.data && !array.release);
  }
  dap_error err = {0};
  EXPECT_FAIL(dap_array_init(NULL, layout, 0, DAP_F8, DAP_ORDER_C, NULL, &err), DAP_ERR_ARG, &err, "array");
  dap_layout_destroy(&layout);
  dap_layout_destroy(&too_large);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_arrays),
    cmocka_unit_test(an_array_stands_alone),
    cmocka_unit_test(the_producers_release_is_called_once),
    cmocka_unit_test(wrong_arguments_are_refused),
};

MPI_TEST_MAIN(tests)
