/* A = Q R.
 *
 * The matrix of a view with op 'T' is A^T = R^T Q^T, so its LQ factors are the transposed ones. Nothing is
 * conjugated, because the rows of Q^T are orthonormal as well. The factors are made in A's place and copied
 * from there. */
#include "qr_impl.h"
#include "tsqr_impl.h"

#include <inttypes.h>

enum { A, Q, R };

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

/* Calls orgqr or orglq, which are declared alike. */
static void form(const dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  const dap_scalapack_matrix *a = f->a;
  dap_porgqr *const routine = f->lq ? call->lib->orglq : call->lib->orgqr;
  const dap_scalapack_int m = f->lq ? f->k : a->m, n = f->lq ? a->n : f->k;
  routine(&m, &n, &f->k, DAP_MATRIX(a), f->tau, f->form.work, &f->form.lwork, &f->form.info);
}

dap_status dap_linalg_qr_form_room(dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  f->form = (dap_workspace){.routine = "orgqr",
                            .bound = dap_room_panels(f->a->desc[f->lq ? DAP_MB : DAP_NB], f->a)};
  while (dap_workspace_next(call, &f->form) && f->form.calls == 1) form(call, f);
  return f->form.status;
}

dap_status dap_linalg_qr_form(dap_linalg_call *call, dap_linalg_qr_factors *f)
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

/* lacpy wants A's blocks. geadd is slow between others. */
dap_status dap_linalg_qr_view_q(dap_linalg_call *call, int i, const dap_linalg_qr_factors *f,
                                dap_scalapack_matrix **q)
{
  const char *routine = call->options.sharing == DAP_SHARE_OR_FAIL ? "geadd" : "lacpy";
  return dap_linalg_view_aligned(call, i, routine, f->a, 0, q);
}

static dap_status factor_and_copy(dap_linalg_call *call)
{
  dap_scalapack_matrix *q = NULL, *r = NULL;
  dap_linalg_qr_factors f = {0};
  /* gelqf is wrong with 1 x 2: see no_row_pair in model/routines.c */
  const bool is_pair = dap_linalg_rows(call, A) * dap_linalg_cols(call, A) == 2;
  const dap_scalapack_options options = {.routine = "geqrf", .op = is_pair ? 'N' : 0};
  /* gelqf and orglq take up to 1.7 times as long as geqrf and orgqr */
  DAP_TRY(dap_linalg_view_moved_as(call, A, 'N', &options, &f.a));
  f.lq = f.a->op == 'T';
  f.k = f.a->m < f.a->n ? f.a->m : f.a->n;
  if (call->in_place[Q]) call->report->uses[Q].shared = f.a->shared;
  if (call->given[R]) DAP_TRY(dap_linalg_view_aligned(call, R, "tradd", f.a, 0, &r));
  if (call->given[Q] && !call->in_place[Q]) DAP_TRY(dap_linalg_qr_view_q(call, Q, &f, &q));
  if (call->given[Q]) DAP_TRY(dap_linalg_qr_form_room(call, &f)); /* before a result is written to */
  DAP_TRY(dap_linalg_qr_factor(call, &f));
  if (r) dap_linalg_qr_copy_r(call, &f, r);
  if (call->given[Q]) DAP_TRY(dap_linalg_qr_form(call, &f));
  if (q) dap_linalg_copy_seen(call, f.a, q);
  return DAP_OK;
}

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
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A), k = m < n ? m : n;
  DAP_TRY(dap_linalg_fits(call, Q, m, k));
  DAP_TRY(dap_linalg_fits(call, R, k, n));
  if (k == 0) return DAP_OK;
  if (call->in_place[Q]) DAP_TRY(take_in_place(call));
  return dap_linalg_qr_is_tall(call) ? dap_linalg_qr_tall(call, NULL, NULL) : factor_and_copy(call);
}

dap_status dap_linalg_qr(MPI_Comm comm, dap_darray a, dap_darray q, dap_darray r,
                         const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, qr,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2},
                   {"Q", q, DAP_LINALG_RESULT, .ndim = 2, .optional = true, .in_place = true},
                   {"R", r, DAP_LINALG_RESULT, .ndim = 2, .optional = true}}};
  return dap_linalg_run(comm, &arguments, options, err);
}
