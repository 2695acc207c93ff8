/* What eigenvalues and vectors are, of whole matrices. */
#include "harness.h"

#include <stdlib.h>

double largest(int64_t n, const double complex *values)
{
  double most = 0;
  for (int64_t k = 0; k < n; k++) most = fmax(most, cabs(values[k]));
  return most;
}

double residual_pairs(int64_t n, int64_t k, const double complex *a, const double complex *b,
                      const double complex *w, const double complex *z, double scale, double eps)
{
  double complex *az = serial_multiply('N', 'N', n, k, n, a, z);
  double complex *bz = b ? serial_multiply('N', 'N', n, k, n, b, z) : whole_copy(n, k, z);
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < n; i++) bz[j * n + i] *= w[j];
  const double residual = residual_difference(n, k, az, bz, scale, n, eps);
  free(bz), free(az);
  return residual;
}

void check_eigen(const trial *t, int64_t k, const double complex *a, const double complex *w,
                 const double complex *z)
{
  const int64_t n = t->size[0];
  const double eps = t->type->eps;
  double complex *want = serial_eigenvalues('L', n, a);
  const double norm = largest(n, want), scale = norm > 0 ? norm : 1;
  expect_residual("eigenvalues", residual_difference(k, 1, w, want, scale, n, eps));
  for (int64_t i = 1; i < k; i++)
    EXPECT_MSG(creal(w[i]) >= creal(w[i - 1]), "eigenvalue %d is less than the one before", (int)i + 1);
  if (z) {
    expect_residual("A Z - Z W", residual_pairs(n, k, a, NULL, w, z, scale, eps));
    expect_residual("Z^H Z - I", residual_orthogonal(n, k, z, eps));
  }
  free(want);
}
