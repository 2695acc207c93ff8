/* Tests the needs of ScaLAPACK's routines for a matrix, fast block sizes, forms in words, and wrong
 * arguments. */
#include "mpi_test.h"

#include <dapbridge/matrix.h>
#include <dapbridge/matrix_op.h>
#include <dapbridge/parse.h>
#include <inttypes.h>

/* ---- routines ---------------------------------------------------------------------------------------- */

static void test_needs(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    uint32_t dtypes; /* 0: unknown routine */
    const char *text;
  } rows[] = {
      {"syevd", 1U << DAP_F4 | 1U << DAP_F8, ""},
      {"pdsyevd", 1U << DAP_F8, ""},
      {"dsyevd", 1U << DAP_F8, ""},
      {"pssyevd_", 1U << DAP_F4, ""},
      {"pcheevd", 1U << DAP_C8, ""},
      {"pzgesv", 1U << DAP_C16, ""},
      {"gesv", 1U << DAP_F4 | 1U << DAP_F8 | 1U << DAP_C8 | 1U << DAP_C16, ""},
      {"pigemr2d", 1U << DAP_I4 | 1U << DAP_I8, ""},
      {"pzsyevd", 0, "'pzsyevd' does not exist|syevd is for real"},
      {"pdheevd", 0, "heevd is for complex"},
      {"pigesv", 0, "gesv is for real and complex"},
      {"pdnone", 0, "unknown ScaLAPACK routine 'pdnone'; names are such as"}, /* no routine is near */
      {"PDNONE", 0, "unknown ScaLAPACK routine 'PDNONE'; names are such as"},
      {"pdgesvpdgesvpdgesvpdgesvpd", 0, "pdgesvpdgesvpdgesvpdgesvpd'; names are such as"},
      {"pdgesvx2", 0, "unknown ScaLAPACK routine 'pdgesvx2'; did you mean 'pdgesv'?"},
      {"syevdd", 0, "unknown ScaLAPACK routine 'syevdd'; did you mean 'syevd'?"},
      {"PDGESV", 0, "unknown ScaLAPACK routine 'PDGESV'; did you mean 'pdgesv'?"},
      {"pgesv", 0, "unknown ScaLAPACK routine 'pgesv'; did you mean 'gesv'?"},
      {"", 0, "unknown ScaLAPACK routine ''; names are such as"},
      {"p", 0, "unknown ScaLAPACK routine 'p'; names are such as"},
  };
  dap_matrix_needs needs;
  dap_error err;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].name);
    const dap_status s = dap_matrix_needs_for(rows[i].name, true, &needs, &err);
    EXPECT_FAIL(s, rows[i].dtypes ? DAP_OK : DAP_ERR_ARG, &err, rows[i].text);
    if (!s) EXPECT_INT(needs.dtypes, rows[i].dtypes);
  }
  EXPECT_FAIL(dap_matrix_needs_for(NULL, true, &needs, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_needs_for("gesv", true, NULL, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_OK(dap_matrix_needs_for("gesv", true, &needs, &err), &err);
  EXPECT(needs.square && needs.square_blocks && needs.any_sources && needs.offset == DAP_OFFSET_BLOCK);
  EXPECT_OK(dap_matrix_needs_for("gesv", false, &needs, &err), &err);
  EXPECT(!needs.square && !needs.square_blocks && needs.align == DAP_ALIGN_ROWS);
  SETTLE();
}

static void test_check(void **state)
{
  (void)state;
  const dap_matrix_needs needs = {.dtypes = 1U << DAP_F8 | 1U << DAP_C16, .square = true, .least_size = 2};
  const int64_t sizes[][2] = {{3, 3}, {3, 4}, {1, 1}, {0, 0}};
  dap_error err;
  EXPECT_OK(dap_matrix_check(&needs, DAP_F8, sizes[0], &err), &err);
  EXPECT_OK(dap_matrix_check(&needs, DAP_C16, sizes[3], &err), &err); /* no need can be broken */
  EXPECT_FAIL(dap_matrix_check(&needs, DAP_F4, sizes[0], &err), DAP_ERR_BUFFER, &err,
              "float64 or complex128|float32");
  EXPECT_FAIL(dap_matrix_check(&needs, DAP_F8, sizes[1], &err), DAP_ERR_ARG, &err, "square|3 x 4");
  EXPECT_FAIL(dap_matrix_check(&needs, DAP_F8, sizes[2], &err), DAP_ERR_UNSUPPORTED, &err, "2 x 2|1 x 1");
  EXPECT_FAIL(dap_matrix_check(NULL, DAP_F8, sizes[0], &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_check(&needs, DAP_F8, NULL, &err), DAP_ERR_ARG, &err, "NULL");
  SETTLE();
}

/* ---- speed ------------------------------------------------------------------------------------------- */

static const struct {
  const char *why;
  int64_t size[2], block[2];
  int nprocs;
  const char *slow; /* blocks that the text names; NULL: they are fast */
} speeds[] = {
    {"the widest", {1000, 1000}, {128, 128}, 4, NULL},
    {"wider", {1000, 1000}, {129, 129}, 4, "blocks of 129 x 129 are"},
    {"wide one way", {1000, 1000}, {64, 129}, 4, "blocks of 64 x 129 are"},
    {"the narrowest", {1000, 1000}, {16, 16}, 4, NULL},
    {"narrower one way", {1000, 1000}, {15, 16}, 4, "blocks of 15 x 16 are"},
    {"columns on one process", {1000, 1000}, {250, 0}, 4, "blocks of 250 are"},
    {"rows on one process", {1000, 1000}, {0, 15}, 4, "blocks of 15 are"},
    {"the widest, with rows on one process", {1000, 1000}, {0, 128}, 4, NULL},
    {"all on one process", {1000, 1000}, {0, 0}, 1, NULL},
    {"the least that is moved", {DAP_FAST_SIZE, DAP_FAST_SIZE}, {256, 256}, 4, "blocks of 256 x 256 are"},
    {"few rows", {DAP_FAST_SIZE - 1, 1000}, {256, 256}, 4, NULL},
    {"few columns", {1000, DAP_FAST_SIZE - 1}, {256, 256}, 4, NULL},
    {"16 rows a process", {640, 640}, {256, 256}, 40, "blocks of 256 x 256 are"},
    {"fewer a process", {640, 640}, {256, 256}, 41, NULL},
    {"tall, not yet slender", {4 * 600 - 1, 600}, {1200, 600}, 2, "blocks of 1200 x 600 are"},
    {"slender", {4 * 600, 600}, {1200, 600}, 2, NULL},
    {"slender and wide", {600, 4 * 600}, {600, 1200}, 2, NULL},
};

static void test_speed(void **state)
{
  (void)state;
  dap_error err;
  for (size_t row = 0; row < sizeof speeds / sizeof speeds[0]; row++) {
    TEST_CASE("%s", speeds[row].why);
    const dap_status s =
        dap_matrix_check_speed(speeds[row].size, speeds[row].block, speeds[row].nprocs, &err);
    EXPECT_INT(s, speeds[row].slow ? DAP_ERR_SHARE : DAP_OK);
    if (s) EXPECT_MSG(test_contains(err.text, "moved for speed|16 .. 128"), "%s", err.text);
    if (s && speeds[row].slow) EXPECT_MSG(test_contains(err.text, speeds[row].slow), "%s", err.text);
  }
  EXPECT_FAIL(dap_matrix_check_speed(NULL, speeds[0].block, 1, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_check_speed(speeds[0].size, NULL, 1, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_check_speed(speeds[0].size, speeds[0].block, 0, &err), DAP_ERR_ARG, &err,
              "nprocs 0");
  SETTLE();
}

/* ---- blocks that a routine does not take -------------------------------------------------------------- */

/* The text must not name the block size of an axis on one process, unless the caller chose it. */
static void test_blocks(void **state)
{
  (void)state;
  static const struct {
    const char *layout;
    char op;
    dap_matrix_needs needs;
    const char *text;
  } rows[] = {
      {"1000x1000 on 4x1",
       'N',
       {.most_block = 128},
       "blocks of at most 128 are needed|the matrix's have 250 rows"},
      {"1000x1000 on 4x1",
       'T',
       {.most_block = 128},
       "blocks of at most 128 are needed|the matrix's have 250 columns"},
      {"1000x1000 on 4x1",
       'T',
       {.square_blocks = true, .most_block = 128},
       "blocks of at most 128 are needed|the matrix's have 250 columns"},
      {"1000x1000 on 1x4: b, c(3)",
       'T',
       {.least_block = 6},
       "blocks of at least 6 are needed|the matrix's have 3 rows"},
      {"1000x1000 on 1x4: b, c(3)",
       'N',
       {.square_blocks = true, .least_block = 6},
       "blocks of at least 6 are needed|the matrix's have 3 columns"},
      {"1000x1000 on 2x2: c(8), c(3)",
       'N',
       {.least_block = 6},
       "blocks of at least 6 are needed|the matrix's have 3 columns"},
      {"1000x1000 on 2x2: c(8), c(3)", 'N', {.square_blocks = true}, "square blocks are needed|8 x 3"},
  };
  static const int64_t usual[2] = {0, 0};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_layout *layout = NULL;
    dap_matrix_form form;
    dap_error err = {0};
    TEST_CASE("%s, op %c", rows[i].layout, rows[i].op);
    EXPECT_OK(dap_layout_parse(rows[i].layout, &layout, &err), &err);
    EXPECT_FAIL(dap_matrix_fit(layout, rows[i].op, &rows[i].needs, usual, &form, &err), DAP_ERR_SHARE, &err,
                rows[i].text);
    EXPECT_MSG(strstr(rows[i].text, " x ") || !strstr(err.text, " x "), "%s", err.text);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* A wish outside the bounds is brought within them. A form with the caller's own blocks is refused, and the
 * text names the axis, even if it is on one process. */
static void test_wish(void **state)
{
  (void)state;
  const dap_matrix_needs least = {.least_block = 6}, most = {.most_block = 300};
  dap_layout *layout = NULL;
  dap_matrix_form form;
  dap_error err = {0};
  EXPECT_OK(dap_layout_parse("1000x1000 on 4x1", &layout, &err), &err);
  EXPECT_OK(dap_matrix_fit(layout, 'N', &least, (int64_t[2]){0, 2}, &form, &err), &err);
  EXPECT_INT(form.block[1], 6);
  form.block[1] = 2;
  EXPECT_FAIL(dap_matrix_check_form(&least, &form, &err), DAP_ERR_SHARE, &err,
              "blocks of at least 6 are needed|the matrix's have 2 columns");
  EXPECT_OK(dap_matrix_fit(layout, 'N', &most, (int64_t[2]){0, 400}, &form, &err), &err);
  EXPECT_INT(form.block[1], 300);
  form.block[1] = 400;
  EXPECT_FAIL(dap_matrix_check_form(&most, &form, &err), DAP_ERR_SHARE, &err,
              "blocks of at most 300 are needed|the matrix's have 400 columns");
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- in words, and arguments ------------------------------------------------------------------------- */

static void test_describe(void **state)
{
  (void)state;
  const dap_matrix_form form = {'T', {8, 6}, {4, 3}, {2, 3}, {0, -1}},
                        begins = {'N', {8, 6}, {4, 3}, {2, 3}, {1, -1}};
  const char *const want =
      "C order is the transposed matrix; rows in blocks of 4, columns in blocks of 3, on a 2 x 3 grid";
  char text[200];
  EXPECT_INT(dap_matrix_describe(&form, text, sizeof text), strlen(want));
  EXPECT_MSG(!strcmp(text, want), "%s", text);
  EXPECT_INT(dap_matrix_describe(&form, NULL, 0), strlen(want));
  EXPECT_INT(dap_matrix_describe(&form, text, 10), strlen(want));
  EXPECT_MSG(!strcmp(text, "C order i"), "%s", text);
  (void)dap_matrix_describe(&(dap_matrix_form){'N', {8, 6}, {4, 6}, {2, 1}, {0, -1}}, text, sizeof text);
  EXPECT_MSG(test_contains(text, "rows in blocks of 4, columns not distributed"), "%s", text);
  (void)dap_matrix_describe(&(dap_matrix_form){'N', {8, 6}, {8, 6}, {1, 1}, {-1, -1}}, text, sizeof text);
  EXPECT_MSG(test_contains(text, "on one process") && !strstr(text, "blocks"), "%s", text);
  (void)dap_matrix_describe(&begins, text, sizeof text);
  EXPECT_MSG(test_contains(text, "F order is the matrix's own|starts at process (1, 0)"), "%s", text);
  SETTLE();
}

static void test_arguments(void **state)
{
  (void)state;
  const dap_dist dists[3] = {dap_dist_even(4, 2), dap_dist_local(4), dap_dist_local(2)};
  const int64_t wish[2] = {4, 4};
  dap_layout *two = NULL, *three = NULL;
  dap_matrix_form form;
  dap_array array;
  dap_error err;
  void *data;
  int64_t lld;
  EXPECT_OK(dap_layout_create(2, dists, &two, &err), &err);
  EXPECT_OK(dap_layout_create(3, dists, &three, &err), &err);
  EXPECT_OK(dap_array_init(&array, two, 0, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_FAIL(dap_matrix_fit(three, 'N', NULL, wish, &form, &err), DAP_ERR_UNSUPPORTED, &err, "2 axes|has 3");
  EXPECT_FAIL(dap_matrix_fit(two, 'C', NULL, wish, &form, &err), DAP_ERR_ARG, &err, "op is character 67");
  EXPECT_FAIL(dap_matrix_fit(two, 'N', NULL, NULL, &form, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_fit(two, 'N', NULL, wish, NULL, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_fit(NULL, 'N', NULL, wish, &form, &err), DAP_ERR_ARG, &err, "NULL");
  const dap_darray matrix = {two, &array}, stack = {three, &array}, none = {two, NULL};
  EXPECT_FAIL(dap_matrix_local(stack, 0, 'N', &data, &lld, &err), DAP_ERR_UNSUPPORTED, &err, "has 3");
  EXPECT_FAIL(dap_matrix_local(matrix, 0, 't', &data, &lld, &err), DAP_ERR_ARG, &err, "op is");
  EXPECT_FAIL(dap_matrix_local(matrix, 2, 'T', &data, &lld, &err), DAP_ERR_ARG, &err, "rank 2|0 .. 1");
  EXPECT_FAIL(dap_matrix_local(none, 0, 'T', &data, &lld, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_local(matrix, 0, 'T', NULL, &lld, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_matrix_local(matrix, 0, 'T', &data, NULL, &err), DAP_ERR_ARG, &err, "NULL");
  dap_array_release(&array);
  dap_layout_destroy(&three);
  dap_layout_destroy(&two);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_needs),     cmocka_unit_test(test_check), cmocka_unit_test(test_speed),
    cmocka_unit_test(test_blocks),    cmocka_unit_test(test_wish),  cmocka_unit_test(test_describe),
    cmocka_unit_test(test_arguments),
};
MPI_TEST_MAIN(tests)
