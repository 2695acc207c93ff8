/* Tests how documents describe elements and buffers: values to the last digit, strides, byte orders,
 * addresses. */
#include "reader_test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* ---- elements ------------------------------------------------------------------------------------- */

typedef struct element_row {
  const char *why;
  dap_dtype dtype;
  const char *text;
  const void *want; /* bytes of the element; NULL: refused */
  size_t bytes;     /* number of bytes to compare; 0: all */
} element_row;

enum { LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

#define I8(value) (&(const int64_t){value})
#define F4(value) (&(const float){value})
#define F8(value) (&(const double){value})
#define F2(bits) (&(const uint16_t){bits})
#define F16(value) (&(const long double){value}), LONG_DOUBLE_BYTES

static const element_row elements[] = {
    {"true", DAP_BOOL, "true", &(const uint8_t){1}, 0},
    {"false", DAP_BOOL, "false", &(const uint8_t){0}, 0},
    {"1 is no bool", DAP_BOOL, "1", NULL, 0},
    {"a bool is no integer", DAP_I4, "true", NULL, 0},
    {"a real is no integer", DAP_I4, "1.0", NULL, 0},
    {"a string is no number", DAP_F8, "'1'", NULL, 0},
    {"null is none", DAP_F8, "null", NULL, 0},
    {"a list is none", DAP_F8, "[1]", NULL, 0},
    {"least i1", DAP_I1, "-128", &(const int8_t){-128}, 0},
    {"below", DAP_I1, "-129", NULL, 0},
    {"most i1", DAP_I1, "127", &(const int8_t){127}, 0},
    {"above", DAP_I1, "128", NULL, 0},
    {"most u1", DAP_U1, "255", &(const uint8_t){255}, 0},
    {"above", DAP_U1, "256", NULL, 0},
    {"negative u1", DAP_U1, "-1", NULL, 0},
    {"least i2", DAP_I2, "-32768", &(const int16_t){-32768}, 0},
    {"most u2", DAP_U2, "65535", &(const uint16_t){65535}, 0},
    {"most i4", DAP_I4, "2147483647", &(const int32_t){2147483647}, 0},
    {"above", DAP_I4, "2147483648", NULL, 0},
    {"most u4", DAP_U4, "4294967295", &(const uint32_t){4294967295}, 0},
    {"least i8", DAP_I8, "-9223372036854775808", I8(INT64_MIN), 0},
    {"below", DAP_I8, "-9223372036854775809", NULL, 0},
    {"most i8", DAP_I8, "9223372036854775807", I8(INT64_MAX), 0},
    {"above", DAP_I8, "9223372036854775808", NULL, 0},
    {"of 54 bits", DAP_I8, "9007199254740993", I8(9007199254740993), 0},
    {"most u8", DAP_U8, "18446744073709551615", &(const uint64_t){UINT64_MAX}, 0},
    {"above", DAP_U8, "18446744073709551616", NULL, 0},
    {"negative u8", DAP_U8, "-1", NULL, 0},
    {"an integer as f4", DAP_F4, "16777217", F4(16777216), 0},
    {"f4", DAP_F4, "0.1", F4(0.1F), 0},
    {"most f4", DAP_F4, "3.4028234663852886e38", F4(FLT_MAX), 0},
    {"above", DAP_F4, "3.5e38", NULL, 0},
    {"infinite f4", DAP_F4, "-Infinity", F4(-INFINITY), 0},
    {"f8", DAP_F8, "0.1", F8(0.1), 0},
    {"with more digits than it has", DAP_F8, "0.1000000000000000055511151231257827", F8(0.1), 0},
    {"least f8", DAP_F8, "5e-324", F8(5e-324), 0},
    {"most f8", DAP_F8, "1.7976931348623157e308", F8(DBL_MAX), 0},
    {"above", DAP_F8, "1e309", NULL, 0},
    {"infinite f8", DAP_F8, "Infinity", F8(INFINITY), 0},
    {"most i8 as f8", DAP_F8, "9223372036854775807", F8(0x1p63), 0},
    {"2^64 as f8", DAP_F8, "18446744073709551616", F8(0x1p64), 0},
    {"-0.0", DAP_F8, "-0.0", F8(-0.0), 0},
    {"f2: 1", DAP_F2, "1", F2(0x3c00), 0},
    {"f2: most", DAP_F2, "65504", F2(0x7bff), 0},
    {"f2: rounds down to it", DAP_F2, "65519.9", F2(0x7bff), 0},
    {"f2: above", DAP_F2, "65520", NULL, 0},
    {"f2: far above", DAP_F2, "99999", NULL, 0},
    {"f2: infinite", DAP_F2, "-Infinity", F2(0xfc00), 0},
    {"f2: a tie to even", DAP_F2, "1.00048828125", F2(0x3c00), 0},
    {"f2: a tie to even, up", DAP_F2, "1.00146484375", F2(0x3c02), 0},
    {"f2: carries into the exponent", DAP_F2, "1.9999", F2(0x4000), 0},
    {"f2: least", DAP_F2, "5.9604644775390625e-8", F2(1), 0},
    {"f2: least normal", DAP_F2, "-6.103515625e-5", F2(0x8400), 0},
    {"f2: half the least", DAP_F2, "2.98023223876953125e-8", F2(0), 0},
    {"f16: 1 + 2^-60", DAP_F16, "1.000000000000000000867361737988403547205962240695953369140625",
     F16(1 + 0x1p-60L)},
    {"f16: most u8", DAP_F16, "18446744073709551615", F16(18446744073709551615.0L)},
    {"f16: what a double writes is a double", DAP_F16, "0.1", F16((long double)0.1)},
    {"f16: what none writes is none", DAP_F16, "0.1000000000000000000", F16(0.1L)},
    {"f16: beyond doubles", DAP_F16, "1e400", F16(1e400L)},
    {"f16: below doubles", DAP_F16, "-1e-400", F16(-1e-400L)},
    {"c8", DAP_C8, "[0.1,-2]", ((const float[]){0.1F, -2}), 0},
    {"c16", DAP_C16, "[0.1,-2e-300]", ((const double[]){0.1, -2e-300}), 0},
    {"a number is not complex", DAP_C16, "1", NULL, 0},
    {"nor is one half", DAP_C16, "[1]", NULL, 0},
    {"nor three", DAP_C16, "[1,2,3]", NULL, 0},
    {"nor a string", DAP_C8, "[1,'2']", NULL, 0},
    {"nor a pair of pairs", DAP_C8, "[[1,2],[3,4]]", NULL, 0},
    {"no type", DAP_NONE, "1", NULL, 0},
};

static void check_elements(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
    const element_row *row = &elements[i];
    unsigned char got[64] = {0};
    if (row->dtype != DAP_NONE && dap_dtype_format(row->dtype)[0] == '\0')
      continue; /* unknown on this machine */
    json_t *json = json_from(row->text);
    const bool is_one = document_element(row->dtype, json, got);
    const size_t bytes = row->bytes ? row->bytes : (size_t)dap_dtype_size(row->dtype);
    if (is_one != (row->want != NULL) || (is_one && memcmp(got, row->want, bytes) != 0))
      fail_msg("%s: %s as %s", row->why, row->text, dap_dtype_name(row->dtype));
    json_decref(json);
  }
  double nan = 0;
  json_t *json = json_from("NaN");
  assert_true(document_element(DAP_F8, json, &nan) && isnan(nan));
  json_decref(json);
}

/* ---- buffers -------------------------------------------------------------------------------------- */

#define PART(buffer) "{'__version__':'0.10.0','dim_data':[],'buffer':{" buffer "}}"

typedef struct form_row {
  const char *why, *form; /* shape, strides and dtype */
  int count;              /* number of values, which are 0, 1, 2 ... */
} form_row;

static const form_row forms[] = {
    {"C order", "'shape':[2,3],'strides':[24,8],'dtype':'<f8'", 6},
    {"F order", "'shape':[2,3],'strides':[8,16],'dtype':'<f8'", 6},
    {"no strides", "'shape':[2,3],'dtype':'<f8'", 6},
    {"null strides", "'shape':[2,3],'strides':null,'dtype':'<f8'", 6},
    {"a window", "'shape':[2,3],'strides':[800,16],'dtype':'<f8'", 6},
    {"backwards", "'shape':[2,3],'strides':[-24,-8],'dtype':'<f8'", 6},
    {"rows backwards", "'shape':[2,3],'strides':[-24,8],'dtype':'<f8'", 6},
    {"interleaved", "'shape':[2,2],'strides':[8,16],'dtype':'<f8'", 4},
    {"elements that cross", "'shape':[3],'strides':[9],'dtype':'<f8'", 3},
    {"strides of extents 1 do not matter", "'shape':[1,3],'strides':[9223372036854775807,8],'dtype':'<f8'",
     3},
    {"no elements", "'shape':[0,3],'strides':[24,8],'dtype':'<f8'", 0},
    {"no elements, and strides of any size", "'shape':[3,0],'strides':[4611686018427387904,-8],'dtype':'<f8'",
     0},
    {"no dimensions", "'shape':[],'strides':[],'dtype':'<f8'", 1},
    {"the other byte order", "'shape':[3],'strides':[8],'dtype':'>f8'", 3},
    {"by its format", "'shape':[3],'strides':[-8],'format':'>d'", 3},
    {"by both", "'shape':[3],'strides':[8],'dtype':'<f8','format':'=d'", 3},
    {"eight dimensions", "'shape':[1,1,2,1,1,1,2,1],'dtype':'<f8'", 4},
    {"a column of a wide matrix", "'shape':[3],'strides':[4096],'dtype':'<f8'", 3},
};

/* Returns the value at the place that the strides give for an index. */
static double element_at(const dap_array *array, const int64_t index[])
{
  const unsigned char *place = array->data;
  unsigned char bytes[sizeof(double)];
  double value;
  for (int k = 0; k < array->ndim; k++) place += index[k] * array->strides[k];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = place[array->swapped ? sizeof bytes - 1 - i : i];
  memcpy(&value, bytes, sizeof value);
  return value;
}

static void check_ramp(const char *why, const dap_array *array, int count)
{
  int64_t index[DAP_MAX_NDIM] = {0};
  if (array->dtype != DAP_F8 || dap_array_count(array) != count) fail_msg("%s: %d elements", why, count);
  for (int i = 0; i < count; i++) {
    const double value = element_at(array, index);
    if (value != i + 0.5) fail_msg("%s: element %d is %g", why, i, value);
    for (int k = array->ndim - 1; k >= 0 && ++index[k] == array->shape[k]; k--) index[k] = 0;
  }
}

static void check_forms(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    char values[256] = "", text[1024];
    size_t used = 0;
    for (int k = 0; k < forms[i].count; k++)
      used += (size_t)snprintf(values + used, sizeof values - used, "%s%d.5", k ? "," : "", k);
    for (int unaligned = 0; unaligned < 2; unaligned++) {
      dap_array array;
      (void)snprintf(text, sizeof text,
                     "{'__version__':'0.10.0','dim_data':[],'layout':'%s','buffer':{%s,'values':[%s]}}",
                     unaligned ? "unaligned" : "C", forms[i].form, values);
      read_part(text, &array);
      check_ramp(forms[i].why, &array, forms[i].count);
      if (unaligned && forms[i].count > 0 && array.ndim == 1 && array.strides[0] % 8 == 0)
        assert_int_equal((uintptr_t)array.data % 8, 1);
      dap_array_release(&array);
    }
  }
}

/* The other byte order does not exchange the two parts of complex numbers. */
static void check_parts_of_complex(void **state)
{
  static const unsigned char want[] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0}; /* 1 and 2, the highest byte first */
  (void)state;
  dap_array array;
  read_part("{'__version__':'0.10.0','dim_data':[],'buffer':{'shape':[1],'dtype':'>c8','values':[[1,2]]}}",
            &array);
  assert_memory_equal(array.data, want, sizeof want);
  dap_array_release(&array);
}

static const reader_row refusals[] = {
    {"no shape", PART("'dtype':'<f8'"), DAP_ERR_BUFFER, 4, 1, "shape is absent"},
    {"a shape that is no list", PART("'shape':3,'dtype':'<f8'"), DAP_ERR_BUFFER, 4, 1, "shape 3"},
    {"a real extent", PART("'shape':[1,3.0],'dtype':'<f8'"), DAP_ERR_BUFFER, 4, 1,
     "axis 1: the buffer's extent 3.0 is a real"},
    {"a negative extent", PART("'shape':[-3],'dtype':'<f8'"), DAP_ERR_BUFFER, 4, 1, "extent -3"},
    {"an extent beyond 64 bits", PART("'shape':[99999999999999999999],'dtype':'<f8'"), DAP_ERR_RANGE, 0, 1,
     "extent 99999999999999999999"},
    {"nine dimensions", PART("'shape':[1,1,1,1,1,1,1,1,1],'dtype':'<f8'"), DAP_ERR_RANGE, 0, 1,
     "9 axes, more than 8"},
    {"no type", PART("'shape':[]"), DAP_ERR_BUFFER, 20, 1, "neither dtype nor format"},
    {"an unknown type", PART("'shape':[],'dtype':'<f3'"), DAP_ERR_BUFFER, 20, 1, "dtype \"<f3\""},
    {"a text's type", PART("'shape':[],'dtype':'<U5'"), DAP_ERR_BUFFER, 20, 1, "dtype \"<U5\""},
    {"a list for a type", PART("'shape':[],'dtype':[['a','<f8']]"), DAP_ERR_BUFFER, 20, 1, "dtype is a list"},
    {"an unknown format", PART("'shape':[],'format':'dd'"), DAP_ERR_BUFFER, 20, 1, "format \"dd\""},
    {"two types", PART("'shape':[],'dtype':'<f8','format':'f'"), DAP_ERR_BUFFER, 20, 1, "contradicts"},
    {"two byte orders", PART("'shape':[],'dtype':'<f8','format':'>d'"), DAP_ERR_BUFFER, 20, 1, "contradicts"},
    {"too few strides", PART("'shape':[1,1],'strides':[8],'dtype':'<f8'"), DAP_ERR_BUFFER, 19, 1, "strides"},
    {"a real stride", PART("'shape':[1],'strides':[8.0],'dtype':'<f8'"), DAP_ERR_BUFFER, 19, 1,
     "axis 0: the buffer's stride 8.0"},
    {"readonly that is no bool", PART("'shape':[],'dtype':'<f8','readonly':0"), DAP_ERR_BUFFER, 19, 1,
     "readonly 0"},
    {"two faults", PART("'shape':[],'dtype':'<f3','readonly':0"), DAP_ERR_BUFFER, 19, 2, "readonly 0"},
    {"values that are no list", PART("'shape':[],'dtype':'<f8','values':1"), DAP_ERR_BUFFER, 0, 1, "values"},
    {"too few values", PART("'shape':[2],'dtype':'<f8','values':[1]"), DAP_ERR_BUFFER, 0, 1, "1 values"},
    {"too many", PART("'shape':[2,0],'dtype':'<f8','values':[1]"), DAP_ERR_BUFFER, 0, 1, "1 values"},
    {"extents whose product overflows",
     PART("'shape':[4294967296,4294967296],'strides':[0,0],'dtype':'<f8','values':[]"), DAP_ERR_BUFFER, 0, 1,
     "0 values"},
    {"a value of another type", PART("'shape':[2],'dtype':'<i4','values':[1,2.5]"), DAP_ERR_BUFFER, 20, 1,
     "values[1] 2.5 is a real, and no int32"},
    {"a value that is too large", PART("'shape':[1],'dtype':'|u1','values':[256]"), DAP_ERR_BUFFER, 20, 1,
     "values[0] 256"},
    {"strides that overflow",
     PART("'shape':[3],'strides':[9223372036854775807],'dtype':'<f8','values':[1,2,3]"), DAP_ERR_RANGE, 0, 1,
     "strides"},
    {"strides without a limit", PART("'shape':[2],'strides':[-1099511627776],'dtype':'<f8','values':[1,2]"),
     DAP_ERR_RANGE, 0, 1, "strides"},
    {"C order that overflows", PART("'shape':[4294967296,4294967296],'dtype':'<f8'"), DAP_ERR_RANGE, 0, 1,
     "2^63 - 1 bytes"},
    {"values in one place", PART("'shape':[2],'strides':[0],'dtype':'<f8','values':[1,2]"), DAP_ERR_BUFFER, 0,
     1, "shares memory"},
    {"values that overlap", PART("'shape':[2],'strides':[4],'dtype':'<f8','values':[1,2]"), DAP_ERR_BUFFER, 0,
     1, "shares memory"},
    {"equal values in one place", PART("'shape':[2],'strides':[0],'dtype':'<f8','values':[3,3]"), DAP_OK, 0,
     0, ""},
    {"a buffer that is none", "{'__version__':'0.10.0','dim_data':[],'buffer':[1]}", DAP_ERR_BUFFER, 1, 1,
     "buffer is a list"},
    {"a form without values, of any size", PART("'shape':[1099511627776],'dtype':'<f8'"), DAP_OK, 0, 0, ""},
};

READER_ROWS(refusals)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_elements),
    cmocka_unit_test(check_forms),
    cmocka_unit_test(check_parts_of_complex),
    cmocka_unit_test(check_refusals),
};

int main(void)
{
  return cmocka_run_group_tests(tests, NULL, NULL);
}
