/* Computes least squares and least norm solutions. */
#include "system_impl.h"
#include "tsqr_impl.h"

enum { A, B, X };

typedef struct problem {
  const dap_scalapack_matrix *a, *b, *x;
  const dap_scalapack_matrix *both; /* b or x, in which gels works */
  bool conjugate;
} problem;

/* gels overwrites the right-hand sides with the solutions, in a matrix with room for the longer of both: that
 * of B if A has at least as many rows as columns, else that of X. The other one is copied to or from it. With
 * op 'T' the matrix M is A^T, and gels solves with its transpose. It only knows the conjugate transpose of
 * complex matrices. M^H is conj(A), so solving with conj(B) gives conj(X). */
static dap_status take_views(dap_linalg_call *call, problem *p)
{
  const bool tall = dap_linalg_rows(call, A) >= dap_linalg_cols(call, A);
  dap_scalapack_matrix *a, *b, *x;
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "gels"}, &a));
  const dap_scalapack_options longer = {.routine = "gels", .aligned_with = a, .op = 'N'};
  const dap_scalapack_options shorter = {.routine = "geadd", .aligned_with = a, .op = 'N'};
  DAP_TRY(dap_linalg_view(call, B, tall ? &longer : &shorter, &b));
  DAP_TRY(dap_linalg_view(call, X, tall ? &shorter : &longer, &x));
  *p = (problem){.a = a, .b = b, .x = x, .both = tall ? b : x};
  p->conjugate = a->op == 'T' && dap_linalg_is_complex(call);
  return DAP_OK;
}

/* Returns the elements that gels needs beyond its answer if LQ factors are not in square blocks. ormlq
 * transposes MB rows of M in blocks of NB (larfb calls pb?tran with NB), and is given room for blocks of MB.
 * Source: SRC/pdlarfb.f, PBLAS/SRC/PBBLAS/pbdtran.f. */
static int64_t extra_work(const dap_scalapack_matrix *a)
{
  dap_scalapack_int rows, cols, row, col;
  Cblacs_gridinfo(a->desc[DAP_CTXT], &rows, &cols, &row, &col);
  return a->m >= a->n ? 0 : a->desc[DAP_MB] * (a->n / rows + a->desc[DAP_NB]);
}

static void call_gels(const dap_linalg_call *call, const problem *p, dap_workspace *w)
{
  const dap_scalapack_matrix *a = p->a, *both = p->both;
  const char *trans = p->a->op == 'N' ? "N" : p->conjugate ? "C" : "T";
  call->lib->gels(trans, &a->m, &a->n, &both->n, DAP_MATRIX(a), DAP_MATRIX(both), w->work, &w->lwork,
                  &w->info);
}

dap_status dap_linalg_least_squares_zero(dap_linalg_call *call)
{
  dap_scalapack_matrix *x;
  if (dap_linalg_rows(call, X) == 0 || dap_linalg_cols(call, X) == 0) return DAP_OK;
  DAP_TRY(dap_linalg_view(call, X, &(dap_scalapack_options){.routine = "laset"}, &x));
  dap_linalg_fill(call, call->lib->zero, x);
  return DAP_OK;
}

static dap_status least_squares(dap_linalg_call *call)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A), nrhs = dap_linalg_cols(call, B);
  if (m == 0 || n == 0 || nrhs == 0) return dap_linalg_least_squares_zero(call);
  if (dap_linalg_least_squares_is_tall(call)) return dap_linalg_least_squares_tall(call, NULL);
  problem p;
  DAP_TRY(take_views(call, &p));
  DAP_TRY(dap_linalg_finite(call, p.a, 'A'));
  dap_workspace w = {
      .routine = "gels", .bound = dap_room_gels(p.a, p.both), .more = extra_work(p.a), .may_fail = true};
  while (dap_workspace_next(call, &w) && w.calls == 1) call_gels(call, &p, &w); /* before X is written to */
  DAP_TRY(w.status);
  if (p.both == p.x) dap_linalg_copy_first(call, p.b->m, p.b->n, p.b, p.x);
  if (p.conjugate) dap_linalg_conjugate(call, p.both);
  call_gels(call, &p, &w);
  (void)dap_workspace_next(call, &w);
  DAP_TRY(w.status);
  /* gels divides by the diagonal of the triangular factor */
  DAP_TRY(dap_linalg_full_rank(call, dap_linalg_first_defect(call, p.a, DAP_DEFECT_ZERO)));
  if (p.conjugate) dap_linalg_conjugate(call, p.both);
  if (p.both == p.b) dap_linalg_copy_first(call, p.x->m, p.b->n, p.b, p.x);
  return DAP_OK;
}

dap_status dap_linalg_least_squares(MPI_Comm comm, dap_darray a, dap_darray b, dap_darray x,
                                    const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {__func__, least_squares,
                                          .operands = {{"A", a, DAP_LINALG_WORK, "mn"},
                                                       {"B", b, DAP_LINALG_WORK, "m[r]"},
                                                       {"X", x, DAP_LINALG_RESULT, "n[r]"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}
