/* Triangular solve and multiply.
 *
 * With the views M of A and S of B, and E of equation.c, op(A) X = B is E S' = S or S' E = S, and so is the
 * product op(A) B. With op 'T' the triangle of A is the other one of M. With side 'R' E stands on the other
 * side of S, by the same table: transposing X op(A) = B gives op(A)^T X^T = B^T, which transposes E and S
 * once more. */
#include "system_impl.h"

#include <inttypes.h>

enum { A, B };
enum { SIDE, UPLO, TRANS, DIAG }; /* of call.arguments.choices */

typedef struct task {
  const char *routine;
  bool solves; /* else multiplies */
  dap_linalg_number alpha;
} task;

static char choice(const dap_linalg_call *call, int k)
{
  return call->arguments.choices[k].value;
}

static dap_status check_extents(dap_linalg_call *call)
{
  DAP_TRY(dap_linalg_square(call, A));
  const int64_t n = dap_linalg_rows(call, A), rows = dap_linalg_rows(call, B),
                cols = dap_linalg_cols(call, B);
  return dap_linalg_fits(call, B, choice(call, SIDE) == 'L' ? n : rows, choice(call, SIDE) == 'L' ? cols : n);
}

/* The operand that can be shared leads, and the other one is seen on its grid. */
static dap_status take_views(dap_linalg_call *call, const char *name, const dap_scalapack_matrix **m,
                             const dap_scalapack_matrix **s)
{
  static const int order[] = {A, B};
  dap_scalapack_matrix *other;
  int leader;
  DAP_TRY(dap_linalg_view_first(call, order, 2, name, &leader));
  DAP_TRY(dap_linalg_view_right_side(call, leader == A ? B : A, &call->views[leader], &other));
  *m = &call->views[A];
  *s = &call->views[B];
  return DAP_OK;
}

/* A triangle has an inverse if it is finite, and if its diagonal has no zero and no number whose reciprocal
 * overflows. */
static dap_status check_regular(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *m)
{
  const bool is_unit = choice(call, DIAG) == 'U';
  const char strict = uplo == 'L' ? 'l' : 'u';
  DAP_TRY(dap_linalg_finite(call, m, is_unit ? strict : uplo));
  if (is_unit) return DAP_OK;
  dap_scalapack_int zero = 0, subnormal = 0;
  DAP_TRY(dap_linalg_first_defect(call, m, DAP_DEFECT_ZERO, &zero));
  if (zero > 0)
    return dap_linalg_numeric(call, zero, "A is singular: A(%" PRId64 ", %" PRId64 ") is zero", (int64_t)zero,
                              (int64_t)zero);
  DAP_TRY(dap_linalg_first_defect(call, m, DAP_DEFECT_SUBNORMAL, &subnormal));
  if (subnormal == 0) return DAP_OK;
  return dap_linalg_numeric(call, subnormal,
                            "A(%" PRId64 ", %" PRId64 ") is subnormal, its reciprocal may overflow: scale A",
                            (int64_t)subnormal, (int64_t)subnormal);
}

static void call_routine(const dap_linalg_call *call, const task *t, char uplo, const dap_scalapack_matrix *m,
                         const dap_scalapack_matrix *s)
{
  const bool turned = s->op == 'T';
  const char side = (choice(call, SIDE) == 'L') != turned ? 'L' : 'R', diag = choice(call, DIAG);
  const dap_equation e = dap_equation_of(choice(call, TRANS), m->op, s->op);
  const dap_linalg_scalar factor = dap_linalg_scalar_of(
      call, (const double[2]){t->alpha.parts[0], e.conjugate ? -t->alpha.parts[1] : t->alpha.parts[1]});
  if (e.conjugate) dap_linalg_conjugate(call, s);
  (t->solves ? call->lib->trsm : call->lib->trmm)(&side, &uplo, &e.trans, &diag, &s->m, &s->n, &factor,
                                                  DAP_MATRIX(m), DAP_MATRIX(s));
  if (e.conjugate) dap_linalg_conjugate(call, s);
}

static dap_status compute(dap_linalg_call *call)
{
  const task *t = call->arguments.context;
  const dap_scalapack_matrix *m, *s;
  DAP_TRY(dap_linalg_check_numbers(call, &t->alpha, 1));
  DAP_TRY(check_extents(call));
  DAP_TRY(take_views(call, t->routine, &m, &s));
  const char uplo = dap_linalg_triangle(choice(call, UPLO), m->op);
  DAP_TRY(t->solves ? check_regular(call, uplo, m) : dap_linalg_headroom(call));
  if (s->m > 0 && s->n > 0) call_routine(call, t, uplo, m, s);
  return DAP_OK;
}

/* choices [4]: side, uplo, trans, diag. */
static dap_status run(MPI_Comm comm, const char *function, task t, const char choices[], dap_darray a,
                      dap_darray b, const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      function, compute, &t,
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2}, {"B", b, DAP_LINALG_UPDATE, .ndim = 0}},
      .choices = {{"side", choices[SIDE], "LR"},
                  {"uplo", choices[UPLO], "LU"},
                  {"trans", choices[TRANS], "NTC"},
                  {"diag", choices[DIAG], "NU"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

dap_status dap_linalg_triangular_solve(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                       const double alpha[2], dap_darray a, dap_darray b,
                                       const dap_linalg_options *options, dap_error *err)
{
  const task t = {.routine = "trsm", .solves = true, .alpha = dap_linalg_number_of("alpha", alpha, 1)};
  return run(comm, __func__, t, (const char[]){side, uplo, trans, diag}, a, b, options, err);
}

dap_status dap_linalg_triangular_multiply(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                          const double alpha[2], dap_darray a, dap_darray b,
                                          const dap_linalg_options *options, dap_error *err)
{
  const task t = {.routine = "trmm", .alpha = dap_linalg_number_of("alpha", alpha, 1)};
  return run(comm, __func__, t, (const char[]){side, uplo, trans, diag}, a, b, options, err);
}
