/* Tests kept factors: the grid of moved factors, how long they last, failed exchanges, and what is refused.
 * linalg_edges_systems draws solutions, numbers and inverses from factors. Private: the layout of moved
 * factors has no public name. */
#include "factors_impl.h"
#include "harness.h"

#include <dapbridge/linalg_factors.h>

static void solve_once(const trial *t, dap_linalg_factors *factors, char trans, const double complex *whole_a,
                       matrix *b)
{
  const int64_t n = t->size[0];
  double complex *whole_b = matrix_whole(b);
  dap_error err = {0};
  EXPECT_OK(dap_linalg_factors_solve(factors, trans, matrix_operand(b), NULL, &err), &err);
  double complex *x = matrix_whole(b);
  expect_residual("op(A) X - B", residual_solve(trans, n, b->size[1], whole_a, x, whole_b, t->type->eps));
  expect_padding(b);
  free(x);
  free(whole_b);
  matrix_free(b);
}

/* Moved factors of Cholesky give faster solutions if processes share their rows, not their columns. LU is
 * faster if up to four processes share the columns. Only an array's own grid is preferred to these. */
static void expect_grid(const dap_linalg_factors *factors, const matrix *a, bool definite)
{
  if (dap_layout_procs(a->held.layout, 0) > 1 && dap_layout_procs(a->held.layout, 1) > 1) return;
  const int along = factors->op == 'T'; /* the axis along the matrix's rows */
  const int rows = dap_layout_procs(factors->layout, along),
            cols = dap_layout_procs(factors->layout, 1 - along);
  EXPECT_MSG(definite ? rows >= cols : rows <= cols, "%d x %d", rows, cols);
  if (!definite) EXPECT_MSG(rows * cols <= 4 ? rows == 1 : rows > 1, "%d x %d", rows, cols);
}

static void grids(void **state)
{
  (void)state;
  for (int i = 0; i < 3 * source_count; i++) {
    const trial t = trial_of(i, 33, 33);
    const bool definite = i / 3 % 2;
    matrix a = trial_matrix(&t, 33, 33, definite ? entry_definite : entry_dominant);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_linalg_factors *factors = NULL;
    dap_error err = {0};
    EXPECT_OK(definite
                  ? dap_linalg_cholesky(MPI_COMM_WORLD, 'L', matrix_operand(&a), &options, &factors, &err)
                  : dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), &options, &factors, &err),
              &err);
    if (factors && !report.uses[0].shared) expect_grid(factors, &a, definite);
    dap_linalg_factors_destroy(&factors);
    matrix_free(&a);
    SETTLE();
  }
}

/* The caller may free the array's structs and its layout; only the memory of a shared array must stay. The
 * last systems have more right-hand sides than are exchanged at once, on some processes fewer than on
 * others. */
static void outlive_their_array(void **state)
{
  (void)state;
  enum { N = 33, MORE = 6, MANY = 150 };
  for (int i = 0; i < source_count + MORE; i++) {
    const bool many = i >= source_count;
    trial t = trial_of(i, N, N);
    if (many) t.source = &sources[i % 2];
    matrix a = trial_matrix(&t, N, N, entry_any);
    double complex *whole = matrix_whole(&a);
    dap_layout *layout = dap_layout_retain(a.held.layout);
    dap_array *array = malloc(sizeof *array);
    dap_linalg_factors *factors = NULL;
    dap_error err = {0};
    *array = a.held.array;
    EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, (dap_darray){layout, array}, NULL, &factors, &err), &err);
    memset(array, 0x5a, sizeof *array);
    free(array);
    dap_layout_destroy(&layout);
    matrix b = many ? trial_matrix(&t, N, MANY, entry_any) : trial_other(&t, t.type, N, 2, entry_any);
    solve_once(&t, factors, "NTC"[i % 3], whole, &b);
    dap_linalg_factors_destroy(&factors);
    free(whole);
    matrix_free(&a);
    SETTLE();
  }
}

/* ---- an exchange that fails --------------------------------------------------------------------------- */

/* The exchanges of rows so far, and the number of the one that fails on this process; 0: none. Moves and
 * layouts exchange only integers. */
static int exchanges, failing;

int MPI_Alltoallv(const void *from, const int n[], const int at[], MPI_Datatype type, void *to, const int m[],
                  const int there[], MPI_Datatype all, MPI_Comm comm)
{
  const int code = PMPI_Alltoallv(from, n, at, type, to, m, there, all, comm);
  return type != MPI_INT64_T && ++exchanges == failing ? MPI_ERR_OTHER : code;
}

static dap_status solve_with_failure(dap_linalg_factors *factors, char trans, matrix *b, int number,
                                     dap_error *err)
{
  matrix_fill(b, entry_any);
  exchanges = 0;
  failing = test_rank() == test_nprocs() - 1 ? number : 0;
  const dap_status s = dap_linalg_factors_solve(factors, trans, matrix_operand(b), NULL, err);
  failing = 0;
  return s;
}

static void fail_exchanges(const trial *t, char trans)
{
  const int64_t n = t->size[0], more = 70 * (int64_t)test_nprocs(); /* for several turns on each process */
  matrix a = trial_matrix(t, n, n, entry_any), b = trial_matrix(t, n, more, entry_any);
  double complex *whole = matrix_whole(&a);
  dap_linalg_factors *factors = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), NULL, &factors, &err), &err);
  EXPECT_OK(solve_with_failure(factors, trans, &b, 0, &err), &err);
  const int all = exchanges;
  EXPECT_MSG(all > 1, "%d exchanges", all);
  for (int number = 1; number <= all; number++) {
    const dap_status s = solve_with_failure(factors, trans, &b, number, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "MPI_Alltoallv");
  }
  matrix_fill(&b, entry_any);
  solve_once(t, factors, trans, whole, &b);
  dap_linalg_factors_destroy(&factors);
  free(whole);
  matrix_free(&a);
  SETTLE();
}

/* In the first source's order, the rows are exchanged after the substitution with 'N' and before it with
 * 'T'; in the second source's order it is the other way round. Each exchange fails once, on the last process.
 * Every process must get the error, and the next solution must be right. */
static void exchanges_fail(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const trial t = trial_of(i % 2, 33, 33);
    fail_exchanges(&t, "NT"[i / 2]);
  }
}

/* ---- wrong factors ----------------------------------------------------------------------------------- */

static void wrong_factors(void **state)
{
  (void)state;
  enum { N = 9 };
  const int grid[2] = {test_nprocs(), 1};
  matrix a = matrix_make(&sources[1], &element_types[1], N, N, grid, entry_dominant),
         c = matrix_make(&sources[1], &element_types[1], N, N, grid, entry_dominant);
  const dap_linalg_options kept = {.keep = true};
  dap_linalg_factors *f = NULL, *other = NULL;
  dap_error err = {0};
  double sign[2] = {5, 5}, log = 5;
  EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&a), NULL, &f, &err), &err);
  EXPECT_OK(dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&c), NULL, &other, &err), &err);

  matrix b = matrix_make(&sources[1], &element_types[1], N, 4, grid, entry_any);
  dap_status s = DAP_OK;
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
  EXPECT(sign[0] == 5 && log == 5);
  expect_same(&b);
  dap_linalg_factors_destroy(&f);
  dap_linalg_factors_destroy(&f);
  dap_linalg_factors_destroy(NULL);
  dap_linalg_factors_destroy(&other);
  matrix_free(&b), matrix_free(&c), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(grids), cmocka_unit_test(outlive_their_array),
                                          cmocka_unit_test(exchanges_fail), cmocka_unit_test(wrong_factors)};
MPI_TEST_MAIN(tests)
