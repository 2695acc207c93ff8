/* Computes the singular value decomposition by divide and conquer: the steps of LAPACK's gesdd
 * (SRC/dgesdd.f). */
#include "qr_impl.h"
#include "svd_impl.h"

#include <string.h>

/* A matrix that was reduced. It holds the reflectors. */
typedef struct reduced {
  dap_scalapack_matrix m;
  void *tauq, *taup;
} reduced;

/* ---- M to B -------------------------------------------------------------------------------------------- */

/* Returns whether M is factored before it is reduced, as by LAPACK's gesvd (SRC/ilaenv.f, ISPEC 6). This
 * takes fewer operations from a ratio of 5/3 on (T. F. Chan, ACM TOMS 8, 1982, p. 72). */
static bool is_slender(const dap_scalapack_matrix *m)
{
  const double longer = m->m > m->n ? m->m : m->n, shorter = m->m > m->n ? m->n : m->m;
  return longer >= 1.6 * shorter;
}

static dap_status reduce(dap_linalg_call *call, reduced *r)
{
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_matrix *m = &r->m;
  int64_t extents[2];
  void *diagonals[2];
  dap_workspace w = {.routine = "gebrd", .bound = dap_room_panels(m->desc[DAP_NB], m)};
  dap_linalg_local(m, extents);
  for (int k = 0; k < 2; k++)
    DAP_TRY(dap_linalg_work(call, dap_room_larger(extents[0], extents[1]), lib->real, &diagonals[k]));
  DAP_TRY(dap_linalg_work(call, extents[1], lib->dtype, &r->tauq));
  DAP_TRY(dap_linalg_work(call, extents[0], lib->dtype, &r->taup));
  while (dap_workspace_next(call, &w))
    lib->gebrd(&m->m, &m->n, DAP_MATRIX(m), diagonals[0], diagonals[1], r->tauq, r->taup, w.work, &w.lwork,
               &w.info);
  return w.status;
}

/* Gives all processes the real parts of the elements (i + below, i + right), i < count. Collective. */
static dap_status diagonal(dap_linalg_call *call, const dap_scalapack_matrix *view, int below, int right,
                           int64_t count, double values[])
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t k = 0; k < count; k++) values[k] = 0;
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, right - below, at);) {
    const int64_t i = dap_linalg_global(&part, 0, at[0]) - below;
    double value[2];
    dap_linalg_value(&part, at[0], at[1], value);
    if (i >= 0 && i < count) values[i] = value[0];
  }
  return dap_linalg_sums(call, values, count);
}

/* Gathers B on process 0. */
static dap_status gather(dap_linalg_call *call, const reduced *r, dap_linalg_svd_problem *p)
{
  dap_linalg_bidiagonal *b = &p->b;
  double *d;
  b->uplo = r->m.m >= r->m.n ? 'U' : 'L';
  DAP_TRY(dap_linalg_work(call, 2 * (int64_t)p->k, DAP_F8, &d));
  double *e = d + p->k;
  DAP_TRY(diagonal(call, &r->m, 0, 0, p->k, d));
  DAP_TRY(diagonal(call, &r->m, b->uplo == 'L', b->uplo == 'U', p->k - 1, e));
  for (int64_t k = 0; k < p->k && call->rank == 0; k++) {
    dap_linalg_put_real(call->lib->real, b->d, k, d[k]);
    dap_linalg_put_real(call->lib->real, b->e, k, e[k]);
  }
  return DAP_OK;
}

/* ---- B on process 0 ------------------------------------------------------------------------------------ */

/* Prototypes of LAPACK (SRC/dbdsdc.f, SRC/dbdsqr.f). Their rules are those of scalapack_calls.h. */
typedef void lapack_bdsdc(const char *uplo, const char *compq, const dap_scalapack_int *n, void *d, void *e,
                          void *u, const dap_scalapack_int *ldu, void *vt, const dap_scalapack_int *ldvt,
                          void *q, dap_scalapack_int *iq, void *work, dap_scalapack_int *iwork,
                          dap_scalapack_int *info);
typedef void lapack_bdsqr(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *ncvt,
                          const dap_scalapack_int *nru, const dap_scalapack_int *ncc, void *d, void *e,
                          void *vt, const dap_scalapack_int *ldvt, void *u, const dap_scalapack_int *ldu,
                          void *c, const dap_scalapack_int *ldc, void *work, dap_scalapack_int *info);
lapack_bdsdc sbdsdc_, dbdsdc_;
lapack_bdsqr sbdsqr_, dbdsqr_;

dap_status dap_linalg_gesdd_make_room(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  dap_linalg_bidiagonal *b = &p->b;
  const dap_dtype real = call->lib->real;
  const int64_t k = call->rank == 0 ? p->k : 0, all = p->left || p->right ? k * k : 0;
  char *vectors;
  DAP_TRY(dap_linalg_work(call, 3 * all + 4 * k, real, &b->work));
  DAP_TRY(dap_linalg_work(call, 2 * all, real, &vectors));
  DAP_TRY(dap_linalg_work(call, 8 * k, dap_linalg_integer(), &b->iwork));
  DAP_TRY(dap_linalg_work(call, k, real, &b->d));
  DAP_TRY(dap_linalg_work(call, k, real, &b->e));
  b->u = vectors;
  b->vt = vectors + all * dap_dtype_size(real);
  return DAP_OK;
}

/* Divides and conquers, or finds only the values. ScaLAPACK has no divide and conquer for B. LAPACK's takes
 * 8/3 k^3 operations, nearly all in products. The whole decomposition of a square matrix takes about 20
 * k^3. */
static dap_scalapack_int decompose(const dap_linalg_call *call, const dap_linalg_svd_problem *p)
{
  const dap_linalg_bidiagonal *b = &p->b;
  const bool single = call->lib->real == DAP_F4;
  const dap_scalapack_int none = 0, one = 1;
  dap_scalapack_int info = 0;
  if (p->left || p->right)
    (single ? sbdsdc_ : dbdsdc_)(&b->uplo, "I", &p->k, b->d, b->e, b->u, &p->k, b->vt, &p->k, NULL, NULL,
                                 b->work, b->iwork, &info);
  else
    (single ? sbdsqr_ : dbdsqr_)(&b->uplo, &p->k, &none, &none, &none, b->d, b->e, NULL, &one, NULL, &one,
                                 NULL, &one, b->work, &info);
  return info;
}

/* ---- B's vectors to M's -------------------------------------------------------------------------------- */

static dap_status apply(dap_linalg_call *call, const reduced *r, char vect, dap_scalapack_int rows,
                        dap_scalapack_int cols, const dap_scalapack_matrix *c)
{
  const dap_scalapack_matrix *m = &r->m;
  const bool is_q = vect == 'Q';
  const char *trans = is_q ? "N" : dap_linalg_is_complex(call) ? "C" : "T";
  const dap_scalapack_int *k = is_q ? &m->n : &m->m;
  const void *tau = is_q ? r->tauq : r->taup;
  dap_workspace w = {.routine = "ormbr", .bound = dap_room_panels(c->desc[DAP_NB], c)};
  while (dap_workspace_next(call, &w))
    call->lib->ormbr(&vect, is_q ? "L" : "R", trans, &rows, &cols, k, DAP_MATRIX(m), tau, DAP_MATRIX(c),
                     w.work, &w.lwork, &w.info);
  return w.status;
}

/* Moves singular vectors of B, (k, k) on process 0, to the first rows and columns of M's, and clears the
 * rest. */
static dap_status hand_out(dap_linalg_call *call, dap_scalapack_int k, void *vectors,
                           const dap_scalapack_matrix *to)
{
  dap_linalg_fill(call, call->lib->zero, to);
  return dap_linalg_hand_out(call, k, k, vectors, to);
}

/* Turns B's vectors into M's. f: the factors of a slender matrix, or NULL. If M has one row or column, Q or P
 * may have no reflectors.
 *
 * M = Q B P^H with a bidiagonal B = X S Y^T, so the left vectors are Q X and the right ones P Y. A tall M =
 * Q' R is reduced by R, and the left vectors are Q' Q X. A wide one is L Q', and the right vectors are P Y
 * Q'. */
static dap_status transform(dap_linalg_call *call, const dap_linalg_svd_problem *p, const reduced *r,
                            const dap_linalg_qr_factors *f)
{
  const dap_scalapack_matrix *left = p->left, *right = p->right, *m = &r->m;
  const dap_scalapack_int k = p->k;
  if (left) {
    DAP_TRY(hand_out(call, k, p->b.u, left));
    if (m->m >= m->n || k > 1) DAP_TRY(apply(call, r, 'Q', m->m, k, left));
    dap_linalg_qr_product by_q = {f, 'L', false, left->m, k, left, {0}};
    if (f && !f->lq) DAP_TRY(dap_linalg_qr_apply(call, &by_q));
  }
  if (right) {
    DAP_TRY(hand_out(call, k, p->b.vt, right));
    if (m->m < m->n || k > 1) DAP_TRY(apply(call, r, 'P', k, m->n, right));
    dap_linalg_qr_product by_q = {f, 'R', false, k, right->n, right, {0}};
    if (f && f->lq) DAP_TRY(dap_linalg_qr_apply(call, &by_q));
  }
  return DAP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

dap_status dap_linalg_svd_gesdd(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  const bool slender = is_slender(p->a);
  dap_scalapack_matrix a = *p->a;
  dap_linalg_qr_factors f = {.a = &a, .lq = a.m < a.n, .k = p->k};
  reduced r = {.m = a};
  double sigma;
  DAP_TRY(dap_linalg_scale(call, &a, 'A', false, &sigma));
  if (slender) {
    DAP_TRY(dap_linalg_qr_factor(call, &f));
    DAP_TRY(dap_linalg_space_of(call, &a, p->k, p->k, call->lib->dtype, &r.m));
    dap_linalg_qr_copy_r(call, &f, &r.m);
  }
  DAP_TRY(reduce(call, &r));
  DAP_TRY(gather(call, &r, p));
  DAP_TRY(dap_linalg_check_info(call, "bdsdc of LAPACK", call->rank == 0 ? decompose(call, p) : 0,
                                "divide and conquer did not converge: LAPACK's info is", ""));
  if (call->rank == 0) memcpy(p->s, p->b.d, (size_t)(p->k * dap_dtype_size(call->lib->real)));
  DAP_TRY(dap_linalg_spread(call, p->s, p->k));
  dap_linalg_scale_back(call, p->k, sigma, p->s);
  return transform(call, p, &r, slender ? &f : NULL);
}
