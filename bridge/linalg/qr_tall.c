/* Computes A = Q R of a tall matrix by its rows, or A P = Q R with column pivoting. Q is the tree's Q times 1
 * or, with pivoting, times the Q' of tsqr_pivoted.c. Reflectors are kept where Q is formed, so A is changed
 * only if Q is A. */
#include "tsqr_impl.h"

#include <string.h>

enum { A, Q, R };

typedef struct problem {
  int64_t n;
  dap_tsqr qr;
  dap_linalg_whole r;
  void *x; /* [n][n] */
  dap_tsqr_pivoted pivoted;
  dap_linalg_rank *found; /* NULL: columns are not pivoted */
  dap_plan *to_q, *to_r;  /* NULL: none is needed */
} problem;

bool dap_linalg_qr_is_tall(const dap_linalg_call *call)
{
  return dap_tsqr_is_faster(call, dap_linalg_rows(call, A), dap_linalg_cols(call, A)) &&
         (dap_tsqr_may_move(call) || dap_tsqr_are_direct(call, Q, 0));
}

static dap_status take_operands(dap_linalg_call *call, problem *p)
{
  DAP_TRY(dap_tsqr_take(call, A, 0, dap_tsqr_are_direct(call, A, 0), NULL,
                        call->in_place[Q] ? "each process has whole rows, where Q is formed"
                                          : "each process has whole rows, which are only read",
                        &p->qr.a));
  if (!call->given[Q]) return DAP_OK;
  DAP_TRY(dap_tsqr_take_result(call, &p->qr, Q, call->in_place[Q] ? "it is A" : "it lies as A does"));
  return dap_tsqr_plan_back(call, Q, &p->qr.q, &p->to_q);
}

/* Reserves all memory and makes all plans before the first element is written. */
static dap_status make_room(dap_linalg_call *call, problem *p)
{
  const int64_t square = p->n * p->n;
  p->qr.n = p->n, p->qr.has_vectors = call->given[Q], p->qr.sigma = 1;
  DAP_TRY(take_operands(call, p));
  p->r = (dap_linalg_whole){R, NULL, p->n, p->n, call->lib->dtype, false};
  if (call->given[R]) DAP_TRY(dap_linalg_whole_plan(call, &p->r, true, &p->to_r));
  DAP_TRY(dap_tsqr_make_room(call, &p->qr));
  DAP_TRY(dap_linalg_work(call, square, call->lib->dtype, &p->r.data));
  if (p->found) DAP_TRY(dap_tsqr_pivot_room(call, p->n, 0, &p->pivoted));
  return dap_linalg_work(call, call->given[Q] ? square : 0, call->lib->dtype, &p->x);
}

static dap_status form(dap_linalg_call *call, problem *p)
{
  const size_t item = (size_t)call->lib->item;
  for (int64_t j = 0; j < p->n; j++) /* workspace is zeroed */
    memcpy((char *)p->x + (size_t)(j * (p->n + 1)) * item, call->lib->one, item);
  if (p->found && call->rank == 0) dap_tsqr_pivot_apply(call, &p->pivoted, p->r.data, false, p->n, p->x);
  DAP_TRY(dap_tsqr_expand(call, &p->qr, p->x));
  if (!p->to_q) return DAP_OK;
  return dap_linalg_move_run(call, Q, p->to_q, p->qr.q.part.data, true, "it is formed in whole rows");
}

static dap_status factor(dap_linalg_call *call, problem *p)
{
  double most;
  DAP_TRY(dap_tsqr_move(call, A, &p->qr.a, false, "it is factored in block rows"));
  if (p->found) DAP_TRY(dap_tsqr_scan(call, &p->qr, false, &most));
  DAP_TRY(dap_tsqr_factor(call, &p->qr, p->r.data));
  if (p->found) DAP_TRY(dap_tsqr_pivot(call, &p->pivoted, p->r.data, p->found));
  if (call->given[Q]) DAP_TRY(form(call, p));
  if (p->found && call->rank == 0) dap_tsqr_pivot_clear(call, &p->pivoted, p->r.data);
  return call->given[R] ? dap_linalg_whole_run(call, &p->r, true, p->to_r) : DAP_OK;
}

dap_status dap_linalg_qr_tall(dap_linalg_call *call, dap_linalg_rank *found, int64_t **order)
{
  problem p = {.n = dap_linalg_cols(call, A), .qr.comm = MPI_COMM_NULL, .found = found};
  dap_status status = make_room(call, &p);
  if (!status) status = factor(call, &p);
  dap_plan_destroy(&p.to_q);
  dap_plan_destroy(&p.to_r);
  dap_tsqr_close(&p.qr);
  if (found) *order = p.pivoted.order;
  return status;
}
