/* Measures errors of computed results, in units of eps. */
#include "harness.h"

/* error / scale; 0 / 0 is 0. */
static double relative(double error, double scale)
{
  return error == 0 ? 0 : error / scale;
}

/* The larger, or NaN if either is. */
static double worse(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

static double at_least_1(int64_t n)
{
  return n < 1 ? 1 : (double)n;
}

static void subtract(int64_t count, double complex *from, const double complex *what)
{
  for (int64_t i = 0; i < count; i++) from[i] -= what[i];
}

double whole_distance(int64_t m, int64_t n, const double complex *a, const double complex *b)
{
  double complex *d = whole_copy(m, n, a);
  subtract(m * n, d, b);
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
  return relative(whole_distance(m, n, got, want), scale * at_least_1(terms) * eps);
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

double residual_product(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const double complex *a,
                        const double complex *b, const double complex *c, double eps)
{
  double complex *ab = serial_multiply(trans_a, trans_b, m, n, k, a, b);
  const double scale = (trans_a == 'N' ? whole_norm('1', m, k, a) : whole_norm('I', k, m, a)) *
                       (trans_b == 'N' ? whole_norm('1', k, n, b) : whole_norm('I', n, k, b));
  const double r = residual_difference(m, n, c, ab, scale, k, eps);
  free(ab);
  return r;
}

double residual_orthogonal(int64_t m, int64_t k, const double complex *q, double eps)
{
  return relative(whole_skew(m, k, q), at_least_1(m) * eps);
}

double residual_eigen(int64_t n, int64_t k, const double complex *a, const double complex *w,
                      const double complex *z, double scale, double eps)
{
  double complex *az = serial_multiply('N', 'N', n, k, n, a, z), *zw = whole_copy(n, k, z);
  whole_scale(n, k, zw, w);
  const double r = residual_difference(n, k, az, zw, scale, n, eps);
  free(zw), free(az);
  return r;
}

double residual_svd(int64_t m, int64_t n, const double complex *a, const double complex *u,
                    const double complex *s, const double complex *vt, double eps)
{
  const int64_t k = m < n ? m : n;
  double complex *us = whole_copy(m, k, u);
  whole_scale(m, k, us, s);
  double complex *product = serial_multiply('N', 'N', m, n, k, us, vt);
  const double r = residual_difference(m, n, product, a, whole_norm('1', m, n, a), m > n ? m : n, eps);
  free(product), free(us);
  return r;
}

double residual_normal(int64_t m, int64_t n, int64_t nrhs, const double complex *a, const double complex *x,
                       const double complex *b, double eps)
{
  double complex *rest = serial_multiply('N', 'N', m, nrhs, n, a, x);
  subtract(m * nrhs, rest, b);
  double complex *product = serial_multiply('C', 'N', n, nrhs, m, a, rest);
  const double scale = whole_norm('1', m, n, a) *
                       (whole_norm('1', m, nrhs, b) + whole_norm('1', m, n, a) * whole_norm('1', n, nrhs, x));
  const double r = relative(whole_norm('1', n, nrhs, product), scale * at_least_1(m > n ? m : n) * eps);
  free(product);
  free(rest);
  return r;
}

double below_diagonal(int64_t m, int64_t n, const double complex *r)
{
  double largest = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < m; i++) largest = worse(largest, cabs(r[i + j * m]));
  return largest;
}

double largest(int64_t n, const double complex *values)
{
  double most = 0;
  for (int64_t k = 0; k < n; k++) most = fmax(most, cabs(values[k]));
  return most;
}
