/* Tests linear systems at the edges: LU and Cholesky factors, inverses, determinants and condition
 * numbers. */
#include "edges.h"

#include <dapbridge/linalg_factors.h>

/* ---- what a solution must be --------------------------------------------------------------------------- */

/* op(A) X = B, and its properties. */
typedef struct edge_system {
  drawn a, b;
  char trans;
  int exponent;     /* X's */
  double eps;       /* of A, B and X */
  double condition; /* of A */
  bool is_regular;  /* no process may call A singular */
  double size;      /* of the exact X, times 2^-exponent */
} edge_system;

static edge_system draw_system(edge *e, drawn_form form, const char *transposes)
{
  edge_system s = {.trans = edge_one_of(e, transposes)};
  const int64_t n = edge_size(e), nrhs = edge_one_in(e, 3) ? -1 : edge_size(e) % 6;
  const int ea = edge_exponent(e), eb = edge_one_in(e, 4) ? edge_exponent(e) : ea;
  s.a = edge_draw(e, form, n, n, ea);
  s.b = edge_draw_side(e, n, nrhs, eb);
  s.exponent = eb - ea;
  s.eps = edge_eps(e, (const int[3]){ea, eb, s.exponent}, 3);
  s.condition = serial_condition('1', n, s.a.whole);
  s.size = INFINITY;
  if (s.condition > 0) {
    double complex *x = serial_solve(s.trans, n, s.b.cols, s.a.whole, s.b.whole);
    s.size = x ? whole_norm('M', n, s.b.cols, x) : INFINITY;
    free(x);
  }
  s.is_regular = s.condition > 100 * (double)(n + 1) * s.eps && edge_is_within(e, s.exponent, s.size) &&
                 edge_is_within(e, eb, s.size);
  return s;
}

static void free_system(edge_system *s)
{
  drawn_free(&s->a);
  drawn_free(&s->b);
}

/* Whether X is a solution, to backward stability. */
static void check_solution(edge *e, const edge_system *s, const drawn *held)
{
  const int64_t n = s->a.rows;
  double complex *x = edge_whole(held, s->exponent);
  const bool within = edge_is_within(e, s->exponent, s->size) && edge_is_within(e, s->b.exponent, s->size);
  if (!s->b.is_finite || !s->a.is_finite || !within) {
    free(x);
    return;
  }
  double complex *product = serial_multiply(s->trans, 'N', n, s->b.cols, n, s->a.whole, x);
  const double scale = fmax(whole_norm('1', n, n, s->a.whole), 1) * fmax(whole_norm('M', n, s->b.cols, x), 1);
  edge_bound("op(A) X - B", whole_distance(n, s->b.cols, product, s->b.whole), n * n, scale * s->eps);
  free(product);
  free(x);
}

/* Checks A, in which the call may work. A changes only if it is shared, and never if it is kept. */
static void check_work(const edge *e, const drawn *a)
{
  if (a->rows * a->cols == 0) return;
  edge_use(e, 0, "A", a, e->options.keep ? 0 : edge_shares(e, a));
  expect_work(&a->held, &e->report.uses[0], e->options.keep, false);
}

/* ---- solvers ------------------------------------------------------------------------------------------- */

static void solve(edge *e)
{
  edge_system s = draw_system(e, DRAWN_ANY, "NTC");
  const dap_status status = UNDER_TRAPS(dap_linalg_solve(MPI_COMM_WORLD, s.trans, matrix_operand(&s.a.held),
                                                         matrix_operand(&s.b.held), &e->options, &e->err));
  if (edge_status(e, status, !s.is_regular, DAP_ERR_NUMERIC)) check_solution(e, &s, &s.b);
  EXPECT(s.a.is_finite || status);
  if (!status) check_work(e, &s.a);
  free_system(&s);
}

static void solve_refined(edge *e)
{
  edge_system s = draw_system(e, DRAWN_ANY, "NTC");
  drawn x = edge_result(e, s.b.rows, s.b.held.ndim == 1 ? -1 : s.b.cols, e->type->dtype);
  double forward[8], backward[8];
  dap_linalg_refinement how;
  const dap_status status = UNDER_TRAPS(dap_linalg_solve_refined(
      MPI_COMM_WORLD, s.trans, matrix_operand(&s.a.held), matrix_operand(&s.b.held), matrix_operand(&x.held),
      edge_one_in(e, 2) ? forward : NULL, backward, &how, &e->options, &e->err));
  if (edge_status(e, status, !s.is_regular, DAP_ERR_NUMERIC)) check_solution(e, &s, &x);
  EXPECT(s.a.is_finite || status);
  expect_same(&s.a.held);
  drawn_free(&x);
  free_system(&s);
}

static void cholesky_solve(edge *e)
{
  edge_system s = draw_system(e, DRAWN_DEFINITE, "N");
  const char uplo = edge_one_of(e, "LU");
  const int sign = edge_definite(&s.a, s.eps);
  edge_spoil(&s.a, uplo);
  const dap_status status = UNDER_TRAPS(dap_linalg_cholesky_solve(
      MPI_COMM_WORLD, uplo, matrix_operand(&s.a.held), matrix_operand(&s.b.held), &e->options, &e->err));
  const bool may_fail = sign < 1 || !s.is_regular;
  if (edge_status(e, status, may_fail, DAP_ERR_NUMERIC)) {
    EXPECT_MSG(sign >= 0, "an indefinite matrix has factors");
    check_solution(e, &s, &s.b);
  }
  if (!status) check_work(e, &s.a);
  free_system(&s);
}

/* ---- inverses and numbers ------------------------------------------------------------------------------ */

static void check_inverse(const edge_system *s, const drawn *held)
{
  const int64_t n = s->a.rows;
  if (!s->is_regular) return;
  double complex *x = edge_whole(held, s->exponent),
                 *product = serial_multiply('N', 'N', n, n, n, s->a.whole, x);
  double complex *identity = whole_make(n, n, entry_identity, element_type_of(DAP_C16));
  const double scale = fmax(whole_norm('1', n, n, s->a.whole), 1) * fmax(whole_norm('1', n, n, x), 1);
  edge_bound("A X - I", whole_distance(n, n, product, identity), n * n, scale * s->eps);
  free(identity), free(product), free(x);
}

/* Draws A, whose inverse is wanted. */
static edge_system draw_alone(edge *e, drawn_form form)
{
  const int64_t n = edge_size(e);
  const int ea = edge_exponent(e);
  edge_system s = {.a = edge_draw(e, form, n, n, ea), .exponent = -ea, .trans = 'N'};
  s.eps = edge_eps(e, (const int[2]){ea, -ea}, 2);
  s.condition = serial_condition('1', n, s.a.whole);
  s.size = INFINITY;
  if (s.condition > 0) {
    double complex *x = serial_solve('N', n, n, s.a.whole, NULL);
    s.size = x ? whole_norm('M', n, n, x) : INFINITY;
    free(x);
  }
  s.is_regular = s.condition > 100 * (double)(n + 1) * s.eps && edge_is_within(e, -ea, s.size);
  return s;
}

static void inverse(edge *e)
{
  edge_system s = draw_alone(e, DRAWN_ANY);
  const dap_status status =
      UNDER_TRAPS(dap_linalg_inverse(MPI_COMM_WORLD, matrix_operand(&s.a.held), &e->options, &e->err));
  if (edge_status(e, status, !s.is_regular, DAP_ERR_NUMERIC)) check_inverse(&s, &s.a);
  EXPECT(s.a.is_finite || status);
  drawn_free(&s.a);
}

/* Whether a column has only zeros. Then the matrix is exactly singular, which is not an error of these
 * functions. */
static bool is_singular(const edge_system *s)
{
  const int64_t n = s->a.rows;
  for (int64_t j = 0; j < n; j++)
    if (whole_norm('M', n, 1, &s->a.whole[j * n]) == 0) return true;
  return false;
}

/* Checks sign exp(log) of a matrix that is not nearly singular. Of other matrices, both must be numbers. */
static void check_determinant(const edge *e, const edge_system *s, const double sign[2], double log)
{
  const int64_t n = s->a.rows;
  const double eps = edge_eps(e, &s->a.exponent, 1), error = (double)(n + 1) * eps / fmax(s->condition, eps);
  double want_log;
  edge_same_numbers(3, (const double[3]){sign[0], sign[1], log});
  EXPECT_MSG(!isnan(sign[0]) && !isnan(sign[1]) && !isnan(log), "the determinant is NaN");
  EXPECT(e->type->is_complex || sign[1] == 0);
  EXPECT(!is_singular(s) || (sign[0] == 0 && sign[1] == 0 && log == -INFINITY));
  if (error > 0.001) return;
  const double complex want = serial_determinant(n, s->a.whole, &want_log);
  want_log += (double)n * s->a.exponent * 0.69314718055994530942;
  edge_bound("log", fabs(log - want_log), n, error + DBL_EPSILON * fabs(want_log));
  edge_bound("sign", cabs(CMPLX(sign[0], sign[1]) - want), n, error);
}

/* Whether pivots may differ so much in size that the type cannot hold the factors. Calls of rows have no
 * such pivots. */
static bool is_out_of_reach(const edge *e, const edge_system *s)
{
  return !e->row && s->condition < 1000 * (double)(s->a.rows + 1) * s->eps;
}

static void determinant(edge *e)
{
  edge_system s = draw_alone(e, DRAWN_ANY);
  double sign[2] = {NAN, NAN}, log = NAN;
  const dap_status status = UNDER_TRAPS(
      dap_linalg_determinant(MPI_COMM_WORLD, matrix_operand(&s.a.held), sign, &log, &e->options, &e->err));
  if (edge_status(e, status, is_out_of_reach(e, &s), DAP_ERR_NUMERIC)) check_determinant(e, &s, sign, log);
  EXPECT(s.a.is_finite || status);
  if (!status) check_work(e, &s.a);
  drawn_free(&s.a);
}

/* Checks an estimate. Except for rounding, it is never too small, and seldom much too large. For calls of
 * rows it is near. */
static void check_condition(const edge *e, const edge_system *s, char norm, double rcond)
{
  const int64_t n = s->a.rows;
  const double eps = edge_eps(e, &s->a.exponent, 1);
  edge_same_numbers(1, &rcond);
  EXPECT_MSG(rcond >= 0 && rcond <= 1 + 1000 * eps, "rcond is %g", rcond);
  EXPECT_MSG(!is_singular(s) || rcond == 0, "rcond is %g", rcond);
  if (s->condition < 1000 * (double)(n + 1) * eps) return;
  const double want = serial_condition(norm, n, s->a.whole),
               slack = 100 * (double)(n + 1) * eps / s->condition;
  EXPECT_MSG(rcond >= want * (1 - slack) - eps, "rcond is %g, it is %g", rcond, want);
  EXPECT_MSG(rcond <= (e->row ? 4 : 30) * want * (1 + slack) + eps, "rcond is %g, it is %g", rcond, want);
}

static void condition(edge *e)
{
  edge_system s = draw_alone(e, DRAWN_ANY);
  const char norm = edge_one_of(e, "1I");
  double rcond = NAN;
  const dap_status status = UNDER_TRAPS(
      dap_linalg_condition(MPI_COMM_WORLD, norm, matrix_operand(&s.a.held), &rcond, &e->options, &e->err));
  if (edge_status(e, status, is_out_of_reach(e, &s), DAP_ERR_NUMERIC)) check_condition(e, &s, norm, rcond);
  EXPECT(s.a.is_finite || status);
  if (!status) check_work(e, &s.a);
  drawn_free(&s.a);
}

/* ---- kept factors -------------------------------------------------------------------------------------- */

static void use_factors(edge *e, dap_linalg_factors *factors, edge_system *s)
{
  double sign[2], log, rcond;
  const char norm = edge_one_of(e, "1I");
  drawn x = edge_result(e, s->a.rows, s->a.rows, e->type->dtype);
  if (edge_status(e, UNDER_TRAPS(dap_linalg_factors_determinant(factors, sign, &log, &e->err)), false,
                  DAP_OK))
    check_determinant(e, s, sign, log);
  if (edge_status(e, UNDER_TRAPS(dap_linalg_factors_condition(factors, norm, &rcond, &e->err)), false,
                  DAP_OK))
    check_condition(e, s, norm, rcond);
  const edge_system of_inverse = {.a = s->a,
                                  .exponent = -s->a.exponent,
                                  .eps = s->eps + edge_eps(e, (const int[1]){-s->a.exponent}, 1),
                                  .is_regular =
                                      s->is_regular && edge_is_within(e, -s->a.exponent, 1 / s->condition)};
  if (edge_status(
          e, UNDER_TRAPS(dap_linalg_factors_inverse(factors, matrix_operand(&x.held), &e->options, &e->err)),
          !of_inverse.is_regular, DAP_ERR_NUMERIC))
    check_inverse(&of_inverse, &x);
  for (int again = 0; again < 2; again++) {
    const dap_status status = UNDER_TRAPS(
        dap_linalg_factors_solve(factors, s->trans, matrix_operand(&s->b.held), &e->options, &e->err));
    if (edge_status(e, status, again > 0 || !s->is_regular, DAP_ERR_NUMERIC) && again == 0)
      check_solution(e, s, &s->b);
  }
  drawn_free(&x);
}

static void factors(edge *e)
{
  const bool cholesky = edge_one_in(e, 2);
  edge_system s = draw_system(e, cholesky ? DRAWN_DEFINITE : DRAWN_ANY, "NTC");
  const char uplo = edge_one_of(e, "LU");
  dap_linalg_factors *made = NULL;
  if (cholesky) edge_spoil(&s.a, uplo);
  const dap_darray a = matrix_operand(&s.a.held);
  const dap_status status =
      cholesky ? UNDER_TRAPS(dap_linalg_cholesky(MPI_COMM_WORLD, uplo, a, &e->options, &made, &e->err))
               : UNDER_TRAPS(dap_linalg_lu(MPI_COMM_WORLD, a, &e->options, &made, &e->err));
  const bool may_fail = !s.is_regular || (cholesky && edge_definite(&s.a, s.eps) < 1);
  if (edge_status(e, status, may_fail, DAP_ERR_NUMERIC)) {
    check_work(e, &s.a);
    matrix_fill(&s.a.held,
                e->report.uses[0].shared ? NULL : entry_nans); /* unshared A is the caller's again */
    e->options.report = NULL;
    use_factors(e, made, &s);
    expect_same(&s.a.held);
  }
  dap_linalg_factors_destroy(&made);
  free_system(&s);
}

EDGES(solve)
EDGES(solve_refined)
EDGES(cholesky_solve)
EDGES(inverse)
EDGES(determinant)
EDGES(condition)
EDGES(factors)

/* ---- calls that have failed ---------------------------------------------------------------------------- */

static void factors_of_tiny_matrices(void **state)
{
  static const edge_row rows[] = {
      {"the inverse overflows, but not its norm times A's", DAP_F4, {1, 2}, {-132, -132}, {"dominant"}},
      {"the inverse overflows, but not its norm times A's", DAP_C16, {5, 2}, {-1040, -1040}, {"any"}},
  };
  (void)state;
  edges_repeat(rows, 2, 8, factors);
}

/* Matrices whose norms '1' and 'I' differ, and matrices that are hard to estimate. */
static void condition_numbers(void **state)
{
  static const edge_row rows[] = {
      {"one full row", DAP_F4, {33, 2}, {0, 0}, {"full row"}},
      {"one full row", DAP_C16, {33, 2}, {0, 0}, {"full row"}},
      {"an inverse that is large in two blocks", DAP_F8, {33, 2}, {0, 0}, {"blind"}},
      {"an inverse that is large in two blocks", DAP_C8, {33, 2}, {0, 0}, {"blind"}},
      {"a diagonal that decides", DAP_F8, {5, 2}, {0, 0}, {"both graded"}},
      {"a diagonal that decides", DAP_C16, {4, 2}, {0, 0}, {"both graded"}},
      {"a zero", DAP_F8, {1, 2}, {0, 0}, {"0"}},
      {"zeros", DAP_C8, {33, 2}, {0, 0}, {"0"}},
  };
  (void)state;
  edges_repeat(rows, 8, 4, condition);
  edges_repeat(rows, 8, 2, determinant);
  edges_repeat(rows, 8, 8, factors);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(condition_numbers),       cmocka_unit_test(factors_of_tiny_matrices),
    cmocka_unit_test(solve_at_edges),          cmocka_unit_test(solve_refined_at_edges),
    cmocka_unit_test(cholesky_solve_at_edges), cmocka_unit_test(inverse_at_edges),
    cmocka_unit_test(determinant_at_edges),    cmocka_unit_test(condition_at_edges),
    cmocka_unit_test(factors_at_edges),
};
MPI_TEST_MAIN(tests)
