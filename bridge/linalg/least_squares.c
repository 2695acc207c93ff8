/* Least squares, and least norm.
 *
 * gels overwrites the right-hand sides with the solutions, in a matrix that has room for the longer of both:
 * that of B where A has at least as many rows as columns, else that of X, the other being copied to or from
 * it. With op 'T' the matrix M is A^T, and gels solves with its transpose. Of complex matrices it only knows
 * the conjugate one: as M^H = conj(A), solving with conj(B) gives conj(X). */
#include "room_impl.h"
#include "tsqr_impl.h"

enum { A, B, X };

typedef struct problem {
  const dap_scalapack_matrix *a, *b, *x;
  const dap_scalapack_matrix *both; /* b or x: what gels works in */
  bool conjugate;
} problem;

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

/* What gels forgets to ask for where LQ factors are not in square blocks: ormlq transposes MB rows of M in
 * blocks of NB (larfb calls pb?tran with NB), and is given room for blocks of MB. Source: SRC/pdlarfb.f,
 * PBLAS/SRC/PBBLAS/pbdtran.f. */
static int64_t extra_work(const dap_scalapack_matrix *a)
{
  enum { CTXT = 1, MB = 4, NB = 5 };
  dap_scalapack_int rows, cols, row, col;
  Cblacs_gridinfo(a->desc[CTXT], &rows, &cols, &row, &col);
  return a->m >= a->n ? 0 : a->desc[MB] * (a->n / rows + a->desc[NB]);
}

static char trans_of(const problem *p)
{
  return p->a->op == 'N' ? 'N' : p->conjugate ? 'C' : 'T';
}

/* gels' workspace, before X is written to. */
static dap_status make_room(dap_linalg_call *call, const problem *p, void **work, dap_scalapack_int *lwork)
{
  const dap_scalapack_matrix *a = p->a, *both = p->both;
  const char trans = trans_of(p);
  dap_scalapack_int ask = -1, info = 0;
  double asked[2] = {0};
  call->lib->gels(&trans, &a->m, &a->n, &both->n, a->data, &a->ia, &a->ja, a->desc, both->data, &both->ia,
                  &both->ja, both->desc, asked, &ask, &info);
  DAP_TRY(dap_linalg_info(call, "gels, asked for its workspace", &info));
  const dap_room_matrix on_a = dap_room_of(a), on_b = dap_room_of(both);
  const int64_t bound = dap_room_gels(&on_a, &on_b);
  return dap_linalg_work_room(call, call->lib->dtype, bound, extra_work(a), asked, lwork, work);
}

static dap_status solve(dap_linalg_call *call, const problem *p, void *work, dap_scalapack_int lwork)
{
  const dap_scalapack_matrix *a = p->a, *both = p->both;
  const char trans = trans_of(p);
  dap_scalapack_int info = 0;
  call->lib->gels(&trans, &a->m, &a->n, &both->n, a->data, &a->ia, &a->ja, a->desc, both->data, &both->ia,
                  &both->ja, both->desc, work, &lwork, &info);
  return dap_linalg_info(call, "gels", &info);
}

/* Zeros on the diagonal of the triangular factor, which gels divides by. */
static dap_status check_rank(dap_linalg_call *call, const problem *p)
{
  const dap_linalg_part part = dap_linalg_part_of(call, p->a);
  dap_scalapack_int zero = 0;
  for (int64_t at[2] = {-1, -1}; zero == 0 && dap_linalg_next_diagonal(&part, at);) {
    double value[2];
    dap_linalg_value(&part, at[0], at[1], value);
    if (value[0] == 0 && value[1] == 0) zero = (dap_scalapack_int)dap_linalg_global(&part, 0, at[0]) + 1;
  }
  return dap_linalg_full_rank(call, "gels", zero);
}

/* X of an empty A or B. */
static dap_status write_zeros(dap_linalg_call *call)
{
  dap_scalapack_matrix *x;
  if (dap_linalg_rows(call, X) == 0 || dap_linalg_cols(call, X) == 0) return DAP_OK;
  DAP_TRY(dap_linalg_view(call, X, &(dap_scalapack_options){.routine = "laset"}, &x));
  call->lib->laset("A", &x->m, &x->n, call->lib->zero, call->lib->zero, x->data, &x->ia, &x->ja, x->desc);
  return DAP_OK;
}

static dap_status least_squares(dap_linalg_call *call)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A), nrhs = dap_linalg_cols(call, B);
  DAP_TRY(dap_linalg_fits(call, B, m, nrhs));
  DAP_TRY(dap_linalg_fits(call, X, n, nrhs));
  if (m == 0 || n == 0 || nrhs == 0) return write_zeros(call);
  if (dap_linalg_least_squares_is_tall(call)) return dap_linalg_least_squares_tall(call);
  problem p;
  void *work;
  dap_scalapack_int lwork;
  DAP_TRY(take_views(call, &p));
  DAP_TRY(dap_linalg_finite(call, p.a, 'A'));
  DAP_TRY(make_room(call, &p, &work, &lwork));
  if (p.both == p.x) dap_linalg_copy_first(call, p.b->m, p.b->n, p.b, p.x);
  if (p.conjugate) dap_linalg_conjugate(call, p.both);
  DAP_TRY(solve(call, &p, work, lwork));
  DAP_TRY(check_rank(call, &p));
  if (p.conjugate) dap_linalg_conjugate(call, p.both);
  if (p.both == p.b) dap_linalg_copy_first(call, p.x->m, p.b->n, p.b, p.x);
  return DAP_OK;
}

dap_status dap_linalg_least_squares(MPI_Comm comm, dap_darray a, dap_darray b, dap_darray x,
                                    const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2},
                   {"B", b, DAP_LINALG_WORK, .ndim = 0},
                   {"X", x, DAP_LINALG_RESULT, .ndim = 0}},
  };
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  if (!status) status = least_squares(&call);
  return dap_linalg_end(&call, status);
}
