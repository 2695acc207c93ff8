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
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '1', (dap_operand){a.layout, &integers}, &value, NULL, &err) ==
         DAP_ERR_BUFFER);
  dap_array longer = a.array;
  longer.shape[1]++;
  EXPECT(dap_linalg_norm(MPI_COMM_WORLD, '1', (dap_operand){a.layout, &longer}, &value, NULL, &err) ==
         DAP_ERR_BUFFER);
  EXPECT_MSG(test_contains(err.text, "rank 0: A: dim 1: |extent|differs from the|rank 0"), "%s", err.text);
  matrix_free(&v), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_norms),
    cmocka_unit_test(test_nan),
    cmocka_unit_test(test_refusals),
};

LINALG_TEST_MAIN(tests)
