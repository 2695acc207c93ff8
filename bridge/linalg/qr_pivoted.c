/* A P = Q R with column pivoting. */
#include "tsqr_impl.h"

#include <dapbridge/linalg_rank.h>
#include <string.h>

enum { A, Q, R, P };

/* Stores the pivots as integers of the type of their array. */
static dap_status store_order(dap_linalg_call *call, int64_t *order, int64_t n)
{
  if (!call->given[P]) return DAP_OK;
  for (int64_t j = 0; j < n && call->arguments.operands[P].operand.local->dtype == DAP_I4; j++) {
    const int32_t narrow = (int32_t)order[j];
    memcpy((char *)order + j * (int64_t)sizeof narrow, &narrow, sizeof narrow);
  }
  return dap_linalg_store_replicated(call, P, order);
}

/* Stores the order 0, 1, ... for a matrix without rows. */
static dap_status store_identity(dap_linalg_call *call, int64_t n)
{
  int64_t *order;
  DAP_TRY(dap_linalg_work(call, n, DAP_I8, &order));
  for (int64_t j = 0; j < n; j++) order[j] = j;
  return store_order(call, order, n);
}

/* Factors by geqpf. All memory is reserved before a result is written. */
static dap_status factor_and_copy(dap_linalg_call *call, dap_linalg_rank *found, int64_t **order)
{
  dap_scalapack_matrix *q = NULL, *r = NULL;
  dap_linalg_pivoted p = {.order = NULL};
  DAP_TRY(dap_linalg_pivoted_view(call, false, &p));
  if (call->given[R]) DAP_TRY(dap_linalg_view_aligned(call, R, "tradd", p.factors.a, 0, &r));
  if (call->given[Q]) DAP_TRY(dap_linalg_qr_view_q(call, Q, &p.factors, &q));
  if (call->given[Q]) DAP_TRY(dap_linalg_qr_form_room(call, &p.factors));
  DAP_TRY(dap_linalg_pivoted_factor(call, found, &p));
  if (call->given[R]) dap_linalg_qr_copy_r(call, &p.factors, r);
  if (call->given[Q]) {
    DAP_TRY(dap_linalg_qr_form(call, &p.factors));
    dap_linalg_copy_seen(call, p.factors.a, q);
  }
  *order = p.order;
  return DAP_OK;
}

static dap_status qr(dap_linalg_call *call)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A), k = m < n ? m : n;
  dap_linalg_rank *found = call->arguments.context;
  int64_t *order;
  DAP_TRY(dap_linalg_check_tolerance(call, found->tolerance));
  DAP_TRY(dap_linalg_fits(call, Q, m, k));
  DAP_TRY(dap_linalg_fits(call, R, k, n));
  DAP_TRY(dap_linalg_fits(call, P, n, 1));
  if (k == 0) return store_identity(call, n);
  if (dap_linalg_qr_is_tall(call))
    DAP_TRY(dap_linalg_qr_tall(call, found, &order));
  else
    DAP_TRY(factor_and_copy(call, found, &order));
  return store_order(call, order, n);
}

dap_status dap_linalg_qr_pivoted(MPI_Comm comm, double tolerance, dap_darray a, dap_darray q, dap_darray r,
                                 dap_darray p, int64_t *rank, const dap_linalg_options *options,
                                 dap_error *err)
{
  dap_linalg_rank found = {.tolerance = tolerance};
  const dap_linalg_arguments arguments = {
      __func__, qr, &found,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2},
                   {"Q", q, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"R", r, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"P", p, DAP_LINALG_RESULT, .ndim = 1, .optional = true, .integer = true}}};
  DAP_TRY(dap_linalg_run(comm, &arguments, options, err));
  if (rank) *rank = found.rank;
  return DAP_OK;
}
