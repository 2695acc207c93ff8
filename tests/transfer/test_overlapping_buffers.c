/* Tests buffers that share memory with each other, and buffers whose own elements share memory. They may be
 * read, but not written. */
#include "mpi_test.h"
#include "plans.h"

/* ---- buffers ----------------------------------------------------------------------------------------- */

enum { WIDE = 16 /* elements from one row to the next */, ROWS = 4, COLUMNS = 6 };

/* No element goes to another process, so only the process whose buffers overlap fails. Even and odd columns
 * of one buffer do not overlap. */
static void overlapping_buffers_are_refused(void **state)
{
  (void)state;
  const int n = test_nprocs(), last = test_rank() == n - 1;
  const dap_dist dists[] = {dap_dist_even(ROWS * n, n), dap_dist_even(COLUMNS, 1)};
  const int64_t strides[] = {WIDE * sizeof(double), 2 * sizeof(double)};
  double memory[(ROWS + 1) * WIDE];
  dap_layout *layout = layout_make(2, dists, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side side = {.layout = layout, .strides = strides};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &side, &side, sizeof(double), NULL, &plan, &err), &err);
  for (int i = 0; i < (ROWS + 1) * WIDE; i++) memory[i] = i;
  const dap_status s = dap_plan_run(plan, memory, last ? memory + 2 : memory + 1, &err);
  if (last) {
    EXPECT_FAIL(s, DAP_ERR_ARG, &err, "overlap");
    EXPECT_INT(err.rank, n - 1);
    for (int i = 0; i < (ROWS + 1) * WIDE; i++) EXPECT(memory[i] == i);
  } else {
    EXPECT_OK(s, &err);
  }
  EXPECT_OK(dap_plan_run(plan, memory, memory + 1, &err), &err);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) EXPECT(memory[WIDE * i + 2 * j + 1] == WIDE * i + 2 * j);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* The same holds for the largest number of axes. */
static void overlapping_buffers_of_many_axes_are_refused(void **state)
{
  (void)state;
  enum { COUNT = 1 << DAP_MAX_NDIM };
  const int n = test_nprocs(), is_last = test_rank() == n - 1;
  double memory[COUNT + 1], other[COUNT];
  dap_dist dists[DAP_MAX_NDIM] = {dap_dist_even(2 * (int64_t)n, n)};
  for (int k = 1; k < DAP_MAX_NDIM; k++) dists[k] = dap_dist_local(2);
  dap_layout *layout = layout_make(DAP_MAX_NDIM, dists, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side side = side_in_c_order(layout, DAP_NONE);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &side, &side, sizeof(double), NULL, &plan, &err), &err);
  for (int i = 0; i <= COUNT; i++) memory[i] = i;
  const dap_status s = dap_plan_run(plan, memory, is_last ? memory + 1 : other, &err);
  EXPECT_FAIL(s, is_last ? DAP_ERR_ARG : DAP_OK, &err, is_last ? "overlap" : "");
  EXPECT(!is_last || err.rank == n - 1);
  for (int i = 0; i <= COUNT; i++) EXPECT(memory[i] == i);
  EXPECT_OK(dap_plan_run(plan, memory, other, &err), &err);
  for (int i = 0; i < COUNT; i++) EXPECT(other[i] == i);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* If strides are negative, elements lie before the address of their buffer. The destination of one array has
 * an element in common with the source of the other, or begins behind it. */
static void overlapping_arrays_that_run_backwards_are_refused(void **state)
{
  (void)state;
  enum { COUNT = 4 };
  const int n = test_nprocs(), is_last = test_rank() == n - 1;
  const dap_dist dist = dap_dist_even(COUNT * (int64_t)n, n);
  const int64_t backwards = -(int64_t)sizeof(double);
  double memory[2 * COUNT] = {1, 2, 3, 4}, first[COUNT] = {5, 6, 7, 8}, other[COUNT];
  const void *const sources[] = {first, memory};
  void *destinations[] = {memory + 2 * COUNT - 1 - is_last, other + COUNT - 1};
  dap_layout *layout = layout_make(1, &dist, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side from = {.layout = layout, .contiguous = true},
                 to = {.layout = layout, .strides = &backwards};
  const dap_plan_options options = {.arrays = 2};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(double), &options, &plan, &err), &err);
  const dap_status s = dap_plan_run_many(plan, sources, destinations, &err);
  EXPECT_FAIL(s, is_last ? DAP_ERR_ARG : DAP_OK, &err, is_last ? "array 1: |overlap" : "");
  destinations[0] = memory + 2 * COUNT - 1;
  EXPECT_OK(dap_plan_run_many(plan, sources, destinations, &err), &err);
  for (int i = 0; i < COUNT; i++) EXPECT(other[i] == COUNT - i && memory[COUNT + i] == 2 * COUNT - i);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- elements ---------------------------------------------------------------------------------------- */

/* These strides are not 0, but put elements on each other. Such buffers can be read, but not written. */
static void overlapping_elements_are_refused(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(ROWS, 1), dap_dist_even(COLUMNS, 1)};
  const int64_t strides[] = {sizeof(double), sizeof(double)};
  const int root = 0;
  dap_layout *layout = layout_make(2, dists, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side from = {.layout = layout, .ranks = &root, .contiguous = true},
                 to = {.layout = layout, .ranks = &root, .strides = strides};
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &from, &to, 8, NULL, &plan, &err), &err,
                    DAP_ERR_BUFFER, "several elements at one place");
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &to, &from, 8, NULL, &plan, &err), &err);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* If extents are 0, strides that are computed from them are 0. Nothing is written through them. */
static void strides_of_empty_buffers_do_not_matter(void **state)
{
  (void)state;
  const dap_dist cut[] = {dap_dist_even(3, 1), dap_dist_lengths(2, test_nprocs(), (int64_t[]){2, 0, 0, 0})};
  const int64_t of_two[] = {16, 8}, of_none[] = {0, 8};
  dap_layout *layout = layout_make(2, cut, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side from = {.layout = layout, .contiguous = true},
                 to = {.layout = layout, .strides = test_rank() ? of_none : of_two};
  double source[] = {1, 2, 3, 4, 5, 6}, destination[6] = {0};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, &to, 8, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, test_rank() ? NULL : source, test_rank() ? NULL : destination, &err), &err);
  for (int i = 0; i < 6; i++) EXPECT(destination[i] == (test_rank() ? 0 : i + 1));
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(overlapping_buffers_are_refused),
    cmocka_unit_test(overlapping_buffers_of_many_axes_are_refused),
    cmocka_unit_test(overlapping_arrays_that_run_backwards_are_refused),
    cmocka_unit_test(overlapping_elements_are_refused),
    cmocka_unit_test(strides_of_empty_buffers_do_not_matter),
};
MPI_TEST_MAIN(tests)
