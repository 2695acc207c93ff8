/* Computes the singular value decomposition of a tall matrix: A = Q R, R = X S Y^H, so U = Q X and VT = Y^H.
 * All processes form the long one of U and VT, and the short one comes from process 0, where LAPACK
 * decomposes R. */
#include "svd_impl.h"
#include "tsqr_impl.h"

#include <stdio.h>

enum { A, U, S, VT };

typedef struct problem {
  int64_t longer, shorter;
  int lengthy, brief; /* operands: the long vectors and the short ones */
  dap_tsqr qr;
  dap_linalg_dense r;
} problem;

/* A wide matrix is seen as its transpose: A^T = Q R gives U = (Y^H)^T and VT = (Q X)^T, without
 * conjugation. */
static problem problem_of(const dap_linalg_call *call)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A);
  const bool tall = m >= n;
  return (problem){.longer = tall ? m : n,
                   .shorter = tall ? n : m,
                   .lengthy = tall ? U : VT,
                   .brief = tall ? VT : U,
                   .qr = {.along = tall ? 0 : 1, .comm = MPI_COMM_NULL}};
}

bool dap_linalg_svd_is_tall(const dap_linalg_call *call)
{
  const problem p = problem_of(call);
  return dap_tsqr_is_tall(call, p.longer, p.shorter) &&
         (dap_tsqr_may_move(call) || dap_tsqr_are_direct(call, p.lengthy, p.qr.along));
}

static dap_status take_operands(dap_linalg_call *call, problem *p)
{
  const int along = p->qr.along;
  DAP_TRY(dap_tsqr_take(call, A, along, dap_tsqr_are_direct(call, p->lengthy, along), NULL,
                        "each process has whole rows, which are only read", &p->qr.a));
  return p->qr.has_vectors ? dap_tsqr_take_result(call, &p->qr, p->lengthy, "it lies as A does") : DAP_OK;
}

/* QR iteration needs a third of the memory, so it is the default if divide and conquer has too little. */
static dap_status make_dense_room(dap_linalg_call *call, problem *p)
{
  const int blocks = call->block_count;
  const dap_status status = dap_linalg_dense_make_room(call, &p->r);
  if (status != DAP_ERR_NOMEM || call->options.svd.solver != DAP_SVD_AUTO) return status;
  dap_linalg_work_free(call, blocks);
  p->r.divide = false;
  return dap_linalg_dense_make_room(call, &p->r);
}

/* Reserves all memory before the first element is written. */
static dap_status make_room(dap_linalg_call *call, problem *p, void *s)
{
  const bool has_short = call->given[p->brief];
  p->qr.n = p->shorter;
  p->qr.has_vectors = call->given[p->lengthy];
  p->r = (dap_linalg_dense){.s = s,
                            .has_vectors = p->qr.has_vectors || has_short,
                            .divide = call->options.svd.solver != DAP_SVD_GESVD};
  p->r.m = p->r.n = p->r.k = (dap_scalapack_int)p->shorter;
  DAP_TRY(take_operands(call, p));
  DAP_TRY(dap_tsqr_make_room(call, &p->qr));
  return make_dense_room(call, p);
}

static dap_status return_vectors(dap_linalg_call *call, problem *p)
{
  const dap_linalg_whole small = {p->brief,   p->r.vt,          p->shorter,
                                  p->shorter, call->lib->dtype, p->qr.along == 1};
  if (p->qr.has_vectors) {
    DAP_TRY(dap_tsqr_expand(call, &p->qr, p->r.u));
    DAP_TRY(dap_tsqr_move(call, p->lengthy, &p->qr.q, true, "it is computed in block rows"));
  }
  return dap_linalg_move_wholes(call, &small, 1, true);
}

static dap_status decompose(dap_linalg_call *call, problem *p, dap_scalapack_int *info)
{
  double most;
  DAP_TRY(dap_tsqr_move(call, A, &p->qr.a, false, "it is factored in block rows"));
  DAP_TRY(dap_tsqr_scan(call, &p->qr, false, &most));
  p->qr.sigma = dap_linalg_scale_factor(call, most);
  DAP_TRY(dap_tsqr_factor(call, &p->qr, p->r.a));
  DAP_TRY(dap_linalg_dense_decompose(call, &p->r, info));
  DAP_TRY(dap_linalg_spread(call, p->r.s, p->shorter));
  dap_linalg_scale_back(call, p->shorter, p->qr.sigma, p->r.s);
  return *info == 0 ? return_vectors(call, p) : DAP_OK;
}

dap_status dap_linalg_svd_tall(dap_linalg_call *call, void *s, dap_scalapack_int *info)
{
  problem p = problem_of(call);
  dap_status status = make_room(call, &p, s);
  if (!status) status = decompose(call, &p, info);
  dap_tsqr_close(&p.qr);
  (void)snprintf(call->report->method, sizeof call->report->method, "QR of rows, %s of R on process 0",
                 p.r.divide ? "divide and conquer" : "QR iteration");
  return status;
}
