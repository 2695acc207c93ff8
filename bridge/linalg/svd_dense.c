/* Computes the singular value decomposition of a whole matrix, by LAPACK on process 0. */
#include "svd_impl.h"

#include <string.h>

/* Prototypes of LAPACK (SRC/dgesvd.f, SRC/zgesvd.f, SRC/dgesdd.f, SRC/zgesdd.f). Their rules are those
 * of scalapack_calls.h. */
typedef void lapack_gesvd(const char *jobu, const char *jobvt, const dap_scalapack_int *m,
                          const dap_scalapack_int *n, void *a, const dap_scalapack_int *lda, void *s, void *u,
                          const dap_scalapack_int *ldu, void *vt, const dap_scalapack_int *ldvt, void *work,
                          const dap_scalapack_int *lwork, dap_scalapack_int *info);
typedef void lapack_cgesvd(const char *jobu, const char *jobvt, const dap_scalapack_int *m,
                           const dap_scalapack_int *n, void *a, const dap_scalapack_int *lda, void *s,
                           void *u, const dap_scalapack_int *ldu, void *vt, const dap_scalapack_int *ldvt,
                           void *work, const dap_scalapack_int *lwork, void *rwork, dap_scalapack_int *info);
typedef void lapack_gesdd(const char *jobz, const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                          const dap_scalapack_int *lda, void *s, void *u, const dap_scalapack_int *ldu,
                          void *vt, const dap_scalapack_int *ldvt, void *work, const dap_scalapack_int *lwork,
                          void *iwork, dap_scalapack_int *info);
typedef void lapack_cgesdd(const char *jobz, const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                           const dap_scalapack_int *lda, void *s, void *u, const dap_scalapack_int *ldu,
                           void *vt, const dap_scalapack_int *ldvt, void *work,
                           const dap_scalapack_int *lwork, void *rwork, void *iwork, dap_scalapack_int *info);
lapack_gesvd sgesvd_, dgesvd_;
lapack_cgesvd cgesvd_, zgesvd_;
lapack_gesdd sgesdd_, dgesdd_;
lapack_cgesdd cgesdd_, zgesdd_;

static dap_scalapack_int call_lapack(const dap_linalg_call *call, const dap_linalg_dense *d, void *work,
                                     dap_scalapack_int lwork)
{
  const char *job = d->has_vectors ? "S" : "N";
  const dap_scalapack_int m = d->m, n = d->n, k = d->k;
  const bool single = call->lib->real == DAP_F4, is_complex = dap_linalg_is_complex(call);
  dap_scalapack_int info = 0;
  if (d->divide && is_complex)
    (single ? cgesdd_ : zgesdd_)(job, &m, &n, d->a, &m, d->s, d->u, &m, d->vt, &k, work, &lwork, d->rwork,
                                 d->iwork, &info);
  else if (d->divide)
    (single ? sgesdd_ : dgesdd_)(job, &m, &n, d->a, &m, d->s, d->u, &m, d->vt, &k, work, &lwork, d->iwork,
                                 &info);
  else if (is_complex)
    (single ? cgesvd_ : zgesvd_)(job, job, &m, &n, d->a, &m, d->s, d->u, &m, d->vt, &k, work, &lwork,
                                 d->rwork, &info);
  else
    (single ? sgesvd_ : dgesvd_)(job, job, &m, &n, d->a, &m, d->s, d->u, &m, d->vt, &k, work, &lwork, &info);
  return info;
}

/* The other processes have room for the vectors as well, because they receive them. */
dap_status dap_linalg_dense_make_room(dap_linalg_call *call, dap_linalg_dense *d)
{
  const int64_t m = d->m, n = d->n, k = d->k, longer = m > n ? m : n;
  const dap_dtype dtype = call->lib->dtype, real = call->lib->real;
  const bool first = call->rank == 0;
  const int64_t reals = d->divide ? 5 * k * k + 2 * longer * k + 7 * k : 5 * k; /* SRC/zgesdd.f */
  double asked[2] = {0};
  DAP_TRY(dap_linalg_work(call, m * n, dtype, &d->a));
  DAP_TRY(dap_linalg_work(call, d->has_vectors ? m * k : 0, dtype, &d->u));
  DAP_TRY(dap_linalg_work(call, d->has_vectors ? k * n : 0, dtype, &d->vt));
  DAP_TRY(dap_linalg_work(call, first ? reals : 0, real, &d->rwork));
  DAP_TRY(dap_linalg_work(call, first && d->divide ? 8 * k : 0, dap_linalg_integer(), &d->iwork));
  call_lapack(call, d, asked, -1);
  const int64_t count = first ? dap_linalg_asked(dtype, asked) : 0;
  d->lwork = (dap_scalapack_int)count;
  return dap_linalg_work(call, count, dtype, &d->work);
}

dap_status dap_linalg_dense_decompose(dap_linalg_call *call, const dap_linalg_dense *d,
                                      dap_scalapack_int *info)
{
  *info = call->rank == 0 ? call_lapack(call, d, d->work, d->lwork) : 0;
  return dap_linalg_info(call, d->divide ? "gesdd of LAPACK" : "gesvd of LAPACK", info);
}

/* ---- matrices smaller than the process grid -------------------------------------------------------- */

/* Copies this process's elements of a view to or from the whole matrix. */
static void copy_part(const dap_linalg_call *call, const dap_scalapack_matrix *view, void *all,
                      bool into_view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&part, at);) {
    const int64_t i = dap_linalg_global(&part, 0, at[0]), j = dap_linalg_global(&part, 1, at[1]);
    void *one = (char *)all + (i + j * view->m) * part.item, *local = dap_linalg_element(&part, at[0], at[1]);
    memcpy(into_view ? local : one, into_view ? one : local, (size_t)part.item);
  }
}

dap_status dap_linalg_svd_gathered(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  dap_linalg_dense w = {.m = p->a->m, .n = p->a->n, .k = p->k, .has_vectors = true, .s = p->s};
  DAP_TRY(dap_linalg_dense_make_room(call, &w));
  copy_part(call, p->a, w.a, false);
  const int64_t m = w.m, n = w.n, k = w.k, parts = call->lib->parts;
  DAP_TRY(dap_linalg_reduce(call, w.a, m * n * parts, dap_dtype_mpi(call->lib->real), MPI_SUM));
  DAP_TRY(dap_linalg_dense_decompose(call, &w, &p->info));
  DAP_TRY(dap_linalg_spread(call, p->s, k));
  DAP_TRY(dap_linalg_spread(call, w.u, m * k * parts));
  DAP_TRY(dap_linalg_spread(call, w.vt, k * n * parts));
  if (p->left) copy_part(call, p->left, w.u, true);
  if (p->right) copy_part(call, p->right, w.vt, true);
  return DAP_OK;
}
