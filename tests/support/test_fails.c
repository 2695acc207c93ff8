/* These tests must fail. Each one fails only on the last rank, and in its own way. With an argument one test
 * is skipped and another one runs, and the program's exit status must say so. */
#include "mpi_test.h"
#include "random_array.h"

#include <inttypes.h>

static bool is_last(void)
{
  return test_rank() == test_nprocs() - 1;
}

static void a_check(void **state)
{
  (void)state;
  EXPECT_INT(is_last() ? 3 : 2, 2);
  SETTLE();
}

static void a_check_without_settlement(void **state)
{
  (void)state;
  EXPECT(!is_last());
}

static void a_status(void **state)
{
  (void)state;
  dap_error err = {.rank = -1, .text = "axis 0: size -1"};
  EXPECT_FAIL(DAP_ERR_DIM, DAP_ERR_DIM, &err, is_last() ? "axis 1" : "axis 0");
  SETTLE();
}

static void a_text_that_differs(void **state)
{
  (void)state;
  dap_error err = {.rank = 0, .text = "rank 0: axis 0: size -1"};
  if (is_last()) err.text[0] = 'R';
  expect_same_error(MPI_COMM_WORLD, DAP_ERR_DIM, &err, DAP_ERR_DIM, "axis 0|size");
  SETTLE();
}

static void a_rank_that_differs(void **state)
{
  (void)state;
  dap_error err = {.rank = is_last(), .text = "rank 0: axis 0: size -1"};
  expect_same_error(MPI_COMM_WORLD, DAP_ERR_DIM, &err, DAP_ERR_DIM, "axis 0|size");
  SETTLE();
}

/* Fails from five elements on. */
static void case_of(int number, test_random *random)
{
  int64_t size[1];
  random_shape(random, 1, 100, size);
  TEST_CASE("case %d of %" PRId64 " elements", number, size[0]);
  EXPECT(size[0] < 5 || !is_last());
}

static void a_case_among_many(void **state)
{
  (void)state;
  test_each(40, 1, case_of);
}

static void is_not_tried(void **state)
{
  (void)state;
  test_skip("because");
  EXPECT_MSG(false, "it is left");
}

static void is_tried(void **state)
{
  (void)state;
  EXPECT(true);
  SETTLE();
}

static const struct CMUnitTest failing[] = {
    cmocka_unit_test(a_check),
    cmocka_unit_test(a_check_without_settlement),
    cmocka_unit_test(a_status),
    cmocka_unit_test(a_text_that_differs),
    cmocka_unit_test(a_rank_that_differs),
    cmocka_unit_test(a_case_among_many),
};
static const struct CMUnitTest skipping[] = {cmocka_unit_test(is_not_tried), cmocka_unit_test(is_tried)};

int main(int argc, char **argv)
{
  return argc > 1 ? mpi_test_main(&argc, &argv, skipping, 2) : mpi_test_main(&argc, &argv, failing, 6);
}
