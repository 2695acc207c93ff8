#include "vectors.h"

#include <string.h>

/* A number in all the forms that an element can take. */
typedef struct number {
  json_int_t integer;
  double real, imaginary;
} number;

static bool encode(dap_dtype dtype, number n, void *element)
{
  const int8_t i1 = (int8_t)n.integer;
  const int16_t i2 = (int16_t)n.integer;
  const int32_t i4 = (int32_t)n.integer;
  const int64_t i8 = n.integer;
  const float f[2] = {(float)n.real, (float)n.imaginary};
  const double d[2] = {n.real, n.imaginary};
  const void *const values[] = {
      [DAP_BOOL] = &i1, [DAP_I1] = &i1, [DAP_U1] = &i1, [DAP_I2] = &i2, [DAP_U2] = &i2,
      [DAP_I4] = &i4,   [DAP_U4] = &i4, [DAP_I8] = &i8, [DAP_U8] = &i8, [DAP_F4] = f,
      [DAP_F8] = d,     [DAP_C8] = f,   [DAP_C16] = d};
  const size_t index = (size_t)dtype;
  if (dtype == DAP_NONE || index >= sizeof values / sizeof values[0]) return false;
  memcpy(element, values[index], (size_t)dap_dtype_size(dtype));
  return true;
}

bool element_from_json(dap_dtype dtype, const json_t *value, void *element)
{
  number n = {0};
  if (dtype == DAP_BOOL) {
    n.integer = json_is_true(value);
    return json_is_boolean(value) && encode(dtype, n, element);
  }
  if (dtype == DAP_C8 || dtype == DAP_C16) {
    const json_t *re = json_array_get(value, 0), *im = json_array_get(value, 1);
    n.real = json_number_value(re);
    n.imaginary = json_number_value(im);
    return json_array_size(value) == 2 && json_is_number(re) && json_is_number(im) &&
           encode(dtype, n, element);
  }
  n.integer = json_integer_value(value);
  n.real = json_number_value(value);
  const bool is_real = dtype == DAP_F4 || dtype == DAP_F8;
  return (is_real ? json_is_number(value) : json_is_integer(value)) && encode(dtype, n, element);
}

/* Ramp: element k is k, as k + (k + 0.5) i, whether k is odd, or cut to the integer's width. */
static number ramp(dap_dtype dtype, int64_t k)
{
  return (number){dtype == DAP_BOOL ? k % 2 : k, (double)k, (double)k + 0.5};
}

bool element_expected(const json_t *document, dap_dtype dtype, int64_t index, void *element)
{
  const char *fill = json_string_value(json_object_get(document, "fill"));
  if (!fill) return false;
  if (!strcmp(fill, "ramp")) return encode(dtype, ramp(dtype, index), element);
  if (!strcmp(fill, "constant")) return encode(dtype, (number){7, 7, 0}, element);
  const json_t *value = json_array_get(json_object_get(document, "global_values"), (size_t)index);
  return value && element_from_json(dtype, value, element);
}
