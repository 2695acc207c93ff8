/* Kept factors against serial LAPACK: some of what dap_linalg_solve() is tested with, as a factorisation
 * and a solution; every layout, with several right-hand sides; and what only factors can do. */
#include "factors_impl.h"
#include "systems.h"

#include <dapbridge/linalg_factors.h>

/* ---- as solvers ------------------------------------------------------------------------------------ */

/* Factors, solves and ends; with both reports in one. */
static dap_status factor_and_solve(MPI_Comm comm, char uplo, char trans, dap_darray a, dap_darray b,
                                   const dap_linalg_options *options, dap_error *err)
{
  dap_linalg_options making = *options;
  dap_linalg_report solved = {0};
  dap_linalg_options solving = *options;
  dap_linalg_factors *factors = NULL;
  solving.report = &solved;
  dap_status s = uplo ? dap_linalg_cholesky(comm, uplo, a, &making, &factors, err)
                      : dap_linalg_lu(comm, a, &making, &factors, err);
  EXPECT((s == DAP_OK) == (factors != NULL));
  if (!s) s = dap_linalg_factors_solve(factors, trans, b, &solving, err);
  dap_linalg_factors_destroy(&factors);
  EXPECT(!factors);
  if (!options->report) return s;
  if (!s) {
    EXPECT(solved.uses[0].shared && !solved.uses[0].moved_bytes && !strcmp(solved.uses[0].name, "factors"));
  }
  options->report->count = 2;
  options->report->uses[1] = solved.uses[1];
  return s;
}

static dap_status by_lu(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                        const dap_linalg_options *options, dap_error *err)
{
  return factor_and_solve(comm, 0, trans, a, b, options, err);
}

static dap_status by_cholesky(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                              const dap_linalg_options *options, dap_error *err)
{
  return factor_and_solve(comm, uplo, 'N', a, b, options, err);
}

/* So that A keeps its values whatever B is refused for; but a sharing that excludes that is as asked for. */
static dap_status by_kept_lu(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                             const dap_linalg_options *options, dap_error *err)
{
  dap_linalg_options o = *options;
  o.keep = o.sharing != DAP_SHARE_OR_FAIL;
  return factor_and_solve(comm, 0, trans, a, b, &o, err);
}

static const system_kind lu = {"lu", by_lu, "NTC", entry_any, false},
                         cholesky = {"potrf kept", by_cholesky, "LU", entry_definite, true},
                         kept_lu = {"lu", by_kept_lu, "NTC", entry_any, false};

static void shared_pairs(void **state)
{
  (void)state;
  systems_shared(&lu);
  systems_shared(&cholesky);
}

static void keeps(void **state)
{
  (void)state;
  systems_keep(&lu);
  systems_keep(&cholesky);
}

static void refusals(void **state)
{
  (void)state;
  systems_refuse(&kept_lu);
}

static void no_factors(void **state)
{
  (void)state;
  systems_fail(&lu, entry_singular, "A is singular|U(3, 3) is zero", 33, 3);
  systems_fail(&lu, entry_zero, "A is singular|U(1, 1) is zero", 1, 1);
  systems_fail(&lu, entry_nan, "A has an element that is not finite|(0, 0)", 33, 0);
  systems_fail(&cholesky, entry_definite_not,
               "not positive definite|minor of order 3 is not positive|symmetric indefinite|LU", 33, 3);
}

/* ---- used again and again -------------------------------------------------------------------------- */

static dap_status factor(bool definite, char uplo, const matrix *a, const dap_linalg_options *options,
                         dap_linalg_factors **factors, dap_error *err)
{
  return definite ? dap_linalg_cholesky(MPI_COMM_WORLD, uplo, matrix_operand(a), options, factors, err)
                  : dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(a), options, factors, err);
}

static void solve_once(const trial *t, dap_linalg_factors *factors, char trans, const double complex *whole_a,
                       matrix *b, const char *what)
{
  const int64_t n = t->size[0];
  double complex *whole_b = matrix_whole(b);
  dap_error err = {0};
  EXPECT_OK(dap_linalg_factors_solve(factors, trans, matrix_operand(b), NULL, &err), &err);
  double complex *x = matrix_whole(b);
  const double r = residual_solve(trans, n, b->size[1], whole_a, x, whole_b, t->type->eps);
  EXPECT_MSG(r <= RESIDUAL_LIMIT, "%s, '%c': residual %g", what, trans, r);
  expect_padding(b);
  free(x);
  free(whole_b);
  matrix_free(b);
}

/* The numbers and the inverse that factors give, against LAPACK's. */
static void check_numbers(const trial *t, dap_linalg_factors *factors, bool definite,
                          const double complex *whole_a)
{
  const int64_t n = t->size[0];
  double sign[2] = {NAN, NAN}, log = NAN, want_log;
  dap_error err = {0};
  EXPECT_OK(dap_linalg_factors_determinant(factors, sign, &log, &err), &err);
  const double complex want = serial_determinant(n, whole_a, &want_log);
  const double off = cabs(CMPLX(sign[0], sign[1]) - want) + fabs(log - want_log);
  EXPECT_MSG(off <= 100 * (double)(n + 1) * t->type->eps * (1 + fabs(want_log)),
             "determinant (%g, %g) exp(%g), not (%g, %g) exp(%g)", sign[0], sign[1], log, creal(want),
             cimag(want), want_log);
  EXPECT(!definite || (sign[0] == 1 && sign[1] == 0));
  for (int k = 0; k < 2; k++) {
    const char norm = "1I"[k];
    double rcond = NAN;
    EXPECT_OK(dap_linalg_factors_condition(factors, norm, &rcond, &err), &err);
    const double exactly = serial_condition(norm, n, whole_a);
    EXPECT_MSG(rcond >= exactly * (1 - 64 * (double)(n + 1) * t->type->eps) && rcond <= 4 * exactly,
               "'%c': rcond is %g, exactly %g", norm, rcond, exactly);
  }
  matrix x = t->number % 2 ? trial_matrix(t, n, n, entry_nans) : trial_other(t, n, n, entry_nans);
  EXPECT_OK(dap_linalg_factors_inverse(factors, matrix_operand(&x), NULL, &err), &err);
  double complex *inverse = matrix_whole(&x);
  expect_residual("A X - 1", residual_inverse(n, whole_a, inverse, t->type->eps));
  expect_padding(&x);
  free(inverse);
  matrix_free(&x);
}

/* Cholesky's factors that were moved are solved with faster where processes share their rows, not columns;
 * LU's are made faster where up to four share the columns. Only an array's own grid comes first. */
static void expect_grid(const dap_linalg_factors *factors, const matrix *a, bool definite)
{
  if (dap_layout_procs(a->layout, 0) > 1 && dap_layout_procs(a->layout, 1) > 1) return;
  const int along = factors->op == 'T'; /* the axis along the matrix's rows */
  const int rows = dap_layout_procs(factors->layout, along),
            cols = dap_layout_procs(factors->layout, 1 - along);
  EXPECT_MSG(definite ? rows >= cols : rows <= cols, "%d x %d", rows, cols);
  if (!definite) EXPECT_MSG(rows * cols <= 4 ? rows == 1 : rows > 1, "%d x %d", rows, cols);
}

/* A is free where the factors have a copy, and holds them where it is shared: until they end, and then
 * still. */
static void many_times(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0];
    const bool definite = t.number / 2 % 2;
    const char uplo = t.number / 4 % 2 ? 'L' : 'U';
    formula *entry = definite ? entry_definite : entry_dominant;
    matrix a = trial_matrix(&t, n, n, entry);
    double complex *whole = matrix_whole(&a);
    if (definite) matrix_set_triangle(&a, uplo == 'L' ? 'U' : 'L', CMPLX(NAN, NAN));
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.keep = t.number % 3 == 0, .report = &report};
    dap_linalg_factors *factors = NULL;
    dap_error err = {0};
    EXPECT_OK(factor(definite, uplo, &a, &options, &factors, &err), &err);
    if (!factors) {
      free(whole);
      matrix_free(&a);
      SETTLE();
      continue;
    }
    expect_use(&report, 0, "A", &a, options.keep ? 0 : source_shares(t.source, t.size, t.grid));
    expect_work(&a, &report.uses[0], options.keep, true);
    if (!options.keep && !report.uses[0].shared) expect_grid(factors, &a, definite);
    if (!report.uses[0].shared) matrix_fill(&a, entry_nans);
    matrix_remember(&a);
    for (int k = 0; k < 3; k++) {
      const char trans = "NTC"[(t.number / 2 + k) % 3];
      matrix b = k == 0   ? trial_matrix(&t, n, 4, entry_any)
                 : k == 1 ? trial_other(&t, n, 3, entry_any)
                          : trial_vector(&t, n, false, entry_any);
      solve_once(&t, factors, trans, whole, &b, k == 0 ? "beside" : k == 1 ? "elsewhere" : "(n,)");
    }
    if (t.number % 2 == 0) check_numbers(&t, factors, definite, whole);
    dap_linalg_factors_destroy(&factors);
    expect_same(&a);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* The array that a caller passes, its structs and its layout need not stay; only what a shared one has. */
static void outlive_their_array(void **state)
{
  (void)state;
  enum { N = 33 };
  for (int i = 0; i < source_count; i++) {
    trial t = {.number = i, .source = &sources[i], .type = &element_types[i % ELEMENT_TYPES], .size = {N, N}};
    system_grid(i % 3 - 1, t.grid);
    TEST_CASE("%s", t.source->name);
    matrix a = trial_matrix(&t, N, N, entry_any);
    double complex *whole = matrix_whole(&a);
    dap_layout *layout = dap_layout_retain(a.layout);
    dap_array *array = malloc(sizeof *array);
    dap_linalg_factors *factors = NULL;
    dap_error err = {0};
    *array = a.array;
    EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, (dap_darray){layout, array}, NULL, &factors, &err), &err);
    memset(array, 0x5a, sizeof *array);
    free(array);
    dap_layout_destroy(&layout);
    matrix b = trial_other(&t, N, 2, entry_any);
    solve_once(&t, factors, 'N', whole, &b, "later");
    dap_linalg_factors_destroy(&factors);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* More right-hand sides than are exchanged at once, on some processes fewer than on others. */
static void many_sides(void **state)
{
  (void)state;
  enum { N = 33, NRHS = 150 };
  for (int i = 0; i < 6; i++) {
    trial t = {
        .number = i, .source = &sources[i % 2], .type = &element_types[i % ELEMENT_TYPES], .size = {N, N}};
    system_grid(i % 3 - 1, t.grid);
    TEST_CASE("%s, %d x %d", t.source->name, t.grid[0], t.grid[1]);
    matrix a = trial_matrix(&t, N, N, entry_any), b = trial_matrix(&t, N, NRHS, entry_any);
    double complex *whole = matrix_whole(&a);
    dap_linalg_factors *factors = NULL;
    dap_error err = {0};
    EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), NULL, &factors, &err), &err);
    solve_once(&t, factors, "NTC"[i % 3], whole, &b, "many");
    dap_linalg_factors_destroy(&factors);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* ---- refused --------------------------------------------------------------------------------------- */

static void wrong_calls(void **state)
{
  (void)state;
  enum { N = 9 };
  const int grid[2] = {test_nprocs(), 1};
  const int64_t size[2] = {N, N};
  matrix a = matrix_make(&sources[1], &element_types[1], 2, size, grid, entry_dominant),
         c = matrix_make(&sources[1], &element_types[1], 2, size, grid, entry_dominant);
  const dap_linalg_options kept = {.keep = true};
  dap_linalg_factors *f = NULL, *other = NULL;
  dap_error err = {0};
  double sign[2] = {5, 5}, log = 5, rcond = 5;
  EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), NULL, &f, &err), &err);
  EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&c), NULL, &other, &err), &err);

  TEST_CASE("no place for the factors");
  dap_status s = dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), NULL, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "factors must not be NULL");
  TEST_CASE("a triangle that is none");
  dap_linalg_factors *none = other;
  s = dap_linalg_cholesky(MPI_COMM_WORLD, 'X', matrix_operand(&a), NULL, &none, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "uplo|'X'");
  EXPECT(!none);
  TEST_CASE("B is where the factors are");
  s = dap_linalg_factors_solve(f, 'N', matrix_operand(&a), NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "factors and B overlap");
  TEST_CASE("X is of other extents");
  matrix b = matrix_make(&sources[1], &element_types[1], 2, (const int64_t[2]){N, 4}, grid, entry_any);
  s = dap_linalg_factors_inverse(f, matrix_operand(&b), NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "X must be 9 x 9, it is 9 x 4");
  TEST_CASE("a norm that is none");
  s = dap_linalg_factors_condition(f, 'F', &rcond, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "norm|'F'");
  TEST_CASE("no place for numbers");
  s = dap_linalg_factors_condition(f, '1', NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "rcond");
  s = dap_linalg_factors_determinant(f, sign, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "log");
  if (test_nprocs() > 1) {
    TEST_CASE("others' factors on the last process");
    s = dap_linalg_factors_solve(test_rank() == test_nprocs() - 1 ? other : f, 'N', matrix_operand(&b), NULL,
                                 &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "factors");
    TEST_CASE("another trans on the last process");
    s = dap_linalg_factors_solve(f, test_rank() == test_nprocs() - 1 ? 'T' : 'N', matrix_operand(&b), NULL,
                                 &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "trans");
    TEST_CASE("factors that rank 0 has destroyed, with new ones where they were");
    dap_linalg_factors *old = NULL, *fresh = NULL;
    EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&c), &kept, &old, &err), &err);
    if (test_rank() == 0) dap_linalg_factors_destroy(&old);
    EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&c), &kept, &fresh, &err), &err);
    s = dap_linalg_factors_solve(test_rank() == 0 ? fresh : old, 'N', matrix_operand(&b), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "factors");
    dap_linalg_factors_destroy(&fresh);
    dap_linalg_factors_destroy(&old);
  }
  TEST_CASE("none at all");
  EXPECT(dap_linalg_factors_solve(NULL, 'N', matrix_operand(&b), NULL, &err) == DAP_ERR_ARG);
  EXPECT(dap_linalg_factors_determinant(NULL, sign, &log, NULL) == DAP_ERR_ARG);
  EXPECT(sign[0] == 5 && log == 5 && rcond == 5);
  expect_same(&b);
  dap_linalg_factors_destroy(&f);
  dap_linalg_factors_destroy(&f);
  dap_linalg_factors_destroy(NULL);
  dap_linalg_factors_destroy(&other);
  matrix_free(&b), matrix_free(&c), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shared_pairs), cmocka_unit_test(keeps),      cmocka_unit_test(refusals),
    cmocka_unit_test(no_factors),   cmocka_unit_test(many_times), cmocka_unit_test(outlive_their_array),
    cmocka_unit_test(many_sides),   cmocka_unit_test(wrong_calls)};
LINALG_TEST_MAIN(tests)
