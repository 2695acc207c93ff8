/* Converts IEEE 754's binary16 (1 bit of sign, 5 of exponent, 10 of mantissa), and long doubles without
 * padding. */
#include "convert.h"

#include <float.h>

static uint64_t bits_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double of_bits(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The additional bits of mantissa and bias of the exponent of binary64. */
enum { MORE_BITS = 52 - 10, MORE_BIAS = 1023 - 15 };

double dap_half_value(uint16_t half)
{
  const uint64_t sign = (uint64_t)(half & 0x8000u) << 48, rest = half & 0x7FFFu;
  if (rest < 0x0400u) return of_bits(sign | bits_of((double)rest * 0x1p-24)); /* 0 and subnormal */
  const uint64_t exponent = rest < 0x7C00u ? MORE_BIAS : 2 * MORE_BIAS;       /* infinity and NaN: all ones */
  return of_bits(sign | ((rest << MORE_BITS) + (exponent << 52)));
}

uint16_t dap_half_of(double value)
{
  const uint64_t bits = bits_of(value), rest = bits & (UINT64_MAX >> 1);
  const unsigned sign = (unsigned)(bits >> 48) & 0x8000u;
  const uint64_t infinity = UINT64_C(0x7FF) << 52;
  if (rest > infinity) /* NaN stays a quiet NaN, with the part of its payload that fits */
    return (uint16_t)(sign | 0x7E00u | ((unsigned)(rest >> MORE_BITS) & 0x03FFu));
  if (rest >= bits_of(65520.0))
    return (uint16_t)(sign | 0x7C00u); /* this is halfway from the largest number to the next */
  if (rest < bits_of(0x1p-14)) {
    /* A subnormal is a multiple of 2^-24, and the last bit of this sum is too. */
    const uint64_t sum = bits_of(of_bits(rest) + 0x1p28);
    return (uint16_t)(sign | (unsigned)(sum - bits_of(0x1p28)));
  }
  /* Adds just less than half of the last bit that stays, and the rest of it if that bit is odd. */
  const uint64_t odd = (rest >> MORE_BITS) & 1u;
  const uint64_t rounded = rest - ((uint64_t)MORE_BIAS << 52) + (UINT64_C(1) << (MORE_BITS - 1)) - 1 + odd;
  return (uint16_t)(sign | (unsigned)(rounded >> MORE_BITS));
}

/* Rounding twice gives the same as once if the first time rounds to odd: it cuts off, and sets the last bit
 * if anything was lost. */
uint16_t dap_half_of_long(long double value)
{
  const double near = (double)value;
  if (value != value || (long double)near == value) return dap_half_of(near);
  uint64_t bits = bits_of(near);
  const bool is_above = value < 0 ? (long double)near < value : (long double)near > value;
  if (is_above) bits--;
  return dap_half_of(of_bits(bits | 1u));
}

/* x87's extended has 10 bytes, and padding behind them. */
enum { QUAD_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

long double dap_quad_value(dap_quad quad)
{
  long double value = 0;
  memcpy(&value, quad.bytes, QUAD_BYTES);
  return value;
}

dap_quad dap_quad_of(long double value)
{
  dap_quad quad = {{0}};
  memcpy(quad.bytes, &value, QUAD_BYTES);
  return quad;
}
