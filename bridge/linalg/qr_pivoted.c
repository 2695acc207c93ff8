/* A P = Q R with column pivoting. */
#include "qr_impl.h"

#include <dapbridge/linalg_rank.h>

enum { A, Q, R, P };

/* Whether the array of pivots, which is given, has integers of 64 bits. */
static bool is_wide(const dap_linalg_call *call)
{
  return call->arguments.operands[P].operand.local->dtype == DAP_I8;
}

/* For the pivots as the array's integers. */
static dap_status make_room(dap_linalg_call *call, int64_t n, void **space)
{
  *space = NULL;
  return call->given[P] ? dap_linalg_work(call, n, is_wide(call) ? DAP_I8 : DAP_I4, space) : DAP_OK;
}

static dap_status store_order(dap_linalg_call *call, const int64_t *order, int64_t n, void *space)
{
  if (!call->given[P]) return DAP_OK;
  const bool wide = is_wide(call);
  for (int64_t j = 0; j < n; j++) {
    if (wide)
      ((int64_t *)space)[j] = order[j];
    else
      ((int32_t *)space)[j] = (int32_t)order[j];
  }
  return dap_linalg_store_replicated(call, P, space);
}

/* Of a matrix without rows: the columns as they are. */
static dap_status store_identity(dap_linalg_call *call, int64_t n)
{
  void *order, *space;
  DAP_TRY(dap_linalg_work(call, n, DAP_I8, &order));
  DAP_TRY(make_room(call, n, &space));
  for (int64_t j = 0; j < n; j++) ((int64_t *)order)[j] = j;
  return store_order(call, order, n, space);
}

static dap_status qr(dap_linalg_call *call, double tolerance, int64_t *rank)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A), k = m < n ? m : n;
  dap_scalapack_matrix *q = NULL, *r = NULL;
  dap_linalg_pivoted p = {.rank = 0};
  DAP_TRY(dap_linalg_pivoted_tolerance(call, tolerance));
  DAP_TRY(dap_linalg_fits(call, Q, m, k));
  DAP_TRY(dap_linalg_fits(call, R, k, n));
  DAP_TRY(dap_linalg_fits(call, P, n, 1));
  if (k > 0) {
    DAP_TRY(dap_linalg_pivoted_view(call, false, &p));
    const dap_scalapack_matrix *a = p.factors.a;
    if (call->given[R]) DAP_TRY(dap_linalg_view_aligned(call, R, "tradd", a, 0, &r));
    if (call->given[Q])
      DAP_TRY(dap_linalg_view_aligned(call, Q, call->options.sharing == DAP_SHARE_OR_FAIL ? "geadd" : "lacpy",
                                      a, 0, &q));
    void *space; /* is allocated before any result is written, like that of form */
    DAP_TRY(make_room(call, n, &space));
    if (call->given[Q]) DAP_TRY(dap_linalg_qr_form_room(call, &p.factors));
    DAP_TRY(dap_linalg_pivoted_factor(call, tolerance, &p));
    if (call->given[R]) dap_linalg_qr_copy_r(call, &p.factors, r);
    if (call->given[Q]) {
      DAP_TRY(dap_linalg_qr_form(call, &p.factors));
      dap_linalg_qr_copy_q(call, &p.factors, q);
    }
    DAP_TRY(store_order(call, p.order, n, space));
  } else {
    DAP_TRY(store_identity(call, n));
  }
  *rank = p.rank;
  return DAP_OK;
}

dap_status dap_linalg_qr_pivoted(MPI_Comm comm, double tolerance, dap_darray a, dap_darray q, dap_darray r,
                                 dap_darray p, int64_t *rank, const dap_linalg_options *options,
                                 dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2},
                   {"Q", q, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"R", r, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"P", p, DAP_LINALG_RESULT, .ndim = 1, .optional = true, .integer = true}},
  };
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  int64_t found = 0;
  if (!status) status = qr(&call, tolerance, &found);
  status = dap_linalg_end(&call, status);
  if (!status && rank) *rank = found;
  return status;
}
