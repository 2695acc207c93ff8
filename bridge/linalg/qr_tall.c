/* A = Q R of a tall matrix by its rows. R comes from process 0, and Q is the tree's Q times 1.
 *
 * A is used where it is if each process has whole rows, and Q if it lies as A does. A copy takes the place of
 * an operand that must be moved. Reflectors are kept where Q is formed, so A is changed only if Q is A. */
#include "tsqr_impl.h"

#include <string.h>

enum { A, Q, R };

typedef struct problem {
  int64_t n;
  bool has_a, has_q;        /* are used where they are */
  dap_tsqr_copy of_a, of_q; /* else; Q is formed in that of A if both are moved */
  dap_tsqr qr;
  void *r, *x;           /* [n][n] each */
  dap_plan *to_q, *to_r; /* NULL: none is needed */
} problem;

static const dap_layout *layout_of(const dap_linalg_call *call, int i)
{
  return call->arguments.operands[i].operand.layout;
}

bool dap_linalg_qr_is_tall(const dap_linalg_call *call)
{
  if (!dap_tsqr_is_faster(call, dap_linalg_rows(call, A), dap_linalg_cols(call, A))) return false;
  return call->options.sharing != DAP_SHARE_OR_FAIL ||
         (dap_tsqr_is_direct(call, 0) &&
          (!call->given[Q] || dap_tsqr_is_alike(layout_of(call, A), layout_of(call, Q), 0)));
}

/* ---- where it is done -------------------------------------------------------------------------------- */

static dap_status take_q(dap_linalg_call *call, problem *p)
{
  p->has_q = p->has_a && dap_tsqr_is_alike(layout_of(call, A), layout_of(call, Q), 0);
  if (p->has_q) {
    p->qr.to = dap_tsqr_part(call, Q, call->in_place[Q] ? "it is A" : "it lies as A does");
    return DAP_OK;
  }
  if (p->has_a) DAP_TRY(dap_tsqr_make_copy(call, Q, 0, layout_of(call, A), &p->of_q));
  p->qr.to = p->has_a ? p->of_q.part : p->of_a.part;
  return dap_tsqr_plan_back(call, Q, p->has_a ? &p->of_q : &p->of_a, &p->to_q);
}

/* All memory and all plans come before the first element is written. */
static dap_status make_room(dap_linalg_call *call, problem *p)
{
  const int64_t square = p->n * p->n;
  p->has_a = dap_tsqr_is_direct(call, 0);
  p->qr.n = p->n, p->qr.has_vectors = call->given[Q], p->qr.sigma = 1;
  if (!p->has_a) DAP_TRY(dap_tsqr_make_copy(call, A, 0, NULL, &p->of_a));
  p->qr.from = p->has_a
                   ? dap_tsqr_part(call, A,
                                   call->in_place[Q] ? "each process has whole rows, where Q is formed"
                                                     : "each process has whole rows, which are only read")
                   : p->of_a.part;
  if (call->given[Q]) DAP_TRY(take_q(call, p));
  if (call->given[R]) DAP_TRY(dap_linalg_whole_plan(call, R, p->n, p->n, call->lib->dtype, &p->to_r));
  DAP_TRY(dap_tsqr_make_room(call, &p->qr));
  DAP_TRY(dap_linalg_work(call, square, call->lib->dtype, &p->r));
  return dap_linalg_work(call, call->given[Q] ? square : 0, call->lib->dtype, &p->x);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static dap_status form(dap_linalg_call *call, problem *p)
{
  const size_t item = (size_t)dap_dtype_size(call->lib->dtype);
  for (int64_t j = 0; j < p->n; j++) /* work space is zeroed */
    memcpy((char *)p->x + (size_t)(j * (p->n + 1)) * item, call->lib->one, item);
  DAP_TRY(dap_tsqr_expand(call, &p->qr, p->x));
  if (p->has_q) return DAP_OK;
  return dap_linalg_move_run(call, Q, p->to_q, p->qr.to.data, true, "it is formed in whole rows");
}

static dap_status factor(dap_linalg_call *call, problem *p)
{
  if (!p->has_a) DAP_TRY(dap_tsqr_move(call, A, &p->of_a, false, "it is factored in block rows"));
  DAP_TRY(dap_tsqr_factor(call, &p->qr, p->r));
  if (call->given[Q]) DAP_TRY(form(call, p));
  return call->given[R] ? dap_linalg_whole_run(call, R, p->to_r, p->r) : DAP_OK;
}

dap_status dap_linalg_qr_tall(dap_linalg_call *call)
{
  problem p = {.n = dap_linalg_cols(call, A), .qr.comm = MPI_COMM_NULL};
  dap_status status = make_room(call, &p);
  if (!status) status = factor(call, &p);
  dap_plan_destroy(&p.to_q);
  dap_plan_destroy(&p.to_r);
  dap_tsqr_close(&p.qr);
  dap_tsqr_destroy(&p.of_a);
  dap_tsqr_destroy(&p.of_q);
  return status;
}
