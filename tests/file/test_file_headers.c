/* Tests headers of .npy files: other spellings that numpy reads, and headers that are refused. In
 * tests/python, numpy itself reads and writes all types and shapes. */
#include "files.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { ROOM = 4096 };

/* Writes a file: magic, version, the text, padded to a multiple of 64 bytes if `pad` is not 0, and `data`
 * bytes. */
static bool make_file(int major, int minor, const char *text, int pad, int64_t data)
{
  unsigned char bytes[ROOM] = "\x93NUMPY";
  const int width = major == 1 ? 2 : 4, begin = 8 + width;
  int length = (int)strlen(text) + 1;
  if (pad) length = (begin + length + 63) / 64 * 64 - begin;
  bytes[6] = (unsigned char)major;
  bytes[7] = (unsigned char)minor;
  for (int i = 0; i < width; i++) bytes[8 + i] = (unsigned char)(length >> 8 * i);
  memset(bytes + begin, ' ', (size_t)length);
  memcpy(bytes + begin, text, strlen(text));
  bytes[begin + length - 1] = '\n';
  for (int64_t i = 0; i < data; i++) bytes[begin + length + i] = (unsigned char)i;
  return files_write(files_path("h.npy"), bytes, begin + length + data);
}

/* ---- accepted ----------------------------------------------------------------------------------------- */

/* Text of a header as numpy writes it. */
#define HEAD(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

typedef struct good_row {
  const char *why;
  int major;
  const char *text;
  dap_dtype dtype;
  bool swapped;
  dap_order order;
  int ndim;
  int64_t shape[3];
} good_row;

/* clang-format off */
static const good_row good_rows[] = {
  {"as numpy writes it", 1, HEAD("'<f8'", "False", "(2, 3)"), DAP_F8, false, DAP_ORDER_C, 2, {2, 3}},
  {"version 2", 2, HEAD("'<f8'", "False", "(2, 3)"), DAP_F8, false, DAP_ORDER_C, 2, {2, 3}},
  {"version 3", 3, HEAD("'<f8'", "False", "(2, 3)"), DAP_F8, false, DAP_ORDER_C, 2, {2, 3}},
  {"in Fortran order", 1, HEAD("'<f4'", "True", "(2, 3)"), DAP_F4, false, DAP_ORDER_F, 2, {2, 3}},
  {"the other byte order", 1, HEAD("'>i4'", "False", "(2, 3)"), DAP_I4, true, DAP_ORDER_C, 2, {2, 3}},
  {"bytes have no order", 1, HEAD("'|b1'", "False", "(7,)"), DAP_BOOL, false, DAP_ORDER_C, 1, {7}},
  {"this machine's order", 1, HEAD("'=u2'", "False", "(7,)"), DAP_U2, false, DAP_ORDER_C, 1, {7}},
  {"half precision", 1, HEAD("'<f2'", "False", "(7,)"), DAP_F2, false, DAP_ORDER_C, 1, {7}},
  {"long double", 1, HEAD("'<f16'", "False", "(2,)"), DAP_F16, false, DAP_ORDER_C, 1, {2}},
  {"complex long double", 1, HEAD("'<c32'", "False", "(2,)"), DAP_C32, false, DAP_ORDER_C, 1, {2}},
  {"a scalar", 1, HEAD("'<f8'", "False", "()"), DAP_F8, false, DAP_ORDER_C, 0, {0}},
  {"no element", 1, HEAD("'<f8'", "False", "(3, 0, 9223372036854775807)"),
   DAP_F8, false, DAP_ORDER_C, 3, {3, 0, INT64_MAX}},
  {"no element behind more than 64 bits count", 1, HEAD("'<f8'", "False", "(9223372036854775807, 3, 0)"),
   DAP_F8, false, DAP_ORDER_C, 3, {INT64_MAX, 3, 0}},
  {"keys in another order, in double quotes, without blanks", 1,
   "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f8\"}", DAP_F8, false, DAP_ORDER_C, 2, {2, 3}},
  {"blanks wherever Python takes them", 1,
   " { 'descr' :\t'<f8' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , } ",
   DAP_F8, false, DAP_ORDER_C, 2, {2, 3}},
  {"long numbers of Python 2", 1, HEAD("'<f8'", "False", "(2L, 3L)"), DAP_F8, false, DAP_ORDER_C, 2, {2, 3}},
};
/* clang-format on */

static void accepted(void **state)
{
  (void)state;
  files_begin();
  for (size_t i = 0; i < sizeof good_rows / sizeof good_rows[0]; i++) {
    const good_row *r = &good_rows[i];
    dap_file_info info = {0};
    dap_error err = {0};
    TEST_CASE("%s", r->why);
    if (test_rank() == 0) EXPECT(make_file(r->major, 0, r->text, 1, 64));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("h.npy"), NULL, &info, NULL, &err), &err);
    EXPECT_INT(info.dtype, r->dtype);
    EXPECT_INT(info.swapped, r->swapped);
    EXPECT_INT(info.order, r->order);
    EXPECT_INT(info.offset % 64, 0);
    if (EXPECT_INT(info.ndim, r->ndim))
      for (int k = 0; k < r->ndim; k++) EXPECT_INT(info.shape[k], r->shape[k]);
    SETTLE();
  }
  files_end();
}

/* ---- refused ------------------------------------------------------------------------------------------ */

typedef struct bad_row {
  const char *why;
  int major, minor;
  const char *text;
  dap_status status;
  const char *parts;
} bad_row;

/* clang-format off */
static const bad_row bad_rows[] = {
  {"a version to come", 4, 0, HEAD("'<f8'", "False", "(2, 3)"), DAP_ERR_UNSUPPORTED, "version 4.0"},
  {"another minor version", 1, 1, HEAD("'<f8'", "False", "(2, 3)"), DAP_ERR_UNSUPPORTED, "version 1.1"},
  {"Python's objects", 1, 0, HEAD("'|O'", "False", "(2, 3)"), DAP_ERR_UNSUPPORTED, "objects"},
  {"a structured type", 1, 0, HEAD("[('a', '<f8')]", "False", "(2, 3)"), DAP_ERR_UNSUPPORTED, "structured"},
  {"texts", 1, 0, HEAD("'<U5'", "False", "(2, 3)"), DAP_ERR_UNSUPPORTED, "<U5"},
  {"dates", 1, 0, HEAD("'<M8[ns]'", "False", "(2, 3)"), DAP_ERR_UNSUPPORTED, "<M8[ns]"},
  {"no type at all", 1, 0, HEAD("None", "False", "(2, 3)"), DAP_ERR_FILE, "'descr'"},
  {"no dictionary", 1, 0, "['descr', '<f8']", DAP_ERR_FILE, "not a dictionary"},
  {"a key too many", 1, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': 1, }",
   DAP_ERR_FILE, "a key is not one of"},
  {"a key too few", 1, 0, "{'descr': '<f8', 'shape': (2, 3), }", DAP_ERR_FILE, "missing"},
  {"a key twice", 1, 0,
   "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", DAP_ERR_FILE, "twice"},
  {"neither true nor false", 1, 0, HEAD("'<f8'", "0", "(2, 3)"), DAP_ERR_FILE, "'fortran_order'"},
  {"an extent below 0", 1, 0, HEAD("'<f8'", "False", "(2, -3)"), DAP_ERR_FILE, "whole number"},
  {"an extent with a fraction", 1, 0, HEAD("'<f8'", "False", "(2, 3.5)"), DAP_ERR_FILE, "tuple of numbers"},
  {"a number in parentheses is no tuple", 1, 0, HEAD("'<f8'", "False", "(2)"), DAP_ERR_FILE, "not a tuple"},
  {"a list is no tuple", 1, 0, HEAD("'<f8'", "False", "[2, 3]"), DAP_ERR_FILE, "not a tuple"},
  {"a tuple without its end", 1, 0,
   "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3", DAP_ERR_FILE, "tuple of numbers"},
  {"something behind the dictionary", 1, 0,
   "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } + 1", DAP_ERR_FILE, "follows"},
  {"no comma between entries", 1, 0,
   "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3), }", DAP_ERR_FILE, "comma"},
  {"an extent beyond 64 bits", 1, 0,
   HEAD("'<f8'", "False", "(99999999999999999999,)"), DAP_ERR_RANGE, "2^63"},
  {"more bytes than 64 bits count", 1, 0,
   HEAD("'<f8'", "False", "(9223372036854775807, 3)"), DAP_ERR_RANGE, "2^63"},
  {"more axes than there can be", 1, 0, HEAD("'<f8'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"),
   DAP_ERR_UNSUPPORTED, "axes"},
  {"fewer elements than the header says", 1, 0,
   HEAD("'<f8'", "False", "(3, 3)"), DAP_ERR_FILE, "192 bytes|200"},
  {"far fewer", 1, 0, HEAD("'<f8'", "False", "(3000000000, 3)"), DAP_ERR_FILE, "72000000128"},
};
/* clang-format on */

static void refused(void **state)
{
  (void)state;
  files_begin();
  for (size_t i = 0; i < sizeof bad_rows / sizeof bad_rows[0]; i++) {
    const bad_row *r = &bad_rows[i];
    dap_error err = {0};
    TEST_CASE("%s", r->why);
    if (test_rank() == 0) EXPECT(make_file(r->major, r->minor, r->text, 1, 64));
    MPI_Barrier(MPI_COMM_WORLD);
    const dap_status s = dap_file_query(MPI_COMM_WORLD, files_path("h.npy"), NULL, NULL, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, r->status, r->parts);
    SETTLE();
  }
  files_end();
}

/* Reads files that end early, at each byte of the header. */
static void cut_short(void **state)
{
  (void)state;
  int64_t length = 0;
  files_begin();
  if (test_rank() == 0) EXPECT(make_file(1, 0, HEAD("'<f8'", "False", "(2, 3)"), 1, 48));
  unsigned char *bytes = test_rank() == 0 ? files_read(files_path("h.npy"), &length) : NULL;
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  EXPECT_INT(length, 176);
  for (int64_t i = 0; i <= length; i++) {
    dap_error err = {0};
    if (test_rank() == 0) EXPECT(files_write(files_path("cut.npy"), bytes, i));
    MPI_Barrier(MPI_COMM_WORLD);
    TEST_CASE("the first %" PRId64 " bytes", i);
    const dap_status s = dap_file_query(MPI_COMM_WORLD, files_path("cut.npy"), NULL, NULL, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, i < length ? DAP_ERR_FILE : DAP_OK, "cut.npy");
    SETTLE();
  }
  free(bytes);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(accepted), cmocka_unit_test(refused),
                                          cmocka_unit_test(cut_short)};
MPI_TEST_MAIN(tests)
