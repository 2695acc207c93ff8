/* Solves with a triangular matrix, and multiplies by one. */
#include "system_impl.h"

enum { A, B };
enum { SIDE, UPLO, TRANS, DIAG }; /* of call.arguments.choices */

typedef struct task {
  const char *routine;
  bool solves; /* else multiplies */
  dap_linalg_scalar alpha;
} task;

/* A triangle has an inverse if it is finite, and if its diagonal has no zero and no number whose reciprocal
 * overflows. */
static dap_status check_regular(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *m)
{
  const bool is_unit = dap_linalg_chosen(call, DIAG) == 'U';
  const char strict = uplo == 'L' ? 'l' : 'u';
  DAP_TRY(dap_linalg_finite(call, m, is_unit ? strict : uplo));
  if (is_unit) return DAP_OK;
  DAP_TRY(dap_linalg_check_diagonal(call, m, DAP_DEFECT_ZERO, "A is singular: A", "zero"));
  return dap_linalg_check_diagonal(call, m, DAP_DEFECT_SUBNORMAL, "A",
                                   "subnormal, its reciprocal may overflow: scale A");
}

/* With the views M of A and S of B, and E of equation.c, op(A) X = B is E S' = S or S' E = S, and so is the
 * product op(A) B. With op 'T' the triangle of A is the other one of M. With side 'R' E stands on the other
 * side of S, by the same table: transposing X op(A) = B gives op(A)^T X^T = B^T, which transposes E and S
 * once more. */
static void call_routine(const dap_linalg_call *call, const task *t, char uplo, const dap_scalapack_matrix *m,
                         const dap_scalapack_matrix *s)
{
  const bool turned = s->op == 'T';
  const char side = (dap_linalg_chosen(call, SIDE) == 'L') != turned ? 'L' : 'R',
             diag = dap_linalg_chosen(call, DIAG);
  const dap_equation e = dap_equation_of(dap_linalg_chosen(call, TRANS), m->op, s->op);
  const double *alpha = call->arguments.scalars[0].parts;
  const dap_linalg_number factor =
      dap_linalg_number_of(call, (const double[2]){alpha[0], e.conjugate ? -alpha[1] : alpha[1]});
  if (e.conjugate) dap_linalg_conjugate(call, s);
  (t->solves ? call->lib->trsm : call->lib->trmm)(&side, &uplo, &e.trans, &diag, &s->m, &s->n, &factor,
                                                  DAP_MATRIX(m), DAP_MATRIX(s));
  if (e.conjugate) dap_linalg_conjugate(call, s);
}

static dap_status compute(dap_linalg_call *call)
{
  const task *t = call->arguments.context;
  static const int order[] = {A,
                              B}; /* the first one that can be shared leads, with the other one on its grid */
  dap_scalapack_matrix *other;
  int leader;
  DAP_TRY(dap_linalg_view_first(call, order, 2, t->routine, &leader));
  DAP_TRY(dap_linalg_view_right_side(call, leader == A ? B : A, &call->views[leader], &other));
  const dap_scalapack_matrix *m = &call->views[A], *s = &call->views[B];
  const char uplo = dap_linalg_triangle(dap_linalg_chosen(call, UPLO), m->op);
  DAP_TRY(t->solves ? check_regular(call, uplo, m) : dap_linalg_headroom(call));
  if (s->m > 0 && s->n > 0) call_routine(call, t, uplo, m, s);
  return DAP_OK;
}

/* choices [4]: side, uplo, trans, diag. */
static dap_status run(MPI_Comm comm, const char *function, task t, const char choices[], dap_darray a,
                      dap_darray b, const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      function,
      compute,
      &t,
      .operands = {{"A", a, DAP_LINALG_INPUT, "nn"},
                   {"B", b, DAP_LINALG_UPDATE, choices[SIDE] == 'R' ? "r[n]" : "n[r]"}},
      .choices = {{"side", choices[SIDE], "LR"},
                  {"uplo", choices[UPLO], "LU"},
                  {"trans", choices[TRANS], "NTC"},
                  {"diag", choices[DIAG], "NU"}},
      .scalars = {t.alpha}};
  return dap_linalg_run(comm, &arguments, options, err);
}

dap_status dap_linalg_triangular_solve(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                       const double alpha[2], dap_darray a, dap_darray b,
                                       const dap_linalg_options *options, dap_error *err)
{
  const task t = {.routine = "trsm", .solves = true, .alpha = dap_linalg_scalar_of("alpha", alpha, 1)};
  return run(comm, __func__, t, (const char[]){side, uplo, trans, diag}, a, b, options, err);
}

dap_status dap_linalg_triangular_multiply(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                          const double alpha[2], dap_darray a, dap_darray b,
                                          const dap_linalg_options *options, dap_error *err)
{
  const task t = {.routine = "trmm", .alpha = dap_linalg_scalar_of("alpha", alpha, 1)};
  return run(comm, __func__, t, (const char[]){side, uplo, trans, diag}, a, b, options, err);
}
