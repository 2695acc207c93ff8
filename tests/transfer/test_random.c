/* Random plans: layouts of all kinds, made or assembled, on all processes or some of them, in any order;
 * forms of buffers and sizes of elements. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "side.h"

#include <inttypes.h>

enum { CASES = 150, MOST = 4000 /* elements */ };

static random_array arrays[2]; /* of the case: from and to */

/* ---- what is done with two sides ------------------------------------------------------------------ */

static void gather_and_scatter(const test_side *s, int root, const dap_plan_options *options)
{
  const dap_side part = side_of(s);
  const random_array *array = s->array;
  unsigned char *whole = calloc((size_t)(array->model.count * s->itemsize) + 1, 1);
  const bool here = test_rank() == root;
  dap_plan *gather = NULL, *scatter = NULL;
  dap_error err;
  side_fill(s, 9, COPIES_WRONG);
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &part, root, s->itemsize, options, &gather, &err),
                &err))
    EXPECT_OK(dap_plan_run(gather, side_data(s), here ? whole : NULL, &err), &err);
  if (here) whole_check(array, s->itemsize, 9, whole);
  whole_fill(array, s->itemsize, 11, whole);
  side_poison(s);
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, root, &part, s->itemsize, options, &scatter, &err),
                &err))
    EXPECT_OK(dap_plan_run(scatter, here ? whole : NULL, side_data(s), &err), &err);
  side_check(s, 11, COPIES_RIGHT, options->fill_halos ? PADDING_FILLED : PADDING_POISON);
  dap_plan_destroy(&gather);
  dap_plan_destroy(&scatter);
  free(whole);
}

/* ---- cases ---------------------------------------------------------------------------------------- */

static void label(int number, int64_t itemsize)
{
  char from[240];
  snprintf(from, sizeof from, "%s", random_array_text(&arrays[0]));
  TEST_CASE("seed %" PRIu64 ", case %d, %" PRId64 " bytes: %s; to %s", test_seed(), number, itemsize, from,
            random_array_text(&arrays[1]));
}

static void random_plans(void **state)
{
  (void)state;
  test_random random = test_random_init(10);
  static const int64_t itemsizes[] = {1, 2, 3, 4, 8, 12, 16, 24};
  for (int i = 0; i < test_cases(CASES); i++) {
    const int ndim = (int)test_random_int(&random, 1, i % 3 == 0 ? DAP_MAX_NDIM : 3);
    const int64_t itemsize = itemsizes[test_random_int(&random, 0, 7)];
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, ndim > 4 ? MOST / 8 : MOST, size); /* halos multiply along many axes */
    test_side from = side_draw(&random, ndim, size, itemsize, &arrays[0]);
    test_side to = side_draw(&random, ndim, size, itemsize, &arrays[1]);
    const bool cut = test_random_one_in(&random, 3);
    const dap_plan_options options = {.fill_halos = test_random_one_in(&random, 2),
                                      .allow_empty = true,
                                      .message_bytes = cut ? test_random_int(&random, 9, 99) : 0};
    label(i, itemsize);
    SETTLE();
    label(i, itemsize);
    side_move(&from, &to, &options);
    SETTLE();
    label(i, itemsize);
    side_update(&to, &options);
    SETTLE();
    label(i, itemsize);
    gather_and_scatter(&from, (int)test_random_int(&random, 0, test_nprocs() - 1), &options);
    side_free(&from);
    side_free(&to);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_plans)};
MPI_TEST_MAIN(tests)
