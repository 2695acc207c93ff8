/* Makes, uses and ends factors that are kept. */
#include "factors_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { A, F = 0, B }; /* A, or the factors themselves; right-hand sides or the inverse */

static uint64_t magic_of(const dap_linalg_factors *factors)
{
  return UINT64_C(0x666163746f727321) ^ (uint64_t)(uintptr_t)factors;
}

/* Fails with DAP_ERR_ARG if `factors` are NULL, destroyed or not factors. */
static dap_status check(const dap_linalg_factors *factors, dap_error *err)
{
  DAP_REQUIRE(factors, err, DAP_ERR_ARG, "factors must not be NULL");
  DAP_REQUIRE(factors->magic == magic_of(factors), err, DAP_ERR_ARG,
              "factors are not factors, or were destroyed");
  return DAP_OK;
}

void dap_linalg_factors_destroy(dap_linalg_factors **factors)
{
  dap_linalg_factors *f = factors ? *factors : NULL;
  if (factors) *factors = NULL;
  if (check(f, NULL)) return;
  *(volatile uint64_t *)&f->magic = 0; /* volatile: free() follows, so the compiler would leave it out */
  dap_array_release(&f->array);
  dap_layout_destroy(&f->layout);
  free(f->pivots);
  free(f);
}

/* Makes factors with room for `pivots`, and with a number that no other live ones have. Collective;
 * agreed. */
static dap_status create(dap_linalg_call *call, int64_t pivots, dap_linalg_factors **factors)
{
  dap_linalg_factors *f = calloc(1, sizeof *f);
  if (f) f->pivots = calloc(pivots > 0 ? (size_t)pivots : 1, sizeof *f->pivots);
  const bool made = f && f->pivots;
  if (f) f->magic = magic_of(f);
  *factors = f;
  DAP_TRY(dap_agree(call->comm, made ? DAP_OK : dap_fail(call->err, DAP_ERR_NOMEM, "no memory for factors"),
                    call->err));
  static uint64_t numbers; /* never given twice, because factors may live longer on other processes */
  f->number = ++numbers;
  return dap_linalg_mpi(call, MPI_Bcast(&f->number, 1, MPI_UNSIGNED_LONG_LONG, 0, call->comm), "MPI_Bcast");
}

/* Gives the factors, which the view has, to `f`: in the caller's buffer or, if the view was moved, in a copy.
 * Collective. */
static dap_status keep(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_linalg_factors *f)
{
  const dap_darray a = call->arguments.operands[A].operand;
  const dap_order order = view->op == 'T' ? DAP_ORDER_C : DAP_ORDER_F;
  dap_error *err = call->err;
  dap_array moved;
  if (view->shared) {
    f->layout = dap_layout_retain(a.layout);
    f->array = *a.local;
    memset(f->array.dims, 0, sizeof f->array.dims); /* shared factors do not need dictionaries */
    f->array.release = NULL;
    f->array.private_data = NULL;
    return DAP_OK;
  }
  DAP_TRY(dap_scalapack_import(call->comm, view->desc, view->data, call->lib->dtype, view->op, &moved,
                               &f->layout, err));
  dap_status s = dap_array_init(&f->array, f->layout, call->rank, call->lib->dtype, order, NULL, err);
  if (!s) s = dap_array_copy(&moved, &f->array, err);
  dap_array_release(&moved);
  return dap_agree(call->comm, s, err);
}

static dap_status factor_lu(dap_linalg_call *call, dap_linalg_factors *f, const dap_scalapack_matrix *view)
{
  dap_lu lu;
  dap_scalapack_int *pivots;
  DAP_TRY(dap_linalg_sum_norms(call, view, f->norms));
  DAP_TRY(dap_lu_factor(call, view, &lu));
  DAP_TRY(dap_lu_regular(call, &lu));
  DAP_TRY(dap_lu_pivots(call, &lu, &pivots));
  f->sigma = lu.sigma;
  memcpy(f->pivots, pivots, (size_t)view->m * sizeof *pivots);
  return DAP_OK;
}

static dap_status factor_cholesky(dap_linalg_call *call, dap_linalg_factors *f,
                                  const dap_scalapack_matrix *view)
{
  f->uplo = dap_linalg_triangle(f->uplo, view->op);
  DAP_TRY(dap_linalg_hermitian_norm(call, f->uplo, view, &f->norms[0]));
  f->norms[1] = f->norms[0];
  DAP_TRY(dap_linalg_scale(call, view, f->uplo, true, &f->sigma)); /* reciprocals of subnormals overflow */
  return dap_cholesky_factor(call, f->uplo, view);
}

/* Factors by Cholesky if uplo is given, else by LU. */
static dap_status factor(dap_linalg_call *call)
{
  const char uplo = dap_linalg_chosen(call, 0);
  dap_linalg_factors **factors = call->arguments.context;
  dap_scalapack_matrix *view;
  DAP_TRY(create(call, uplo ? 0 : dap_linalg_rows(call, A), factors));
  dap_linalg_factors *f = *factors;
  f->comm = call->comm;
  f->uplo = uplo;
  f->routine = uplo ? "potrs" : "getrf"; /* potrf and getrs need the same */
  const dap_scalapack_options options = {.routine = f->routine};
  DAP_TRY(uplo ? dap_linalg_view_moved_as(call, A, dap_linalg_lower_op(uplo), &options, &view)
               : dap_linalg_view(call, A, &options, &view));
  f->op = view->op;
  DAP_TRY(uplo ? factor_cholesky(call, f, view) : factor_lu(call, f, view));
  return keep(call, view, f);
}

static dap_status make(dap_linalg_arguments arguments, MPI_Comm comm, const dap_linalg_options *options,
                       dap_linalg_factors **factors, dap_error *err)
{
  dap_linalg_factors *made = NULL;
  arguments.work = factor;
  arguments.context = &made;
  arguments.null = factors ? NULL : "factors";
  const dap_status status = dap_linalg_run(comm, &arguments, options, err);
  if (status) dap_linalg_factors_destroy(&made);
  if (factors) *factors = made;
  return status;
}

dap_status dap_linalg_lu(MPI_Comm comm, dap_darray a, const dap_linalg_options *options,
                         dap_linalg_factors **factors, dap_error *err)
{
  const dap_linalg_arguments arguments = {.function = __func__,
                                          .operands = {{"A", a, DAP_LINALG_WORK, "nn"}}};
  return make(arguments, comm, options, factors, err);
}

dap_status dap_linalg_cholesky(MPI_Comm comm, char uplo, dap_darray a, const dap_linalg_options *options,
                               dap_linalg_factors **factors, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__, .operands = {{"A", a, DAP_LINALG_WORK, "nn"}}, .choices = {{"uplo", uplo, "LU"}}};
  return make(arguments, comm, options, factors, err);
}

/* ---- use ----------------------------------------------------------------------------------------------- */

/* Returns a call's arguments with the factors as first operand. */
static dap_linalg_arguments arguments_of(const char *function, const dap_linalg_factors *f,
                                         dap_status (*work)(dap_linalg_call *call), void *context)
{
  return (dap_linalg_arguments){
      function, work, context, .factors = f,
      .operands = {{"factors", {f->layout, &f->array}, DAP_LINALG_INPUT, "nn", .own = true}}};
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
  dap_scalapack_matrix *m, *s;
  dap_swaps swaps;
  DAP_TRY(view_of(call, f, &m));
  DAP_TRY(dap_linalg_view_right_side(call, B, m, &s));
  if (!f->uplo) DAP_TRY(dap_lu_align(call, f->pivots, s, &swaps)); /* before S is written to */
  DAP_TRY(dap_linalg_headroom(call));
  const dap_linalg_system system = {f->uplo, dap_linalg_chosen(call, 0), f->sigma, m, &swaps};
  return dap_linalg_solution(call, &system, s);
}

dap_status dap_linalg_factors_solve(dap_linalg_factors *factors, char trans, dap_darray b,
                                    const dap_linalg_options *options, dap_error *err)
{
  DAP_TRY(check(factors, err));
  dap_linalg_arguments arguments = arguments_of(__func__, factors, solve, NULL);
  arguments.operands[B] = (dap_linalg_argument){"B", b, DAP_LINALG_UPDATE, .shape = "n[r]"};
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

/* Inverts a copy of LU factors in S. This takes two thirds of the operations of a solution for each
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
  DAP_TRY(check(factors, err));
  dap_linalg_arguments arguments = arguments_of(__func__, factors, invert, NULL);
  arguments.operands[B] = (dap_linalg_argument){"X", x, DAP_LINALG_RESULT, .shape = "nn"};
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
  DAP_TRY(check(factors, err));
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
  const char norm = dap_linalg_chosen(call, 0);
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
  DAP_TRY(check(factors, err));
  double value = 0;
  dap_linalg_arguments arguments = arguments_of(__func__, factors, condition, &value);
  arguments.choices[0] = (dap_linalg_choice){"norm", norm, "1I"};
  arguments.null = rcond ? NULL : "rcond";
  const dap_status status = dap_linalg_run(factors->comm, &arguments, NULL, err);
  if (!status) *rcond = value;
  return status;
}
