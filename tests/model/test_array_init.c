/* Tests dap_array_init() and dap_array_release(): ownership of memory, and wrong arguments. test_random.c
 * checks the arrays themselves. */
#include "layouts.h"

/* An allocated array outlives its layout. A struct may be moved: copy it and zero the original. */
static void an_array_stands_alone(void **state)
{
  (void)state;
  dap_layout *layout = read_layout("9 on 2: b(halo 2)");
  dap_array array, moved;
  EXPECT_OK(dap_array_init(&array, layout, 1, DAP_F8, DAP_ORDER_C, NULL, NULL), NULL);
  dap_layout_destroy(&layout);
  moved = array;
  array = (dap_array){0};
  dap_array_release(&array);
  EXPECT_INT(moved.shape[0], 6);
  EXPECT_OK(dap_array_check(&moved, NULL), NULL);
  memset(moved.data, 1, (size_t)dap_array_bytes(&moved));
  dap_array_release(&moved);
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
  dap_layout *layout = read_layout("5 on 2"), *too_large = read_layout("2305843009213693951");
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
    cmocka_unit_test(an_array_stands_alone),
    cmocka_unit_test(the_producers_release_is_called_once),
    cmocka_unit_test(wrong_arguments_are_refused),
};

MPI_TEST_MAIN(tests)
