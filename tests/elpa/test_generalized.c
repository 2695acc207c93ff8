/* dap_elpa_eigh_generalized() by what its vectors are, and against the eigenvalues of inv(L) A inv(L^H). */
#include "elpa_test.h"

#include <stdlib.h>

/* inv(L) A inv(L^H) with B = L L^H, by the definition; B is overwritten with L. */
static double complex *serial_reduce(int64_t n, const double complex *a, double complex *b)
{
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      for (int64_t k = 0; k < j; k++) b[j * n + i] -= b[k * n + i] * conj(b[k * n + j]);
      b[j * n + i] = i == j ? csqrt(b[j * n + i]) : b[j * n + i] / b[j * n + j];
    }
  double complex *c = whole_copy(n, n, a);
  for (int sides = 0; sides < 2; sides++) { /* inv(L) C, then conjugate transposition, twice */
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++) c[j * n + i] -= b[k * n + i] * c[j * n + k];
        c[j * n + i] /= b[i * n + i];
      }
    double complex *turned = whole_op('C', n, n, c);
    free(c);
    c = turned;
  }
  return c;
}

static void check_results(const trial *t, int64_t k, const double complex *a, const double complex *b,
                          const double complex *w, const double complex *z)
{
  const int64_t n = t->size[0];
  const double eps = t->type->eps;
  double complex *factor = whole_copy(n, n, b), *c = serial_reduce(n, a, factor);
  double complex *want = serial_eigenvalues('L', n, c);
  const double norm = largest(n, want), scale = norm > 0 ? norm : 1;
  expect_residual("eigenvalues", residual_difference(k, 1, w, want, scale, n, eps));
  if (z) {
    const double a_norm = whole_norm('F', n, n, a) + scale * whole_norm('F', n, n, b);
    double complex *bz = serial_multiply('N', 'N', n, k, n, b, z);
    double complex *one = serial_multiply('C', 'N', k, k, n, z, bz),
                   *identity = calloc((size_t)(k * k), sizeof *one);
    for (int64_t i = 0; i < k; i++) identity[i * k + i] = 1;
    expect_residual("A Z - B Z W", residual_pairs(n, k, a, b, w, z, a_norm > 0 ? a_norm : 1, eps));
    expect_residual("Z^H B Z - I", residual_difference(k, k, one, identity, 1, n, eps));
    free(identity), free(one), free(bz);
  }
  free(want), free(c), free(factor);
}

static void check(const trial *t, char uplo, bool vectors, bool part, int stages)
{
  const int64_t n = t->size[0], k = part && n > 1 ? n / 2 : n;
  if (!has_type(t->type)) return;
  matrix a = trial_matrix(t, n, n, entry_hermitian), b = trial_other(t, n, n, entry_definite);
  matrix w = trial_vector(t, k, true, entry_nans), z = {0};
  if (vectors) z = trial_matrix(t, n, k, entry_nans);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
  if (uplo != 'A') matrix_set_triangle(&a, uplo == 'L' ? 'U' : 'L', NAN);
  if (uplo != 'A') matrix_set_triangle(&b, uplo == 'L' ? 'U' : 'L', NAN);
  dap_elpa_report report = {0};
  const dap_elpa_solve_options options = {.report = &report, .stages = stages, .keep = t->number % 5 == 0};
  dap_error err = {0};
  EXPECT_OK(dap_elpa_eigh_generalized(MPI_COMM_WORLD, uplo, matrix_operand(&a), matrix_operand(&b),
                                      matrix_operand(&w), vectors ? matrix_operand(&z) : (dap_darray){0},
                                      &options, &err),
            &err);
  double complex *values = matrix_whole(&w), *found = vectors ? matrix_whole(&z) : NULL;
  check_results(t, k, whole_a, whole_b, values, found);
  const dap_linalg_report as = report_of(&report);
  if (n > 0) {
    expect_use(&as, 0, "A", &a, options.keep ? 0 : -1), expect_use(&as, 1, "B", &b, options.keep ? 0 : -1);
    expect_use(&as, 2, "W", &w, 0);
    expect_work(&a, &as.uses[0], options.keep, false), expect_work(&b, &as.uses[1], options.keep, false);
  }
  expect_padding(&a), expect_padding(&b), expect_padding(&w);
  EXPECT(!vectors || expect_padding(&z));
  free(found), free(values), free(whole_b), free(whole_a);
  if (vectors) matrix_free(&z);
  matrix_free(&w), matrix_free(&b), matrix_free(&a);
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    check(&t, "LUA"[t.number % 3], t.number % 4 != 0, t.number % 5 == 1, 1 + t.number % 2);
    SETTLE();
  }
}

/* ELPA's own Cholesky factorisation waits for ever here on several processes. */
static void not_definite(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  for (int row = 0; row < 6; row++) {
    const int64_t size[2] = {row % 2 ? 33 : 5, row % 2 ? 33 : 5};
    const char uplo = "LUA"[row % 3];
    const source *from = &sources[row];
    TEST_CASE("%s, uplo %c", from->name, uplo);
    matrix a = matrix_make(from, element_type_of(DAP_F8), 2, size, grid, entry_hermitian);
    matrix b = matrix_make(from, element_type_of(DAP_F8), 2, size, grid, entry_definite_not);
    matrix z = matrix_make(from, element_type_of(DAP_F8), 2, size, grid, entry_nans);
    matrix w = matrix_make(&vector_sources[0], element_type_of(DAP_F8), 1, (const int64_t[2]){size[0], 1},
                           grid, entry_nans);
    dap_elpa_report report = {0};
    const dap_elpa_solve_options options = {.report = &report};
    dap_error err = {0};
    const dap_status status =
        dap_elpa_eigh_generalized(MPI_COMM_WORLD, uplo, matrix_operand(&a), matrix_operand(&b),
                                  matrix_operand(&w), matrix_operand(&z), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_NUMERIC,
                      "B is not positive definite|order 3 is not positive");
    EXPECT_INT(report.info, 3);
    EXPECT(expect_same(&w));
    matrix_free(&w), matrix_free(&z), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(not_definite)};
MPI_TEST_MAIN(tests)
