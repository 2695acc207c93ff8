/* Schur form and eigenvalues of real matrices, by all processes: A = Q H Q^T with a Hessenberg matrix H (gehrd,
 * ormhr), H = Y T Y^T (hseqr), Z = Q Y. Computed in a copy of A, in Z's place, and copied to T.
 *
 * Eigenvalues are taken from the blocks on T's diagonal, as hseqr does not set the last one where the last block
 * of rows is whole (SRC/pdhseqr.f: loops 50 and 60). */
#include "schur_impl.h"

/* LAPACK's own (SRC/dlanv2.f): the eigenvalues of a block of 2 x 2. */
void dlanv2_(double *a, double *b, double *c, double *d, double *re1, double *im1, double *re2, double *im2,
             double *cs, double *sn);

enum { A = DAP_SCHUR_A, T = DAP_SCHUR_T, Z = DAP_SCHUR_Z, LEAST_BLOCK = 6 /* SRC/pdhseqr.f */ };

static const dap_scalapack_int one = 1;

/* A copy of A, and beside it T and Z. */
typedef struct problem {
  dap_scalapack_matrix *h, *t, *z; /* t, z: NULL: not wanted */
  void *tau, *values[2];           /* [n] real and imaginary parts, as hseqr has them */
} problem;

static dap_status take_views(dap_linalg_call *call, bool has_form, problem *p)
{
  const dap_scalapack_options first = {.op = 'N', .needs = {.square_blocks = true, .least_block = LEAST_BLOCK}};
  if (call->options.block_size > 0 && call->options.block_size < LEAST_BLOCK)
    call->options.block_size = LEAST_BLOCK;
  call->kept[A] = true; /* so the view is a copy */
  DAP_TRY(dap_linalg_view(call, A, &first, &p->h));
  dap_linalg_note(call, A, 0, "moved to keep its values");
  const dap_scalapack_options beside = {
      .op = 'N', .aligned_with = p->h, .needs = {.square_blocks = true, .align = DAP_ALIGN_SAME}};
  if (has_form && call->given[T]) DAP_TRY(dap_linalg_view(call, T, &beside, &p->t));
  if (has_form && call->given[Z]) DAP_TRY(dap_linalg_view(call, Z, &beside, &p->z));
  return DAP_OK;
}

/* H over the copy of A, with the reflectors below it, and Q to Z. */
static dap_status reduce(dap_linalg_call *call, problem *p)
{
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_matrix *h = p->h, *z = p->z;
  const dap_scalapack_int *n = &h->n, less = h->n - 2, third = 3;
  dap_scalapack_int info = 0, lwork = -1;
  int64_t extents[2];
  double asked[2] = {0};
  void *work;
  dap_linalg_local(h, extents);
  DAP_TRY(dap_linalg_work(call, extents[1], lib->dtype, &p->tau));
  lib->gehrd(n, &one, n, h->data, &one, &one, h->desc, p->tau, asked, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "gehrd, asked for its workspace", &info));
  DAP_TRY(dap_linalg_work_sized(call, lib->dtype, asked, &lwork, &work));
  lib->gehrd(n, &one, n, h->data, &one, &one, h->desc, p->tau, work, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "gehrd", &info));
  if (z) {
    lwork = -1;
    lib->laset("A", n, n, lib->zero, lib->one, z->data, &one, &one, z->desc);
    lib->ormhr("L", "N", n, n, &one, n, h->data, &one, &one, h->desc, p->tau, z->data, &one, &one, z->desc,
               asked, &lwork, &info);
    DAP_TRY(dap_linalg_info(call, "ormhr, asked for its workspace", &info));
    DAP_TRY(dap_linalg_work_sized(call, lib->dtype, asked, &lwork, &work));
    lib->ormhr("L", "N", n, n, &one, n, h->data, &one, &one, h->desc, p->tau, z->data, &one, &one, z->desc,
               work, &lwork, &info);
    DAP_TRY(dap_linalg_info(call, "ormhr", &info));
  }
  if (less > 0) lib->laset("L", &less, &less, lib->zero, lib->zero, h->data, &third, &one, h->desc);
  return DAP_OK;
}

static dap_scalapack_int call_hseqr(const dap_linalg_call *call, const problem *p, void *work,
                                    dap_scalapack_int lwork, dap_scalapack_int *iwork,
                                    dap_scalapack_int liwork)
{
  const dap_scalapack_matrix *h = p->h, *z = p->z ? p->z : p->h; /* not looked at without vectors */
  const char *job = p->t || p->z ? "S" : "E", *compz = p->z ? "V" : "N";
  dap_scalapack_int info = 0;
  call->lib->hseqr(job, compz, &h->n, &one, &h->n, h->data, h->desc, p->values[0], p->values[1], z->data,
                   z->desc, work, &lwork, iwork, &liwork, &info);
  return info;
}

static dap_status iterate(dap_linalg_call *call, const problem *p)
{
  double asked[8] = {0};
  dap_scalapack_int integers[8] = {0}, lwork;
  void *work, *iwork;
  dap_scalapack_int info = call_hseqr(call, p, asked, -1, integers, -1);
  DAP_TRY(dap_linalg_info(call, "hseqr, asked for its workspace", &info));
  DAP_TRY(dap_linalg_work_sized(call, call->lib->dtype, asked, &lwork, &work));
  DAP_TRY(dap_linalg_work(call, integers[0], dap_linalg_integer(), &iwork));
  info = call_hseqr(call, p, work, lwork, iwork, integers[0]);
  if (info == -7777 || info == -8888) info = p->h->n; /* one algorithm failed, and of the next it says nothing */
  DAP_TRY(dap_linalg_info(call, "hseqr", &info));
  if (info > 0)
    return dap_linalg_numeric(call, info, "the eigenvalues up to number %d did not converge", (int)info);
  return DAP_OK;
}

/* Each process computes all, of the same elements. */
static dap_status find_values(dap_linalg_call *call, const dap_linalg_general *g, const problem *p)
{
  const int64_t n = g->n;
  void *space;
  DAP_TRY(dap_linalg_work(call, 3 * n, DAP_F8, &space));
  double *d = space, *below = d + n, *above = below + n;
  DAP_TRY(dap_linalg_diagonal(call, p->h, 0, 0, n, d));
  DAP_TRY(dap_linalg_diagonal(call, p->h, 1, 0, n - 1, below));
  DAP_TRY(dap_linalg_diagonal(call, p->h, 0, 1, n - 1, above));
  for (int64_t k = 0; k < n; k++) {
    double re[2] = {d[k]}, im[2] = {0}, rotation[2];
    const bool is_block = k + 1 < n && below[k] != 0;
    if (is_block)
      dlanv2_(&d[k], &above[k], &below[k], &d[k + 1], &re[0], &im[0], &re[1], &im[1], &rotation[0],
              &rotation[1]);
    dap_linalg_general_put(call, g->w, k, re[0], im[0]);
    if (is_block) dap_linalg_general_put(call, g->w, ++k, re[1], im[1]);
  }
  return DAP_OK;
}

dap_status dap_linalg_schur_hseqr(dap_linalg_call *call, dap_linalg_general *g, bool has_form)
{
  problem p = {0};
  DAP_TRY(take_views(call, has_form, &p));
  DAP_TRY(dap_linalg_finite(call, p.h, 'A'));
  for (int k = 0; k < 2; k++) DAP_TRY(dap_linalg_work(call, g->n, call->lib->real, &p.values[k]));
  DAP_TRY(dap_linalg_work(call, g->n, dap_linalg_complex(call), &g->w));
  DAP_TRY(reduce(call, &p));
  DAP_TRY(iterate(call, &p));
  DAP_TRY(find_values(call, g, &p));
  if (p.t) dap_linalg_copy_part(call, p.h, p.t);
  return DAP_OK;
}
