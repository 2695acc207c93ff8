#include "vectors.h"

#include <string.h>

/* ---- the fills -------------------------------------------------------------------------------- */

/* An element in every form that a type may have. */
typedef struct number {
  int64_t integer;
  double real, imaginary;
} number;

/* By C's own conversions, so that the reader's are compared with something. Integers are cut to their width,
 * as numpy's astype() does it. C has no float16: that is left to the reader. */
static bool encode(dap_dtype dtype, number n, void *element)
{
  const bool is_true = n.integer != 0;
  const uint8_t u1 = (uint8_t)n.integer;
  const uint16_t u2 = (uint16_t)n.integer;
  const uint32_t u4 = (uint32_t)n.integer;
  const float f4[2] = {(float)n.real, (float)n.imaginary};
  const double f8[2] = {n.real, n.imaginary};
  const long double f16[2] = {n.real, n.imaginary};
  const void *const values[] = {
      [DAP_BOOL] = &is_true, [DAP_I1] = &u1, [DAP_U1] = &u1,        [DAP_I2] = &u2,        [DAP_U2] = &u2,
      [DAP_I4] = &u4,        [DAP_U4] = &u4, [DAP_I8] = &n.integer, [DAP_U8] = &n.integer, [DAP_F4] = f4,
      [DAP_F8] = f8,         [DAP_C8] = f4,  [DAP_C16] = f8,        [DAP_F16] = f16,       [DAP_C32] = f16};
  const size_t index = (size_t)dtype;
  if (dtype == DAP_F2) {
    json_t *value = json_real(n.real);
    const bool is_written = document_element(dtype, value, element);
    json_decref(value);
    return is_written;
  }
  if (index >= sizeof values / sizeof values[0] || !values[index]) return false;
  memcpy(element, values[index], (size_t)dap_dtype_size(dtype));
  return true;
}

bool expected_element(const json_t *vector, dap_dtype dtype, int64_t index, void *element)
{
  const char *fill = json_string_value(json_object_get(vector, "fill"));
  const int64_t integer = dtype == DAP_BOOL ? index % 2 : index;
  if (!fill) return false;
  if (!strcmp(fill, "ramp"))
    return encode(dtype, (number){integer, (double)index, (double)index + 0.5}, element);
  if (!strcmp(fill, "constant")) return encode(dtype, (number){7, 7, 0}, element);
  const json_t *value = json_array_get(json_object_get(vector, "global_values"), (size_t)index);
  return value && document_element(dtype, value, element);
}

/* ---- equality --------------------------------------------------------------------------------- */

static bool is_equal_long(const unsigned char *a, const unsigned char *b)
{
  long double x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x == y;
}

bool element_equals(dap_dtype dtype, const void *a, const void *b)
{
  const size_t size = (size_t)dap_dtype_size(dtype);
  if (dtype != DAP_F16 && dtype != DAP_C32) return memcmp(a, b, size) == 0;
  for (size_t at = 0; at < size; at += sizeof(long double))
    if (!is_equal_long((const unsigned char *)a + at, (const unsigned char *)b + at)) return false;
  return true;
}
