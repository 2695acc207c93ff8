/* Solves least squares of any rank, from A P = Q R with column pivoting. */
#include "qr_impl.h"
#include "tsqr_impl.h"

#include <dapbridge/linalg_rank.h>

enum { A, B, X };

/* IA and JA of a whole matrix. */
static const dap_scalapack_int first = 1;

typedef struct problem {
  dap_linalg_qr_factors a;
  int64_t *order; /* [n] the column of A at each place */
  dap_scalapack_matrix *b, *x;
  dap_scalapack_int r;
  dap_scalapack_matrix *s; /* S, then its factors: A's view or `two_rows` */
  dap_scalapack_matrix two_rows;
  double sigma; /* A was multiplied by it */
} problem;

/* Chooses where S is factored: in A's place. But gelqf is wrong with a matrix of one row and two columns (see
 * no_row_pair in model/routines.c), so this becomes the first row of two. */
static dap_status choose_place(dap_linalg_call *call, problem *p)
{
  dap_scalapack_matrix *a = p->a.a;
  p->s = a;
  if (a->desc[DAP_M] != 1 || a->n != 2) return DAP_OK;
  p->s = &p->two_rows;
  DAP_TRY(dap_linalg_space_of(call, a, 2, 2, call->lib->dtype, p->s));
  dap_linalg_copy_part(call, a, p->s);
  return DAP_OK;
}

/* Factors S = L Z. */
static dap_status factor_rows(dap_linalg_call *call, const problem *p, void **tau)
{
  const dap_scalapack_matrix *a = p->s;
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_int less = p->r - 1, second = 2;
  int64_t extents[2];
  dap_workspace w = {.routine = "gelqf", .bound = dap_room_panels(a->desc[DAP_MB], a)};
  dap_linalg_local(a, extents);
  DAP_TRY(dap_linalg_work(call, extents[0], lib->dtype, tau));
  if (less > 0) lib->laset("L", &less, &less, lib->zero, lib->zero, a->data, &second, &first, a->desc);
  while (dap_workspace_next(call, &w))
    lib->gelqf(&p->r, &a->n, DAP_MATRIX(a), *tau, w.work, &w.lwork, &w.info);
  return w.status;
}

/* Moves row k of x to row order[k]. Collective. */
static void permute(const dap_linalg_call *call, const problem *p)
{
  static dap_pswap *const swaps[4] = {psswap_, pdswap_, pcswap_, pzswap_};
  dap_pswap *const swap = swaps[call->lib->letter];
  const dap_scalapack_matrix *x = p->x;
  const dap_scalapack_int stride = x->desc[DAP_M]; /* along a row */
  int64_t *order = p->order;
  for (int64_t k = 0; k < x->m; k++) {
    while (order[k] != k) {
      const int64_t to = order[k];
      const dap_scalapack_int one = (dap_scalapack_int)k + 1, other = (dap_scalapack_int)to + 1;
      swap(&x->n, x->data, &one, &first, x->desc, &stride, x->data, &other, &first, x->desc, &stride);
      order[k] = order[to], order[to] = to;
    }
  }
}

/* A P = Q R with pivots. Rows of R beyond the rank r are taken for 0, and the others, S (r, n), are L Z with
 * orthonormal rows in Z. So the solution of least norm is P Z^H inv(L) of the first r rows of Q^H B. If r is
 * n, Z is 1 and L is R. */
static dap_status solve(dap_linalg_call *call, problem *p)
{
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_matrix *b = p->b, *x = p->x;
  const bool full = p->r == p->a.a->n;
  if (!full) DAP_TRY(choose_place(call, p));
  dap_scalapack_matrix *a = full ? p->a.a : p->s;
  dap_linalg_qr_factors rest = {.a = a, .lq = true, .k = p->r};
  dap_linalg_qr_product by_q = {&p->a, 'L', true, b->m, b->n, b, {0}},
                        by_z = {&rest, 'L', true, x->m, x->n, x, {0}};
  DAP_TRY(dap_linalg_qr_apply(call, &by_q));
  if (!full) DAP_TRY(factor_rows(call, p, &rest.tau));
  if (!full) DAP_TRY(dap_linalg_qr_apply_room(call, &by_z)); /* before X is written to */
  lib->trsm("L", full ? "U" : "L", "N", "N", &p->r, &b->n, lib->one, DAP_MATRIX(a), DAP_MATRIX(b));
  dap_linalg_fill(call, lib->zero, x);
  dap_linalg_copy_first(call, p->r, b->n, b, x);
  if (!full) DAP_TRY(dap_linalg_qr_apply(call, &by_z));
  permute(call, p);
  dap_linalg_multiply_by(call, x, 'A', p->sigma);
  return DAP_OK;
}

static dap_status least_squares(dap_linalg_call *call)
{
  dap_linalg_rank *found = call->arguments.context;
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A), nrhs = dap_linalg_cols(call, B);
  problem p = {.r = 0};
  DAP_TRY(dap_linalg_check_tolerance(call, found->tolerance));
  if (m == 0 || n == 0) return dap_linalg_least_squares_zero(call);
  if (nrhs > 0 && dap_linalg_least_squares_is_tall(call)) return dap_linalg_least_squares_tall(call, found);
  DAP_TRY(dap_linalg_pivoted_view(call, true, &p.a));
  dap_scalapack_matrix *a = p.a.a;
  if (nrhs > 0) { /* ormqr's workspace for B, by the rows of A, before geqpf starts */
    const int64_t bound = dap_room_panels(a->desc[DAP_NB], a);
    DAP_TRY(dap_agree(call->comm, dap_linalg_check_work(call, bound), call->err));
  }
  /* A is scaled, as by gelsy: reciprocals of subnormal elements overflow, and squares of very large ones
   * do. */
  DAP_TRY(dap_linalg_finite(call, a, 'A'));
  DAP_TRY(dap_linalg_scale(call, a, 'A', false, &p.sigma));
  DAP_TRY(dap_linalg_pivoted_factor(call, found, &p.a, &p.order));
  p.r = (dap_scalapack_int)found->rank;
  if (p.r == 0 || nrhs == 0) return dap_linalg_least_squares_zero(call);
  const dap_scalapack_options beside = {
      .op = 'N', .aligned_with = a, .needs = {.square_blocks = true, .align = DAP_ALIGN_SAME}};
  DAP_TRY(dap_linalg_view(call, B, &beside, &p.b));
  DAP_TRY(dap_linalg_view(call, X, &beside, &p.x));
  return solve(call, &p);
}

dap_status dap_linalg_least_squares_rank(MPI_Comm comm, double tolerance, dap_darray a, dap_darray b,
                                         dap_darray x, int64_t *rank, const dap_linalg_options *options,
                                         dap_error *err)
{
  dap_linalg_rank found = {.tolerance = tolerance};
  const dap_linalg_arguments arguments = {__func__, least_squares, &found,
                                          .words = {{"tolerance", dap_linalg_bits_of(tolerance)}},
                                          .operands = {{"A", a, DAP_LINALG_WORK, "mn"},
                                                       {"B", b, DAP_LINALG_WORK, "m[r]"},
                                                       {"X", x, DAP_LINALG_RESULT, "n[r]"}}};
  DAP_TRY(dap_linalg_run(comm, &arguments, options, err));
  if (rank) *rank = found.rank;
  return DAP_OK;
}
