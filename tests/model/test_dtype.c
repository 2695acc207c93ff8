/* Tests element types: names, sizes, formats, and how formats are read. */
#include "mpi_test.h"

#include <float.h>

#define LONG_DOUBLE_IS_16 (sizeof(long double) == 16)

static const struct {
  dap_dtype dtype;
  int64_t size;
  const char *name, *format;
} types[] = {
    {DAP_NONE, 0, "none", ""},      {DAP_BOOL, 1, "bool", "?"},
    {DAP_I1, 1, "int8", "b"},       {DAP_U1, 1, "uint8", "B"},
    {DAP_I2, 2, "int16", "h"},      {DAP_U2, 2, "uint16", "H"},
    {DAP_I4, 4, "int32", "i"},      {DAP_U4, 4, "uint32", "I"},
    {DAP_I8, 8, "int64", "q"},      {DAP_U8, 8, "uint64", "Q"},
    {DAP_F4, 4, "float32", "f"},    {DAP_F8, 8, "float64", "d"},
    {DAP_C8, 8, "complex64", "Zf"}, {DAP_C16, 16, "complex128", "Zd"},
    {DAP_F2, 2, "float16", "e"},    {DAP_F16, 16, "float128", LONG_DOUBLE_IS_16 ? "g" : ""},
    {(dap_dtype)17, 0, "none", ""}, {DAP_C32, 32, "complex256", LONG_DOUBLE_IS_16 ? "Zg" : ""},
    {(dap_dtype)-1, 0, "none", ""},
};

static void every_type_has_its_words(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    TEST_CASE("%s", types[i].name);
    EXPECT_INT(dap_dtype_size(types[i].dtype), types[i].size);
    EXPECT(!strcmp(dap_dtype_name(types[i].dtype), types[i].name));
    EXPECT(!strcmp(dap_dtype_format(types[i].dtype), types[i].format));
  }
  SETTLE();
}

/* Returns the host's byte order, because the table contains formats of both. */
static bool is_little(void)
{
  const uint16_t word = 1;
  uint8_t low;
  memcpy(&low, &word, 1);
  return low == 1;
}

static const struct {
  const char *why, *format;
  dap_dtype want;
} readable[] = {
    {"no format means unsigned bytes", NULL, DAP_U1},
    {"no mark", "d", DAP_F8},
    {"no mark, two letters", "Zf", DAP_C8},
    {"'@' is no mark said aloud", "@d", DAP_F8},
    {"'=' is this machine's order", "=d", DAP_F8},
    {"'=' before two letters", "=Zd", DAP_C16},
    {"a byte has no order", ">b", DAP_I1},
    {"a byte has no order", "<B", DAP_U1},
    {"a byte has no order", "!?", DAP_BOOL},
    {"long is C's in native mode", "l", sizeof(long) == 8 ? DAP_I8 : DAP_I4},
    {"unsigned long is C's in native mode", "@L", sizeof(long) == 8 ? DAP_U8 : DAP_U4},
    {"long is 4 bytes in standard mode", "=l", DAP_I4},
    {"unsigned long is 4 bytes in standard mode", "=L", DAP_U4},
    {"long long", "q", DAP_I8},
    {"long long in standard mode", "=Q", DAP_U8},
    {"short", "h", DAP_I2},
    {"short in standard mode", "=H", DAP_U2},
    {"ssize_t is native only", "n", sizeof(size_t) == 8 ? DAP_I8 : DAP_I4},
    {"size_t is native only", "N", sizeof(size_t) == 8 ? DAP_U8 : DAP_U4},
    {"'^' has C's sizes, as '@' has", "^l", sizeof(long) == 8 ? DAP_I8 : DAP_I4},
    {"half", "e", DAP_F2},
    {"half in standard mode", "=e", DAP_F2},
};

static const struct {
  const char *why, *typestr;
  dap_dtype want;
} numpy_names[] = {
    {"a byte has no order", "|b1", DAP_BOOL},
    {"a byte in any order", ">b1", DAP_BOOL},
    {"a byte in any order", "<i1", DAP_I1},
    {"a byte without a mark", "u1", DAP_U1},
    {"native", "=i4", DAP_I4},
    {"without a mark", "f8", DAP_F8},
    {"numpy takes '|' for native", "|u2", DAP_U2},
    {"half", "=f2", DAP_F2},
    {"long double", "=f16", DAP_F16},
    {"complex of floats", "=c8", DAP_C8},
    {"complex of doubles", "=c16", DAP_C16},
    {"complex of long doubles", "=c32", DAP_C32},
};

static const struct {
  const char *why, *format;
} refused[] = {
    {"empty", ""},
    {"a mark alone", "<"},
    {"two marks", "=<d"},
    {"a count", "2d"},
    {"two elements", "dd"},
    {"a complex of nothing", "Z"},
    {"a complex of integers", "Zi"},
    {"a complex of halves", "Ze"},
    {"a struct", "T{d:x:}"},
    {"a string", "s"},
    {"ssize_t has no standard size", "=n"},
    {"space before", " d"},
    {"numpy's words", "=f8"},
};

static const struct {
  const char *why, *typestr;
} refused_by_numpy[] = {
    {"empty", ""},
    {"a mark alone", ">"},
    {"two marks", "=<f8"},
    {"kind without bytes", "<f"},
    {"bytes without a kind", "<8"},
    {"no such integer", "<i3"},
    {"i386's long double", "<f12"},
    {"a leading zero", "<f08"},
    {"something behind", "<f8 "},
    {"PEP 3118's mark", "@f8"},
    {"a date", "<M8"},
    {"text", "<U4"},
    {"a record", "|V16"},
    {"an object", "|O"},
    {"PEP 3118's words", "d"},
};

static void formats_are_read(void **state)
{
  (void)state;
  dap_error err = {0};
  for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) {
    dap_dtype got = DAP_NONE;
    bool swapped = true;
    TEST_CASE("%s: %s", readable[i].why, readable[i].format ? readable[i].format : "NULL");
    EXPECT_OK(dap_dtype_parse(readable[i].format, &got, NULL, &err), &err);
    EXPECT_INT(got, readable[i].want);
    EXPECT_OK(dap_dtype_parse(readable[i].format, &got, &swapped, &err), &err);
    EXPECT(!swapped);
  }
  for (size_t i = 1; i < sizeof types / sizeof types[0]; i++) {
    dap_dtype got = DAP_NONE;
    if (!types[i].format[0]) continue;
    TEST_CASE("a type's own format %s", types[i].format);
    EXPECT_OK(dap_dtype_parse(types[i].format, &got, NULL, NULL), NULL);
    EXPECT_INT(got, types[i].dtype);
  }
  SETTLE();
}

static void typestrs_are_read(void **state)
{
  (void)state;
  dap_error err = {0};
  for (size_t i = 0; i < sizeof numpy_names / sizeof numpy_names[0]; i++) {
    dap_dtype got = DAP_NONE;
    bool swapped = true;
    TEST_CASE("%s: %s", numpy_names[i].why, numpy_names[i].typestr);
    EXPECT_OK(dap_dtype_parse_numpy(numpy_names[i].typestr, &got, NULL, &err), &err);
    EXPECT_INT(got, numpy_names[i].want);
    EXPECT_OK(dap_dtype_parse_numpy(numpy_names[i].typestr, &got, &swapped, &err), &err);
    EXPECT(!swapped);
  }
  SETTLE();
}

/* Tests both orders of a type, with the marks of numpy and PEP 3118, in which '!' is big-endian. */
static void the_other_byte_order_is_seen(void **state)
{
  (void)state;
  const char native = is_little() ? '<' : '>', foreign = is_little() ? '>' : '<';
  static const struct {
    const char *format, *typestr;
    dap_dtype want;
  } names[] = {{"i", "i4", DAP_I4}, {"Q", "u8", DAP_U8}, {"e", "f2", DAP_F2}, {"Zf", "c8", DAP_C8}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    for (int other = 0; other < 2; other++) {
      char format[8], typestr[8];
      dap_dtype got[2] = {DAP_NONE, DAP_NONE};
      bool swapped[2] = {!other, !other};
      dap_error err = {0};
      snprintf(format, sizeof format, "%c%s", other ? foreign : native, names[i].format);
      snprintf(typestr, sizeof typestr, "%c%s", other ? foreign : native, names[i].typestr);
      TEST_CASE("%s and %s", format, typestr);
      EXPECT_OK(dap_dtype_parse(format, &got[0], &swapped[0], &err), &err);
      EXPECT_OK(dap_dtype_parse_numpy(typestr, &got[1], &swapped[1], &err), &err);
      EXPECT(got[0] == names[i].want && got[1] == names[i].want);
      EXPECT(swapped[0] == other && swapped[1] == other);
      const dap_status want = other ? DAP_ERR_UNSUPPORTED : DAP_OK;
      EXPECT_FAIL(dap_dtype_parse(format, &got[0], NULL, &err), want, &err, other ? "byte order" : "");
      EXPECT_FAIL(dap_dtype_parse_numpy(typestr, &got[1], NULL, &err), want, &err, other ? "byte order" : "");
      EXPECT(got[0] == (other ? DAP_NONE : names[i].want) && got[1] == got[0]);
    }
  bool swapped = !is_little();
  dap_dtype got = DAP_NONE;
  EXPECT_OK(dap_dtype_parse("!d", &got, &swapped, NULL), NULL);
  EXPECT(got == DAP_F8 && swapped == is_little());
  SETTLE();
}

static void other_words_are_refused(void **state)
{
  (void)state;
  dap_error err = {0};
  dap_dtype got = DAP_F8;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    bool swapped = true;
    got = DAP_F8;
    TEST_CASE("%s: %s", refused[i].why, refused[i].format);
    EXPECT_FAIL(dap_dtype_parse(refused[i].format, &got, &swapped, &err), DAP_ERR_BUFFER, &err,
                refused[i].format);
    EXPECT(got == DAP_NONE && !swapped);
    EXPECT_STATUS(dap_dtype_parse(refused[i].format, &got, NULL, NULL), DAP_ERR_BUFFER, NULL);
    EXPECT_INT(err.rank, -1);
  }
  for (size_t i = 0; i < sizeof refused_by_numpy / sizeof refused_by_numpy[0]; i++) {
    bool swapped = true;
    got = DAP_F8;
    TEST_CASE("numpy, %s: %s", refused_by_numpy[i].why, refused_by_numpy[i].typestr);
    EXPECT_FAIL(dap_dtype_parse_numpy(refused_by_numpy[i].typestr, &got, &swapped, &err), DAP_ERR_BUFFER,
                &err, refused_by_numpy[i].typestr);
    EXPECT(got == DAP_NONE && !swapped);
  }
  TEST_CASE("NULL");
  EXPECT_STATUS(dap_dtype_parse("d", NULL, NULL, &err), DAP_ERR_ARG, &err);
  EXPECT_STATUS(dap_dtype_parse_numpy("<f8", NULL, NULL, &err), DAP_ERR_ARG, &err);
  EXPECT_FAIL(dap_dtype_parse_numpy(NULL, &got, NULL, &err), DAP_ERR_BUFFER, &err, "typestr|NULL");
  SETTLE();
}

/* Columns in the order of the enumerators, which differs from the order of `types`. */
static const struct {
  dap_dtype to;
  const char *holds; /* bool i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 c8 c16 f2 f16 c32 */
} casts[] = {
    {DAP_BOOL, "b... .... .... ...."}, {DAP_I1, "bi.. .... .... ...."},  {DAP_U1, "b.u. .... .... ...."},
    {DAP_I2, "biui .... .... ...."},   {DAP_U2, "b.u. u... .... ...."},  {DAP_I4, "biui ui.. .... ...."},
    {DAP_U4, "b.u. u.u. .... ...."},   {DAP_I8, "biui uiui .... ...."},  {DAP_U8, "b.u. u.u. u... ...."},
    {DAP_F2, "biu. .... .... .f.."},   {DAP_F4, "biui u... .f.. .f.."},  {DAP_F8, "biui uiu. .ff. .f.."},
    {DAP_C8, "biui u... .f.c .f.."},   {DAP_C16, "biui uiu. .ffc cf.."},
};

static void lossless_casts_are_known(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++)
    for (int from = DAP_BOOL; from <= DAP_C32; from++) {
      TEST_CASE("%s -> %s", dap_dtype_name((dap_dtype)from), dap_dtype_name(casts[i].to));
      const int column = from - DAP_BOOL;
      EXPECT_INT(dap_dtype_holds(casts[i].to, (dap_dtype)from), casts[i].holds[column + column / 4] != '.');
    }
  for (int from = DAP_BOOL; from <= DAP_C32; from++) {
    const bool is_complex = from == DAP_C8 || from == DAP_C16 || from == DAP_C32;
    const bool is_wide = from == DAP_I8 || from == DAP_U8;
    TEST_CASE("long doubles and %s", dap_dtype_name((dap_dtype)from));
    EXPECT_INT(dap_dtype_holds(DAP_F16, (dap_dtype)from), !is_complex && (LDBL_MANT_DIG >= 64 || !is_wide));
    EXPECT_INT(dap_dtype_holds(DAP_C32, (dap_dtype)from), LDBL_MANT_DIG >= 64 || !is_wide);
    EXPECT(!dap_dtype_holds((dap_dtype)from, DAP_NONE) && !dap_dtype_holds(DAP_NONE, (dap_dtype)from));
    EXPECT(!dap_dtype_holds((dap_dtype)from, (dap_dtype)-1) &&
           !dap_dtype_holds((dap_dtype)17, (dap_dtype)from));
  }
  EXPECT(!dap_dtype_holds(DAP_NONE, DAP_NONE));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_type_has_its_words), cmocka_unit_test(formats_are_read),
    cmocka_unit_test(typestrs_are_read),        cmocka_unit_test(the_other_byte_order_is_seen),
    cmocka_unit_test(other_words_are_refused),  cmocka_unit_test(lossless_casts_are_known),
};

MPI_TEST_MAIN(tests)
