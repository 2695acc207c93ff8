/* Element types: one table. */
#include "model_impl.h"

#include <string.h>

typedef struct dtype_row {
  const char *name;   /* numpy's */
  const char *format; /* PEP 3118, native */
  int64_t size;
} dtype_row;

static const dtype_row rows[] = {
    [DAP_NONE] = {"none", "", 0},      [DAP_BOOL] = {"bool", "?", 1},       [DAP_I1] = {"int8", "b", 1},
    [DAP_U1] = {"uint8", "B", 1},      [DAP_I2] = {"int16", "h", 2},        [DAP_U2] = {"uint16", "H", 2},
    [DAP_I4] = {"int32", "i", 4},      [DAP_U4] = {"uint32", "I", 4},       [DAP_I8] = {"int64", "q", 8},
    [DAP_U8] = {"uint64", "Q", 8},     [DAP_F4] = {"float32", "f", 4},      [DAP_F8] = {"float64", "d", 8},
    [DAP_C8] = {"complex64", "Zf", 8}, [DAP_C16] = {"complex128", "Zd", 16}};

static const dtype_row *row_of(dap_dtype dtype)
{
  const unsigned index = (unsigned)dtype;
  return &rows[index < sizeof rows / sizeof rows[0] ? index : DAP_NONE];
}

int64_t dap_dtype_size(dap_dtype dtype)
{
  return row_of(dtype)->size;
}

const char *dap_dtype_name(dap_dtype dtype)
{
  return row_of(dtype)->name;
}

const char *dap_dtype_format(dap_dtype dtype)
{
  return row_of(dtype)->format;
}

/* The integer type of a kind ('i' signed, 'u' unsigned) and size in bytes. */
static dap_dtype integer_of(bool is_signed, size_t size)
{
  switch (size) {
  case 1:
    return is_signed ? DAP_I1 : DAP_U1;
  case 2:
    return is_signed ? DAP_I2 : DAP_U2;
  case 4:
    return is_signed ? DAP_I4 : DAP_U4;
  case 8:
    return is_signed ? DAP_I8 : DAP_U8;
  default:
    return DAP_NONE;
  }
}

/* Type codes and their sizes: C's in native mode, struct's standard sizes otherwise (PEP 3118; Python
 * library reference, "struct", table of format characters). */
static dap_dtype code_of(const char *code, bool native)
{
  static const struct {
    const char *code;
    bool is_signed;
    size_t native, standard; /* bytes; 0: no such code in that mode */
  } integers[] = {
      {"b", true, 1, 1},
      {"B", false, 1, 1},
      {"h", true, sizeof(short), 2},
      {"H", false, sizeof(short), 2},
      {"i", true, sizeof(int), 4},
      {"I", false, sizeof(int), 4},
      {"l", true, sizeof(long), 4},
      {"L", false, sizeof(long), 4},
      {"q", true, sizeof(long long), 8},
      {"Q", false, sizeof(long long), 8},
      {"n", true, sizeof(size_t), 0},
      {"N", false, sizeof(size_t), 0},
  };
  static const dap_dtype others[] = {DAP_BOOL, DAP_F4, DAP_F8, DAP_C8, DAP_C16};
  for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
    if (strcmp(code, integers[i].code) == 0)
      return integer_of(integers[i].is_signed, native ? integers[i].native : integers[i].standard);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (strcmp(code, rows[others[i]].format) == 0) return others[i];
  return DAP_NONE;
}

dap_status dap_dtype_parse(const char *format, dap_dtype *dtype, dap_error *err)
{
  DAP_REQUIRE(dtype, err, DAP_ERR_ARG, "dtype must not be NULL");
  *dtype = DAP_NONE;
  const char *text = format ? format : "B";
  const char mark = *text && strchr("@=<>!", *text) ? *text++ : '@';
  const dap_dtype found = code_of(text, mark == '@');
  DAP_REQUIRE(found, err, DAP_ERR_BUFFER, "format '%s' is none of the element types that dapbridge moves",
              format);
  const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  const bool is_foreign = is_little ? mark == '>' || mark == '!' : mark == '<';
  DAP_REQUIRE(!is_foreign || dap_dtype_size(found) == 1, err, DAP_ERR_UNSUPPORTED,
              "format '%s' is not in this machine's byte order", format);
  *dtype = found;
  return DAP_OK;
}
