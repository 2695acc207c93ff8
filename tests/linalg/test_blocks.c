/* Tests which blocks are shared. A large matrix that is factorised is moved if its blocks are wide or
 * narrow, unless the caller requires sharing. Solutions are right in both cases; the tests of edges draw
 * blocks of any size for other functions. */
#include "harness.h"

#include <dapbridge/linalg_factors.h>

#include <stdlib.h>

enum { N = 520, SMALL = 511, RHS = 2 };

static const struct {
  const char *why;
  int64_t n;
  case_cut cut;
  int block; /* 0: of CUT_CEIL */
  int wish;  /* the option's block_size */
  bool keep;
  dap_sharing sharing;
  bool shared; /* if blocks are within 16 .. 128, or always */
} rows[] = {
    {"one block a process", N, CUT_CEIL, 0, 0, false, DAP_SHARE_IF_POSSIBLE, false},
    {"the same, to be shared", N, CUT_CEIL, 0, 0, false, DAP_SHARE_OR_FAIL, true},
    {"narrow blocks", N, CUT_CYCLIC, 15, 0, false, DAP_SHARE_IF_POSSIBLE, false},
    {"the same, to be shared", N, CUT_CYCLIC, 15, 0, false, DAP_SHARE_OR_FAIL, true},
    {"the narrowest", N, CUT_CYCLIC, 16, 0, false, DAP_SHARE_IF_POSSIBLE, true},
    {"the widest", N, CUT_CYCLIC, 128, 0, false, DAP_SHARE_IF_POSSIBLE, true},
    {"wider", N, CUT_CYCLIC, 129, 0, false, DAP_SHARE_IF_POSSIBLE, false},
    {"a smaller matrix in one block a process", SMALL, CUT_CEIL, 0, 0, false, DAP_SHARE_IF_POSSIBLE, true},
    {"moved blocks as the caller wants them", N, CUT_CEIL, 0, 8, true, DAP_SHARE_IF_POSSIBLE, false},
    {"the same, wide", N, CUT_CYCLIC, 4, 256, true, DAP_SHARE_IF_POSSIBLE, false},
    {"a wish, and nothing moved", N, CUT_CYCLIC, 4, 256, false, DAP_SHARE_IF_POSSIBLE, true},
    {"a copy", N, CUT_CYCLIC, 20, 0, true, DAP_SHARE_IF_POSSIBLE, false},
    {"in narrow blocks", SMALL, CUT_CYCLIC, 4, 0, false, DAP_SHARE_IF_POSSIBLE, true},
};

/* The block size of the row's matrix along its first axis. */
static int64_t block_of(size_t row)
{
  return rows[row].block ? rows[row].block : (rows[row].n + test_nprocs() - 1) / test_nprocs();
}

static source source_of(size_t row, test_form form)
{
  return (source){{rows[row].why, 2, .cut = {rows[row].cut}, .block = {rows[row].block}}, .form = form};
}

static bool is_shared(size_t row)
{
  const int64_t block = block_of(row);
  if (rows[row].keep) return false;
  return rows[row].shared || test_nprocs() == 1 || (block >= 16 && block <= 128);
}

static void expect_reason(const dap_linalg_report *report, size_t row)
{
  if (is_shared(row) || rows[row].keep) return;
  EXPECT_MSG(test_contains(report->uses[0].reason, "moved for speed"), "%s", report->uses[0].reason);
  EXPECT_MSG(test_contains(report->uses[0].reason, "16 .. 128"), "%s", report->uses[0].reason);
  EXPECT_MSG(!strstr(report->uses[0].reason, " x "), "%s", report->uses[0].reason); /* of one axis only */
}

static void solve(size_t row, test_form form)
{
  const int grid[2] = {test_nprocs(), 1};
  const int64_t n = rows[row].n;
  const element_type *type = &element_types[1];
  const source s = source_of(row, form);
  matrix a = matrix_make(&s, type, n, n, grid, entry_dominant);
  matrix b = matrix_make(&s, type, n, RHS, grid, entry_any);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
  dap_linalg_report report = {0};
  dap_error err = {0};
  const dap_linalg_options options = {
      .sharing = rows[row].sharing, .keep = rows[row].keep, .block_size = rows[row].wish, .report = &report};
  EXPECT_OK(dap_linalg_solve(MPI_COMM_WORLD, 'N', matrix_operand(&a), matrix_operand(&b), &options, &err),
            &err);
  double complex *x = matrix_whole(&b);
  expect_residual("A X - B", residual_solve('N', n, RHS, whole_a, x, whole_b, type->eps));
  expect_use(&report, 0, "A", &a, is_shared(row));
  expect_reason(&report, row);
  free(x), free(whole_b), free(whole_a);
  matrix_free(&b), matrix_free(&a);
}

static void wide_and_narrow_blocks_are_moved(void **state)
{
  (void)state;
  for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    TEST_CASE("%s, %c order", rows[row].why, row % 2 ? 'F' : 'C');
    solve(row, row % 2 ? FORM_F : FORM_C);
    SETTLE();
  }
}

/* ---- other functions ----------------------------------------------------------------------------------- */

/* The operands of one call. A and Z are N x N, T is slender, R has T's columns as rows and columns, and W
 * is (N). */
typedef struct operands {
  dap_darray a, z, t, r, b, w;
} operands;

static dap_status by_cholesky(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_cholesky_solve(MPI_COMM_WORLD, 'L', o->a, o->b, options, err);
}

static dap_status by_eigenvalues(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'U', o->a, o->w, (dap_darray){0}, options, err);
}

static dap_status by_qr(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_qr(MPI_COMM_WORLD, o->a, o->z, (dap_darray){0}, options, err);
}

static dap_status by_slender_qr(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_qr(MPI_COMM_WORLD, o->t, (dap_darray){0}, o->r, options, err);
}

static dap_status by_product(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, o->a, o->a, NULL, o->z, options, err);
}

/* Factors are used in place, in any layout. */
static dap_status by_factors(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  dap_linalg_factors *factors = NULL;
  dap_status s = dap_linalg_lu(MPI_COMM_WORLD, o->a, options, &factors, err);
  if (!s) s = dap_linalg_factors_solve(factors, 'N', o->b, NULL, err);
  dap_linalg_factors_destroy(&factors);
  return s;
}

static const struct {
  const char *why;
  dap_status (*call)(const operands *o, const dap_linalg_options *options, dap_error *err);
  bool takes_any; /* blocks are shared as they are */
} functions[] = {
    {"potrf, whose moved matrix is better lower", by_cholesky, false},
    {"eigenvalues, whose moved matrix is better lower", by_eigenvalues, false},
    {"geqrf, whose moved matrix is better not transposed", by_qr, false},
    {"factors", by_factors, false},
    {"products take blocks of any size", by_product, true},
    {"few columns do not wear out wide blocks of rows", by_slender_qr, true},
};

static void check_function(size_t i, size_t row)
{
  const int grid[2] = {test_nprocs(), 1};
  const bool slender = functions[i].call == by_slender_qr;
  const int64_t few = slender ? SMALL + 1 : 1;
  const element_type *type = &element_types[1];
  const source s = source_of(row, FORM_F);
  matrix a = matrix_make(&s, type, N, N, grid, entry_definite),
         z = matrix_make(&s, type, N, N, grid, entry_nans),
         t = matrix_make(&s, type, 4 * few, few, grid, entry_any),
         r = matrix_make(&s, type, few, few, grid, entry_nans),
         b = matrix_make(&s, type, N, RHS, grid, entry_any), w = vector_make(0, type, N, entry_nans);
  const operands o = {matrix_operand(&a), matrix_operand(&z), matrix_operand(&t),
                      matrix_operand(&r), matrix_operand(&b), matrix_operand(&w)};
  dap_linalg_report report = {0};
  dap_error err = {0};
  const dap_linalg_options options = {.sharing = rows[row].sharing, .report = &report};
  EXPECT_OK(functions[i].call(&o, &options, &err), &err);
  expect_use(&report, 0, "A", slender ? &t : &a, functions[i].takes_any || is_shared(row));
  if (!functions[i].takes_any) expect_reason(&report, row);
  matrix_free(&w), matrix_free(&b), matrix_free(&r), matrix_free(&t), matrix_free(&z), matrix_free(&a);
}

static void other_functions_go_by_blocks(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    for (size_t row = 0; row < 3; row++) { /* moved, to be shared, narrow */
      if (functions[i].takes_any && row == 2) continue;
      TEST_CASE("%s: %s", functions[i].why, rows[row].why);
      check_function(i, row);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(wide_and_narrow_blocks_are_moved),
                                          cmocka_unit_test(other_functions_go_by_blocks)};
MPI_TEST_MAIN(tests)
