/* The singular value decomposition of a matrix smaller than the process grid, by LAPACK on process 0. */
#include "svd_impl.h"

#include <string.h>

/* LAPACK's own (SRC/dgesvd.f, SRC/zgesvd.f), by the same rules as in scalapack_calls.h. */
typedef void lapack_gesvd(const char *jobu, const char *jobvt, const dap_scalapack_int *m,
                          const dap_scalapack_int *n, void *a, const dap_scalapack_int *lda, void *s, void *u,
                          const dap_scalapack_int *ldu, void *vt, const dap_scalapack_int *ldvt, void *work,
                          const dap_scalapack_int *lwork, dap_scalapack_int *info);
typedef void lapack_cgesvd(const char *jobu, const char *jobvt, const dap_scalapack_int *m,
                           const dap_scalapack_int *n, void *a, const dap_scalapack_int *lda, void *s,
                           void *u, const dap_scalapack_int *ldu, void *vt, const dap_scalapack_int *ldvt,
                           void *work, const dap_scalapack_int *lwork, void *rwork, dap_scalapack_int *info);
lapack_gesvd sgesvd_, dgesvd_;
lapack_cgesvd cgesvd_, zgesvd_;

/* Whole matrices, column-major without gaps. */
typedef struct whole {
  void *a, *u, *vt, *work, *rwork;
  dap_scalapack_int lwork;
} whole;

static dap_status make_room(dap_linalg_call *call, const dap_linalg_svd_problem *p, whole *w)
{
  const int64_t m = p->a->m, n = p->a->n, k = p->k;
  const dap_dtype dtype = call->lib->dtype;
  w->lwork = (dap_scalapack_int)(5 * (m + n)); /* more than any of the four needs */
  DAP_TRY(dap_linalg_work(call, m * n, dtype, &w->a));
  DAP_TRY(dap_linalg_work(call, m * k, dtype, &w->u));
  DAP_TRY(dap_linalg_work(call, k * n, dtype, &w->vt));
  DAP_TRY(dap_linalg_work(call, w->lwork, dtype, &w->work));
  return dap_linalg_work(call, 5 * k, call->lib->real, &w->rwork);
}

/* Copies this process's elements of a view to or from the whole matrix. */
static void copy_part(const dap_linalg_call *call, const dap_scalapack_matrix *view, void *all,
                      bool into_view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  const size_t item = (size_t)part.item;
  for (int64_t j = 0; j < part.extents[1]; j++) {
    for (int64_t i = 0; i < part.extents[0]; i++) {
      const int64_t index = dap_linalg_global(&part, 0, i) + dap_linalg_global(&part, 1, j) * view->m;
      char *one = (char *)all + index * part.item;
      char *local = (char *)view->data + (i + j * (int64_t)view->desc[8]) * part.item;
      memcpy(into_view ? local : one, into_view ? one : local, item);
    }
  }
}

/* Reals of `count` elements of the matrix's type. */
static int reals(const dap_linalg_call *call, int64_t count)
{
  return (int)(dap_linalg_is_complex(call) ? 2 * count : count);
}

/* The matrix on process 0: elements elsewhere are zeros. */
static dap_status gather(dap_linalg_call *call, const dap_linalg_svd_problem *p, const whole *w)
{
  MPI_Datatype type = call->lib->real == DAP_F4 ? MPI_FLOAT : MPI_DOUBLE;
  const int count = reals(call, (int64_t)p->a->m * p->a->n);
  copy_part(call, p->a, w->a, false);
  const bool first = call->rank == 0;
  return dap_linalg_mpi(
      call, MPI_Reduce(first ? MPI_IN_PLACE : w->a, first ? w->a : NULL, count, type, MPI_SUM, 0, call->comm),
      "MPI_Reduce");
}

static dap_scalapack_int decompose(const dap_linalg_call *call, const dap_linalg_svd_problem *p,
                                   const whole *w)
{
  const dap_scalapack_int m = p->a->m, n = p->a->n, k = p->k;
  dap_scalapack_int info = 0;
  if (dap_linalg_is_complex(call))
    (call->lib->real == DAP_F4 ? cgesvd_ : zgesvd_)("S", "S", &m, &n, w->a, &m, p->s, w->u, &m, w->vt, &k,
                                                    w->work, &w->lwork, w->rwork, &info);
  else
    (call->lib->real == DAP_F4 ? sgesvd_ : dgesvd_)("S", "S", &m, &n, w->a, &m, p->s, w->u, &m, w->vt, &k,
                                                    w->work, &w->lwork, &info);
  return info;
}

static dap_status hand_out(dap_linalg_call *call, const dap_linalg_svd_problem *p, const whole *w)
{
  MPI_Datatype type = call->lib->real == DAP_F4 ? MPI_FLOAT : MPI_DOUBLE;
  const int64_t m = p->a->m, n = p->a->n, k = p->k;
  DAP_TRY(dap_linalg_mpi(call, MPI_Bcast(p->s, (int)k, type, 0, call->comm), "MPI_Bcast"));
  DAP_TRY(dap_linalg_mpi(call, MPI_Bcast(w->u, reals(call, m * k), type, 0, call->comm), "MPI_Bcast"));
  DAP_TRY(dap_linalg_mpi(call, MPI_Bcast(w->vt, reals(call, k * n), type, 0, call->comm), "MPI_Bcast"));
  if (p->left) copy_part(call, p->left, w->u, true);
  if (p->right) copy_part(call, p->right, w->vt, true);
  return DAP_OK;
}

dap_status dap_linalg_svd_gathered(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  whole w;
  DAP_TRY(make_room(call, p, &w));
  DAP_TRY(gather(call, p, &w));
  p->info = call->rank == 0 ? decompose(call, p, &w) : 0;
  DAP_TRY(dap_linalg_info(call, "gesvd of LAPACK", &p->info));
  return hand_out(call, p, &w);
}
