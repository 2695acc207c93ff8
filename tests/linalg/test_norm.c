/* Tests dap_linalg_norm() for matrices with elements beyond LAPACK's thresholds. linalg_edges_products
 * draws other matrices. */
#include "harness.h"

/* Elements at and beyond the thresholds of LAPACK's LASSQ, on some columns and processes only. ScaLAPACK's
 * lange, with LAPACK 3.10 and later, is wrong with the first three by a factor of 10 and more. */
static struct ends {
  const char *why;
  dap_dtype dtype;
  double usual, other;
  int64_t row, col; /* of the other one; -1: along a whole column */
} ends[] = {
    {"float: one element beyond the upper one", DAP_F4, 4e15, 5e15, 3, 7},
    {"double: the same", DAP_F8, 1e146, 3e146, 70, 71},
    {"float: a column below the lower one", DAP_F4, 3e-19, 1e-20, -1, 41},
    {"double: the same", DAP_F8, 3e-146, 1e-160, -1, 41},
    {"complex of floats", DAP_C8, 4e15, 5e15, 3, 7},
    {"complex", DAP_C16, 1e146, 3e146, 70, 71},
    {"squares underflow", DAP_F8, 1e-200, 2e-170, 1, 2},
    {"squares overflow", DAP_F8, 1e200, 2e220, -1, 2},
    {"the smallest numbers", DAP_F8, 5e-324, 1e-320, 9, 9},
    {"far apart", DAP_F8, 1e-300, 1e300, 99, 99},
    {"zeros", DAP_F8, 0, 0, 0, 0},
    {"infinity", DAP_F8, 1, INFINITY, 5, 5},
    {"float infinity", DAP_F4, 1, INFINITY, -1, 5},
};
static const struct ends *now;

static bool is_other(int64_t i, int64_t j)
{
  return j == now->col && (now->row < 0 || i == now->row);
}

static double complex entry_ends(int64_t i, int64_t j)
{
  return is_other(i, j) ? now->other : now->usual;
}

static void thresholds(void **state)
{
  enum { N = 100 };
  (void)state;
  for (now = ends; now < ends + sizeof ends / sizeof ends[0]; now++) {
    for (int turn = 0; turn < 2; turn++) {
      const int grid[2] = {turn ? 1 : test_nprocs(), turn ? test_nprocs() : 1};
      const source s = {{now->why, 2, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {8, 8}},
                        .form = turn ? FORM_C : FORM_F};
      TEST_CASE("%s: %d x %d", now->why, grid[0], grid[1]);
      const element_type *type = element_type_of(now->dtype);
      matrix a = matrix_make(&s, type, N, N, grid, entry_ends);
      const long double usual = now->usual, other = now->other, count = now->row < 0 ? N : 1;
      const double want = isinf(now->other)
                              ? INFINITY
                              : (double)sqrtl(usual * usual * (N * N - count) + other * other * count);
      double value = -1;
      dap_error err = {0};
      EXPECT_OK(dap_linalg_norm(MPI_COMM_WORLD, 'F', matrix_operand(&a), &value, NULL, &err), &err);
      EXPECT_MSG(value == want || fabs(value - want) <= 100 * type->eps * want, "%.17g, not %.17g", value,
                 want);
      matrix_free(&a);
      SETTLE();
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(thresholds)};
MPI_TEST_MAIN(tests)
