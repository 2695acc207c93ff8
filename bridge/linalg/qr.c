/* A = Q R.
 *
 * Of a view with op 'T' the matrix is A^T = R^T Q^T, so its LQ factors are the transposed ones: no
 * conjugation, as the rows of Q^T are orthonormal too. The factors are made in A's place and copied from
 * there. */
#include "qr_impl.h"
#include "room_impl.h"
#include "tsqr_impl.h"

#include <inttypes.h>

enum { A, Q, R };

dap_status dap_linalg_qr_factor(dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  const dap_scalapack_matrix *a = f->a;
  dap_pgeqrf *const routine = f->lq ? call->lib->gelqf : call->lib->geqrf; /* gelqf is declared alike */
  dap_scalapack_int lwork = -1, info = 0;
  int64_t extents[2];
  double asked[2] = {0};
  void *work;
  dap_linalg_local(a, extents);
  DAP_TRY(dap_linalg_work(call, extents[f->lq ? 0 : 1], call->lib->dtype, &f->tau));
  routine(&a->m, &a->n, a->data, &a->ia, &a->ja, a->desc, f->tau, asked, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "geqrf, asked for its workspace", &info));
  const dap_room_matrix on = dap_room_of(a);
  const int64_t bound = dap_room_panels(on.block[f->lq ? 0 : 1], &on);
  DAP_TRY(dap_linalg_work_room(call, call->lib->dtype, bound, 0, asked, &lwork, &work));
  routine(&a->m, &a->n, a->data, &a->ia, &a->ja, a->desc, f->tau, work, &lwork, &info);
  return dap_linalg_info(call, "geqrf", &info);
}

/* orgqr or orglq, which are declared alike. */
static dap_status form(dap_linalg_call *call, const dap_linalg_qr_factors *f, void *work,
                       dap_scalapack_int lwork, const char *name)
{
  const dap_scalapack_matrix *a = f->a;
  dap_porgqr *const routine = f->lq ? call->lib->orglq : call->lib->orgqr;
  const dap_scalapack_int m = f->lq ? f->k : a->m, n = f->lq ? a->n : f->k;
  dap_scalapack_int info = 0;
  routine(&m, &n, &f->k, a->data, &a->ia, &a->ja, a->desc, f->tau, work, &lwork, &info);
  return dap_linalg_info(call, name, &info);
}

dap_status dap_linalg_qr_form_room(dap_linalg_call *call, dap_linalg_qr_factors *f)
{
  double asked[2] = {0};
  DAP_TRY(form(call, f, asked, -1, "orgqr, asked for its workspace"));
  const dap_room_matrix on = dap_room_of(f->a);
  const int64_t bound = dap_room_panels(on.block[f->lq ? 0 : 1], &on);
  return dap_linalg_work_room(call, call->lib->dtype, bound, 0, asked, &f->form_lwork, &f->form_work);
}

dap_status dap_linalg_qr_form(dap_linalg_call *call, const dap_linalg_qr_factors *f)
{
  return form(call, f, f->form_work, f->form_lwork, "orgqr");
}

static dap_status apply(dap_linalg_call *call, const dap_linalg_qr_product *p, void *work,
                        dap_scalapack_int lwork, const char *name)
{
  dap_pormqr *const routine = p->factors->lq ? call->lib->ormlq : call->lib->ormqr;
  const char *trans = !p->adjoint ? "N" : dap_linalg_is_complex(call) ? "C" : "T";
  const dap_scalapack_matrix *a = p->factors->a, *c = p->c;
  dap_scalapack_int info = 0;
  routine(&p->side, trans, &p->rows, &p->cols, &p->factors->k, a->data, &a->ia, &a->ja, a->desc,
          p->factors->tau, c->data, &c->ia, &c->ja, c->desc, work, &lwork, &info);
  return dap_linalg_info(call, name, &info);
}

dap_status dap_linalg_qr_apply_room(dap_linalg_call *call, dap_linalg_qr_product *p)
{
  double asked[2] = {0};
  DAP_TRY(apply(call, p, asked, -1, "ormqr, asked for its workspace"));
  const dap_room_matrix a = dap_room_of(p->factors->a), c = dap_room_of(p->c);
  const int64_t bound = dap_room_product(p->factors->lq, p->side, &a, &c);
  return dap_linalg_work_room(call, call->lib->dtype, bound, 0, asked, &p->lwork, &p->work);
}

dap_status dap_linalg_qr_apply(dap_linalg_call *call, dap_linalg_qr_product *p)
{
  if (!p->work) DAP_TRY(dap_linalg_qr_apply_room(call, p)); /* on all or none */
  return apply(call, p, p->work, p->lwork, "ormqr");
}

void dap_linalg_qr_copy_r(const dap_linalg_call *call, const dap_linalg_qr_factors *f,
                          const dap_scalapack_matrix *r)
{
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_matrix *a = f->a;
  const bool transposed = r->op != a->op;
  const char trans = transposed ? 'T' : 'N';
  const char uplo = f->lq != transposed ? 'L' : 'U'; /* as r has it */
  lib->laset("A", &r->m, &r->n, lib->zero, lib->zero, r->data, &r->ia, &r->ja, r->desc);
  lib->tradd(&uplo, &trans, &r->m, &r->n, lib->one, a->data, &a->ia, &a->ja, a->desc, lib->zero, r->data,
             &r->ia, &r->ja, r->desc);
}

void dap_linalg_qr_copy_q(const dap_linalg_call *call, const dap_linalg_qr_factors *f,
                          const dap_scalapack_matrix *q)
{
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_matrix *a = f->a;
  if (q->op == a->op) {
    dap_linalg_copy_first(call, q->m, q->n, a, q);
    return;
  }
  lib->geadd("T", &q->m, &q->n, lib->one, a->data, &a->ia, &a->ja, a->desc, lib->zero, q->data, &q->ia,
             &q->ja, q->desc);
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
  /* lacpy: in A's blocks, as geadd is slow between others */
  if (call->given[Q] && !call->in_place[Q])
    DAP_TRY(dap_linalg_view_aligned(call, Q, call->options.sharing == DAP_SHARE_OR_FAIL ? "geadd" : "lacpy",
                                    f.a, 0, &q));
  if (call->given[Q]) DAP_TRY(dap_linalg_qr_form_room(call, &f)); /* before a result is written to */
  DAP_TRY(dap_linalg_qr_factor(call, &f));
  if (r) dap_linalg_qr_copy_r(call, &f, r);
  if (call->given[Q]) DAP_TRY(dap_linalg_qr_form(call, &f));
  if (q) dap_linalg_qr_copy_q(call, &f, q);
  return DAP_OK;
}

/* Elements of both at the same addresses. */
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

/* Q in A's own buffer: A is then a result. Collective, as strides are each process's own. */
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
  return dap_linalg_qr_is_tall(call) ? dap_linalg_qr_tall(call) : factor_and_copy(call);
}

dap_status dap_linalg_qr(MPI_Comm comm, dap_darray a, dap_darray q, dap_darray r,
                         const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2},
                   {"Q", q, DAP_LINALG_RESULT, .ndim = 2, .optional = true, .in_place = true},
                   {"R", r, DAP_LINALG_RESULT, .ndim = 2, .optional = true}},
  };
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  if (!status) status = qr(&call);
  return dap_linalg_end(&call, status);
}
