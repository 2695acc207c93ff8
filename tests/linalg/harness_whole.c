/* Whole matrices, which every process has for itself. */
#include "harness_impl.h"

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
