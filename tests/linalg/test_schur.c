/* dap_linalg_schur() and dap_linalg_eig() against their definitions. */
#include "schur_test.h"

#include <string.h>

static formula *const formulas[] = {entry_any,       entry_dominant, entry_hermitian,
                                    entry_rotations, entry_zero,     entry_identity};

static formula *formula_of(const trial *t)
{
  return formulas[(t->number + t->number / 6) % 6];
}

static void schur(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    schur_check(&t, t.number % 4 == 0, formula_of(&t));
  }
}

/* ---- eigenvectors, and values alone -------------------------------------------------------------------- */

/* Of a matrix of rotations with multiple eigenvalues there may be too few vectors. */
static void check_vectors(const trial *t, const double complex *a, const double complex *w,
                          const double complex *v, double *residual)
{
  const int64_t n = t->size[0];
  *residual = residual_eigen(n, a, w, v, t->type->eps);
  expect_residual("A V - V W", *residual);
  for (int64_t j = 0; j < n; j++) {
    const double length = whole_norm('F', n, 1, &v[j * n]);
    EXPECT_MSG(fabs(length - 1) <= 100 * t->type->eps, "vector %d has norm %g", (int)j, length);
  }
}

/* Also where eigenvalues are so sensitive that they may be anywhere. */
static void check_trace(const trial *t, const char *what, const double complex *a, const double complex *w)
{
  const int64_t n = t->size[0];
  double complex sum = 0;
  for (int64_t k = 0; k < n; k++) sum += a[k + k * n] - w[k];
  EXPECT_MSG(cabs(sum) <= 1e3 * t->type->eps * (1 + whole_norm('F', n, n, a)), "%s: the trace is off by %g",
             what, cabs(sum));
}

static void solve(const trial *t)
{
  const int64_t n = t->size[0];
  matrix a = trial_matrix(t, n, n, formula_of(t)), v = schur_vectors(t), w = schur_values(t),
         alone = schur_values(t);
  double complex *whole = matrix_whole(&a);
  spectrum known = schur_spectrum(n, whole);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_eig(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&w), matrix_operand(&v),
                           &options, &err),
            &err);
  schur_expect_method(&report);
  EXPECT_OK(
      dap_linalg_eig(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&alone), (dap_darray){0}, NULL, &err),
      &err);
  double complex *whole_v = matrix_whole(&v), *whole_w = matrix_whole(&w),
                 *whole_alone = matrix_whole(&alone);
  double residual;
  check_vectors(t, whole, whole_w, whole_v, &residual);
  schur_expect_values("values", &known, whole_w, t->type->eps);
  schur_expect_values("values alone", &known, whole_alone, t->type->eps);
  check_trace(t, "values", whole, whole_w), check_trace(t, "values alone", whole, whole_alone);
  for (int64_t k = 0; k < n && !t->type->is_complex; k++)
    if (cimag(whole_w[k]) != 0) EXPECT_MSG(whole_w[k] == conj(whole_w[k + 1]), "no pair at %d", (int)k), k++;
  expect_same(&a), expect_padding(&v), expect_padding(&w), expect_padding(&alone);
  if (n > 0) expect_use(&report, 0, "A", &a, 0), expect_use(&report, 2, "V", &v, 0);
  log_trial("eig", t, &report, residual);
  schur_spectrum_free(&known);
  free(whole_alone), free(whole_w), free(whole_v), free(whole);
  matrix_free(&alone), matrix_free(&w), matrix_free(&v), matrix_free(&a);
  SETTLE();
}

static void eig(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) solve(&t);
}

static void refused(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t a[2], t[2], w;
    int type_w; /* in element_types */
    dap_sharing sharing;
    formula *entry;
    dap_status status;
    const char *parts;
  } rows[] = {
      {"A not square", {4, 5}, {4, 4}, 4, 3, 0, entry_any, DAP_ERR_ARG, "A must be square"},
      {"T too small", {5, 5}, {4, 5}, 5, 3, 0, entry_any, DAP_ERR_ARG, "T must be 5 x 5"},
      {"W too long", {5, 5}, {5, 5}, 6, 3, 0, entry_any, DAP_ERR_ARG, "W must be 5 x 1"},
      {"W not complex", {5, 5}, {5, 5}, 5, 1, 0, entry_any, DAP_ERR_BUFFER, "W|float64|complex128"},
      {"NaN", {5, 5}, {5, 5}, 5, 3, 0, entry_nan, DAP_ERR_NUMERIC, "not finite|(0, 0)"},
      {"in place", {5, 5}, {5, 5}, 5, 3, DAP_SHARE_OR_FAIL, entry_any, DAP_ERR_SHARE, "A must be moved"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    const int grid[2] = {test_nprocs(), 1};
    const element_type *type = &element_types[1];
    matrix a = matrix_make(&sources[0], type, 2, rows[i].a, grid, rows[i].entry);
    matrix t = matrix_make(&sources[0], type, 2, rows[i].t, grid, entry_nans);
    matrix w = matrix_make(&vector_sources[0], &element_types[rows[i].type_w], 1,
                           (const int64_t[2]){rows[i].w, 1}, grid, entry_nans);
    const dap_linalg_options o = {.sharing = rows[i].sharing};
    const dap_darray none = {0};
    dap_error err = {0};
    dap_status s = dap_linalg_schur(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&t), none,
                                    matrix_operand(&w), &o, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].status, rows[i].parts);
    if (i != 1) {
      s = dap_linalg_eig(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&w), none, &o, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].status, rows[i].parts);
    }
    EXPECT(expect_same(&a) && expect_same(&t) && expect_same(&w));
    matrix_free(&w), matrix_free(&t), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(schur), cmocka_unit_test(eig),
                                          cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
