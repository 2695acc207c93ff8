/* Multiplies matrices of very large or very small elements, so that their squares are within range. */
#include "linalg_impl.h"

#include <math.h>
#include <string.h>

/* The bits of IEEE 754 numbers without signs are in the order of the numbers. Infinity and NaN come last.
 * Comparing integers raises no floating-point exception. */
static double largest_double(const void *numbers, int64_t count)
{
  uint64_t most = 0;
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, (const double *)numbers + i, sizeof bits);
    bits &= UINT64_C(0x7fffffffffffffff);
    most = bits > most ? bits : most;
  }
  double value;
  memcpy(&value, &most, sizeof value);
  return value;
}

static double largest_float(const void *numbers, int64_t count)
{
  uint32_t most = 0;
  for (int64_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, (const float *)numbers + i, sizeof bits);
    bits &= UINT32_C(0x7fffffff);
    most = bits > most ? bits : most;
  }
  float value;
  memcpy(&value, &most, sizeof value);
  return (double)value;
}

double dap_linalg_largest_part(const dap_linalg_call *call, const void *elements, int64_t count)
{
  count *= call->lib->parts;
  return call->lib->real == DAP_F4 ? largest_float(elements, count) : largest_double(elements, count);
}

dap_status dap_linalg_largest(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                              double *value)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  const int64_t step = uplo == 'A' ? part.extents[0] : 1; /* elements that are looked at together */
  double most = 0;
  for (int64_t col = 0; col < part.extents[1]; col++)
    for (int64_t row = 0; row < part.extents[0]; row += step)
      if (dap_linalg_within(&part, uplo, row, col))
        most = fmax(most, dap_linalg_largest_part(call, dap_linalg_element(&part, row, col), step));
  *value = most;
  return dap_linalg_most(call, value, 1);
}

/* The bounds are the tighter ones of SRC/pdsyevd.f and SRC/pdgesvd.f. A power of 2 rounds nothing. */
double dap_linalg_scale_factor(const dap_linalg_call *call, double most)
{
  const double least = call->lib->tiny, low = sqrt(least) / call->lib->eps,
               high = fmin(1 / low, 1 / sqrt(sqrt(least)));
  const double factor = most > 0 && most < low ? low / most : most > high ? high / most : 1;
  return exp2(floor(log2(factor)));
}

void dap_linalg_multiply_by(const dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                            double factor)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t at[2] = {-1, 0}; factor != 1 && dap_linalg_next(&part, at);) {
    double value[2];
    if (!dap_linalg_within(&part, uplo, at[0], at[1])) continue;
    dap_linalg_value(&part, at[0], at[1], value);
    for (int c = 0; c < 2; c++) value[c] *= factor;
    dap_linalg_set(&part, at[0], at[1], value);
  }
}

dap_status dap_linalg_scale(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                            bool tiny_only, double *sigma)
{
  double most;
  DAP_TRY(dap_linalg_largest(call, view, uplo, &most));
  const bool is_tiny = most < call->lib->tiny / call->lib->eps;
  *sigma = is_tiny || !tiny_only ? dap_linalg_scale_factor(call, most) : 1;
  dap_linalg_multiply_by(call, view, uplo, *sigma);
  return DAP_OK;
}

void dap_linalg_scale_back(const dap_linalg_call *call, int64_t count, double sigma, void *values)
{
  for (int64_t k = 0; k < count && sigma != 1; k++)
    dap_linalg_put_real(call->lib->real, values, k, dap_linalg_get_real(call->lib->real, values, k) / sigma);
}
