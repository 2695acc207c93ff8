/* Elements as numbers, written and read by C's own conversions. */
#include "casts_test.h"

#include <math.h>

/* IEEE 754's binary16, of numbers that it holds and that are no subnormals. */
static uint16_t half_of(long double value)
{
  int exponent = 0;
  const long double fraction = frexpl(fabsl(value), &exponent); /* 0, or 0.5 .. 1 */
  const uint16_t sign = value < 0 ? 0x8000u : 0;
  if (value == 0) return sign;
  return (uint16_t)(sign + ((exponent + 14) << 10) + (int)(ldexpl(fraction, 11)) - 1024);
}

static long double half_value(uint16_t half)
{
  const int exponent = (half >> 10) & 31, digits = half & 1023;
  const long double size = exponent ? ldexpl(1024 + digits, exponent - 25) : ldexpl(digits, -24);
  return half & 0x8000u ? -size : size;
}

#define STORE(c_type)                                                                                        \
  do {                                                                                                       \
    const c_type part[2] = {(c_type)value.re, (c_type)value.im};                                             \
    memcpy(at, part, (size_t)dap_dtype_size(dtype));                                                         \
  } while (0)

#define LOAD(c_type)                                                                                         \
  do {                                                                                                       \
    c_type part[2] = {0};                                                                                    \
    memcpy(part, at, (size_t)dap_dtype_size(dtype));                                                         \
    value = (number){(long double)part[0], (long double)part[1]};                                            \
  } while (0)

/* What is done with each type that C has. A bool is one byte, 0 or 1. */
#define BY_TYPE(DO)                                                                                          \
  switch (dtype) {                                                                                           \
  case DAP_NONE:                                                                                             \
    break;                                                                                                   \
  case DAP_BOOL:                                                                                             \
  case DAP_U1:                                                                                               \
    DO(uint8_t);                                                                                             \
    break;                                                                                                   \
  case DAP_I1:                                                                                               \
    DO(int8_t);                                                                                              \
    break;                                                                                                   \
  case DAP_I2:                                                                                               \
    DO(int16_t);                                                                                             \
    break;                                                                                                   \
  case DAP_U2:                                                                                               \
    DO(uint16_t);                                                                                            \
    break;                                                                                                   \
  case DAP_I4:                                                                                               \
    DO(int32_t);                                                                                             \
    break;                                                                                                   \
  case DAP_U4:                                                                                               \
    DO(uint32_t);                                                                                            \
    break;                                                                                                   \
  case DAP_I8:                                                                                               \
    DO(int64_t);                                                                                             \
    break;                                                                                                   \
  case DAP_U8:                                                                                               \
    DO(uint64_t);                                                                                            \
    break;                                                                                                   \
  case DAP_F4:                                                                                               \
  case DAP_C8:                                                                                               \
    DO(float);                                                                                               \
    break;                                                                                                   \
  case DAP_F8:                                                                                               \
  case DAP_C16:                                                                                              \
    DO(double);                                                                                              \
    break;                                                                                                   \
  case DAP_F16:                                                                                              \
  case DAP_C32:                                                                                              \
    DO(long double);                                                                                         \
    break;                                                                                                   \
  case DAP_F2:                                                                                               \
    break;                                                                                                   \
  }

static void store_half(number value, void *at)
{
  const uint16_t half = half_of(value.re);
  memcpy(at, &half, sizeof half);
}

static number load_half(const void *at)
{
  uint16_t half;
  memcpy(&half, at, sizeof half);
  return (number){half_value(half), 0};
}

void store_number(dap_dtype dtype, number value, void *at)
{
  if (dtype == DAP_F2) store_half(value, at);
  BY_TYPE(STORE)
}

number load_number(dap_dtype dtype, const void *at)
{
  number value = {0};
  if (dtype == DAP_F2) value = load_half(at);
  BY_TYPE(LOAD)
  return value;
}

/* Integers go from one end of the type to the other, or of what a double holds. */
number exact_number(dap_dtype dtype, int64_t index, bool after)
{
  const long double i = (long double)index, shift = after;
  switch (dtype) {
  case DAP_NONE:
    break;
  case DAP_BOOL:
    return (number){(long double)((index * 5 / 3 + after) % 2), 0};
  case DAP_I1:
    return (number){(long double)((index * 7 + after * 3) % 251 - 125), 0};
  case DAP_U1:
    return (number){(long double)((index * 7 + after * 3) % 251), 0};
  case DAP_I2:
    return (number){i * 401 - 30000 + shift, 0};
  case DAP_U2:
    return (number){i * 433 + shift, 0};
  case DAP_I4:
    return (number){i * 28000003 - 2100000000 + shift, 0};
  case DAP_U4:
    return (number){i * 28000003 + shift, 0};
  case DAP_I8:
    return (number){i * 60000000000001 - 4400000000000000 + shift, 0};
  case DAP_U8:
    return (number){i * 60000000000001 + shift, 0};
  case DAP_F2:
    return (number){i / 2 - 30 + shift / 8, 0};
  case DAP_F4:
    return (number){i + 0x1p-12L + shift * 512, 0};
  case DAP_F8:
  case DAP_F16:
    return (number){i + 0x1p-40L + shift * 512, 0};
  case DAP_C8:
  case DAP_C16:
  case DAP_C32: {
    const bool pairs = sizeof(PetscScalar) > sizeof(PetscReal);
    return (number){i + 0x1p-12L + shift * 512, pairs ? -i - 0.25L - shift * 1024 : 0};
  }
  }
  return (number){0, 0};
}

PetscScalar scalar_number(number value)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX((PetscReal)value.re, (PetscReal)value.im);
#else
  return (PetscReal)value.re;
#endif
}
