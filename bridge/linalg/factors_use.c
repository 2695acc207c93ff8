/* Uses factors that are kept. */
#include "factors_impl.h"

#include <math.h>

enum { F, B };

/* Returns a call's arguments with the factors as first operand. */
static dap_linalg_arguments arguments_of(const char *function, const dap_linalg_factors *f,
                                         dap_status (*work)(dap_linalg_call *call), void *context)
{
  return (dap_linalg_arguments){
      function, work, context, .factors = f,
      .operands = {{"factors", {f->layout, &f->array}, DAP_LINALG_INPUT, .ndim = 2, .own = true}}};
}

/* Takes the view of the factors, in place. */
static dap_status view_of(dap_linalg_call *call, const dap_linalg_factors *f, dap_scalapack_matrix **view)
{
  return dap_linalg_share(call, F, &(dap_scalapack_options){.routine = f->routine, .op = f->op}, view);
}

/* Gives the factors the form in which dap_lu_factor() made them. Collective. */
static dap_status lu_of(dap_linalg_call *call, const dap_linalg_factors *f, const dap_scalapack_matrix *view,
                        dap_lu *lu)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  *lu = (dap_lu){.matrix = view, .sigma = f->sigma};
  DAP_TRY(dap_linalg_work(call, part.extents[0] + view->desc[DAP_MB], dap_linalg_integer(), &lu->pivots));
  for (int64_t i = 0; i < part.extents[0]; i++) lu->pivots[i] = f->pivots[dap_linalg_global(&part, 0, i)];
  return DAP_OK;
}

static dap_status solve(dap_linalg_call *call)
{
  const dap_linalg_factors *f = call->arguments.factors;
  DAP_TRY(dap_linalg_fits(call, B, dap_linalg_rows(call, F), dap_linalg_cols(call, B)));
  dap_scalapack_matrix *m, *s;
  dap_swaps swaps;
  DAP_TRY(view_of(call, f, &m));
  DAP_TRY(dap_linalg_view_right_side(call, B, m, &s));
  if (!f->uplo) DAP_TRY(dap_lu_align(call, f->pivots, s, &swaps)); /* before S is written to */
  DAP_TRY(dap_linalg_headroom(call));
  dap_linalg_multiply_by(call, s, 'A', f->sigma);
  DAP_TRY(dap_linalg_substitute(call, f->uplo, call->arguments.choices[0].value, m, &swaps, s));
  return f->sigma == 1 ? DAP_OK : dap_linalg_finite_result(call, s, "the solution");
}

dap_status dap_linalg_factors_solve(dap_linalg_factors *factors, char trans, dap_darray b,
                                    const dap_linalg_options *options, dap_error *err)
{
  DAP_TRY(dap_factors_check(factors, err));
  dap_linalg_arguments arguments = arguments_of(__func__, factors, solve, NULL);
  arguments.operands[B] = (dap_linalg_argument){"B", b, DAP_LINALG_UPDATE, .ndim = 0};
  arguments.choices[0] = (dap_linalg_choice){"trans", trans, "NTC"};
  return dap_linalg_run(factors->comm, &arguments, options, err);
}

/* Whether S lies on M's grid as M does. The same on every process. */
static bool lies_alike(const dap_scalapack_matrix *m, const dap_scalapack_matrix *s)
{
  bool alike = s->op == m->op && s->ia == m->ia && s->ja == m->ja;
  for (int k = DAP_MB; k < DAP_LLD; k++) alike = alike && s->desc[k] == m->desc[k];
  return alike;
}

/* Inverts a copy of LU factors in S. That takes two thirds of the operations of a solution for each
 * column. */
static dap_status invert_copy(dap_linalg_call *call, const dap_linalg_factors *f,
                              const dap_scalapack_matrix *m, const dap_scalapack_matrix *s)
{
  dap_lu lu;
  dap_inversion room;
  DAP_TRY(lu_of(call, f, s, &lu));
  DAP_TRY(dap_lu_inversion(call, s, &room));
  dap_linalg_copy_part(call, m, s);
  return dap_lu_invert(call, &lu, &room);
}

static dap_status invert(dap_linalg_call *call)
{
  const dap_linalg_factors *f = call->arguments.factors;
  const int64_t n = dap_linalg_rows(call, F);
  DAP_TRY(dap_linalg_fits(call, B, n, n));
  dap_scalapack_matrix *m, *s;
  dap_swaps swaps;
  DAP_TRY(view_of(call, f, &m));
  DAP_TRY(dap_linalg_view_right_side(call, B, m, &s));
  if (!f->uplo && lies_alike(m, s)) return invert_copy(call, f, m, s);
  if (!f->uplo) DAP_TRY(dap_lu_align(call, f->pivots, s, &swaps)); /* before S is written to */
  dap_linalg_fill(call, call->lib->one, s);
  DAP_TRY(dap_linalg_substitute(call, f->uplo, 'N', m, &swaps, s));
  dap_linalg_multiply_by(call, s, 'A', f->sigma);
  return dap_linalg_finite_result(call, s, "the inverse");
}

dap_status dap_linalg_factors_inverse(dap_linalg_factors *factors, dap_darray x,
                                      const dap_linalg_options *options, dap_error *err)
{
  DAP_TRY(dap_factors_check(factors, err));
  dap_linalg_arguments arguments = arguments_of(__func__, factors, invert, NULL);
  arguments.operands[B] =
      (dap_linalg_argument){.name = "X", .operand = x, .role = DAP_LINALG_RESULT, .ndim = 2};
  return dap_linalg_run(factors->comm, &arguments, options, err);
}

static dap_status determinant(dap_linalg_call *call)
{
  const dap_linalg_factors *f = call->arguments.factors;
  dap_determinant *result = call->arguments.context;
  dap_scalapack_matrix *m;
  dap_lu lu;
  DAP_TRY(view_of(call, f, &m));
  if (!f->uplo) {
    DAP_TRY(lu_of(call, f, m, &lu));
    return dap_linalg_determinant_of(call, &lu, result);
  }
  lu = (dap_lu){.matrix = m, .sigma = 1}; /* the result is the square of the triangle's */
  DAP_TRY(dap_linalg_determinant_of(call, &lu, result));
  *result = (dap_determinant){.sign = {1, 0}, .log = 2 * result->log - (double)m->m * log(f->sigma)};
  return DAP_OK;
}

dap_status dap_linalg_factors_determinant(dap_linalg_factors *factors, double sign[2], double *log,
                                          dap_error *err)
{
  DAP_TRY(dap_factors_check(factors, err));
  dap_determinant result;
  dap_linalg_arguments arguments = arguments_of(__func__, factors, determinant, &result);
  arguments.null = !sign ? "sign" : !log ? "log" : NULL;
  DAP_TRY(dap_linalg_run(factors->comm, &arguments, NULL, err));
  for (int c = 0; c < 2; c++) sign[c] = result.sign[c];
  *log = result.log;
  return DAP_OK;
}

static dap_status condition(dap_linalg_call *call)
{
  const dap_linalg_factors *f = call->arguments.factors;
  const char norm = call->arguments.choices[0].value;
  double *rcond = call->arguments.context;
  dap_scalapack_matrix *m;
  double norm_of_inverse = 0;
  DAP_TRY(view_of(call, f, &m));
  const char seen = dap_linalg_norm_seen(norm, f->op);
  DAP_TRY(dap_linalg_norm_of_inverse(call, m, f->uplo, seen, &norm_of_inverse));
  *rcond = dap_linalg_reciprocal(f->sigma * f->norms[norm == 'I'], norm_of_inverse);
  return DAP_OK;
}

dap_status dap_linalg_factors_condition(dap_linalg_factors *factors, char norm, double *rcond, dap_error *err)
{
  DAP_TRY(dap_factors_check(factors, err));
  double value = 0;
  dap_linalg_arguments arguments = arguments_of(__func__, factors, condition, &value);
  arguments.choices[0] = (dap_linalg_choice){"norm", norm, "1I"};
  arguments.null = rcond ? NULL : "rcond";
  const dap_status status = dap_linalg_run(factors->comm, &arguments, NULL, err);
  if (!status) *rcond = value;
  return status;
}
