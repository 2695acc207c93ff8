/* Random layouts, forms and element sizes. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "brute.h"
#include "buffers.h"
#include "mpi_test.h"

enum { CASES = 150, MAX_ELEMENTS = 4000 };

/* Sizes whose product stays small, so that many axes are possible. */
static void random_shape(test_random *random, int ndim, int64_t size[])
{
  int64_t left = MAX_ELEMENTS;
  for (int k = 0; k < ndim; k++) {
    int64_t most = left < 40 ? left : 40;
    if (ndim > 4 && most > 6) most = 6;
    size[k] = test_random_int(random, test_random_one_in(random, 12) ? 0 : 1, most);
    left /= size[k] ? size[k] : 1;
  }
}

static dap_layout *random_layout(test_random *random, int ndim, const int64_t size[], bool halos)
{
  static int64_t lengths[DAP_MAX_NDIM][BRUTE_PROCS];
  int procs[DAP_MAX_NDIM];
  dap_dist dists[DAP_MAX_NDIM];
  dap_layout *layout = NULL;
  dap_error err;
  random_grid(random, test_nprocs(), ndim, procs);
  for (int k = 0; k < ndim; k++) dists[k] = random_dist_of(random, procs[k], size[k], halos, lengths[k]);
  EXPECT_OK(dap_layout_create(ndim, dists, &layout, &err), &err);
  return layout;
}

static void move_randomly(test_random *random, int number)
{
  const int rank = test_rank(), ndim = (int)test_random_int(random, 1, number % 3 == 0 ? DAP_MAX_NDIM : 3);
  static const int64_t itemsizes[] = {1, 2, 3, 4, 8, 12, 16, 24};
  const int64_t itemsize = itemsizes[test_random_int(random, 0, 7)];
  const bool fill = test_random_one_in(random, 2);
  int64_t size[DAP_MAX_NDIM];
  random_shape(random, ndim, size);
  dap_layout *from = random_layout(random, ndim, size, true), *to = random_layout(random, ndim, size, true);
  test_buffer source =
      test_buffer_make(from, rank, itemsize, (test_form)test_random_int(random, 0, FORM_COUNT - 1), random);
  test_buffer target =
      test_buffer_make(to, rank, itemsize, (test_form)test_random_int(random, 0, FORM_COUNT - 1), random);
  const dap_plan_options options = {.fill_halos = fill,
                                    .message_bytes =
                                        test_random_one_in(random, 3) ? test_random_int(random, 1, 99) : 0};
  const dap_side a = {.layout = from, .strides = source.strides},
                 b = {.layout = to, .strides = target.strides};
  dap_plan *plan = NULL;
  dap_error err;
  fill_bytes(from, rank, source.data, source.strides, itemsize);
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, itemsize, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, source.data, target.data, &err), &err);
  check_bytes(to, rank, target.data, target.strides, itemsize, fill ? PADDING_FILLED : PADDING_POISON);
  check_gaps(&target);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  test_buffer_free(&source);
  test_buffer_free(&target);
}

static void moves_random_layouts(void **state)
{
  (void)state;
  test_random random = test_random_init(10);
  for (int i = 0; i < CASES; i++) {
    TEST_CASE("seed %llu, case %d", (unsigned long long)test_seed(), i);
    move_randomly(&random, i);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(moves_random_layouts)};
MPI_TEST_MAIN(tests)
