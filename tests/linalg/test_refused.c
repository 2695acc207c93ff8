/* What the functions of linear algebra refuse: a row for each rule, with the operand, the value and the rule
 * that the error names. Operands keep their elements, and numbers that are returned by pointer are not
 * written. */
#include "refused_rows.h"

/* ---- calls --------------------------------------------------------------------------------------------- */

static const double turned[2] = {1, 1};

/* A factor with an imaginary part where the letter is 'i'. */
static const double *factor(char letter)
{
  return letter == 'i' ? turned : NULL;
}

dap_status call_solve(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  return dap_linalg_solve(MPI_COMM_WORLD, r->letters[0], of[0], of[1], o, err);
}

dap_status call_cholesky(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  return dap_linalg_cholesky_solve(MPI_COMM_WORLD, r->letters[0], of[0], of[1], o, err);
}

dap_status call_refined(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  double forward[3];
  dap_linalg_refinement refinement = {.rcond = 5};
  const bool is_left_out = r->letters[1] == '0' && test_rank() == 0;
  const dap_status s = dap_linalg_solve_refined(MPI_COMM_WORLD, r->letters[0], of[0], of[1], of[2],
                                                is_left_out ? NULL : forward, NULL, &refinement, o, err);
  EXPECT(refinement.rcond == 5);
  return s;
}

dap_status call_inverse(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  (void)r;
  return dap_linalg_inverse(MPI_COMM_WORLD, of[0], o, err);
}

dap_status call_determinant(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                            dap_error *err)
{
  double sign[2] = {5, 5}, log = 5;
  const dap_status s = dap_linalg_determinant(MPI_COMM_WORLD, of[0], r->letters[0] == 's' ? NULL : sign,
                                              r->letters[0] == 'l' ? NULL : &log, o, err);
  EXPECT(sign[0] == 5 && sign[1] == 5 && log == 5);
  return s;
}

dap_status call_condition(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                          dap_error *err)
{
  double rcond = 5;
  const dap_status s = dap_linalg_condition(MPI_COMM_WORLD, r->letters[0], of[0],
                                            r->letters[1] == '0' ? NULL : &rcond, o, err);
  EXPECT(rcond == 5);
  return s;
}

dap_status call_norm(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  double value = 5;
  const dap_status s =
      dap_linalg_norm(MPI_COMM_WORLD, r->letters[0], of[0], r->letters[1] == '0' ? NULL : &value, o, err);
  EXPECT(value == 5);
  return s;
}

dap_status call_multiply(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  return dap_linalg_multiply(MPI_COMM_WORLD, r->letters[0], r->letters[1], factor(r->letters[2]), of[0],
                             of[1], NULL, of[2], o, err);
}

dap_status call_rank_k(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  return dap_linalg_rank_k(MPI_COMM_WORLD, r->letters[0], r->letters[1], r->letters[2], factor(r->letters[3]),
                           of[0], NULL, of[1], o, err);
}

dap_status call_triangular(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                           dap_error *err)
{
  return dap_linalg_triangular_multiply(MPI_COMM_WORLD, r->letters[0], r->letters[1], r->letters[2],
                                        r->letters[3], factor(r->letters[4]), of[0], of[1], o, err);
}

dap_status call_triangular_solve(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                                 dap_error *err)
{
  return dap_linalg_triangular_solve(MPI_COMM_WORLD, r->letters[0], r->letters[1], r->letters[2],
                                     r->letters[3], factor(r->letters[4]), of[0], of[1], o, err);
}

dap_status call_squares(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  (void)r;
  return dap_linalg_least_squares(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
}

dap_status call_squares_rank(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                             dap_error *err)
{
  int64_t rank = 5;
  const double tolerance = r->letters[0] == 'n' ? NAN : -1;
  const dap_status s =
      dap_linalg_least_squares_rank(MPI_COMM_WORLD, tolerance, of[0], of[1], of[2], &rank, o, err);
  EXPECT_INT(rank, 5);
  return s;
}

dap_status call_qr(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  (void)r;
  return dap_linalg_qr(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
}

dap_status call_pivoted(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  int64_t rank = 5;
  const double tolerance = r->letters[0] == 'n' ? NAN : -1;
  const dap_status s =
      dap_linalg_qr_pivoted(MPI_COMM_WORLD, tolerance, of[0], of[1], of[2], of[3], &rank, o, err);
  EXPECT_INT(rank, 5);
  return s;
}

dap_status call_eigh(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, r->letters[0], of[0], of[1], of[2], o, err);
}

dap_status call_generalized(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                            dap_error *err)
{
  return dap_linalg_eigh_generalized(MPI_COMM_WORLD, r->letters[0], of[0], of[1], of[2], of[3], o, err);
}

dap_status call_svd(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  (void)r;
  return dap_linalg_svd(MPI_COMM_WORLD, of[0], of[1], of[2], of[3], o, err);
}

dap_status call_schur(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  (void)r;
  return dap_linalg_schur(MPI_COMM_WORLD, of[0], of[1], (dap_darray){0}, of[2], o, err);
}

dap_status call_eig(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  (void)r;
  return dap_linalg_eig(MPI_COMM_WORLD, of[0], of[1], (dap_darray){0}, o, err);
}

dap_status call_banded(const refusal *r, const dap_darray of[], const dap_linalg_options *o, dap_error *err)
{
  const int last = r->is_last && test_rank() == test_nprocs() - 1;
  return dap_linalg_banded_solve(MPI_COMM_WORLD, r->lower + last, r->upper - last, of[0], of[1], o, err);
}

dap_status call_positive_banded(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                                dap_error *err)
{
  return dap_linalg_positive_banded_solve(MPI_COMM_WORLD, r->letters[0], of[0], of[1], o, err);
}

dap_status call_tridiagonal(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                            dap_error *err)
{
  (void)r;
  return dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], of[3], o, err);
}

dap_status call_positive_tridiagonal(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                                     dap_error *err)
{
  (void)r;
  return dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static const element_type *type_of(char letter)
{
  static const element_type integers = {DAP_I4, DAP_I4, "i4", 0, false};
  return letter == 'i' ? &integers
                       : element_type_of(letter == 's'   ? DAP_F4
                                         : letter == 'z' ? DAP_C16
                                                         : DAP_F8);
}

static matrix make_operand(const refusal *r, int k, const source *on)
{
  const bool is_vector = r->sizes[k][1] < 0;
  const char letter = k < (int)strlen(r->types) ? r->types[k] : 'f';
  int grid[2];
  squarest_grid(grid);
  if (is_vector) grid[0] = test_nprocs(), grid[1] = 1;
  formula *entry = k < 2 && r->entries[k] ? r->entries[k] : entry_any;
  matrix m = matrix_make(is_vector ? &vector_sources[0] : on, type_of(letter), is_vector ? 1 : 2, r->sizes[k],
                         grid, letter == 'i' ? entry_zero : entry);
  m.array.readonly = r->readonly == k + 1;
  return m;
}

static bool is_absent(const refusal *r, int k)
{
  return r->sizes[k][0] == 0 && r->sizes[k][1] == 0;
}

static void check_row(const refusal *r, const source *on)
{
  matrix m[REFUSAL_OPERANDS];
  dap_darray of[REFUSAL_OPERANDS] = {{NULL, NULL}};
  TEST_CASE("%s: %s, %s", r->function, r->why, on->name);
  for (int k = 0; k < REFUSAL_OPERANDS; k++) {
    if (is_absent(r, k)) continue;
    m[k] = make_operand(r, k, on);
    of[k] = matrix_operand(&m[k]);
  }
  if (r->same) of[r->same - 1] = of[r->with - 1];
  dap_linalg_report report = {0};
  dap_linalg_options options =
      r->is_last && test_rank() < test_nprocs() - 1 ? (dap_linalg_options){0} : r->options;
  options.report = &report;
  dap_error err = {0};
  const dap_status s = r->call(r, of, &options, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, r->status ? r->status : DAP_ERR_ARG, r->parts);
  EXPECT_INT(report.info, r->info);
  for (int k = 0; k < REFUSAL_OPERANDS; k++) {
    if (is_absent(r, k)) continue;
    EXPECT(k < r->worked ? expect_padding(&m[k]) : expect_same(&m[k]));
    matrix_free(&m[k]);
  }
  SETTLE();
}

/* What is refused for its elements is refused in several layouts, as each has its own places. */
static void refused(void **state)
{
  (void)state;
  static const int some[] = {0, 1, 3, 11, 14, 17, 19, 24, 27};
  for (const refusal *const *table = refusals; *table; table++)
    for (const refusal *r = *table; r->function; r++) {
      if (test_nprocs() < r->least || (r->is_last && test_nprocs() == 1)) continue;
      const size_t count = r->status == DAP_ERR_NUMERIC ? sizeof some / sizeof some[0] : 1;
      for (size_t i = 0; i < count; i++) check_row(r, &sources[r->source ? r->source : some[i]]);
    }
}

/* A process in another function than the others is named; the communicator serves the next call. */
static void other_functions_are_named(void **state)
{
  (void)state;
  const int grid[2] = {1, test_nprocs()}, last = test_nprocs() - 1;
  matrix a =
      matrix_make(&sources[1], element_type_of(DAP_F8), 2, (const int64_t[2]){9, 9}, grid, entry_dominant);
  const dap_darray of = matrix_operand(&a);
  for (int turn = 0; turn < 2 && last > 0; turn++) {
    double value[2], log;
    dap_error err = {0};
    const dap_status s = test_rank() == last
                             ? dap_linalg_determinant(MPI_COMM_WORLD, of, value, &log, NULL, &err)
                             : dap_linalg_norm(MPI_COMM_WORLD, '1', of, value, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "dap_linalg_determinant|rank 0|dap_linalg_norm");
    EXPECT_INT(err.rank, last);
    EXPECT_OK(dap_linalg_norm(MPI_COMM_WORLD, '1', of, value, NULL, &err), &err);
  }
  matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(refused),
                                          cmocka_unit_test(other_functions_are_named)};
MPI_TEST_MAIN(tests)
