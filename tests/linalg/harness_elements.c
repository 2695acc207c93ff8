/* Defines the element types, and formulas that give elements. */
#include "harness.h"

const element_type element_types[ELEMENT_TYPES] = {
    {DAP_F4, DAP_F4, "f4", FLT_EPSILON, false},
    {DAP_F8, DAP_F8, "f8", DBL_EPSILON, false},
    {DAP_C8, DAP_F4, "c8", FLT_EPSILON, true},
    {DAP_C16, DAP_F8, "c16", DBL_EPSILON, true},
};

const element_type *element_type_of(dap_dtype dtype)
{
  int t = 0;
  while (t < ELEMENT_TYPES - 1 && element_types[t].dtype != dtype) t++;
  return &element_types[t];
}

void element_store(dap_dtype dtype, double complex value, void *element)
{
  const double d[2] = {creal(value), cimag(value)};
  const float f[2] = {(float)d[0], (float)d[1]};
  const bool single = dtype == DAP_F4 || dtype == DAP_C8;
  memcpy(element, single ? (const void *)f : d, (size_t)dap_dtype_size(dtype));
}

double complex element_load(dap_dtype dtype, const void *element)
{
  double d[2] = {0};
  float f[2] = {0};
  const bool single = dtype == DAP_F4 || dtype == DAP_C8;
  memcpy(single ? (void *)f : d, element, (size_t)dap_dtype_size(dtype));
  return single ? CMPLX(f[0], f[1]) : CMPLX(d[0], d[1]);
}

/* ---- formulas ----------------------------------------------------------------------------------- */

enum { LARGE_DIAGONAL = 512 };

/* Multiples of 1/512 in [-1, 1) from a multiplicative hash of the position. */
double complex entry_any(int64_t i, int64_t j)
{
  uint64_t h = ((uint64_t)i * 1009 + (uint64_t)j + 1) * 0x9E3779B97F4A7C15u;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return CMPLX(((double)(h >> 54) - 512) / 512, ((double)(h >> 44 & 1023) - 512) / 512);
}

double complex entry_dominant(int64_t i, int64_t j)
{
  return entry_any(i, j) + (i == j ? 64 : 0);
}

double complex entry_hermitian(int64_t i, int64_t j)
{
  if (i == j) return creal(entry_any(i, j));
  return i < j ? entry_any(i, j) : conj(entry_any(j, i));
}

double complex entry_definite(int64_t i, int64_t j)
{
  return entry_hermitian(i, j) + (i == j ? LARGE_DIAGONAL : 0);
}

double complex entry_zero(int64_t i, int64_t j)
{
  (void)i, (void)j;
  return 0;
}

double complex entry_identity(int64_t i, int64_t j)
{
  return i == j;
}

double complex entry_nans(int64_t i, int64_t j)
{
  (void)i, (void)j;
  return CMPLX(NAN, NAN);
}
