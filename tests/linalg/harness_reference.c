/* Makes complete matrices on every process, computes references with LAPACK's double complex routines, and
 * measures errors of results. Only singular matrices can make a routine fail, and only if its comment says
 * so. */
#include "harness.h"

/* No header declares LAPACK and BLAS here (source: the comments of LAPACK 3.11, SRC/z*.f, and of
 * BLAS/SRC/zgemm.f). The lengths that Fortran adds to character arguments are left out. */
void zgemm_(const char *transa, const char *transb, const lapack_int *m, const lapack_int *n,
            const lapack_int *k, const double complex *alpha, const double complex *a, const lapack_int *lda,
            const double complex *b, const lapack_int *ldb, const double complex *beta, double complex *c,
            const lapack_int *ldc);
double zlange_(const char *norm, const lapack_int *m, const lapack_int *n, const double complex *a,
               const lapack_int *lda, double *work);
void zgetrf_(const lapack_int *m, const lapack_int *n, double complex *a, const lapack_int *lda,
             lapack_int *pivots, lapack_int *info);
void zgetrs_(const char *trans, const lapack_int *n, const lapack_int *nrhs, const double complex *a,
             const lapack_int *lda, const lapack_int *pivots, double complex *b, const lapack_int *ldb,
             lapack_int *info);
void zgelsy_(const lapack_int *m, const lapack_int *n, const lapack_int *nrhs, double complex *a,
             const lapack_int *lda, double complex *b, const lapack_int *ldb, lapack_int *pivots,
             const double *rcond, lapack_int *rank, double complex *work, const lapack_int *lwork,
             double *rwork, lapack_int *info);
void zheev_(const char *jobz, const char *uplo, const lapack_int *n, double complex *a, const lapack_int *lda,
            double *w, double complex *work, const lapack_int *lwork, double *rwork, lapack_int *info);
void zgeev_(const char *jobvl, const char *jobvr, const lapack_int *n, double complex *a,
            const lapack_int *lda, double complex *w, double complex *vl, const lapack_int *ldvl,
            double complex *vr, const lapack_int *ldvr, double complex *work, const lapack_int *lwork,
            double *rwork, lapack_int *info);
void zgesvd_(const char *jobu, const char *jobvt, const lapack_int *m, const lapack_int *n, double complex *a,
             const lapack_int *lda, double *s, double complex *u, const lapack_int *ldu, double complex *vt,
             const lapack_int *ldvt, double complex *work, const lapack_int *lwork, double *rwork,
             lapack_int *info);

/* ---- LAPACK's arguments -------------------------------------------------------------------------------- */

/* All routines share this work space. None needs more than 5 numbers for each row or column. */
enum { WORK = 1 << 20 };
static const lapack_int lwork = WORK;
static double complex work[WORK];
static double rwork[WORK];

/* A number of rows or columns. Ends the program if the work space does not suffice. */
static lapack_int number(int64_t n)
{
  (void)test_must(n <= WORK / 5 - 1 ? work : NULL);
  return (lapack_int)n;
}

static lapack_int leading(int64_t rows)
{
  return number(rows > 0 ? rows : 1);
}

/* ---- whole matrices ------------------------------------------------------------------------------------ */

void *zeros(int64_t count, size_t size)
{
  return test_must(calloc((size_t)count + 1, size));
}

double complex *whole_make(int64_t m, int64_t n, formula *entry, const element_type *type)
{
  double complex *a = zeros(m * n, sizeof *a), element;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      element_store(type->dtype, entry(i, j), &element);
      a[i + j * m] = element_load(type->dtype, &element);
    }
  return a;
}

double complex *whole_op(char trans, int64_t m, int64_t n, const double complex *a)
{
  double complex *result = zeros(m * n, sizeof *result);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      const double complex value = a[i + j * m];
      result[trans == 'N' ? i + j * m : j + i * n] = trans == 'C' ? conj(value) : value;
    }
  return result;
}

double whole_norm(char norm, int64_t m, int64_t n, const double complex *a)
{
  const lapack_int rows = number(m), columns = number(n), ld = leading(m);
  return zlange_(&norm, &rows, &columns, a, &ld, rwork);
}

void whole_scale(int64_t m, int64_t n, double complex *a, const double complex *factors)
{
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) a[i + j * m] *= factors[j];
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

/* The factors of A and their pivots. (gesv computes none if there are no right-hand sides.) */
static double complex *factor(int64_t n, const double complex *a, lapack_int *pivots, lapack_int *info)
{
  const lapack_int order = number(n), ld = leading(n);
  double complex *lu = whole_op('N', n, n, a);
  zgetrf_(&order, &order, lu, &ld, pivots, info);
  return lu;
}

double complex *serial_solve(char trans, int64_t n, int64_t nrhs, const double complex *a,
                             const double complex *b)
{
  const lapack_int order = number(n), columns = number(nrhs), ld = leading(n);
  lapack_int *pivots = zeros(n, sizeof *pivots), singular = 0, info = 0;
  double complex *lu = factor(n, a, pivots, &singular),
                 *x = b ? whole_op('N', n, nrhs, b) : whole_make(n, nrhs, entry_identity, &element_types[3]);
  if (singular == 0) zgetrs_(&trans, &order, &columns, lu, &ld, pivots, x, &ld, &info);
  free(lu), free(pivots);
  if (singular == 0) return x;
  free(x);
  return NULL;
}

double complex serial_determinant(int64_t n, const double complex *a, double *log_of)
{
  lapack_int *pivots = zeros(n, sizeof *pivots), singular = 0;
  double complex *lu = factor(n, a, pivots, &singular), sign = 1;
  *log_of = 0;
  for (int64_t k = 0; k < n; k++) {
    const double complex u = lu[k + k * n];
    const double modulus = cabs(u);
    sign *= (pivots[k] == k + 1 ? 1 : -1) * (modulus > 0 ? u / modulus : 0);
    *log_of += log(modulus);
  }
  free(lu), free(pivots);
  return sign;
}

double serial_condition(char norm, int64_t n, const double complex *a)
{
  const double size = whole_norm(norm, n, n, a);
  double complex *inverse = isfinite(size) ? serial_solve('N', n, n, a, NULL) : NULL;
  const double condition = inverse ? 1 / (size * whole_norm(norm, n, n, inverse)) : 0;
  free(inverse);
  return n == 0 ? 1 : isfinite(condition) ? condition : 0;
}

double complex *serial_least_squares_rank(int64_t m, int64_t n, int64_t nrhs, const double complex *a,
                                          const double complex *b, double tolerance, int64_t *rank)
{
  const int64_t tall = m > n ? m : n;
  const lapack_int rows = number(m), columns = number(n), sides = number(nrhs), lda = leading(m),
                   ldb = leading(tall);
  lapack_int info = 0, found = 0, *pivots = zeros(n, sizeof *pivots);
  double complex *qr = whole_op('N', m, n, a), *x = zeros(tall * nrhs, sizeof *x); /* B, then X */
  for (int64_t j = 0; j < nrhs; j++) memcpy(&x[j * tall], &b[j * m], (size_t)m * sizeof *x);
  zgelsy_(&rows, &columns, &sides, qr, &lda, x, &ldb, pivots, &tolerance, &found, work, &lwork, rwork, &info);
  EXPECT_MSG(info == 0, "zgelsy: info is %d", (int)info);
  for (int64_t j = 0; j < nrhs; j++) memmove(&x[j * n], &x[j * tall], (size_t)n * sizeof *x);
  *rank = found;
  free(qr), free(pivots);
  return x;
}

/* ---- eigenvalues and singular values ------------------------------------------------------------- */

/* Turns real numbers at the beginning of an array into complex ones. */
static void widen(int64_t n, double complex *values)
{
  for (int64_t i = n - 1; i >= 0; i--) values[i] = ((double *)values)[i];
}

double complex *serial_eigenvalues(char uplo, int64_t n, const double complex *a)
{
  const lapack_int order = number(n), ld = leading(n);
  lapack_int info = 0;
  double complex *copy = whole_op('N', n, n, a), *w = zeros(n, sizeof *w);
  zheev_("N", &uplo, &order, copy, &ld, (double *)w, work, &lwork, rwork, &info);
  EXPECT_MSG(info == 0, "zheev: info is %d", (int)info);
  free(copy);
  widen(n, w);
  return w;
}

double complex *serial_general_eigenvalues(int64_t n, const double complex *a, double sensitivity[])
{
  const lapack_int order = number(n), ld = leading(n);
  lapack_int info = 0;
  double complex *copy = whole_op('N', n, n, a), *w = zeros(n, sizeof *w);
  double complex *left = zeros(n * n, sizeof *left), *right = zeros(n * n, sizeof *right);
  zgeev_("V", "V", &order, copy, &ld, w, left, &ld, right, &ld, work, &lwork, rwork, &info);
  EXPECT_MSG(info == 0, "zgeev: info is %d", (int)info);
  for (int64_t k = 0; k < n; k++) {
    double complex product = 0;
    for (int64_t i = 0; i < n; i++) product += conj(left[i + k * n]) * right[i + k * n];
    sensitivity[k] = 1 / cabs(product);
  }
  free(right), free(left), free(copy);
  return w;
}

double complex *serial_singular_values(int64_t m, int64_t n, const double complex *a)
{
  const int64_t k = m < n ? m : n;
  const lapack_int rows = number(m), columns = number(n), ld = leading(m), one = 1;
  lapack_int info = 0;
  double complex *copy = whole_op('N', m, n, a), *s = zeros(k, sizeof *s), none[1];
  zgesvd_("N", "N", &rows, &columns, copy, &ld, (double *)s, none, &one, none, &one, work, &lwork, rwork,
          &info);
  EXPECT_MSG(info == 0, "zgesvd: info is %d", (int)info);
  free(copy);
  widen(k, s);
  return s;
}

/* ---- residuals ----------------------------------------------------------------------------------------- */

double worse(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

double whole_distance(int64_t m, int64_t n, const double complex *a, const double complex *b)
{
  double complex *d = whole_op('N', m, n, a);
  for (int64_t i = 0; i < m * n; i++) d[i] -= b[i];
  const double distance = whole_norm('1', m, n, d);
  free(d);
  return distance;
}

double whole_skew(int64_t m, int64_t k, const double complex *q)
{
  double complex *product = serial_multiply('C', 'N', k, k, m, q, q);
  for (int64_t i = 0; i < k; i++) product[i + i * k] -= 1;
  const double norm = whole_norm('1', k, k, product);
  free(product);
  return norm;
}

double residual_difference(int64_t m, int64_t n, const double complex *got, const double complex *want,
                           double scale, int64_t terms, double eps)
{
  const double error = whole_distance(m, n, got, want);
  return error == 0 ? 0 : error / (scale * fmax((double)terms, 1) * eps);
}

double residual_solve(char trans, int64_t n, int64_t nrhs, const double complex *a, const double complex *x,
                      const double complex *b, double eps)
{
  const double norm_a = whole_norm(trans == 'N' ? '1' : 'I', n, n, a);
  double complex *ax = serial_multiply(trans, 'N', n, nrhs, n, a, x);
  double worst = 0;
  for (int64_t j = 0; j < nrhs; j++) {
    const double scale = norm_a * whole_norm('1', n, 1, &x[j * n]);
    worst = worse(worst, residual_difference(n, 1, &ax[j * n], &b[j * n], scale, n, eps));
  }
  free(ax);
  return worst;
}

double residual_eigen(int64_t n, int64_t k, const double complex *a, const double complex *w,
                      const double complex *z, double scale, double eps)
{
  double complex *az = serial_multiply('N', 'N', n, k, n, a, z), *zw = whole_op('N', n, k, z);
  whole_scale(n, k, zw, w);
  const double r = residual_difference(n, k, az, zw, scale, n, eps);
  free(zw), free(az);
  return r;
}

double residual_svd(int64_t m, int64_t n, const double complex *a, const double complex *u,
                    const double complex *s, const double complex *vt, double eps)
{
  const int64_t k = m < n ? m : n;
  double complex *us = whole_op('N', m, k, u);
  whole_scale(m, k, us, s);
  double complex *product = serial_multiply('N', 'N', m, n, k, us, vt);
  const double r = residual_difference(m, n, product, a, whole_norm('1', m, n, a), m > n ? m : n, eps);
  free(product), free(us);
  return r;
}

double residual_normal(int64_t m, int64_t n, int64_t nrhs, const double complex *a, const double complex *x,
                       const double complex *b, double eps)
{
  double complex *ax = serial_multiply('N', 'N', m, nrhs, n, a, x),
                 *got = serial_multiply('C', 'N', n, nrhs, m, a, ax),
                 *want = serial_multiply('C', 'N', n, nrhs, m, a, b);
  const double scale = whole_norm('1', m, n, a) *
                       (whole_norm('1', m, nrhs, b) + whole_norm('1', m, n, a) * whole_norm('1', n, nrhs, x));
  const double r = residual_difference(n, nrhs, got, want, scale, m > n ? m : n, eps);
  free(want), free(got), free(ax);
  return r;
}

double below_diagonal(int64_t m, int64_t n, const double complex *r)
{
  double largest = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < m; i++) largest = worse(largest, cabs(r[i + j * m]));
  return largest;
}
