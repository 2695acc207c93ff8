/* Element types: names, sizes, formats, and the reading of formats. */
#include "mpi_test.h"

static const struct {
  dap_dtype dtype;
  int64_t size;
  const char *name, *format;
} types[] = {
    {DAP_NONE, 0, "none", ""},      {DAP_BOOL, 1, "bool", "?"},        {DAP_I1, 1, "int8", "b"},
    {DAP_U1, 1, "uint8", "B"},      {DAP_I2, 2, "int16", "h"},         {DAP_U2, 2, "uint16", "H"},
    {DAP_I4, 4, "int32", "i"},      {DAP_U4, 4, "uint32", "I"},        {DAP_I8, 8, "int64", "q"},
    {DAP_U8, 8, "uint64", "Q"},     {DAP_F4, 4, "float32", "f"},       {DAP_F8, 8, "float64", "d"},
    {DAP_C8, 8, "complex64", "Zf"}, {DAP_C16, 16, "complex128", "Zd"}, {(dap_dtype)14, 0, "none", ""},
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

/* What the host is, so that the table can hold formats of both byte orders. */
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
};

static const struct {
  const char *why, *format;
  dap_status want;
} refused[] = {
    {"empty", "", DAP_ERR_BUFFER},
    {"a mark alone", "<", DAP_ERR_BUFFER},
    {"two marks", "=<d", DAP_ERR_BUFFER},
    {"long double", "g", DAP_ERR_BUFFER},
    {"half", "e", DAP_ERR_BUFFER},
    {"a count", "2d", DAP_ERR_BUFFER},
    {"two elements", "dd", DAP_ERR_BUFFER},
    {"a complex of nothing", "Z", DAP_ERR_BUFFER},
    {"a complex of integers", "Zi", DAP_ERR_BUFFER},
    {"a struct", "T{d:x:}", DAP_ERR_BUFFER},
    {"a string", "s", DAP_ERR_BUFFER},
    {"ssize_t has no standard size", "=n", DAP_ERR_BUFFER},
    {"space before", " d", DAP_ERR_BUFFER},
};

static void formats_are_read(void **state)
{
  (void)state;
  dap_error err = {0};
  for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) {
    dap_dtype got = DAP_NONE;
    TEST_CASE("%s: %s", readable[i].why, readable[i].format ? readable[i].format : "NULL");
    EXPECT_OK(dap_dtype_parse(readable[i].format, &got, &err), &err);
    EXPECT_INT(got, readable[i].want);
  }
  for (size_t i = 1; i < sizeof types / sizeof types[0] && types[i].size; i++) {
    dap_dtype got = DAP_NONE;
    TEST_CASE("a type's own format %s", types[i].format);
    EXPECT_OK(dap_dtype_parse(types[i].format, &got, NULL), NULL);
    EXPECT_INT(got, types[i].dtype);
  }
  SETTLE();
}

static void other_formats_are_refused(void **state)
{
  (void)state;
  dap_dtype got = DAP_F8;
  dap_error err = {0};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    TEST_CASE("%s: %s", refused[i].why, refused[i].format);
    EXPECT_FAIL(dap_dtype_parse(refused[i].format, &got, &err), refused[i].want, &err, refused[i].format);
    EXPECT_STATUS(dap_dtype_parse(refused[i].format, &got, NULL), refused[i].want, NULL);
    EXPECT_INT(err.rank, -1);
  }
  const char *native = is_little() ? "<i" : ">i";
  const char *const foreign[] = {is_little() ? ">i" : "<i", is_little() ? "!d" : "<d",
                                 is_little() ? ">Zf" : "<Zf"};
  EXPECT_OK(dap_dtype_parse(native, &got, &err), &err);
  EXPECT_INT(got, DAP_I4);
  for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
    EXPECT_FAIL(dap_dtype_parse(foreign[i], &got, &err), DAP_ERR_UNSUPPORTED, &err, "byte order");
  EXPECT_STATUS(dap_dtype_parse("d", NULL, &err), DAP_ERR_ARG, &err);
  SETTLE();
}

static void statuses_have_names(void **state)
{
  (void)state;
  static const char *const names[] = {"OK",     "ARG",   "NOMEM",       "VERSION", "DIM",    "LAYOUT",
                                      "BUFFER", "RANGE", "UNSUPPORTED", "SHARE",   "LIBRARY"};
  for (int s = DAP_OK; s <= DAP_ERR_LIBRARY; s++) EXPECT(!strcmp(dap_status_name((dap_status)s), names[s]));
  EXPECT(!strcmp(dap_status_name((dap_status)11), "unknown"));
  EXPECT(!strcmp(dap_status_name((dap_status)-1), "unknown"));
  SETTLE();
}

static void an_error_is_written_and_cut(void **state)
{
  (void)state;
  dap_error err = {.rank = 7};
  EXPECT_INT(dap_fail(&err, DAP_ERR_DIM, "size %d", 5), DAP_ERR_DIM);
  EXPECT(!strcmp(err.text, "size 5"));
  EXPECT_INT(err.rank, -1);
  EXPECT_INT(dap_fail(NULL, DAP_ERR_RANGE, "%s", "nobody listens"), DAP_ERR_RANGE);
  memset(&err, 'x', sizeof err);
  (void)dap_fail(&err, DAP_ERR_ARG, "%0*d", 2 * DAP_ERROR_TEXT, 1);
  EXPECT_INT(strlen(err.text), DAP_ERROR_TEXT - 1);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_type_has_its_words),    cmocka_unit_test(formats_are_read),
    cmocka_unit_test(other_formats_are_refused),   cmocka_unit_test(statuses_have_names),
    cmocka_unit_test(an_error_is_written_and_cut),
};

MPI_TEST_MAIN(tests)
