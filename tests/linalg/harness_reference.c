/* Makes complete matrices on every process, and computes references with LAPACK's double complex routines.
 * The routines fail only for singular matrices, and only where this is stated. */
#include "harness.h"

#include "lapack.h"

void *zeros(int64_t count, size_t size)
{
  void *memory = calloc((size_t)count + 1, size);
  if (!memory) {
    fprintf(stderr, "out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
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

double complex *whole_copy(int64_t m, int64_t n, const double complex *a)
{
  double complex *copy = zeros(m * n, sizeof *copy);
  memcpy(copy, a, (size_t)(m * n) * sizeof *copy);
  return copy;
}

double complex *whole_op(char trans, int64_t m, int64_t n, const double complex *a)
{
  if (trans == 'N') return whole_copy(m, n, a);
  double complex *turned = zeros(m * n, sizeof *turned);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) turned[j + i * n] = trans == 'C' ? conj(a[i + j * m]) : a[i + j * m];
  return turned;
}

/* The larger, or NaN if there is one. */
static double larger_norm(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

static double largest_sum(char norm, int64_t m, int64_t n, const double complex *a)
{
  double largest = 0;
  for (int64_t line = 0; line < (norm == '1' ? n : m); line++) {
    double sum = 0;
    for (int64_t k = 0; k < (norm == '1' ? m : n); k++)
      sum += cabs(norm == '1' ? a[k + line * m] : a[line + k * m]);
    largest = larger_norm(largest, sum);
  }
  return largest;
}

double whole_norm(char norm, int64_t m, int64_t n, const double complex *a)
{
  if (norm == '1' || norm == 'I') return largest_sum(norm, m, n, a);
  double largest = 0, squares = 0;
  for (int64_t k = 0; k < m * n; k++) {
    largest = larger_norm(largest, cabs(a[k]));
    squares += creal(a[k]) * creal(a[k]) + cimag(a[k]) * cimag(a[k]);
  }
  return norm == 'M' ? largest : sqrt(squares);
}

void whole_scale(int64_t m, int64_t n, double complex *a, const double complex *factors)
{
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) a[i + j * m] *= factors[j];
}

/* ---- LAPACK's arguments -------------------------------------------------------------------------------- */

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
  double complex *lu,
      *x = b ? whole_copy(n, nrhs, b) : whole_make(n, nrhs, entry_identity, &element_types[3]);
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
  double complex *inverse = serial_solve('N', n, n, a, NULL);
  const double product = inverse ? whole_norm(norm, n, n, a) * whole_norm(norm, n, n, inverse) : INFINITY;
  free(inverse);
  return n == 0 ? 1 : 1 / product;
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
