/* dap_linalg_condition() against the exact value by serial LAPACK, and of singular matrices, with their
 * determinants. */
#include "harness.h"

/* Well conditioned in the norm '1', and less so in 'I' by a factor that grows with the order: one full
 * row. */
static double complex entry_row(int64_t i, int64_t j)
{
  return i == j ? 32 : i == 1 ? 16 + entry_any(i, j) : entry_any(i, j) / 64;
}

/* An estimate is never too small but for rounding, and hardly ever too large by more than a small factor. */
enum { FACTOR = 4 };

static void check(const trial *t, char norm, formula *entry)
{
  const int64_t n = t->size[0];
  TEST_CASE("'%c', %s, %d x %d %s over %d x %d", norm, t->source->name, (int)n, (int)n, t->type->name,
            t->grid[0], t->grid[1]);
  matrix a = trial_matrix(t, n, n, entry);
  double complex *whole = matrix_whole(&a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  double rcond = NAN;
  EXPECT_OK(dap_linalg_condition(MPI_COMM_WORLD, norm, matrix_operand(&a), &rcond, &options, &err), &err);

  const double want = serial_condition(norm, n, whole),
               least = want * (1 - 32 * (double)(n + 1) * t->type->eps);
  EXPECT_MSG(rcond >= least && rcond <= FACTOR * want, "rcond is %g, exactly %g", rcond, want);
  expect_use(&report, 0, "A", &a, source_shares(t->source, t->size, t->grid));
  expect_work(&a, &report.uses[0], false, true);
  expect_padding(&a);
  free(whole);
  matrix_free(&a);
  SETTLE();
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    if (t.number % 2) check(&t, "1I"[t.number / 2 % 2], t.number % 3 ? entry_row : entry_dominant);
  }
}

/* What makes a wrong norm visible. */
static void norms_differ(void **state)
{
  enum { N = 33 };
  (void)state;
  double complex *whole = whole_make(N, N, entry_row, &element_types[1]);
  EXPECT(serial_condition('1', N, whole) > 2 * FACTOR * serial_condition('I', N, whole));
  free(whole);
  SETTLE();
}

/* 1 - u v^T / 2, where u is 1, -1, 1, .. in rows 1 .. 16, and v in 17 .. 32. The inverse has + for -, and
 * norms of 9; but a walk over unit vectors that begins with equal elements sees 1, as both sum up to 0. There
 * is nothing to pivot. */
static double complex entry_blind(int64_t i, int64_t j)
{
  const bool in_block = i >= 1 && i <= 16 && j >= 17 && j <= 32;
  if (in_block) return (i + j) % 2 ? 0.5 : -0.5;
  return i == j ? 1 : 0;
}

static void nothing_hides(void **state)
{
  enum { N = 33 };
  (void)state;
  for (int i = 0; i < 2 * source_count; i++) {
    const element_type *type = &element_types[i / 2 % ELEMENT_TYPES];
    const char norm = "1I"[i % 2];
    const source *from = &sources[i / 2];
    TEST_CASE("'%c', %s, %s", norm, from->name, type->name);
    matrix a =
        matrix_make(from, type, 2, (const int64_t[]){N, N}, (const int[2]){test_nprocs(), 1}, entry_blind);
    double complex *whole = whole_make(N, N, entry_blind, type);
    const double want = serial_condition(norm, N, whole);
    double rcond = NAN;
    dap_error err = {0};
    EXPECT_OK(dap_linalg_condition(MPI_COMM_WORLD, norm, matrix_operand(&a), &rcond, NULL, &err), &err);
    EXPECT_MSG(rcond >= want * (1 - 32 * (N + 1) * type->eps) && rcond <= FACTOR * want,
               "rcond is %g, exactly %g", rcond, want);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* An exactly singular matrix is no error: linalg_edges_systems takes one there. */
static const struct {
  const char *why;
  int64_t n;
  formula *entry;
} singular[] = {
    {"a zero column", 33, entry_singular},
    {"zeros", 33, entry_zero},
    {"one zero", 1, entry_zero},
};

static void singular_is_no_error(void **state)
{
  (void)state;
  for (int i = 0; i < (int)(sizeof singular / sizeof singular[0]) * source_count; i++) {
    const int row = i / source_count, at = i % source_count;
    const int64_t size[2] = {singular[row].n, singular[row].n};
    const dap_linalg_options keep = {.keep = true};
    double rcond = 5, sign[2] = {5, 5}, log = 5;
    dap_error err = {0};
    TEST_CASE("%s, %s", singular[row].why, sources[at].name);
    matrix a = matrix_make(&sources[at], &element_types[i % ELEMENT_TYPES], 2, size,
                           (const int[2]){test_nprocs(), 1}, singular[row].entry);
    EXPECT_OK(dap_linalg_condition(MPI_COMM_WORLD, "1I"[i % 2], matrix_operand(&a), &rcond, &keep, &err),
              &err);
    EXPECT_MSG(rcond == 0, "rcond is %g", rcond);
    EXPECT_OK(dap_linalg_determinant(MPI_COMM_WORLD, matrix_operand(&a), sign, &log, NULL, &err), &err);
    EXPECT_MSG(sign[0] == 0 && sign[1] == 0 && log == -INFINITY, "(%g, %g) exp(%g)", sign[0], sign[1], log);
    expect_padding(&a);
    matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(norms_differ), cmocka_unit_test(everywhere),
                                          cmocka_unit_test(nothing_hides),
                                          cmocka_unit_test(singular_is_no_error)};
MPI_TEST_MAIN(tests)
