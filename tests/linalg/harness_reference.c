/* References: LAPACK's double complex routines on whole matrices. Not one of them fails on what tests give
 * it, but for singular matrices where it says so. */
#include "harness_impl.h"

#include "lapack.h"

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* As an argument of LAPACK; leading dimensions are at least 1. */
static lapack_int number(int64_t n)
{
  return (lapack_int)n;
}

static lapack_int leading(int64_t rows)
{
  return number(larger(rows, 1));
}

/* ---- products ------------------------------------------------------------------------------------- */

double complex *serial_multiply(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                                const double complex *a, const double complex *b)
{
  const lapack_int rows = number(m), columns = number(n), inner = number(k);
  const lapack_int lda = leading(trans_a == 'N' ? m : k), ldb = leading(trans_b == 'N' ? k : n),
                   ldc = leading(m);
  const double complex one = 1, zero = 0;
  double complex *c = zeros(m * n, sizeof *c);
  zgemm_(&trans_a, &trans_b, &rows, &columns, &inner, &one, a, &lda, b, &ldb, &zero, c, &ldc);
  return c;
}

/* ---- linear systems --------------------------------------------------------------------------------- */

/* The factors of A, and pivots, both of which the caller frees; false: singular. */
static bool factor(int64_t n, const double complex *a, double complex **lu, lapack_int **pivots)
{
  const lapack_int order = number(n), ld = leading(n);
  lapack_int info = 0;
  *lu = whole_copy(n, n, a);
  *pivots = zeros(n, sizeof **pivots);
  zgetrf_(&order, &order, *lu, &ld, *pivots, &info);
  return info == 0;
}

double complex *serial_solve(char trans, int64_t n, int64_t nrhs, const double complex *a,
                             const double complex *b)
{
  double complex *lu, *x = whole_copy(n, nrhs, b);
  lapack_int *pivots, info = 0;
  const lapack_int order = number(n), columns = number(nrhs), ld = leading(n);
  if (factor(n, a, &lu, &pivots)) {
    zgetrs_(&trans, &order, &columns, lu, &ld, pivots, x, &ld, &info);
  } else {
    free(x);
    x = NULL;
  }
  free(lu);
  free(pivots);
  return x;
}

double complex *serial_solve_refined(char trans, int64_t n, int64_t nrhs, const double complex *a,
                                     const double complex *b, double forward[], double backward[],
                                     double *rcond)
{
  const lapack_int order = number(n), columns = number(nrhs), ld = leading(n);
  double complex *own_a = whole_copy(n, n, a), *own_b = whole_copy(n, nrhs, b),
                 *lu = zeros(n * n, sizeof *lu), *x = zeros(n * nrhs, sizeof *x),
                 *work = zeros(2 * n, sizeof *work);
  double *scales = zeros(4 * n, sizeof *scales);
  lapack_int *pivots = zeros(n, sizeof *pivots), info = 0;
  char scaled = 'N';
  zgesvx_("E", &trans, &order, &columns, own_a, &ld, lu, &ld, pivots, &scaled, scales, scales + n, own_b, &ld,
          x, &ld, rcond, forward, backward, work, scales + 2 * n, &info);
  free(pivots), free(scales), free(work), free(lu), free(own_b), free(own_a);
  return x;
}

double complex *serial_inverse(int64_t n, const double complex *a)
{
  double complex *identity = whole_make(n, n, entry_identity, element_type_of(DAP_C16));
  double complex *inverse = serial_solve('N', n, n, a, identity);
  free(identity);
  return inverse;
}

double complex serial_determinant(int64_t n, const double complex *a, double *log_of)
{
  double complex *lu, sign = 1;
  lapack_int *pivots;
  factor(n, a, &lu, &pivots);
  *log_of = 0;
  for (int64_t k = 0; k < n; k++) {
    const double complex u = lu[k + k * n];
    const double modulus = cabs(u);
    sign *= (pivots[k] == k + 1 ? 1 : -1) * (modulus > 0 ? u / modulus : 0);
    *log_of += log(modulus);
  }
  free(lu);
  free(pivots);
  return sign;
}

double serial_condition(char norm, int64_t n, const double complex *a)
{
  double complex *inverse = serial_inverse(n, a);
  const double product = inverse ? whole_norm(norm, n, n, a) * whole_norm(norm, n, n, inverse) : INFINITY;
  free(inverse);
  return n == 0 ? 1 : 1 / product;
}

double complex *serial_least_squares(int64_t m, int64_t n, int64_t nrhs, const double complex *a,
                                     const double complex *b)
{
  const int64_t tall = larger(m, n);
  const lapack_int rows = number(m), columns = number(n), sides = number(nrhs), lda = leading(m),
                   ldb = leading(tall);
  const lapack_int lwork = number(64 * (smaller(m, n) + tall + nrhs) + 64);
  lapack_int info = 0;
  double complex *work = zeros(lwork, sizeof *work), *qr = whole_copy(m, n, a);
  double complex *both = zeros(tall * nrhs, sizeof *both), *x = zeros(n * nrhs, sizeof *x);
  for (int64_t j = 0; j < nrhs; j++) memcpy(&both[j * tall], &b[j * m], (size_t)m * sizeof *both);
  if (m > 0 && n > 0) zgels_("N", &rows, &columns, &sides, qr, &lda, both, &ldb, work, &lwork, &info);
  for (int64_t j = 0; j < nrhs && m > 0; j++) memcpy(&x[j * n], &both[j * tall], (size_t)n * sizeof *x);
  free(both);
  free(qr);
  free(work);
  return x;
}

double complex *serial_least_squares_rank(int64_t m, int64_t n, int64_t nrhs, const double complex *a,
                                          const double complex *b, double tolerance, int64_t *rank)
{
  const int64_t tall = larger(m, n), k = smaller(m, n);
  const lapack_int rows = number(m), columns = number(n), sides = number(nrhs), lda = leading(m),
                   ldb = leading(tall), lwork = number(64 * (k + 2 * tall + nrhs) + 64);
  lapack_int info = 0, found = 0, *pivots = zeros(n, sizeof *pivots);
  double complex *work = zeros(lwork, sizeof *work), *qr = whole_copy(m, n, a);
  double complex *both = zeros(tall * nrhs, sizeof *both), *x = zeros(n * nrhs, sizeof *x);
  double *rwork = zeros(2 * n, sizeof *rwork);
  for (int64_t j = 0; j < nrhs; j++) memcpy(&both[j * tall], &b[j * m], (size_t)m * sizeof *both);
  if (k > 0)
    zgelsy_(&rows, &columns, &sides, qr, &lda, both, &ldb, pivots, &tolerance, &found, work, &lwork, rwork,
            &info);
  for (int64_t j = 0; j < nrhs && k > 0; j++) memcpy(&x[j * n], &both[j * tall], (size_t)n * sizeof *x);
  *rank = found;
  free(both), free(qr), free(work), free(rwork), free(pivots);
  return x;
}

/* ---- eigenvalues and singular values ------------------------------------------------------------- */

static double complex *as_complex(int64_t n, double *values)
{
  double complex *converted = zeros(n, sizeof *converted);
  for (int64_t i = 0; i < n; i++) converted[i] = values[i];
  free(values);
  return converted;
}

double complex *serial_eigenvalues(char uplo, int64_t n, const double complex *a)
{
  const lapack_int order = number(n), ld = leading(n), lwork = number(64 * n + 64);
  lapack_int info = 0;
  double *w = zeros(n, sizeof *w), *rwork = zeros(3 * n, sizeof *rwork);
  double complex *work = zeros(lwork, sizeof *work), *copy = whole_copy(n, n, a);
  zheev_("N", &uplo, &order, copy, &ld, w, work, &lwork, rwork, &info);
  EXPECT_MSG(info == 0, "zheev: info is %d", (int)info);
  free(copy);
  free(work);
  free(rwork);
  return as_complex(n, w);
}

double complex *serial_general_eigenvalues(int64_t n, const double complex *a, double sensitivity[])
{
  const lapack_int order = number(n), ld = leading(n), lwork = number(64 * n + 64);
  lapack_int info = 0;
  double *rwork = zeros(2 * n, sizeof *rwork);
  double complex *work = zeros(lwork, sizeof *work), *copy = whole_copy(n, n, a), *w = zeros(n, sizeof *w);
  double complex *left = zeros(n * n, sizeof *left), *right = zeros(n * n, sizeof *right);
  zgeev_("V", "V", &order, copy, &ld, w, left, &ld, right, &ld, work, &lwork, rwork, &info);
  EXPECT_MSG(info == 0, "zgeev: info is %d", (int)info);
  for (int64_t k = 0; k < n; k++) {
    double complex product = 0;
    for (int64_t i = 0; i < n; i++) product += conj(left[i + k * n]) * right[i + k * n];
    sensitivity[k] = 1 / cabs(product);
  }
  free(right), free(left), free(copy), free(work), free(rwork);
  return w;
}

double complex *serial_singular_values(int64_t m, int64_t n, const double complex *a)
{
  const int64_t k = smaller(m, n);
  const lapack_int rows = number(m), columns = number(n), ld = leading(m), one = 1;
  const lapack_int lwork = number(64 * (m + n) + 64);
  lapack_int info = 0;
  double *s = zeros(k, sizeof *s), *rwork = zeros(5 * k, sizeof *rwork);
  double complex *work = zeros(lwork, sizeof *work), *copy = whole_copy(m, n, a), none[1];
  zgesvd_("N", "N", &rows, &columns, copy, &ld, s, none, &one, none, &one, work, &lwork, rwork, &info);
  EXPECT_MSG(info == 0, "zgesvd: info is %d", (int)info);
  free(copy);
  free(work);
  free(rwork);
  return as_complex(k, s);
}
