/* Makes and ends factors that are kept. */
#include "factors_impl.h"

#include <stdlib.h>
#include <string.h>

enum { A };

static uint64_t magic_of(const dap_linalg_factors *factors)
{
  return UINT64_C(0x666163746f727321) ^ (uint64_t)(uintptr_t)factors;
}

dap_status dap_factors_check(const dap_linalg_factors *factors, dap_error *err)
{
  DAP_REQUIRE(factors, err, DAP_ERR_ARG, "factors must not be NULL");
  DAP_REQUIRE(factors->magic == magic_of(factors), err, DAP_ERR_ARG, "factors are none, or were destroyed");
  return DAP_OK;
}

void dap_linalg_factors_destroy(dap_linalg_factors **factors)
{
  dap_linalg_factors *f = factors ? *factors : NULL;
  if (factors) *factors = NULL;
  if (dap_factors_check(f, NULL)) return;
  *(volatile uint64_t *)&f->magic = 0; /* else the compiler leaves it out, as free() follows */
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
  static uint64_t numbers; /* rank 0 never gives one twice, as factors may live longer on other processes */
  f->number = ++numbers;
  return dap_linalg_mpi(call, MPI_Bcast(&f->number, 1, MPI_UNSIGNED_LONG_LONG, 0, call->comm), "MPI_Bcast");
}

/* Takes the caller's buffer. Dictionaries are left out, because shared factors do not need them. */
static void borrow(dap_linalg_factors *f, dap_darray a)
{
  f->layout = dap_layout_retain(a.layout);
  f->array = *a.local;
  memset(f->array.dims, 0, sizeof f->array.dims);
  f->array.release = NULL;
  f->array.private_data = NULL;
}

/* Copies a view that was moved, and lays it out like the view. Collective. */
static dap_status copy(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_linalg_factors *f)
{
  dap_array moved;
  dap_error *err = call->err;
  DAP_TRY(dap_scalapack_import(call->comm, view->desc, view->data, call->lib->dtype, view->op, &moved,
                               &f->layout, err));
  const dap_order order = view->op == 'T' ? DAP_ORDER_C : DAP_ORDER_F;
  dap_status s = dap_array_init(&f->array, f->layout, call->rank, call->lib->dtype, order, NULL, err);
  if (!s) s = dap_array_copy(&moved, &f->array, err);
  dap_array_release(&moved);
  return dap_agree(call->comm, s, err);
}

/* Takes A's view, in A's buffer or in a copy, which then belongs to the factors. Collective. */
static dap_status take(dap_linalg_call *call, dap_linalg_factors *f, dap_scalapack_matrix **view)
{
  dap_scalapack_options options = {.routine = f->routine};
  DAP_TRY(f->uplo ? dap_linalg_view_moved_as(call, A, dap_linalg_lower_op(f->uplo), &options, view)
                  : dap_linalg_view(call, A, &options, view));
  f->op = (*view)->op;
  if ((*view)->shared) {
    borrow(f, call->arguments.operands[A].operand);
    return DAP_OK;
  }
  DAP_TRY(copy(call, *view, f));
  options = (dap_scalapack_options){.routine = f->routine, .op = f->op};
  return dap_linalg_replace(call, A, (dap_darray){f->layout, &f->array}, &options, view);
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
  DAP_TRY(dap_linalg_scale_up(call, view, f->uplo, &f->sigma)); /* reciprocals of subnormals overflow */
  return dap_cholesky_factor(call, f->uplo, view);
}

/* Factors by Cholesky if uplo is given, else by LU. */
static dap_status factor(dap_linalg_call *call)
{
  const char uplo = call->arguments.choices[0].value;
  dap_linalg_factors **factors = call->arguments.context;
  dap_scalapack_matrix *view;
  DAP_TRY(dap_linalg_square(call, A));
  DAP_TRY(create(call, uplo ? 0 : dap_linalg_rows(call, A), factors));
  dap_linalg_factors *f = *factors;
  f->comm = call->comm;
  f->uplo = uplo;
  f->routine = uplo ? "potrs" : "getrf"; /* potrf and getrs need the same */
  DAP_TRY(take(call, f, &view));
  return uplo ? factor_cholesky(call, f, view) : factor_lu(call, f, view);
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
                                          .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2}}};
  return make(arguments, comm, options, factors, err);
}

dap_status dap_linalg_cholesky(MPI_Comm comm, char uplo, dap_darray a, const dap_linalg_options *options,
                               dap_linalg_factors **factors, dap_error *err)
{
  const dap_linalg_arguments arguments = {.function = __func__,
                                          .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2}},
                                          .choices = {{"uplo", uplo, "LU"}}};
  return make(arguments, comm, options, factors, err);
}
