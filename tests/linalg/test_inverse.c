/* dap_linalg_inverse() against serial LAPACK. */
#include "harness.h"

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0];
    matrix a = trial_matrix(&t, n, n, t.number % 2 ? entry_any : entry_dominant);
    double complex *before = matrix_whole(&a), *want = serial_inverse(n, before);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report,
                                        .keep = t.number % 3 == 0}; /* which is no matter */
    dap_error err = {0};
    EXPECT_OK(dap_linalg_inverse(MPI_COMM_WORLD, matrix_operand(&a), &options, &err), &err);

    double complex *x = matrix_whole(&a);
    const double r = residual_inverse(n, before, x, t.type->eps);
    expect_residual("A X - 1", r);
    const double scale = n ? whole_norm('1', n, n, want) / serial_condition('1', n, before) : 0;
    expect_residual("X - LAPACK's", residual_difference(n, n, x, want, scale, n, t.type->eps));
    EXPECT_INT(report.count, 1);
    expect_use(&report, 0, "A", &a, source_shares(t.source, t.size, t.grid));
    expect_padding(&a);
    log_trial("inverse", &t, &report, r);
    free(x);
    free(want);
    free(before);
    matrix_free(&a);
    SETTLE();
  }
}

typedef struct refusal {
  const char *why;
  int64_t size[2];
  formula *entry;
  bool readonly;
  dap_status status;
  const char *parts;
  int64_t info;
} refusal;

static const refusal refusals[] = {
    {"a zero column", {33, 33}, entry_singular, false, DAP_ERR_NUMERIC, "A is singular|U(3, 3) is zero", 3},
    {"zeros", {33, 33}, entry_zero, false, DAP_ERR_NUMERIC, "A is singular|U(1, 1) is zero", 1},
    {"one zero", {1, 1}, entry_zero, false, DAP_ERR_NUMERIC, "A is singular|U(1, 1) is zero", 1},
    {"NaN", {33, 33}, entry_nan, false, DAP_ERR_NUMERIC, "not finite|(0, 0)", 0},
    {"not square", {5, 4}, entry_any, false, DAP_ERR_ARG, "A|square|5 x 4", 0},
    {"read-only", {5, 5}, entry_any, true, DAP_ERR_BUFFER, "A|read-only", 0},
};

static void refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0] * (size_t)source_count; i++) {
    const refusal *r = &refusals[i / (size_t)source_count];
    const source *s = &sources[i % (size_t)source_count];
    TEST_CASE("%s, %s", r->why, s->name);
    matrix a = matrix_make(s, &element_types[i % ELEMENT_TYPES], 2, r->size, (const int[2]){1, test_nprocs()},
                           r->entry);
    a.array.readonly = r->readonly;
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    const dap_status status = dap_linalg_inverse(MPI_COMM_WORLD, matrix_operand(&a), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, r->status, r->parts);
    EXPECT_INT(report.info, r->info);
    expect_work(&a, &report.uses[0], false, false);
    expect_padding(&a);
    matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
