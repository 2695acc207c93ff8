/* The references of the harness, against values known without LAPACK; that the formulas' matrices are what
 * they are said to be; and that residuals see errors. Every process does the same. */
#include "harness.h"

enum { N = 24 };

static const element_type *z(void)
{
  return element_type_of(DAP_C16);
}

/* ---- formulas ------------------------------------------------------------------------------------- */

static void formulas_are_held_exactly(void **state)
{
  (void)state;
  formula *const all[] = {entry_any,          entry_dominant, entry_hermitian, entry_definite,
                          entry_definite_not, entry_singular, entry_rank2,     entry_zero};
  for (size_t f = 0; f < sizeof all / sizeof all[0]; f++)
    for (int64_t i = 0; i < 70; i++)
      for (int64_t j = 0; j < 70; j++)
        for (int t = 0; t < ELEMENT_TYPES; t++) {
          double complex element = 0;
          element_store(element_types[t].dtype, all[f](i, j), &element);
          const double complex want = element_types[t].is_complex ? all[f](i, j) : creal(all[f](i, j));
          EXPECT(element_load(element_types[t].dtype, &element) == want);
        }
  SETTLE();
}

/* The smallest eigenvalue of the leading block of a Hermitian matrix. */
static double smallest(int64_t order, formula *entry, const element_type *type)
{
  double complex *a = whole_make(order, order, entry, type);
  double complex *w = serial_eigenvalues('L', order, a);
  const double first = creal(w[0]);
  free(a);
  free(w);
  return first;
}

static void formulas_have_their_properties(void **state)
{
  (void)state;
  for (int t = 1; t < ELEMENT_TYPES; t += 2) {
    const element_type *type = &element_types[t];
    double log_of;
    EXPECT(smallest(300, entry_definite, type) > 1);
    EXPECT(smallest(2, entry_definite_not, type) > 1);
    EXPECT(smallest(3, entry_definite_not, type) < -1);
    EXPECT(smallest(N, entry_hermitian, type) < -1);
    double complex *a = whole_make(N, N, entry_singular, type), *b = whole_make(N, N, entry_dominant, type);
    EXPECT(serial_determinant(N, a, &log_of) == 0 && log_of == -INFINITY);
    EXPECT(serial_solve('N', N, N, a, b) == NULL);
    EXPECT(serial_condition('1', N, b) > 0.05);
    double complex *c = whole_make(N, N, entry_rank2, type), *s = serial_singular_values(N, N, c);
    EXPECT(creal(s[1]) > 1 && creal(s[2]) < 1e-12 * creal(s[0]));
    free(a);
    free(b);
    free(c);
    free(s);
  }
  SETTLE();
}

/* ---- references ----------------------------------------------------------------------------------- */

/* 2 on the diagonal, -1 beside it: eigenvalues 2 - 2 cos(k pi / (n + 1)); determinant n + 1. */
static double complex entry_second_difference(int64_t i, int64_t j)
{
  return i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0;
}

/* diag(1, -1/2, 1/4, ...) i, with rows below the square zero */
static double complex entry_powers(int64_t i, int64_t j)
{
  return i == j ? CMPLX(0, ldexp(i % 2 ? -1 : 1, -(int)i)) : 0;
}

static void values_are_known(void **state)
{
  (void)state;
  double log_of;
  double complex *a = whole_make(N, N, entry_second_difference, z()), *w = serial_eigenvalues('U', N, a);
  for (int k = 0; k < N; k++) EXPECT(fabs(creal(w[k]) - 2 + 2 * cos((k + 1) * acos(-1) / (N + 1))) < 1e-13);
  EXPECT(cabs(serial_determinant(N, a, &log_of) - 1) < 1e-13 && fabs(log_of - log(N + 1)) < 1e-12);
  EXPECT(whole_norm('1', N, N, a) == 4 && whole_norm('I', N, N, a) == 4 && whole_norm('M', N, N, a) == 2);
  EXPECT(fabs(whole_norm('F', N, N, a) - sqrt(4 * N + 2 * (N - 1))) < 1e-13);
  double complex *b = whole_make(9, 6, entry_powers, z()), *s = serial_singular_values(9, 6, b);
  for (int k = 0; k < 6; k++) EXPECT(fabs(creal(s[k]) - ldexp(1, -k)) < 1e-15);
  double complex *square = whole_make(6, 6, entry_powers, z());
  EXPECT(fabs(serial_condition('I', 6, square) - ldexp(1, -5)) < 1e-15);
  EXPECT(cabs(serial_determinant(6, square, &log_of) - 1) < 1e-14); /* i^6 (-1)^3 */
  EXPECT(fabs(log_of + 15 * log(2)) < 1e-13);
  double complex *wide = whole_make(2, 3, entry_zero, z());
  wide[1] = 3, wide[4] = CMPLX(0, -4); /* row sums 4, 3; column sums 3, 0, 4 */
  EXPECT(whole_norm('1', 2, 3, wide) == 4 && whole_norm('I', 2, 3, wide) == 4 &&
         whole_norm('F', 2, 3, wide) == 5);
  free(a), free(w), free(b), free(s), free(square), free(wide);
  SETTLE();
}

/* diag(1, 2, ...), and 3 above 1: the first two have vectors at an angle whose sine is 1 / sqrt(10). */
static double complex entry_leaning(int64_t i, int64_t j)
{
  return i == j ? (double)i + 1 : i == 0 && j == 1 ? 3 : 0;
}

static void values_of_general_matrices_are_known(void **state)
{
  (void)state;
  double sensitivity[N];
  double complex *a = whole_make(N, N, entry_leaning, z());
  double complex *w = serial_general_eigenvalues(N, a, sensitivity);
  for (int k = 0; k < N; k++) { /* a triangle's are in the order of its diagonal */
    EXPECT(cabs(w[k] - k - 1) < 1e-13);
    EXPECT(fabs(sensitivity[k] - (k < 2 ? sqrt(10) : 1)) < 1e-12);
  }
  free(a), free(w);
  SETTLE();
}

static void products_are_sums(void **state)
{
  (void)state;
  enum { M = 5, K = 7, COLUMNS = 4 };
  for (const char *x = "NTC"; *x; x++)
    for (const char *y = "NTC"; *y; y++) {
      const bool plain[2] = {*x == 'N', *y == 'N'};
      double complex *a = whole_make(plain[0] ? M : K, plain[0] ? K : M, entry_any, z());
      double complex *b = whole_make(plain[1] ? K : COLUMNS, plain[1] ? COLUMNS : K, entry_any, z());
      double complex *c = serial_multiply(*x, *y, M, COLUMNS, K, a, b);
      double complex *op_a = whole_op(*x, plain[0] ? M : K, plain[0] ? K : M, a);
      for (int i = 0; i < M; i++)
        for (int j = 0; j < COLUMNS; j++) {
          double complex sum = -c[i + j * M];
          for (int k = 0; k < K; k++) {
            const double complex left = plain[0] ? entry_any(i, k) : entry_any(k, i);
            const double complex right = plain[1] ? entry_any(k, j) : entry_any(j, k);
            sum += (*x == 'C' ? conj(left) : left) * (*y == 'C' ? conj(right) : right);
            EXPECT(op_a[i + k * M] == (*x == 'C' ? conj(left) : left));
          }
          EXPECT(cabs(sum) < 1e-14);
        }
      EXPECT(residual_product(*x, *y, M, COLUMNS, K, a, b, c, DBL_EPSILON) < 1);
      free(a), free(b), free(c), free(op_a);
    }
  SETTLE();
}

static void systems_are_solved(void **state)
{
  (void)state;
  double complex *a = whole_make(N, N, entry_dominant, z()), *b = whole_make(N, 3, entry_any, z());
  for (const char *trans = "NTC"; *trans; trans++) {
    double complex *x = serial_solve(*trans, N, 3, a, b);
    EXPECT(residual_solve(*trans, N, 3, a, x, b, DBL_EPSILON) < 1);
    EXPECT(residual_solve(*trans == 'N' ? 'T' : 'N', N, 3, a, x, b, DBL_EPSILON) > 1e6);
    x[N + 5] += 1e-9;
    const double off = residual_solve(*trans, N, 3, a, x, b, DBL_EPSILON);
    EXPECT(off > RESIDUAL_LIMIT);
    x[0] = NAN;
    EXPECT(!(residual_solve(*trans, N, 3, a, x, b, DBL_EPSILON) <= RESIDUAL_LIMIT));
    free(x);
  }
  double complex *inverse = serial_inverse(N, a);
  EXPECT(residual_inverse(N, a, inverse, DBL_EPSILON) < 1);
  inverse[1] += 1e-9;
  EXPECT(residual_inverse(N, a, inverse, DBL_EPSILON) > RESIDUAL_LIMIT);
  free(a), free(b), free(inverse);
  SETTLE();
}

/* A solution is one iff the rest is orthogonal to A's columns (tall), or it solves the system and is in the
 * span of A's rows (wide). */
static void squares_are_least(void **state)
{
  (void)state;
  double complex *a = whole_make(N, 7, entry_any, z()), *b = whole_make(N, 2, entry_any, z());
  double complex *x = serial_least_squares(N, 7, 2, a, b);
  EXPECT(residual_normal(N, 7, 2, a, x, b, DBL_EPSILON) < 1);
  x[3] += 1e-9;
  EXPECT(residual_normal(N, 7, 2, a, x, b, DBL_EPSILON) > RESIDUAL_LIMIT);
  double complex *turned = whole_op('C', N, 7, a), *y = serial_least_squares(7, N, 2, turned, b);
  double complex *product = serial_multiply('N', 'N', 7, 2, N, turned, y);
  for (int i = 0; i < 7; i++) EXPECT(cabs(product[i] - b[i]) < 1e-13);
  double complex *span = serial_least_squares(N, 7, 2, a, y); /* y = A span */
  EXPECT(residual_product('N', 'N', N, 2, 7, a, span, y, DBL_EPSILON) < 1);
  free(a), free(b), free(x), free(turned), free(y), free(product), free(span);
  SETTLE();
}

static void residuals_see_errors(void **state)
{
  (void)state;
  double complex *q = whole_make(N, N, entry_powers, z());
  for (int i = 0; i < N; i++) q[i + i * N] /= cabs(q[i + i * N]);
  EXPECT(residual_orthogonal(N, N, q, DBL_EPSILON) == 0 && below_diagonal(N, N, q) == 0);
  double complex *values = whole_make(N, 1, entry_any, z()), *ones = whole_copy(N, N, q);
  for (int i = 0; i < N; i++) ones[i + i * N] = 1, values[i] = q[i + i * N];
  EXPECT(residual_eigen(N, q, values, ones, DBL_EPSILON) == 0);
  EXPECT(residual_svd(N, N, q, ones, values, ones, DBL_EPSILON) == 0);
  values[3] += 1e-9;
  EXPECT(residual_eigen(N, q, values, ones, DBL_EPSILON) > RESIDUAL_LIMIT);
  EXPECT(residual_svd(N, N, q, ones, values, ones, DBL_EPSILON) > RESIDUAL_LIMIT);
  q[5] = 1e-9;
  EXPECT(residual_orthogonal(N, N, q, DBL_EPSILON) > RESIDUAL_LIMIT && below_diagonal(N, N, q) == 1e-9);
  EXPECT(residual_difference(0, 0, q, q, 0, 0, DBL_EPSILON) == 0);
  EXPECT(residual_difference(N, N, q, ones, 0, N, DBL_EPSILON) == INFINITY);
  q[7] = NAN;
  EXPECT(isnan(residual_orthogonal(N, N, q, DBL_EPSILON)) && isnan(below_diagonal(N, N, q)));
  EXPECT(isnan(whole_norm('1', N, N, q)) && isnan(whole_norm('I', N, N, q)) &&
         isnan(whole_norm('M', N, N, q)));
  free(q), free(values), free(ones);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(formulas_are_held_exactly), cmocka_unit_test(formulas_have_their_properties),
    cmocka_unit_test(values_are_known),          cmocka_unit_test(values_of_general_matrices_are_known),
    cmocka_unit_test(products_are_sums),         cmocka_unit_test(systems_are_solved),
    cmocka_unit_test(squares_are_least),         cmocka_unit_test(residuals_see_errors),
};
MPI_TEST_MAIN(tests)
