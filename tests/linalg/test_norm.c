/* dap_linalg_norm() against the norms of the gathered matrix. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static void test_norms(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    matrix a = trial_matrix(&t, t.size[0], t.size[1], entry_any);
    double complex *whole = matrix_whole(&a);
    const double terms = (double)(t.size[0] + t.size[1] + 1);
    for (const char *norm = "1IFM"; *norm; norm++) {
      dap_linalg_report report = {0};
      const dap_linalg_options options = {.report = &report};
      dap_error err = {0};
      double value = -1;
      EXPECT_OK(dap_linalg_norm(MPI_COMM_WORLD, *norm, matrix_operand(&a), &value, &options, &err), &err);
      const double want = whole_norm(*norm, t.size[0], t.size[1], whole);
      const double r = want == value ? 0 : fabs(value - want) / (want * terms * t.type->eps);
      EXPECT_MSG(r <= RESIDUAL_LIMIT, "norm %c: %g, not %g", *norm, value, want);
      EXPECT(t.size[0] == 0 || t.size[1] == 0 ||
             expect_use(&report, 0, "A", &a, source_shares(t.source, t.size, t.grid)));
      EXPECT(expect_same(&a));
      if (*norm == '1') log_trial("norm", &t, &report, r);
    }
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* A number that is none, anywhere: comparisons pass over it. */
static void test_nan(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    if (t.size[0] == 0 || t.size[1] == 0) continue;
    matrix a = trial_matrix(&t, t.size[0], t.size[1], entry_any);
    matrix_set(&a, t.number % t.size[0], t.number / 3 % t.size[1], NAN);
    for (const char *norm = "1IFM"; *norm; norm++) {
      double value = -1;
      dap_error err = {0};
      EXPECT_OK(dap_linalg_norm(MPI_COMM_WORLD, *norm, matrix_operand(&a), &value, NULL, &err), &err);
      EXPECT_MSG(isnan(value), "norm %c: %g, not NaN", *norm, value);
    }
    matrix_free(&a);
    SETTLE();
  }
}

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

static void test_thresholds(void **state)
{
  enum { N = 100 };
  (void)state;
  const int64_t size[2] = {N, N};
  for (now = ends; now < ends + sizeof ends / sizeof ends[0]; now++) {
    for (int turn = 0; turn < 2; turn++) {
      const int grid[2] = {turn ? 1 : test_nprocs(), turn ? test_nprocs() : 1};
      const source s = {.axes = {{CUT_CYCLIC, 8}, {CUT_CYCLIC, 8}}, .order = turn ? 'C' : 'F'};
      TEST_CASE("%s: %d x %d", now->why, grid[0], grid[1]);
      const element_type *type = element_type_of(now->dtype);
      matrix a = matrix_make(&s, type, 2, size, grid, entry_ends);
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

static void test_refusals(void **state)
{
  (void)state;
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && t.size[0] < 4) continue;
  matrix a = trial_matrix(&t, t.size[0], t.size[0], entry_any), v = trial_vector(&t, 4, false, entry_any);
  double value = -1;
  dap_error err = {0};
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '2', matrix_operand(&a), &value, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "norm is '2'"), "%s", err.text);
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '1', matrix_operand(&a), NULL, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "value"), "%s", err.text);
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '1', matrix_operand(&v), &value, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "1 axes"), "%s", err.text);
  EXPECT(value == -1);
  const dap_linalg_options bad = {.sharing = (dap_sharing)7};
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '1', matrix_operand(&a), &value, &bad, &err) == DAP_ERR_ARG);
  dap_array integers = a.array;
  integers.dtype = t.type->dtype == DAP_F4 ? DAP_I4 : DAP_I8;
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '1', (dap_darray){a.layout, &integers}, &value, NULL, &err) ==
         DAP_ERR_BUFFER);
  dap_array longer = a.array;
  longer.shape[1]++;
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '1', (dap_darray){a.layout, &longer}, &value, NULL, &err) ==
         DAP_ERR_BUFFER);
  EXPECT_MSG(test_contains(err.text, "rank 0: A: axis 1: |extent|differs from the|rank 0"), "%s", err.text);
  matrix_free(&v), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_norms),
    cmocka_unit_test(test_nan),
    cmocka_unit_test(test_thresholds),
    cmocka_unit_test(test_refusals),
};

LINALG_TEST_MAIN(tests)
