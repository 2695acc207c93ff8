/* Gathers to one process and scatters from it: every element is checked against the map, and with options by
 * arithmetic. */
#include "mpi_test.h"
#include "plan_rows.h"

static dap_layout *whole_of(const dap_layout *layout)
{
  dap_dist dists[DAP_MAX_NDIM];
  dap_layout *whole = NULL;
  dap_error err;
  for (int k = 0; k < dap_layout_ndim(layout); k++) dists[k] = dap_dist_even(dap_layout_size(layout, k), 1);
  EXPECT_OK(dap_layout_create(dap_layout_ndim(layout), dists, &whole, &err), &err);
  return whole;
}

static void gather_and_scatter(const plan_row *r, const dap_layout *layout, int root, test_random *random)
{
  const int rank = test_rank();
  dap_layout *whole = whole_of(layout);
  test_buffer part = test_buffer_make(layout, rank, r->itemsize, r->from_form, random);
  char *all = rank == root ? malloc((size_t)(dap_layout_count(layout) * r->itemsize) + 1) : NULL;
  const dap_side side = {.layout = layout, .strides = part.strides};
  int64_t strides[DAP_MAX_NDIM], step = r->itemsize;
  for (int k = r->ndim - 1; k >= 0; k--) {
    strides[k] = step;
    step *= r->size[k];
  }
  dap_plan *gather = NULL, *scatter = NULL;
  dap_error err;
  fill_bytes(layout, rank, part.data, part.strides, r->itemsize);
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &side, root, r->itemsize, NULL, &gather, &err), &err))
    EXPECT_OK(dap_plan_run(gather, part.data, all, &err), &err);
  if (rank == root) check_bytes(whole, 0, all, strides, r->itemsize, PADDING_ANY);
  fill_poison(layout, rank, part.data, part.strides, r->itemsize);
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, root, &side, r->itemsize, NULL, &scatter, &err),
                &err))
    EXPECT_OK(dap_plan_run(scatter, all, part.data, &err), &err);
  check_bytes(layout, rank, part.data, part.strides, r->itemsize, PADDING_POISON);
  dap_plan_destroy(&gather);
  dap_plan_destroy(&scatter);
  dap_layout_destroy(&whole);
  test_buffer_free(&part);
  free(all);
}

static void gathers_and_scatters(void **state)
{
  (void)state;
  test_random random = test_random_init(3);
  for (const plan_row *r = plan_rows; r->why; r++) {
    const int root = (int)(r - plan_rows) % test_nprocs();
    TEST_CASE("gather to and scatter from %d: %s", root, r->why);
    dap_layout *layout = plan_row_layout(r, r->from);
    gather_and_scatter(r, layout, root, &random);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* ---- options ---------------------------------------------------------------------------------------- */

/* Elements are conjugated and tripled on the way to the last process, and back again once more. */
static void gathers_and_scatters_take_options(void **state)
{
  (void)state;
  const double three[] = {3, 0};
  const dap_plan_options options = {.conjugate = true, .alpha = three};
  const dap_dist each = dap_dist_even(test_nprocs(), test_nprocs());
  const int last = test_nprocs() - 1;
  double own[] = {test_rank() + 1, 5}, back[2] = {0},
         *whole = calloc(2 * (size_t)test_nprocs(), sizeof *whole);
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &each, &layout, &err), &err);
  const dap_side side = {.layout = layout, .contiguous = true, .dtype = DAP_C16};
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &side, last, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, own, whole, &err), &err);
  dap_plan_destroy(&plan);
  for (int r = 0; test_rank() == last && r <= last; r++)
    EXPECT_MSG(whole[2 * r] == 3.0 * (r + 1) && whole[2 * r + 1] == -15, "rank %d: %g%+gi", r, whole[2 * r],
               whole[2 * r + 1]);
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, last, &side, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, whole, back, &err), &err);
  dap_plan_destroy(&plan);
  EXPECT_MSG(back[0] == 9 * own[0] && back[1] == 9 * own[1], "%g%+gi", back[0], back[1]);
  dap_layout_destroy(&layout);
  free(whole);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(gathers_and_scatters),
    cmocka_unit_test(gathers_and_scatters_take_options),
};
MPI_TEST_MAIN(tests)
