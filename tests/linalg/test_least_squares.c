/* dap_linalg_least_squares() against the solution of least norm of the gathered problem. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

/* || X - X' || against the pseudoinverse's, whose error grows with the condition, and the normal
 * equations. */
static double check_solution(const trial *t, int64_t nrhs, const double complex *a, const double complex *b,
                             const double complex *x)
{
  const int64_t m = t->size[0], n = t->size[1], most = m > n ? m : n;
  double complex *want = serial_least_squares(m, n, nrhs, a, b);
  const double scale = whole_norm('F', n, nrhs, want);
  const double r =
      residual_difference(n, nrhs, x, want, scale > 0 ? scale : 1, most > 0 ? most : 1, t->type->eps);
  EXPECT_MSG(r <= 100 * RESIDUAL_LIMIT, "X: %g from the solution", r); /* the condition is below 100 */
  free(want);
  const double normal = m >= n ? residual_normal(m, n, nrhs, a, x, b, t->type->eps)
                               : residual_product('N', 'N', m, nrhs, n, a, x, b, t->type->eps);
  expect_residual("A^H (A X - B)", normal);
  return normal;
}

static void check(const trial *t, int64_t nrhs, bool alike, bool keep)
{
  const int64_t m = t->size[0], n = t->size[1];
  matrix a = trial_matrix(t, m, n, entry_dominant), b, x;
  if (nrhs == 0) {
    b = trial_vector(t, m, false, entry_any), x = trial_vector(t, n, false, entry_nans);
  } else {
    b = alike ? trial_matrix(t, m, nrhs, entry_any) : trial_other(t, m, nrhs, entry_any);
    x = alike ? trial_matrix(t, n, nrhs, entry_nans) : trial_other(t, n, nrhs, entry_nans);
  }
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = keep};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_least_squares(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&b),
                                     matrix_operand(&x), &options, &err),
            &err);
  double complex *whole_x = matrix_whole(&x);
  const double r = check_solution(t, nrhs ? nrhs : 1, whole_a, whole_b, whole_x);
  if (m > 0 && n > 0) {
    expect_use(&report, 0, "A", &a, -1), expect_use(&report, 1, "B", &b, -1),
        expect_use(&report, 2, "X", &x, -1);
    expect_work(&a, &report.uses[0], keep, m > 1 && n > 1);
  }
  EXPECT(!keep || (expect_same(&a) && expect_same(&b)));
  expect_padding(&a), expect_padding(&b), expect_padding(&x);
  log_trial(nrhs ? "least squares" : "least squares x", t, &report, r);
  free(whole_x), free(whole_b), free(whole_a);
  matrix_free(&x), matrix_free(&b), matrix_free(&a);
}

static void test_solutions(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    check(&t, 3, t.number % 2 == 0, t.number % 5 == 0);
    check(&t, 0, false, false);
    SETTLE();
  }
}

/* A column of zeros is a zero on the diagonal, whether by columns or, in C order, by rows of the
 * transpose. */
static void test_deficient(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_TALL);) {
    if (t.size[1] < 3) continue;
    matrix a = trial_matrix(&t, t.size[0], t.size[1], entry_zero),
           b = trial_matrix(&t, t.size[0], 2, entry_any);
    matrix x = trial_matrix(&t, t.size[1], 2, entry_nans);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    EXPECT(dap_linalg_least_squares(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&b),
                                    matrix_operand(&x), &options, &err) == DAP_ERR_NUMERIC);
    EXPECT_MSG(report.info == 1 && strstr(err.text, "full rank"), "info %d: %s", (int)report.info, err.text);
    EXPECT(report.uses[2].shared || expect_same(&x));
    matrix_fill(&a, entry_any);
    matrix_set(&a, t.size[0] - 1, t.size[1] - 1, NAN);
    EXPECT(dap_linalg_least_squares(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&b),
                                    matrix_operand(&x), &options, &err) == DAP_ERR_NUMERIC);
    EXPECT_MSG(strstr(err.text, "not finite"), "%s", err.text);
    matrix_free(&x), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static void test_refusals(void **state)
{
  (void)state;
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && t.size[0] < 4) continue;
  const int64_t n = t.size[0];
  matrix a = trial_matrix(&t, n, n - 1, entry_any), b = trial_matrix(&t, n, 2, entry_any);
  matrix x = trial_matrix(&t, n, 2, entry_nans);
  const dap_darray oa = matrix_operand(&a), ob = matrix_operand(&b), ox = matrix_operand(&x);
  dap_error err = {0};
  EXPECT(dap_linalg_least_squares(MPI_COMM_WORLD, oa, ob, ox, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "X must be"), "%s", err.text);
  EXPECT(dap_linalg_least_squares(MPI_COMM_WORLD, oa, oa, ox, NULL, &err) == DAP_ERR_ARG);
  EXPECT(expect_same(&a) && expect_same(&b) && expect_same(&x));
  matrix_free(&x), matrix_free(&b), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_solutions),
    cmocka_unit_test(test_deficient),
    cmocka_unit_test(test_refusals),
};

LINALG_TEST_MAIN(tests)
