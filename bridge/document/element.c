/* Writes one value as an element, exact to the last digit, or refuses it if it does not fit. */
#include "document_impl.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_DOUBLE = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) }; /* bytes without x87's padding */

/* A number in all the forms that an element can take. */
typedef struct number {
  bool is_signed, is_unsigned; /* it is an integer that fits into int64, or into uint64 */
  uint64_t bits;               /* the integer */
  float f;
  double d;
  long double g;
} number;

/* ---- reading -------------------------------------------------------------------------------------- */

static number read_text(const char *text)
{
  number n = {.f = strtof(text, NULL), .d = strtod(text, NULL), .g = strtold(text, NULL)};
  if (document_is_integer_text(text)) {
    errno = 0;
    n.bits = strtoull(text, NULL, 10);
    n.is_unsigned = errno == 0 && text[0] != '-'; /* jansson holds those that fit into int64 */
  }
  return n;
}

static bool read_number(const json_t *value, number *n)
{
  const char *text = document_number_text(value);
  if (text) {
    *n = read_text(text);
  } else if (json_is_integer(value)) {
    const json_int_t integer = json_integer_value(value);
    *n = (number){.is_signed = true, .is_unsigned = integer >= 0, .bits = (uint64_t)integer};
    n->f = (float)integer;
    n->d = (double)integer;
    n->g = (long double)integer;
  } else if (json_is_real(value)) {
    const double real = json_real_value(value);
    *n = (number){.d = real, .g = (long double)real};
    n->f = fabs(real) <= FLT_MAX ? (float)real : (float)copysign(INFINITY, real);
  }
  return text || json_is_number(value);
}

/* ---- writing -------------------------------------------------------------------------------------- */

static bool put_integer(const number *n, bool is_signed, size_t size, unsigned char *element)
{
  const uint64_t most = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - 8 * size);
  const bool is_negative = n->is_signed && !n->is_unsigned;
  const bool fits = is_negative ? is_signed && ~n->bits <= most : n->is_unsigned && n->bits <= most;
  const uint8_t u1 = (uint8_t)n->bits;
  const uint16_t u2 = (uint16_t)n->bits;
  const uint32_t u4 = (uint32_t)n->bits;
  const void *const words[] = {[1] = &u1, [2] = &u2, [4] = &u4, [8] = &n->bits};
  if (fits) memcpy(element, words[size], size);
  return fits;
}

/* Returns the binary16 of IEEE 754 that is nearest to a double, with ties to even. */
static uint16_t half_of(double real)
{
  const uint16_t sign = signbit(real) ? 0x8000 : 0;
  const double size = fabs(real);
  int exponent = 0;
  if (isnan(real)) return 0x7e00;
  if (size >= 65520) return (uint16_t)(sign | 0x7c00);                              /* rounds to infinity */
  if (size < 0x1p-14) return (uint16_t)(sign | (uint16_t)nearbyint(size * 0x1p24)); /* subnormal */
  const double fraction = 2 * frexp(size, &exponent) - 1; /* size = (1 + fraction) 2^(exponent - 1) */
  return (uint16_t)(sign | ((exponent + 14) * 1024 + (int)nearbyint(fraction * 1024)));
}

/* Writes a number, and returns false if it is finite but infinite in the type. */
static bool put_real(const number *n, char letter, unsigned char *element)
{
  const uint16_t half = half_of(n->d);
  const bool is_finite = isfinite(n->g);
  if (letter == 'e') memcpy(element, &half, sizeof half);
  if (letter == 'e') return !is_finite || (half & 0x7fff) != 0x7c00;
  if (letter == 'f') memcpy(element, &n->f, sizeof n->f);
  if (letter == 'f') return !is_finite || isfinite(n->f);
  if (letter == 'd') memcpy(element, &n->d, sizeof n->d);
  if (letter == 'd') return !is_finite || isfinite(n->d);
  memset(element, 0, sizeof n->g);
  memcpy(element, &n->g, LONG_DOUBLE);
  return true;
}

/* ---- by type -------------------------------------------------------------------------------------- */

static bool is_complex(dap_dtype dtype)
{
  return dap_dtype_format(dtype)[0] == 'Z';
}

/* Writes one number, or half of a complex one. `letter` is its type in PEP 3118. */
static bool put(char letter, size_t size, const json_t *value, unsigned char *element)
{
  number n;
  if (letter == '?') element[0] = json_is_true(value);
  if (letter == '?') return json_is_boolean(value);
  if (letter == '\0' || !read_number(value, &n)) return false;
  if (strchr("efdg", letter)) return put_real(&n, letter, element);
  return put_integer(&n, strchr("bhilq", letter) != NULL, size, element);
}

bool document_element(dap_dtype dtype, const json_t *value, void *element)
{
  const char *format = dap_dtype_format(dtype);
  const size_t size = (size_t)dap_dtype_size(dtype);
  unsigned char *bytes = element;
  if (!is_complex(dtype)) return put(format[0], size, value, bytes);
  return json_array_size(value) == 2 && put(format[1], size / 2, json_array_get(value, 0), bytes) &&
         put(format[1], size / 2, json_array_get(value, 1), bytes + size / 2);
}

void document_swap(dap_dtype dtype, unsigned char *element)
{
  const size_t parts = is_complex(dtype) ? 2 : 1, size = (size_t)dap_dtype_size(dtype) / parts;
  for (size_t part = 0; part < parts; part++)
    for (size_t i = 0; i < size / 2; i++) {
      unsigned char *a = element + part * size + i, *b = element + (part + 1) * size - 1 - i;
      const unsigned char byte = *a;
      *a = *b;
      *b = byte;
    }
}
