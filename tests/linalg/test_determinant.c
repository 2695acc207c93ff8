/* dap_linalg_determinant() against serial LAPACK. */
#include "harness.h"

/* Its rows are those of a dominant matrix, each one further up: well conditioned, and every row is
 * swapped. */
static int64_t order;
static double complex entry_shifted(int64_t i, int64_t j)
{
  return entry_dominant((i + 1) % order, j);
}

/* Products that no type can hold, up and down. */
static double complex entry_huge(int64_t i, int64_t j)
{
  return 0x1p40 * entry_shifted(i, j);
}

static double complex entry_tiny(int64_t i, int64_t j)
{
  return 0x1p-40 * entry_shifted(i, j);
}

/* How far the determinant is off, relatively, in units of what a backward stable factorisation and a sum of
 * logarithms allow. */
static double residual(double complex sign, double log, double complex want, double want_log, int64_t n,
                       double rcond, double eps)
{
  const double off = cabs(sign - want) + fabs(log - want_log);
  return off == 0 ? 0 : off / ((double)n / rcond * eps + fabs(want_log) * DBL_EPSILON);
}

static void everywhere(void **state)
{
  static formula *const entries[] = {entry_shifted, entry_any, entry_dominant, entry_huge, entry_tiny};
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = order = t.size[0];
    matrix a = trial_matrix(&t, n, n, entries[t.number % 5]);
    double complex *whole = matrix_whole(&a);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report, .keep = t.number % 4 == 0};
    dap_error err = {0};
    double sign[2] = {NAN, NAN}, log = NAN, want_log, root[3];
    EXPECT_OK(dap_linalg_determinant(MPI_COMM_WORLD, matrix_operand(&a), sign, &log, &options, &err), &err);

    const double complex want = serial_determinant(n, whole, &want_log), got = CMPLX(sign[0], sign[1]);
    const double r = residual(got, log, want, want_log, n, serial_condition('1', n, whole), t.type->eps);
    expect_residual("det A", r);
    if (!t.type->is_complex)
      EXPECT_MSG(sign[0] == creal(want) && sign[1] == 0, "the sign is (%g, %g)", sign[0], sign[1]);
    EXPECT_MSG(fabs(cabs(got) - 1) < 8 * DBL_EPSILON, "the sign's absolute value is %.17g", cabs(got));
    memcpy(root, (const double[3]){sign[0], sign[1], log}, sizeof root);
    MPI_Bcast(root, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    EXPECT(sign[0] == root[0] && sign[1] == root[1] && log == root[2]);
    expect_use(&report, 0, "A", &a, options.keep ? 0 : source_shares(t.source, t.size, t.grid));
    expect_work(&a, &report.uses[0], options.keep, true);
    expect_padding(&a);
    log_trial("determinant", &t, &report, r);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

typedef struct special {
  const char *why;
  int64_t size[2];
  formula *entry;
  bool no_sign, no_log;
  dap_status status;
  const char *parts;
} special;

static const special specials[] = {
    {"a zero column: no error", {33, 33}, entry_singular, false, false, DAP_OK, ""},
    {"zeros", {33, 33}, entry_zero, false, false, DAP_OK, ""},
    {"one zero", {1, 1}, entry_zero, false, false, DAP_OK, ""},
    {"NaN", {33, 33}, entry_nan, false, false, DAP_ERR_NUMERIC, "not finite|(0, 0)"},
    {"not square", {5, 4}, entry_any, false, false, DAP_ERR_ARG, "A|square|5 x 4"},
    {"no place for the sign", {5, 5}, entry_any, true, false, DAP_ERR_ARG, "sign|NULL"},
    {"no place for the logarithm", {5, 5}, entry_any, false, true, DAP_ERR_ARG, "log|NULL"},
};

static void singular_or_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof specials / sizeof specials[0] * (size_t)source_count; i++) {
    const special *s = &specials[i / (size_t)source_count];
    TEST_CASE("%s, %s", s->why, sources[i % (size_t)source_count].name);
    matrix a = matrix_make(&sources[i % (size_t)source_count], &element_types[i % ELEMENT_TYPES], 2, s->size,
                           (const int[2]){test_nprocs(), 1}, s->entry);
    double sign[2] = {5, 5}, log = 5;
    dap_error err = {0};
    const dap_status status = dap_linalg_determinant(
        MPI_COMM_WORLD, matrix_operand(&a), s->no_sign ? NULL : sign, s->no_log ? NULL : &log, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, s->status, s->parts);
    if (s->status)
      EXPECT_MSG(sign[0] == 5 && sign[1] == 5 && log == 5, "results were written on error");
    else
      EXPECT_MSG(sign[0] == 0 && sign[1] == 0 && log == -INFINITY, "(%g, %g) exp(%g)", sign[0], sign[1], log);
    expect_padding(&a);
    matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere),
                                          cmocka_unit_test(singular_or_refused)};
LINALG_TEST_MAIN(tests)
