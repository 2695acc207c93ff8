/* Lists element types, and reads their names in PEP 3118 and in numpy. */
#include "model_impl.h"

#include <float.h>
#include <string.h>

/* Values are multiples of 2^least below 2^most, of at most `digits` significant bits; with their negatives if
 * is_signed. The lowest integer of a type is a power of two, which has one digit. */
typedef struct dtype_row {
  const char *name;    /* numpy's */
  const char *typestr; /* numpy's, without the byte order */
  const char *format;  /* PEP 3118, native; "": none on this machine */
  int64_t size;
  int digits, least, most;
  bool is_signed, is_complex;
} dtype_row;

/* numpy's float128 is C's long double, if that has 16 bytes (padded x87 extended, IEEE quad). */
#define LONG_DOUBLE_IS_16 (sizeof(long double) == 16)

/* digits, least and most */
#define FLOAT FLT_MANT_DIG, FLT_MIN_EXP - FLT_MANT_DIG, FLT_MAX_EXP
#define DOUBLE DBL_MANT_DIG, DBL_MIN_EXP - DBL_MANT_DIG, DBL_MAX_EXP
#define LONG_DOUBLE LDBL_MANT_DIG, LDBL_MIN_EXP - LDBL_MANT_DIG, LDBL_MAX_EXP

_Static_assert(sizeof(short) == 2 && sizeof(int) == 4 && sizeof(long long) == 8, "the formats of integers");

static const dtype_row rows[] = {
    [DAP_NONE] = {"none", "", "", 0, 0, 0, 0, false, false},
    [DAP_BOOL] = {"bool", "b1", "?", 1, 1, 0, 1, false, false},
    [DAP_I1] = {"int8", "i1", "b", 1, 7, 0, 7, true, false},
    [DAP_U1] = {"uint8", "u1", "B", 1, 8, 0, 8, false, false},
    [DAP_I2] = {"int16", "i2", "h", 2, 15, 0, 15, true, false},
    [DAP_U2] = {"uint16", "u2", "H", 2, 16, 0, 16, false, false},
    [DAP_I4] = {"int32", "i4", "i", 4, 31, 0, 31, true, false},
    [DAP_U4] = {"uint32", "u4", "I", 4, 32, 0, 32, false, false},
    [DAP_I8] = {"int64", "i8", "q", 8, 63, 0, 63, true, false},
    [DAP_U8] = {"uint64", "u8", "Q", 8, 64, 0, 64, false, false},
    [DAP_F4] = {"float32", "f4", "f", 4, FLOAT, true, false},
    [DAP_F8] = {"float64", "f8", "d", 8, DOUBLE, true, false},
    [DAP_C8] = {"complex64", "c8", "Zf", 8, FLOAT, true, true},
    [DAP_C16] = {"complex128", "c16", "Zd", 16, DOUBLE, true, true},
    [DAP_F2] = {"float16", "f2", "e", 2, 11, -24, 16, true, false},
    [DAP_F16] = {"float128", "f16", LONG_DOUBLE_IS_16 ? "g" : "", 16, LONG_DOUBLE, true, false},
    [DAP_C32] = {"complex256", "c32", LONG_DOUBLE_IS_16 ? "Zg" : "", 32, LONG_DOUBLE, true, true},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static const dtype_row *row_of(dap_dtype dtype)
{
  const unsigned index = (unsigned)dtype;
  return &rows[index < ROWS ? index : DAP_NONE];
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

bool dap_dtype_holds(dap_dtype to, dap_dtype from)
{
  if (!dap_dtype_size(to) || !dap_dtype_size(from)) return false;
  const dtype_row *t = &rows[to], *f = &rows[from];
  return t->digits >= f->digits && t->least <= f->least && t->most >= f->most &&
         t->is_signed >= f->is_signed && t->is_complex >= f->is_complex;
}

/* ---- formats of PEP 3118 ------------------------------------------------------------------------ */

/* Returns the type of a code. The sizes of some integers differ between native mode and the standard sizes of
 * Python's struct (PEP 3118; Python library reference, "struct", table of format characters). */
static dap_dtype code_of(const char *code, bool native)
{
  enum { LONG_IS_8 = sizeof(long) == 8, SIZE_IS_8 = sizeof(size_t) == 8 };
  static const struct {
    const char *code;
    dap_dtype native, standard;
  } integers[] = {{"l", LONG_IS_8 ? DAP_I8 : DAP_I4, DAP_I4},
                  {"L", LONG_IS_8 ? DAP_U8 : DAP_U4, DAP_U4},
                  {"n", SIZE_IS_8 ? DAP_I8 : DAP_I4, DAP_NONE},
                  {"N", SIZE_IS_8 ? DAP_U8 : DAP_U4, DAP_NONE}};
  for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
    if (strcmp(code, integers[i].code) == 0) return native ? integers[i].native : integers[i].standard;
  for (int i = DAP_NONE + 1; *code && i < ROWS; i++)
    if (strcmp(code, rows[i].format) == 0) return (dap_dtype)i;
  return DAP_NONE;
}

/* ---- typestrings of numpy ----------------------------------------------------------------------- */

static dap_dtype typestr_of(const char *typestr)
{
  for (int i = DAP_NONE + 1; i < ROWS; i++)
    if (strcmp(typestr, rows[i].typestr) == 0) return (dap_dtype)i;
  return DAP_NONE;
}

/* ---- both --------------------------------------------------------------------------------------- */

/* Returns whether a byte-order mark means the other order than this machine's. */
static bool is_foreign(char mark)
{
  const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return is_little ? mark == '>' || mark == '!' : mark == '<';
}

/* Sets the type that was found in `text`, and whether its bytes are swapped. */
static dap_status set_type(const char *text, dap_dtype found, char mark, dap_dtype *dtype, bool *swapped,
                           dap_error *err)
{
  DAP_REQUIRE(found, err, DAP_ERR_BUFFER, "format '%s' is not one of the element types that dapbridge moves",
              text);
  const bool is_swapped = is_foreign(mark) && dap_dtype_size(found) > 1;
  DAP_REQUIRE(swapped || !is_swapped, err, DAP_ERR_UNSUPPORTED,
              "format '%s' is not in this machine's byte order", text);
  if (swapped) *swapped = is_swapped;
  *dtype = found;
  return DAP_OK;
}

dap_status dap_dtype_parse(const char *format, dap_dtype *dtype, bool *swapped, dap_error *err)
{
  if (swapped) *swapped = false;
  DAP_REQUIRE(dtype, err, DAP_ERR_ARG, "dtype must not be NULL");
  *dtype = DAP_NONE;
  const char *text = format ? format : "B";
  const char mark = *text && strchr("@^=<>!", *text) ? *text : '@';
  const char *code = text + (mark == *text);
  return set_type(text, code_of(code, mark == '@' || mark == '^'), mark, dtype, swapped, err);
}

dap_status dap_dtype_parse_numpy(const char *typestr, dap_dtype *dtype, bool *swapped, dap_error *err)
{
  if (swapped) *swapped = false;
  DAP_REQUIRE(dtype, err, DAP_ERR_ARG, "dtype must not be NULL");
  *dtype = DAP_NONE;
  DAP_REQUIRE(typestr, err, DAP_ERR_BUFFER, "typestr must not be NULL");
  const char mark = *typestr && strchr("<>|=", *typestr) ? *typestr : '=';
  return set_type(typestr, typestr_of(typestr + (mark == *typestr)), mark, dtype, swapped, err);
}

void dap_dtype_write_numpy(dap_dtype dtype, bool swapped, char typestr[DAP_TYPESTR])
{
  const bool has_order = dap_dtype_size(dtype) > 1;
  typestr[0] = !has_order ? '|' : is_foreign('>') == swapped ? '>' : '<';
  memcpy(typestr + 1, row_of(dtype)->typestr, strlen(row_of(dtype)->typestr) + 1);
}
