/* Systems of elements so small that reciprocals of pivots overflow, and no power of 2 mends that. Others are
 * drawn by linalg_edges_systems. */
#include "harness.h"

#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_triangular.h>

enum { ORDER = 9, COLUMNS = 3 };

static int exponent; /* of the elements of this case */

static double complex entry_small(int64_t i, int64_t j)
{
  const double complex value = entry_dominant(i, j);
  return CMPLX(ldexp(creal(value), exponent), ldexp(cimag(value), exponent));
}

static const int rows[] = {0, 1, 4, 17, 10}; /* sources: both orders, shared and moved */
enum { ROWS = sizeof rows / sizeof rows[0] };

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
  dap_linalg_factors *factors;
  dap_status s = dap_linalg_lu(MPI_COMM_WORLD, a, NULL, &factors, err);
  if (!s) s = dap_linalg_factors_solve(factors, 'N', b, NULL, err);
  dap_linalg_factors_destroy(&factors);
  return s;
}

static dap_status run_factors_inverse(dap_darray a, dap_darray b, dap_error *err)
{
  (void)b;
  dap_linalg_factors *factors;
  const dap_linalg_options keep = {.keep = true};
  dap_status s = dap_linalg_lu(MPI_COMM_WORLD, a, &keep, &factors, err);
  if (!s) s = dap_linalg_factors_inverse(factors, a, NULL, err);
  dap_linalg_factors_destroy(&factors);
  return s;
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
    {"an inverse that overflows", entry_small, run_inverse, DAP_ERR_NUMERIC, "inverse|range"},
    {"an inverse by factors that overflows", entry_small, run_factors_inverse, DAP_ERR_NUMERIC,
     "inverse|range"},
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(refused)};
MPI_TEST_MAIN(tests)
