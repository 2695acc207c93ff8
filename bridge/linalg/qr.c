/* Computes A = Q R, and A P = Q R with column pivoting. */
#include "qr_impl.h"
#include "tsqr_impl.h"

#include <dapbridge/linalg_rank.h>
#include <inttypes.h>
#include <string.h>

enum { A, Q, R, P };

dap_status dap_linalg_qr_factor(dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  const dap_scalapack_matrix *a = f->a;
  dap_pgeqrf *const routine = f->lq ? call->lib->gelqf : call->lib->geqrf; /* gelqf is declared alike */
  dap_workspace w = {.routine = "geqrf", .bound = dap_room_panels(a->desc[f->lq ? DAP_MB : DAP_NB], a)};
  int64_t extents[2];
  dap_linalg_local(a, extents);
  DAP_TRY(dap_linalg_work(call, extents[f->lq ? 0 : 1], call->lib->dtype, &f->tau));
  while (dap_workspace_next(call, &w))
    routine(&a->m, &a->n, DAP_MATRIX(a), f->tau, w.work, &w.lwork, &w.info);
  return w.status;
}

/* Replaces the first k columns or rows of A with Q or its transpose. orgqr and orglq are declared alike. */
static void form(const dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  const dap_scalapack_matrix *a = f->a;
  dap_porgqr *const routine = f->lq ? call->lib->orglq : call->lib->orgqr;
  const dap_scalapack_int m = f->lq ? f->k : a->m, n = f->lq ? a->n : f->k;
  routine(&m, &n, &f->k, DAP_MATRIX(a), f->tau, f->form.work, &f->form.lwork, &f->form.info);
}

/* Reserves workspace, which may be done before A is factored. Collective. */
static dap_status form_room(dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  f->form = (dap_workspace){.routine = "orgqr",
                            .bound = dap_room_panels(f->a->desc[f->lq ? DAP_MB : DAP_NB], f->a)};
  while (dap_workspace_next(call, &f->form) && f->form.calls == 1) form(call, f);
  return f->form.status;
}

/* Forms Q in the workspace that form_room() reserved. Collective. */
static dap_status form_q(dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  form(call, f);
  (void)dap_workspace_next(call, &f->form);
  return f->form.status;
}

static void apply(const dap_linalg_call *call, dap_linalg_qr_product *p)
{
  dap_pormqr *const routine = p->factors->lq ? call->lib->ormlq : call->lib->ormqr;
  const char *trans = !p->adjoint ? "N" : dap_linalg_is_complex(call) ? "C" : "T";
  const dap_scalapack_matrix *a = p->factors->a, *c = p->c;
  routine(&p->side, trans, &p->rows, &p->cols, &p->factors->k, DAP_MATRIX(a), p->factors->tau, DAP_MATRIX(c),
          p->w.work, &p->w.lwork, &p->w.info);
}

dap_status dap_linalg_qr_apply_room(dap_linalg_call *call, dap_linalg_qr_product *p)
{
  p->w = (dap_workspace){.routine = "ormqr",
                         .bound = dap_room_product(p->factors->lq, p->side, p->factors->a, p->c)};
  while (dap_workspace_next(call, &p->w) && p->w.calls == 1) apply(call, p);
  return p->w.status;
}

dap_status dap_linalg_qr_apply(dap_linalg_call *call, dap_linalg_qr_product *p)
{
  if (p->w.calls == 0) DAP_TRY(dap_linalg_qr_apply_room(call, p)); /* on all processes or none */
  apply(call, p);
  (void)dap_workspace_next(call, &p->w);
  return p->w.status;
}

void dap_linalg_qr_copy_r(const dap_linalg_call *call, const dap_linalg_qr_factors *f,
                          const dap_scalapack_matrix *r)
{
  const dap_linalg_routines *lib = call->lib;
  const bool transposed = r->op != f->a->op;
  const char uplo = f->lq != transposed ? 'L' : 'U'; /* the triangle of r */
  dap_linalg_fill(call, lib->zero, r);
  lib->tradd(&uplo, transposed ? "T" : "N", &r->m, &r->n, lib->one, DAP_MATRIX(f->a), lib->zero,
             DAP_MATRIX(r));
}

/* Factors A, with column pivoting if `found` is not NULL, and copies the results to Q and R. All memory is
 * reserved before a result is written. The factors are made in A's place and copied from there.
 *
 * The matrix of a view with op 'T' is A^T = R^T Q^T, so its LQ factors are the transposed ones. Nothing is
 * conjugated, because the rows of Q^T are orthonormal as well. */
static dap_status decompose(dap_linalg_call *call, dap_linalg_qr_factors *f, dap_linalg_rank *found,
                            int64_t **order)
{
  dap_scalapack_matrix *q = NULL, *r = NULL;
  /* lacpy wants A's blocks, and geadd is slow between others */
  const char *routine = call->options.sharing == DAP_SHARE_OR_FAIL ? "geadd" : "lacpy";
  if (call->given[R]) DAP_TRY(dap_linalg_view_aligned(call, R, "tradd", f->a, 0, &r));
  if (call->given[Q] && !call->in_place[Q]) DAP_TRY(dap_linalg_view_aligned(call, Q, routine, f->a, 0, &q));
  if (call->given[Q]) DAP_TRY(form_room(call, f));
  DAP_TRY(found ? dap_linalg_pivoted_factor(call, found, f, order) : dap_linalg_qr_factor(call, f));
  if (r) dap_linalg_qr_copy_r(call, f, r);
  if (call->given[Q]) DAP_TRY(form_q(call, f));
  if (q) dap_linalg_copy_seen(call, f->a, q);
  return DAP_OK;
}

/* ---- without pivoting ------------------------------------------------------------------------------ */

/* Checks that both have their elements at the same addresses. */
static dap_status check_in_place(const dap_darray *a, const dap_darray *q, dap_error *err)
{
  DAP_REQUIRE(dap_layout_is_equal(a->layout, q->layout), err, DAP_ERR_ARG,
              "Q is in A's buffer and has another layout");
  for (int k = 0; k < 2 && dap_array_count(a->local) > 0; k++)
    DAP_REQUIRE(a->local->shape[k] == 1 || a->local->strides[k] == q->local->strides[k], err, DAP_ERR_ARG,
                "Q is in A's buffer and has other strides: axis %d: %" PRId64 ", A's %" PRId64 " bytes", k,
                q->local->strides[k], a->local->strides[k]);
  DAP_REQUIRE(a->local->swapped == q->local->swapped, err, DAP_ERR_ARG,
              "Q is in A's buffer and has another byte order");
  return DAP_OK;
}

/* Makes A a result, because Q is in its buffer. Collective, because each process has strides of its own. */
static dap_status take_in_place(dap_linalg_call *call)
{
  const dap_linalg_argument *given = call->arguments.operands;
  DAP_TRY(dap_agree(call->comm, check_in_place(&given[A].operand, &given[Q].operand, call->err), call->err));
  call->arguments.operands[A].role = DAP_LINALG_UPDATE;
  call->kept[A] = false;
  dap_linalg_note(call, Q, 0, "it is A, and moves with it");
  return DAP_OK;
}

static dap_status qr(dap_linalg_call *call)
{
  dap_linalg_qr_factors f = {0};
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A);
  if (m == 0 || n == 0) return DAP_OK;
  if (call->in_place[Q]) DAP_TRY(take_in_place(call));
  if (dap_linalg_qr_is_tall(call)) return dap_linalg_qr_tall(call, NULL, NULL);
  /* gelqf is wrong with 1 x 2: see no_row_pair in model/routines.c */
  const dap_scalapack_options options = {.routine = "geqrf", .op = m * n == 2 ? 'N' : 0};
  /* gelqf and orglq take up to 1.7 times as long as geqrf and orgqr */
  DAP_TRY(dap_linalg_view_moved_as(call, A, 'N', &options, &f.a));
  f.lq = f.a->op == 'T';
  f.k = f.a->m < f.a->n ? f.a->m : f.a->n;
  if (call->in_place[Q]) call->report->uses[Q].shared = f.a->shared;
  return decompose(call, &f, NULL, NULL);
}

dap_status dap_linalg_qr(MPI_Comm comm, dap_darray a, dap_darray q, dap_darray r,
                         const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, qr,
      .operands = {{"A", a, DAP_LINALG_WORK, "mn"},
                   {"Q", q, DAP_LINALG_RESULT, "ms", .optional = true, .in_place = true},
                   {"R", r, DAP_LINALG_RESULT, "sn", .optional = true}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

/* ---- with pivoting --------------------------------------------------------------------------------- */

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

static dap_status qr_pivoted(dap_linalg_call *call)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A);
  dap_linalg_rank *found = call->arguments.context;
  dap_linalg_qr_factors f = {0};
  int64_t *order;
  DAP_TRY(dap_linalg_check_tolerance(call, found->tolerance));
  if (m == 0 || n == 0) {
    DAP_TRY(dap_linalg_work(call, n, DAP_I8, &order));
    for (int64_t j = 0; j < n; j++) order[j] = j;
  } else if (dap_linalg_qr_is_tall(call)) {
    DAP_TRY(dap_linalg_qr_tall(call, found, &order));
  } else {
    DAP_TRY(dap_linalg_pivoted_view(call, false, &f));
    DAP_TRY(decompose(call, &f, found, &order));
  }
  return store_order(call, order, n);
}

dap_status dap_linalg_qr_pivoted(MPI_Comm comm, double tolerance, dap_darray a, dap_darray q, dap_darray r,
                                 dap_darray p, int64_t *rank, const dap_linalg_options *options,
                                 dap_error *err)
{
  dap_linalg_rank found = {.tolerance = tolerance};
  const dap_linalg_arguments arguments = {
      __func__, qr_pivoted, &found, .words = {{"tolerance", dap_linalg_bits_of(tolerance)}},
      .operands = {{"A", a, DAP_LINALG_WORK, "mn"},
                   {"Q", q, DAP_LINALG_RESULT, "ms", .optional = true},
                   {"R", r, DAP_LINALG_RESULT, "sn", .optional = true},
                   {"P", p, DAP_LINALG_RESULT, "n", .optional = true, .integer = true}}};
  DAP_TRY(dap_linalg_run(comm, &arguments, options, err));
  if (rank) *rank = found.rank;
  return DAP_OK;
}
