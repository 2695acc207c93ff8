/* Least squares and factors of any rank with many rows, and the default tolerance. Other ones are drawn by
 * linalg_edges_qr. */
#include "harness.h"

#include <dapbridge/linalg_rank.h>

/* Rows of a straight line through points 0 .. 1: 3 - 2 x, so that every process knows the solution. */
static double complex entry_line(int64_t i, int64_t j)
{
  return j == 0 ? 1 : (double)i / 32768;
}

static double complex entry_on_line(int64_t i, int64_t j)
{
  (void)j;
  return 3 - 2 * creal(entry_line(i, 1));
}

/* Block rows in F order can be shared in blocks as large as a process's rows. The square of so many rows is
 * not a size of workspace that ScaLAPACK's integers hold. */
static void many_rows(void **state)
{
  (void)state;
  enum { ROWS = 50000 };
  const source rows = {.order = 'F', .axes = {{CUT_EVEN, 0}, {CUT_EVEN, 0}}};
  const int grid[2] = {test_nprocs(), 1};
  const int64_t tall[2] = {(int64_t)ROWS * test_nprocs(), 2}, right[2] = {tall[0], 1}, less[2] = {2, 1};
  const element_type *type = element_type_of(DAP_F8);
  matrix a = matrix_make(&rows, type, 2, tall, grid, entry_line);
  matrix b = matrix_make(&rows, type, 2, right, grid, entry_on_line);
  matrix x = matrix_make(&rows, type, 2, less, grid, entry_nans);
  int64_t rank = -7;
  dap_error err = {0};
  TEST_CASE("%d rows a process", ROWS);
  EXPECT_OK(dap_linalg_least_squares_rank(MPI_COMM_WORLD, -1, matrix_operand(&a), matrix_operand(&b),
                                          matrix_operand(&x), &rank, NULL, &err),
            &err);
  double complex *got = matrix_whole(&x);
  EXPECT_INT(rank, 2);
  EXPECT(cabs(got[0] - 3) < 1e-9 && cabs(got[1] + 2) < 1e-9);
  free(got);
  matrix_free(&x), matrix_free(&b), matrix_free(&a);
  SETTLE();
}

/* Two columns whose difference has 1 / 64 of their length. */
static double complex entry_near(int64_t i, int64_t j)
{
  return j == 0 ? 1 : 1 + (i % 2 ? 1.0 : -1.0) / 64;
}

/* The rank is 2 by the default tolerance, 65,536 eps. It would be 1 by a tolerance of as many eps as A has
 * rows. */
static void usual_tolerance(void **state)
{
  (void)state;
  enum { ROWS = 262144 };
  static const struct {
    const char *why;
    int64_t nrhs; /* -1: factors alone */
  } cases[] = {{"no right-hand side", 0}, {"right-hand sides beside A", 3}, {"no solution", -1}};
  const source even = {.order = 'F', .axes = {{CUT_EVEN, 0}, {CUT_EVEN, 0}}};
  const int grid[2] = {test_nprocs(), 1};
  const element_type *type = element_type_of(DAP_F4);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const int64_t nrhs = cases[i].nrhs > 0 ? cases[i].nrhs : 0;
    const int64_t tall[2] = {ROWS, 2}, right[2] = {ROWS, nrhs}, less[2] = {2, nrhs};
    matrix a = matrix_make(&even, type, 2, tall, grid, entry_near);
    matrix b = matrix_make(&even, type, 2, right, grid, entry_any);
    matrix x = matrix_make(&even, type, 2, less, grid, entry_nans);
    const dap_darray none = {0};
    int64_t rank = -7;
    dap_error err = {0};
    TEST_CASE("%s", cases[i].why);
    if (cases[i].nrhs < 0)
      EXPECT_OK(
          dap_linalg_qr_pivoted(MPI_COMM_WORLD, -1, matrix_operand(&a), none, none, none, &rank, NULL, &err),
          &err);
    else
      EXPECT_OK(dap_linalg_least_squares_rank(MPI_COMM_WORLD, -1, matrix_operand(&a), matrix_operand(&b),
                                              matrix_operand(&x), &rank, NULL, &err),
                &err);
    EXPECT_INT(rank, 2);
    matrix_free(&x), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(many_rows), cmocka_unit_test(usual_tolerance)};
MPI_TEST_MAIN(tests)
