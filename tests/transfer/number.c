#include "number.h"

#include <math.h>
#include <string.h>

bool number_is_complex(dap_dtype dtype)
{
  return dtype == DAP_C8 || dtype == DAP_C16 || dtype == DAP_C32;
}

bool number_is_integer(dap_dtype dtype)
{
  return dtype >= DAP_BOOL && dtype <= DAP_U8;
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

uint16_t number_half(long double value)
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

#define READ(type)                                                                                           \
  do {                                                                                                       \
    type x[2] = {0};                                                                                         \
    memcpy(x, element, parts * sizeof(type));                                                                \
    return (number){(long double)x[0], (long double)x[1]};                                                   \
  } while (0)

number number_read(dap_dtype dtype, const void *element)
{
  const size_t parts = number_is_complex(dtype) ? 2 : 1;
  uint16_t half;
  switch (dtype) {
  case DAP_BOOL:
    return (number){*(const unsigned char *)element != 0, 0};
  case DAP_I1:
    READ(int8_t);
  case DAP_U1:
    READ(uint8_t);
  case DAP_I2:
    READ(int16_t);
  case DAP_U2:
    READ(uint16_t);
  case DAP_I4:
    READ(int32_t);
  case DAP_U4:
    READ(uint32_t);
  case DAP_I8:
    READ(int64_t);
  case DAP_U8:
    READ(uint64_t);
  case DAP_F2:
    memcpy(&half, element, sizeof half);
    return (number){number_of_half(half), 0};
  case DAP_F4:
  case DAP_C8:
    READ(float);
  case DAP_F8:
  case DAP_C16:
    READ(double);
  default:
    READ(long double);
  }
}

#define WRITE(type)                                                                                          \
  do {                                                                                                       \
    const type x[2] = {(type)value.re, (type)value.im};                                                      \
    memcpy(element, x, parts * sizeof(type));                                                                \
    return;                                                                                                  \
  } while (0)

#define WRITE_INTEGER(type, low, high)                                                                       \
  do {                                                                                                       \
    const long double whole = isnan(value.re) ? 0 : truncl(value.re);                                        \
    const type x = whole <= (long double)(low)    ? (low)                                                    \
                   : whole >= (long double)(high) ? (high)                                                   \
                                                  : (type)whole;                                             \
    memcpy(element, &x, sizeof x);                                                                           \
    return;                                                                                                  \
  } while (0)

void number_write(dap_dtype dtype, number value, void *element)
{
  const size_t parts = number_is_complex(dtype) ? 2 : 1;
  const uint16_t half = number_half(value.re);
  switch (dtype) {
  case DAP_BOOL:
    *(unsigned char *)element = value.re != 0 || value.im != 0;
    return;
  case DAP_I1:
    WRITE_INTEGER(int8_t, INT8_MIN, INT8_MAX);
  case DAP_U1:
    WRITE_INTEGER(uint8_t, 0, UINT8_MAX);
  case DAP_I2:
    WRITE_INTEGER(int16_t, INT16_MIN, INT16_MAX);
  case DAP_U2:
    WRITE_INTEGER(uint16_t, 0, UINT16_MAX);
  case DAP_I4:
    WRITE_INTEGER(int32_t, INT32_MIN, INT32_MAX);
  case DAP_U4:
    WRITE_INTEGER(uint32_t, 0, UINT32_MAX);
  case DAP_I8:
    WRITE_INTEGER(int64_t, INT64_MIN, INT64_MAX);
  case DAP_U8:
    WRITE_INTEGER(uint64_t, 0, UINT64_MAX);
  case DAP_F2:
    memcpy(element, &half, sizeof half);
    return;
  case DAP_F4:
  case DAP_C8:
    WRITE(float);
  case DAP_F8:
  case DAP_C16:
    WRITE(double);
  default:
    WRITE(long double);
  }
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
