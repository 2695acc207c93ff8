/* dap_linalg_schur() and dap_linalg_eig() of tiny and huge matrices. Multiplied by a
 * power of 2, a matrix has so many times its eigenvalues; these are compared with serial LAPACK's of the
 * matrix in a usual range. */
#include "schur_test.h"

#include <stdlib.h>

static int exponent; /* of the matrix that formulas speak of */

static double complex entry_scaled(int64_t i, int64_t j)
{
  return CMPLX(ldexp(creal(entry_any(i, j)), exponent), ldexp(cimag(entry_any(i, j)), exponent));
}

static double complex entry_symmetric(int64_t i, int64_t j) /* real eigenvalues */
{
  return ldexp(creal(entry_any(i < j ? i : j, i < j ? j : i)), exponent);
}

static double complex entry_pairs(int64_t i, int64_t j) /* imaginary ones; their products underflow first */
{
  return ldexp(j == i + 1 ? 1 : i == j + 1 ? -1 : 0, exponent);
}

static double complex entry_ones(int64_t i, int64_t j) /* one eigenvalue is n times as large */
{
  (void)i, (void)j;
  return ldexp(1, exponent);
}

static const struct {
  const char *why;
  int exponents[2]; /* of float32, float64 */
} rows[] = {
    {"usual", {0, 0}},
    {"squares are subnormal", {-70, -520}},
    {"divided by eps it is tiny", {-95, -960}},
    {"tiny", {-115, -1000}},
    {"subnormal", {-130, -1040}},
    {"squares overflow", {70, 520}},
    {"huge", {115, 1010}},
};
static formula *const entries[] = {entry_scaled, entry_symmetric, entry_pairs};
static const int64_t sizes[] = {2, 6, 41};

/* A whole matrix in a usual range again. */
static double complex *usual(int64_t count, double complex *whole)
{
  for (int64_t k = 0; k < count; k++)
    whole[k] = CMPLX(ldexp(creal(whole[k]), -exponent), ldexp(cimag(whole[k]), -exponent));
  return whole;
}

/* Of the numbers in a usual range: subnormal ones have fewer bits. */
static double eps_of(const trial *t)
{
  const bool is_single = t->type->real == DAP_F4;
  return fmax(t->type->eps, ldexp(1, (is_single ? -149 : -1074) - exponent));
}

/* W is the diagonal of T where T has no block, and pairs stand for blocks. */
static void check_diagonal(const trial *t, const double complex *T, const double complex *w)
{
  const int64_t n = t->size[0];
  for (int64_t k = 0; k < n; k++) {
    const bool is_block = !t->type->is_complex && k + 1 < n && T[k + 1 + k * n] != 0;
    if (!is_block) EXPECT_MSG(w[k] == T[k + k * n], "W[%d] is not T's", (int)k);
    if (is_block) EXPECT_MSG(cimag(w[k]) > 0 && w[k + 1] == conj(w[k]), "W[%d] is no pair", (int)k);
    k += is_block;
  }
}

static void check(const trial *t, formula *entry)
{
  const int64_t n = t->size[0], all = n * n;
  const dap_darray none = {0};
  matrix a = trial_matrix(t, n, n, entry), T = trial_other(t, n, n, entry_nans),
         z = trial_matrix(t, n, n, entry_nans), w = schur_values(t), alone = schur_values(t);
  dap_error err = {0};
  EXPECT_OK(dap_linalg_schur(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&T), matrix_operand(&z),
                             matrix_operand(&w), NULL, &err),
            &err);
  EXPECT_OK(dap_linalg_eig(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&alone), none, NULL, &err),
            &err);
  double complex *whole = usual(all, matrix_whole(&a)), *form = usual(all, matrix_whole(&T));
  double complex *values = usual(n, matrix_whole(&w)), *others = usual(n, matrix_whole(&alone));
  double complex *vectors = matrix_whole(&z), *product = serial_multiply('N', 'N', n, n, n, vectors, form);
  spectrum known = schur_spectrum(n, whole);
  schur_expect_values("schur", &known, values, eps_of(t));
  schur_expect_values("eig", &known, others, eps_of(t));
  expect_residual("Z^H Z - I", residual_orthogonal(n, n, vectors, t->type->eps));
  expect_residual("A Z - Z T", residual_product('N', 'N', n, n, n, whole, vectors, product, eps_of(t)));
  check_diagonal(t, form, values);
  EXPECT(expect_same(&a));
  schur_spectrum_free(&known);
  free(product), free(vectors), free(others), free(values), free(form), free(whole);
  matrix_free(&alone), matrix_free(&w), matrix_free(&z), matrix_free(&T), matrix_free(&a);
  SETTLE();
}

static trial trial_of(int number, int type, int64_t n)
{
  return (trial){.number = schur_number(number),
                 .source = &sources[number % 3],
                 .type = &element_types[type],
                 .size = {n, n},
                 .grid = {number % 2 ? 1 : test_nprocs(), number % 2 ? test_nprocs() : 1}};
}

static void by_lapack(void **state)
{
  enum { ROWS = sizeof rows / sizeof rows[0], ENTRIES = 3, SIZES = 3, TYPES = ELEMENT_TYPES };
  (void)state;
  int number = 0;
  for (int i = 0; i < ROWS * ENTRIES * SIZES * TYPES; i++) {
    const int row = i / (ENTRIES * SIZES * TYPES), type = i % TYPES;
    const trial t = trial_of(number++, type, sizes[i / TYPES % SIZES]);
    exponent = rows[row].exponents[t.type->real == DAP_F8];
    TEST_CASE("%s, n = %d, formula %d, %s", rows[row].why, (int)t.size[0], i / (TYPES * SIZES) % ENTRIES,
              t.type->name);
    check(&t, entries[i / (TYPES * SIZES) % ENTRIES]);
  }
}

/* An eigenvalue beyond the type's range is an error, and results keep their elements. */
static void too_large(void **state)
{
  enum { N = 8 };
  (void)state;
  for (int i = 0; i < 2; i++) {
    const trial t = trial_of(0, i, N);
    exponent = t.type->real == DAP_F4 ? 127 : 1023;
    TEST_CASE("%s", t.type->name);
    matrix a = trial_matrix(&t, N, N, entry_ones), T = trial_other(&t, N, N, entry_nans),
           w = schur_values(&t);
    dap_error err = {0};
    const dap_status status = dap_linalg_schur(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&T),
                                               (dap_darray){0}, matrix_operand(&w), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_NUMERIC, "exceed|the range of float");
    EXPECT(expect_same(&a) && expect_same(&w));
    matrix_free(&w), matrix_free(&T), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(by_lapack), cmocka_unit_test(too_large)};
LINALG_TEST_MAIN(tests)
