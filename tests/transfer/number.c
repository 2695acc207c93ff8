#include "number.h"

#include <math.h>
#include <string.h>

bool number_is_complex(dap_dtype dtype)
{
  return dtype == DAP_C8 || dtype == DAP_C16 || dtype == DAP_C32;
}

/* ---- halves, by arithmetic ---------------------------------------------------------------------- */

long double number_of_half(uint16_t half)
{
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const long double sign = half >> 15 ? -1 : 1;
  if (exponent == 31) return mantissa ? copysignl(NAN, sign) : sign * INFINITY;
  if (exponent == 0) return sign * ldexpl(mantissa, -24);
  return sign * ldexpl(1024 + mantissa, exponent - 25);
}

static uint16_t number_half(long double value)
{
  const int sign = signbit(value) ? 0x8000 : 0;
  const long double size = fabsl(value);
  if (isnan(value)) return (uint16_t)(sign | 0x7E00);
  if (size >= 65520) return (uint16_t)(sign | 0x7C00);
  if (size == 0) return (uint16_t)sign;
  int exponent; /* size in [2^(exponent - 1), 2^exponent) */
  (void)frexpl(size, &exponent);
  if (exponent < -13) exponent = -13;
  const int steps = (int)rintl(ldexpl(size, 11 - exponent)); /* of 2^(exponent - 11) */
  return (uint16_t)(sign | ((exponent + 13) * 1024 + steps));
}

/* ---- one element -------------------------------------------------------------------------------- */

/* Defines an integer type with its range. `value` is cast and written to `to`; if `to` is NULL, `from` is
 * read. */
#define INTEGER(name, type, low, high)                                                                       \
  case name: {                                                                                               \
    type x = whole <= (low) ? (low) : whole >= (long double)(high) ? (high) : (type)whole;                   \
    if (to) memcpy(to, &x, sizeof x);                                                                        \
    if (!to) memcpy(&x, from, sizeof x);                                                                     \
    return (number){(long double)x, 0};                                                                      \
  }

/* Defines a floating-point type of one or two parts. */
#define FLOAT(name, type, parts)                                                                             \
  case name: {                                                                                               \
    type x[2] = {(type)value.re, (type)value.im};                                                            \
    if (to) memcpy(to, x, (parts) * sizeof *x);                                                              \
    if (!to) memcpy(x, from, (parts) * sizeof *x);                                                           \
    return (number){(long double)x[0], (long double)x[1]};                                                   \
  }

static number convert(dap_dtype dtype, const void *from, number value, void *to)
{
  const long double whole = isnan(value.re) ? 0 : truncl(value.re);
  uint16_t half = number_half(value.re);
  switch (dtype) {
    INTEGER(DAP_I1, int8_t, INT8_MIN, INT8_MAX)
    INTEGER(DAP_U1, uint8_t, 0, UINT8_MAX)
    INTEGER(DAP_I2, int16_t, INT16_MIN, INT16_MAX)
    INTEGER(DAP_U2, uint16_t, 0, UINT16_MAX)
    INTEGER(DAP_I4, int32_t, INT32_MIN, INT32_MAX)
    INTEGER(DAP_U4, uint32_t, 0, UINT32_MAX)
    INTEGER(DAP_I8, int64_t, INT64_MIN, INT64_MAX)
    INTEGER(DAP_U8, uint64_t, 0, UINT64_MAX)
    FLOAT(DAP_F4, float, 1)
    FLOAT(DAP_F8, double, 1)
    FLOAT(DAP_F16, long double, 1)
    FLOAT(DAP_C8, float, 2)
    FLOAT(DAP_C16, double, 2)
    FLOAT(DAP_C32, long double, 2)
  case DAP_BOOL:
    if (to) *(unsigned char *)to = value.re != 0 || value.im != 0;
    return (number){from && *(const unsigned char *)from, 0};
  default:
    if (to) memcpy(to, &half, sizeof half);
    if (!to) memcpy(&half, from, sizeof half);
    return (number){number_of_half(half), 0};
  }
}

number number_read(dap_dtype dtype, const void *element)
{
  return convert(dtype, element, (number){0, 0}, NULL);
}

void number_write(dap_dtype dtype, number value, void *element)
{
  (void)convert(dtype, NULL, value, element);
}

/* ---- comparison and arithmetic ------------------------------------------------------------------ */

static bool is_same(long double a, long double b, bool signs)
{
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b && (!signs || !signbit(a) == !signbit(b));
}

bool number_is(number a, number b, bool signs)
{
  return is_same(a.re, b.re, signs) && is_same(a.im, b.im, signs);
}

number number_times(const double factor[2], number value)
{
  const long double re = factor[0], im = factor[1];
  if (im == 0) return (number){re * value.re, re * value.im};
  return (number){re * value.re - im * value.im, re * value.im + im * value.re};
}
