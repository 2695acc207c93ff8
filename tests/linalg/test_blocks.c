/* Which blocks are shared: those of a large matrix that is factorised must be neither wide nor narrow, unless
 * the caller wants it shared; the results are right either way. */
#include "harness.h"

#include <dapbridge/linalg_factors.h>

#include <stdlib.h>

enum { N = 520, SMALL = 511, RHS = 2 };

static const struct {
  const char *why;
  int64_t n;
  source_cut cut;
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

/* What the row's matrix of n x n lies in along its first axis. */
static int64_t block_of(size_t row)
{
  return rows[row].block ? rows[row].block : (rows[row].n + test_nprocs() - 1) / test_nprocs();
}

static source source_of(size_t row, char order)
{
  return (source){.order = order, .axes = {{rows[row].cut, rows[row].block}, {CUT_EVEN, 0}}};
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
}

static void solve(size_t row, char order)
{
  const int grid[2] = {test_nprocs(), 1};
  const int64_t n = rows[row].n, size[2] = {n, n}, sides[2] = {n, RHS};
  const element_type *type = &element_types[1];
  const source s = source_of(row, order);
  matrix a = matrix_make(&s, type, 2, size, grid, entry_dominant);
  matrix b = matrix_make(&s, type, 2, sides, grid, entry_any);
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
    const char order = row % 2 ? 'F' : 'C';
    TEST_CASE("%s, %c order", rows[row].why, order);
    solve(row, order);
    SETTLE();
  }
}

/* Products take blocks of any size, and elimination of few columns does not wear out wide blocks of rows. */
static void others_are_shared(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  const int64_t square[2] = {N, N}, tall[2] = {4 * SMALL + 4, SMALL + 1};
  const source s = source_of(0, 'F');
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  matrix a = matrix_make(&s, &element_types[1], 2, square, grid, entry_any);
  matrix c = matrix_make(&s, &element_types[1], 2, square, grid, entry_nans);
  TEST_CASE("multiply");
  EXPECT_OK(dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', one, matrix_operand(&a), matrix_operand(&a), zero,
                                matrix_operand(&c), &options, &err),
            &err);
  expect_use(&report, 2, "C", &c, 1);
  SETTLE();
  matrix_free(&c), matrix_free(&a);

  matrix t = matrix_make(&s, &element_types[1], 2, tall, grid, entry_any);
  TEST_CASE("qr of a slender matrix");
  const dap_darray none = {0};
  matrix r =
      matrix_make(&s, &element_types[1], 2, (const int64_t[2]){SMALL + 1, SMALL + 1}, grid, entry_nans);
  EXPECT_OK(dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(&t), none, matrix_operand(&r), &options, &err),
            &err);
  expect_use(&report, 0, "A", &t, 1);
  SETTLE();
  matrix_free(&r), matrix_free(&t);
}

/* ---- whatever else factorises ---- */

/* The operands of one call: A, B (N x 2), W (N) and Z (N x N). */
typedef struct operands {
  matrix a, b, w, z;
} operands;

static dap_status by_cholesky(operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_cholesky_solve(MPI_COMM_WORLD, 'L', matrix_operand(&o->a), matrix_operand(&o->b), options,
                                   err);
}

static dap_status by_eigenvalues(operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'U', matrix_operand(&o->a), matrix_operand(&o->w), (dap_darray){0},
                         options, err);
}

static dap_status by_eigenvectors(operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'U', matrix_operand(&o->a), matrix_operand(&o->w),
                         matrix_operand(&o->z), options, err);
}

static dap_status by_qr(operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(&o->a), matrix_operand(&o->z), (dap_darray){0}, options,
                       err);
}

static void check_solution(const operands *o, const double complex *a, const double complex *b)
{
  double complex *x = matrix_whole(&o->b);
  expect_residual("A X - B", residual_solve('N', N, RHS, a, x, b, element_types[1].eps));
  free(x);
}

static void check_values(const operands *o, const double complex *a, const double complex *b)
{
  (void)b;
  double complex *w = matrix_whole(&o->w), *want = serial_eigenvalues('U', N, a);
  expect_residual("eigenvalues",
                  residual_difference(N, 1, w, want, largest(N, want), N, element_types[1].eps));
  free(want), free(w);
}

static void check_vectors(const operands *o, const double complex *a, const double complex *b)
{
  double complex *w = matrix_whole(&o->w), *z = matrix_whole(&o->z);
  check_values(o, a, b);
  expect_residual("A Z - Z W", residual_eigen(N, a, w, z, element_types[1].eps));
  free(z), free(w);
}

static void check_orthogonal(const operands *o, const double complex *a, const double complex *b)
{
  (void)a, (void)b;
  double complex *q = matrix_whole(&o->z);
  expect_residual("Q^H Q - I", residual_orthogonal(N, N, q, element_types[1].eps));
  free(q);
}

static const struct {
  const char *why;
  dap_status (*call)(operands *o, const dap_linalg_options *options, dap_error *err);
  void (*check)(const operands *o, const double complex *a, const double complex *b);
} functions[] = {
    {"potrf, whose moved matrix is better lower", by_cholesky, check_solution},
    {"eigenvalues, whose moved matrix is better lower", by_eigenvalues, check_values},
    {"eigenvectors, where A or Z leads", by_eigenvectors, check_vectors},
    {"geqrf, whose moved matrix is better not transposed", by_qr, check_orthogonal},
};

static void check_function(size_t i, size_t row)
{
  const int grid[2] = {test_nprocs(), 1};
  const int64_t size[2] = {N, N}, sides[2] = {N, RHS}, length[2] = {N, 1};
  const element_type *type = &element_types[1];
  const source s = source_of(row, 'F');
  operands o = {.a = matrix_make(&s, type, 2, size, grid, entry_definite),
                .b = matrix_make(&s, type, 2, sides, grid, entry_any),
                .w = matrix_make(&vector_sources[0], type, 1, length, grid, entry_nans),
                .z = matrix_make(&s, type, 2, size, grid, entry_nans)};
  double complex *a = matrix_whole(&o.a), *b = matrix_whole(&o.b);
  dap_linalg_report report = {0};
  dap_error err = {0};
  const dap_linalg_options options = {.sharing = rows[row].sharing, .report = &report};
  EXPECT_OK(functions[i].call(&o, &options, &err), &err);
  expect_use(&report, 0, "A", &o.a, is_shared(row));
  expect_reason(&report, row);
  functions[i].check(&o, a, b);
  free(b), free(a);
  matrix_free(&o.z), matrix_free(&o.w), matrix_free(&o.b), matrix_free(&o.a);
}

static void other_functions_go_by_blocks(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    for (size_t row = 0; row < 3; row++) { /* moved, to be shared, narrow */
      TEST_CASE("%s: %s", functions[i].why, rows[row].why);
      check_function(i, row);
      SETTLE();
    }
}

/* Factors are used where they lie, however that is. */
static void factors_stay(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  const int64_t size[2] = {N, N}, sides[2] = {N, RHS};
  const source s = source_of(0, 'F');
  matrix a = matrix_make(&s, &element_types[1], 2, size, grid, entry_dominant);
  matrix b = matrix_make(&s, &element_types[1], 2, sides, grid, entry_any);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.sharing = DAP_SHARE_OR_FAIL, .report = &report};
  dap_linalg_factors *factors;
  dap_error err = {0};
  TEST_CASE("factors in one block a process");
  EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), &options, &factors, &err), &err);
  expect_use(&report, 0, "A", &a, 1);
  EXPECT_OK(dap_linalg_factors_solve(factors, 'N', matrix_operand(&b), NULL, &err), &err);
  dap_linalg_factors_destroy(&factors);
  double complex *x = matrix_whole(&b);
  expect_residual("A X - B", residual_solve('N', N, RHS, whole_a, x, whole_b, element_types[1].eps));
  SETTLE();
  free(x), free(whole_b), free(whole_a);
  matrix_free(&b), matrix_free(&a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wide_and_narrow_blocks_are_moved), cmocka_unit_test(others_are_shared),
    cmocka_unit_test(other_functions_go_by_blocks), cmocka_unit_test(factors_stay)};
MPI_TEST_MAIN(tests)
