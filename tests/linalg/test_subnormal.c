/* Systems of elements so small that reciprocals of pivots overflow. A power of 2 brings matrices back into
 * range without rounding, so that serial LAPACK can say what is right. */
#include "harness.h"

#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_triangular.h>
#include <string.h>

enum { ORDER = 9, COLUMNS = 3 };

static int exponent; /* of the elements of this case */

static double complex entry_small(int64_t i, int64_t j)
{
  const double complex value = entry_dominant(i, j);
  return CMPLX(ldexp(creal(value), exponent), ldexp(cimag(value), exponent));
}

static double complex entry_small_definite(int64_t i, int64_t j)
{
  const double complex value = entry_definite(i, j);
  return CMPLX(ldexp(creal(value), exponent), ldexp(cimag(value), exponent));
}

static double complex entry_small_right(int64_t i, int64_t j)
{
  const double complex value = entry_any(i, j + 5);
  return CMPLX(ldexp(creal(value), exponent + 6), ldexp(cimag(value), exponent + 6));
}

/* Overwrites a whole matrix with itself times 2^-exponent. */
static double complex *brought_back(const matrix *m)
{
  double complex *whole = matrix_whole(m);
  for (int64_t k = 0; k < m->size[0] * m->size[1]; k++)
    whole[k] = CMPLX(ldexp(creal(whole[k]), -exponent), ldexp(cimag(whole[k]), -exponent));
  return whole;
}

/* A case: element type, exponents, and whether the inverse is in the type's range. */
static const struct {
  const char *why;
  dap_dtype types[2]; /* real, complex */
  int exponent;
  bool has_inverse;
} ranges[] = {
    {"all subnormal", {DAP_F8, DAP_C16}, -1036, false},
    {"subnormal beside normal", {DAP_F8, DAP_C16}, -1024, true},
    {"small", {DAP_F8, DAP_C16}, -1010, true},
    {"all subnormal", {DAP_F4, DAP_C8}, -139, false},
    {"subnormal beside normal", {DAP_F4, DAP_C8}, -130, true},
    {"small", {DAP_F4, DAP_C8}, -120, true},
};
static const int rows[] = {0, 1, 4, 17, 10}; /* sources: both orders, shared and moved */
enum { RANGES = sizeof ranges / sizeof ranges[0], ROWS = sizeof rows / sizeof rows[0] };

/* Case `i`; false: no more. */
static bool next_case(int i, trial *t, bool *has_inverse)
{
  if (i >= 4 * RANGES * ROWS) return false;
  const int range = i % RANGES, along = i / RANGES % 2, complex_type = i / RANGES / 2 % 2;
  *t = (trial){.number = i, .source = &sources[rows[i / RANGES / 4]]};
  t->type = element_type_of(ranges[range].types[complex_type]);
  t->size[0] = t->size[1] = ORDER;
  t->grid[along] = test_nprocs(), t->grid[1 - along] = 1;
  exponent = ranges[range].exponent;
  *has_inverse = ranges[range].has_inverse;
  TEST_CASE("%s %s, %s over %d x %d", ranges[range].why, t->type->name, t->source->name, t->grid[0],
            t->grid[1]);
  return true;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static const double log_of_2 = 0.69314718055994530942;

static void expect_determinant(const double complex *a, const double sign[2], double log, double eps)
{
  double want_log;
  const double complex want = serial_determinant(ORDER, a, &want_log);
  want_log += ORDER * (double)exponent * log_of_2;
  const double off = cabs(CMPLX(sign[0], sign[1]) - want) + fabs(log - want_log);
  EXPECT_MSG(off <= 100 * eps + 4 * fabs(want_log) * DBL_EPSILON,
             "log is %.17g, not %.17g; the sign is off by %g", log, want_log,
             cabs(CMPLX(sign[0], sign[1]) - want));
}

static void expect_condition(const double complex *a, double rcond)
{
  const double number = serial_condition('1', ORDER, a);
  EXPECT_MSG(rcond >= number / 1.01 && rcond <= 4 * number, "rcond is %g, not %g", rcond, number);
}

static void numbers(void **state)
{
  (void)state;
  trial t;
  bool has_inverse;
  for (int i = 0; next_case(i, &t, &has_inverse); i++) {
    matrix a = trial_matrix(&t, ORDER, ORDER, entry_small);
    double complex *whole = brought_back(&a);
    dap_error err = {0};
    double sign[2], log, rcond = 0;
    const dap_linalg_options keep = {.keep = true};
    EXPECT_OK(dap_linalg_determinant(MPI_COMM_WORLD, matrix_operand(&a), sign, &log, &keep, &err), &err);
    expect_determinant(whole, sign, log, t.type->eps);
    EXPECT_OK(dap_linalg_condition(MPI_COMM_WORLD, '1', matrix_operand(&a), &rcond, &keep, &err), &err);
    expect_condition(whole, rcond);
    dap_linalg_factors *factors;
    EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), NULL, &factors, &err), &err);
    EXPECT_OK(dap_linalg_factors_determinant(factors, sign, &log, &err), &err);
    expect_determinant(whole, sign, log, t.type->eps);
    EXPECT_OK(dap_linalg_factors_condition(factors, '1', &rcond, &err), &err);
    expect_condition(whole, rcond);
    dap_linalg_factors_destroy(&factors);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* ---- solutions ----------------------------------------------------------------------------------------- */

typedef dap_status solver(char trans, dap_darray a, dap_darray b, dap_darray x, dap_error *err);

static dap_status by_lu(char trans, dap_darray a, dap_darray b, dap_darray x, dap_error *err)
{
  (void)x;
  return dap_linalg_solve(MPI_COMM_WORLD, trans, a, b, NULL, err);
}

static dap_status by_factors(char trans, dap_darray a, dap_darray b, dap_darray x, dap_error *err)
{
  (void)x;
  dap_linalg_factors *factors;
  dap_status s = dap_linalg_lu(MPI_COMM_WORLD, a, NULL, &factors, err);
  if (!s) s = dap_linalg_factors_solve(factors, trans, b, NULL, err);
  dap_linalg_factors_destroy(&factors);
  return s;
}

static dap_status with_bounds(char trans, dap_darray a, dap_darray b, dap_darray x, dap_error *err)
{
  return dap_linalg_solve_refined(MPI_COMM_WORLD, trans, a, b, x, NULL, NULL, NULL, NULL, err);
}

static dap_status by_cholesky(char trans, dap_darray a, dap_darray b, dap_darray x, dap_error *err)
{
  (void)trans, (void)x;
  return dap_linalg_cholesky_solve(MPI_COMM_WORLD, 'L', a, b, NULL, err);
}

static const struct {
  const char *name;
  solver *run;
  char trans;
  bool definite, in_x;
} solvers[] = {
    {"solve", by_lu, 'N', false, false},
    {"solve, transposed", by_lu, 'T', false, false},
    {"solve, adjoint", by_lu, 'C', false, false},
    {"factors", by_factors, 'N', false, false},
    {"factors, adjoint", by_factors, 'C', false, false},
    {"refined", with_bounds, 'N', false, true},
    {"cholesky", by_cholesky, 'N', true, false},
};

/* As far as subnormal numbers have digits, where they occur: in residuals, and in squares of Cholesky's
 * factor. */
static double accuracy(const trial *t, bool has_subnormal)
{
  const bool single = t->type->real == DAP_F4;
  const int digits = exponent + (single ? 149 : 1074);
  return has_subnormal ? fmax(t->type->eps, ldexp(1, -digits)) : t->type->eps;
}

static void solutions(void **state)
{
  enum { SOLVERS = sizeof solvers / sizeof solvers[0] };
  (void)state;
  trial t;
  bool has_inverse;
  for (int i = 0; next_case(i / SOLVERS, &t, &has_inverse); i++) {
    const int k = i % SOLVERS;
    matrix a = trial_matrix(&t, ORDER, ORDER, solvers[k].definite ? entry_small_definite : entry_small);
    matrix b = trial_matrix(&t, ORDER, COLUMNS, entry_small_right);
    matrix x = trial_matrix(&t, ORDER, COLUMNS, entry_nans);
    double complex *whole_a = brought_back(&a), *whole_b = brought_back(&b);
    dap_error err = {0};
    EXPECT_OK(
        solvers[k].run(solvers[k].trans, matrix_operand(&a), matrix_operand(&b), matrix_operand(&x), &err),
        &err);
    double complex *got = matrix_whole(solvers[k].in_x ? &x : &b);
    const double residual = residual_solve(solvers[k].trans, ORDER, COLUMNS, whole_a, got, whole_b,
                                           accuracy(&t, solvers[k].definite || solvers[k].in_x));
    expect_residual(solvers[k].name, residual);
    free(got), free(whole_b), free(whole_a);
    matrix_free(&x), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

/* ---- inverses ------------------------------------------------------------------------------------------ */

/* That of A 2^exponent is the inverse of A times 2^-exponent: `got`, times 2^exponent. */
static void expect_inverse(const trial *t, const double complex *a, const matrix *got)
{
  double complex *x = matrix_whole(got);
  for (int64_t k = 0; k < (int64_t)ORDER * ORDER; k++)
    x[k] = CMPLX(ldexp(creal(x[k]), exponent), ldexp(cimag(x[k]), exponent));
  expect_residual("I - A X", residual_inverse(ORDER, a, x, t->type->eps));
  free(x);
}

static void inverses(void **state)
{
  (void)state;
  trial t;
  bool has_inverse;
  for (int i = 0; next_case(i, &t, &has_inverse); i++) {
    matrix a = trial_matrix(&t, ORDER, ORDER, entry_small), x = trial_matrix(&t, ORDER, ORDER, entry_nans);
    double complex *whole = brought_back(&a);
    dap_error err = {0};
    const dap_linalg_options keep = {.keep = true};
    const dap_status want = has_inverse ? DAP_OK : DAP_ERR_NUMERIC;
    dap_linalg_factors *factors;
    EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), &keep, &factors, &err), &err);
    dap_status s = dap_linalg_factors_inverse(factors, matrix_operand(&x), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, want, "the inverse exceeds the range of");
    if (has_inverse) expect_inverse(&t, whole, &x);
    dap_linalg_factors_destroy(&factors);
    s = dap_linalg_inverse(MPI_COMM_WORLD, matrix_operand(&a), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, want, "the inverse exceeds the range of");
    if (has_inverse) expect_inverse(&t, whole, &a);
    free(whole);
    matrix_free(&x), matrix_free(&a);
    SETTLE();
  }
}

/* ---- what no power of 2 mends -------------------------------------------------------------------------- */

static double complex entry_mixed(int64_t i, int64_t j) /* one normal element, and a subnormal matrix */
{
  return i == 0 || j == 0 ? (double)(i == j) : entry_small(i, j);
}

static double complex entry_last(int64_t i, int64_t j) /* the last pivot is subnormal */
{
  return i != j ? 0 : i == ORDER - 1 ? ldexp(1, exponent) : 1;
}

static dap_status run_determinant(dap_darray a, dap_darray b, dap_error *err)
{
  (void)b;
  double sign[2], log;
  return dap_linalg_determinant(MPI_COMM_WORLD, a, sign, &log, NULL, err);
}

static dap_status run_solve(dap_darray a, dap_darray b, dap_error *err)
{
  return dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, NULL, err);
}

static dap_status run_inverse(dap_darray a, dap_darray b, dap_error *err)
{
  (void)b;
  return dap_linalg_inverse(MPI_COMM_WORLD, a, NULL, err);
}

static dap_status run_factors(dap_darray a, dap_darray b, dap_error *err)
{
  return by_factors('N', a, b, b, err);
}

static dap_status run_triangular(dap_darray a, dap_darray b, dap_error *err)
{
  return dap_linalg_triangular_solve(MPI_COMM_WORLD, 'L', 'L', 'N', 'N', NULL, a, b, NULL, err);
}

static const struct {
  const char *why;
  formula *entry;
  dap_status (*run)(dap_darray a, dap_darray b, dap_error *err);
  dap_status status;
  const char *parts;
} hopeless[] = {
    {"a determinant without pivots", entry_mixed, run_determinant, DAP_ERR_NUMERIC,
     "is not finite|unlike in size"},
    {"a solution without pivots", entry_mixed, run_solve, DAP_ERR_NUMERIC, "is not finite|unlike in size"},
    {"an inverse without pivots", entry_mixed, run_inverse, DAP_ERR_NUMERIC, "is not finite|unlike in size"},
    {"factors without pivots", entry_mixed, run_factors, DAP_ERR_NUMERIC, "is not finite|unlike in size"},
    {"a determinant with a subnormal pivot", entry_last, run_determinant, DAP_OK, ""},
    {"a solution with a subnormal pivot", entry_last, run_solve, DAP_ERR_NUMERIC, "U(9, 9) is subnormal"},
    {"factors with a subnormal pivot", entry_last, run_factors, DAP_ERR_NUMERIC, "U(9, 9) is subnormal"},
    {"a subnormal triangle", entry_small, run_triangular, DAP_ERR_NUMERIC, "A(1, 1) is subnormal"},
    {"a triangle with a subnormal element", entry_last, run_triangular, DAP_ERR_NUMERIC,
     "A(9, 9) is subnormal"},
};

static void refused(void **state)
{
  enum { CASES = sizeof hopeless / sizeof hopeless[0] };
  (void)state;
  for (int i = 0; i < CASES * ELEMENT_TYPES; i++) {
    const int k = i / ELEMENT_TYPES;
    trial t = {.source = &sources[rows[i % ROWS]], .type = &element_types[i % ELEMENT_TYPES]};
    t.size[0] = t.size[1] = ORDER, t.grid[0] = test_nprocs(), t.grid[1] = 1;
    exponent = t.type->real == DAP_F4 ? -139 : -1036;
    TEST_CASE("%s, %s", hopeless[k].why, t.type->name);
    matrix a = trial_matrix(&t, ORDER, ORDER, hopeless[k].entry);
    matrix b = trial_matrix(&t, ORDER, COLUMNS, entry_any);
    dap_error err = {0};
    const dap_status s = hopeless[k].run(matrix_operand(&a), matrix_operand(&b), &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, hopeless[k].status, hopeless[k].parts);
    matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(solutions),
                                          cmocka_unit_test(inverses), cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
