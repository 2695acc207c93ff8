/* dap_elpa_eigh() by what eigenvectors are, and against the eigenvalues of serial LAPACK. Special matrices,
 * who is shared, and what dap_linalg_eigh() refuses as well are tested by that (eigh_elpa.c). */
#include "elpa_test.h"

#include <stdlib.h>
#include <string.h>

enum { VECTORS = 1, ALIKE = 2, KEEP = 4, PART = 8, TWO_STAGES = 16, ONE_MAY_DO = 32 };

static int64_t wanted_pairs(int64_t n, int how)
{
  return how & PART && n > 1 ? (n + 2) / 3 : n;
}

/* ELPA's stage and grid, as the report says. */
static void check_report(const dap_elpa_report *report, int64_t n, int how)
{
  const int64_t width = (31 / report->block_size + 1) * report->block_size; /* of ELPA's band */
  const int stages = how & TWO_STAGES && n > width + 1 ? 2 : 1;
  if (!(how & ONE_MAY_DO) || report->stages != 1) EXPECT_INT(report->stages, stages);
  const int64_t procs = report->grid[0] * (int64_t)report->grid[1];
  EXPECT(procs >= 1 && procs <= test_nprocs());
  for (int k = 0; k < 2; k++)
    EXPECT_MSG((report->grid[k] - 1) * report->block_size < n,
               "blocks of %d on %d x %d processes leave some empty", (int)report->block_size, report->grid[0],
               report->grid[1]);
}

static void check(const trial *t, char uplo, int how, formula *entry)
{
  const int64_t n = t->size[0], k = wanted_pairs(n, how);
  if (!has_type(t->type)) return;
  matrix a = trial_matrix(t, n, n, entry), w = trial_vector(t, k, true, entry_nans), z = {0};
  if (how & VECTORS) z = how & ALIKE ? trial_matrix(t, n, k, entry_nans) : trial_other(t, n, k, entry_nans);
  double complex *whole = matrix_whole(&a);
  if (uplo != 'A') matrix_set_triangle(&a, uplo == 'L' ? 'U' : 'L', NAN);
  dap_elpa_report report = {0};
  const dap_elpa_solve_options options = {
      .report = &report, .keep = how & KEEP, .stages = how & TWO_STAGES ? 2 : 0};
  dap_error err = {0};
  EXPECT_OK(dap_elpa_eigh(MPI_COMM_WORLD, uplo, matrix_operand(&a), matrix_operand(&w),
                          how & VECTORS ? matrix_operand(&z) : (dap_darray){0}, &options, &err),
            &err);
  double complex *values = matrix_whole(&w), *vectors = how & VECTORS ? matrix_whole(&z) : NULL;
  check_eigen(t, k, whole, values, vectors);
  const dap_linalg_report as = report_of(&report);
  if (n > 0) {
    expect_use(&as, 0, "A", &a, how & KEEP ? 0 : how & VECTORS ? -1 : shares(t, &a));
    expect_use(&as, 1, "W", &w, 0);
    if (vectors) expect_use(&as, 2, "Z", &z, n > 1 && t->source->order == 'C' && how & ALIKE ? 0 : -1);
    expect_work(&a, &as.uses[0], how & KEEP, n > 2 && entry == entry_hermitian);
    check_report(&report, n, how);
  }
  expect_padding(&a), expect_padding(&w);
  EXPECT(!vectors || expect_padding(&z));
  free(vectors), free(values), free(whole);
  if (how & VECTORS) matrix_free(&z);
  matrix_free(&w), matrix_free(&a);
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int keep = t.number % 7 == 0 ? KEEP : 0, stages = t.number % 3 ? 0 : TWO_STAGES;
    check(&t, "LUA"[t.number % 3], VECTORS | ALIKE | keep | stages, entry_hermitian);
    if (t.number % 2) check(&t, "UL"[t.number / 2 % 2], VECTORS | PART, entry_hermitian);
    if (t.number % 3 == 0) check(&t, "ULA"[t.number / 3 % 3], keep, entry_hermitian);
    if (t.number % 4 == 0) check(&t, 'L', VECTORS | TWO_STAGES | PART, entry_hermitian);
    SETTLE();
  }
}

static double complex entry_rank1(int64_t i, int64_t j) /* eigenvalues n once, 0 else */
{
  (void)i, (void)j;
  return 1;
}

/* Of which two stages make vectors that are not orthogonal, with some BLAS and on some grids. */
static void rank_one_by_two_stages(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    t.size[0] = t.size[1] = 64;
    const bool is_one_in_five = t.number % 5 == 0;
    if (is_one_in_five) check(&t, 'L', VECTORS | ALIKE | TWO_STAGES | ONE_MAY_DO, entry_rank1);
    SETTLE();
  }
}

/* One block a process, which ELPA is slow in. */
static const struct {
  const char *why;
  source slabs;
  const char *reason;
} wide_blocks[] = {
    {"could be shared", {.order = 'F', .axes = {{CUT_CEIL, 0}, {CUT_EVEN, 0}}}, "moved for speed"},
    {"cannot be shared anyway, and says why",
     {.order = 'F', .axes = {{CUT_CEIL, 0}, {CUT_EVEN, 0}}, .memory = MEMORY_GAPS},
     "contiguous"},
    {"nor in the other byte order",
     {.order = 'F', .axes = {{CUT_CEIL, 0}, {CUT_EVEN, 0}}, .swapped = true},
     "byte order"},
};

static void check_wide(size_t row)
{
  enum { N = 520 };
  const int grid[2] = {test_nprocs(), 1};
  const int64_t block = (N + test_nprocs() - 1) / test_nprocs(), size[2] = {N, N}, length[2] = {N, 1};
  const bool slow = test_nprocs() > 1 && block > 128;
  const element_type *type = element_type_of(DAP_F8);
  matrix a = matrix_make(&wide_blocks[row].slabs, type, 2, size, grid, entry_hermitian);
  matrix w = matrix_make(&vector_sources[0], type, 1, length, grid, entry_nans);
  double complex *whole = matrix_whole(&a);
  dap_elpa_report report = {0};
  const dap_elpa_solve_options options = {.report = &report};
  dap_error err = {0};
  TEST_CASE("blocks of %d: %s", (int)block, wide_blocks[row].why);
  EXPECT_OK(dap_elpa_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), (dap_darray){0},
                          &options, &err),
            &err);
  if (slow)
    EXPECT_MSG(!report.uses[0].shared && test_contains(report.uses[0].reason, wide_blocks[row].reason), "%s",
               report.uses[0].reason);
  double complex *values = matrix_whole(&w), *want = serial_eigenvalues('L', N, whole);
  expect_residual("eigenvalues", residual_difference(N, 1, values, want, largest(N, want), N, type->eps));
  SETTLE();
  free(want), free(values), free(whole);
  matrix_free(&w), matrix_free(&a);
}

static void wide_blocks_are_moved(void **state)
{
  (void)state;
  for (size_t row = 0; row < sizeof wide_blocks / sizeof wide_blocks[0]; row++) check_wide(row);
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static const struct {
  const char *why;
  char uplo;
  int stages;
  int64_t w, z[2]; /* extents, where A is 5 x 5 */
  const char *parts;
} refusals[] = {
    {"no such triangle", 'X', 0, 5, {5, 5}, "uplo"},
    {"three stages", 'L', 3, 5, {5, 5}, "stages is 3"},
    {"W too long", 'L', 0, 6, {5, 6}, "W must be 5 x 1|6 x 1"},
    {"W empty", 'L', 0, 0, {5, 0}, "W must be 1 x 1|0 x 1"},
    {"Z too wide", 'U', 0, 4, {5, 5}, "Z must be 5 x 4|5 x 5"},
};

static void refused(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  const element_type *type = element_type_of(DAP_C16), *real = element_type_of(DAP_F8);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    TEST_CASE("%s", refusals[i].why);
    const dap_elpa_solve_options options = {.stages = refusals[i].stages};
    matrix a = matrix_make(&sources[0], type, 2, (const int64_t[2]){5, 5}, grid, entry_hermitian);
    matrix w =
        matrix_make(&vector_sources[0], real, 1, (const int64_t[2]){refusals[i].w, 1}, grid, entry_nans);
    matrix z = matrix_make(&sources[1], type, 2, refusals[i].z, grid, entry_nans);
    dap_error err = {0};
    const dap_status status = dap_elpa_eigh(MPI_COMM_WORLD, refusals[i].uplo, matrix_operand(&a),
                                            matrix_operand(&w), matrix_operand(&z), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, refusals[i].parts);
    EXPECT(expect_same(&a) && expect_same(&w) && expect_same(&z));
    matrix_free(&z), matrix_free(&w), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere),
                                          cmocka_unit_test(rank_one_by_two_stages),
                                          cmocka_unit_test(wide_blocks_are_moved), cmocka_unit_test(refused)};
MPI_TEST_MAIN(tests)
