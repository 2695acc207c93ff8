/* The singular value decomposition by ScaLAPACK's gesvd. */
#include "room_impl.h"
#include "svd_impl.h"

enum { CTXT = 1, M = 2, MB = 4, NB = 5, RSRC = 6, LLD = 8 }; /* of a descriptor; columns follow the rows */

/* A matrix beside M for vectors that are not wanted: gesvd compares processes that compute some. */
static dap_status stand_in(dap_linalg_call *call, const dap_scalapack_matrix *a, dap_scalapack_int rows,
                           dap_scalapack_int cols, dap_scalapack_matrix *matrix)
{
  int64_t extents[2];
  *matrix = *a;
  matrix->m = matrix->desc[M] = rows;
  matrix->n = matrix->desc[M + 1] = cols;
  dap_linalg_local(matrix, extents);
  matrix->desc[LLD] = (dap_scalapack_int)(extents[0] > 1 ? extents[0] : 1);
  return dap_linalg_work(call, matrix->desc[LLD] * extents[1], call->lib->dtype, &matrix->data);
}

/* With one kind of vectors only those count. */
static dap_status fill_in(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  const dap_scalapack_matrix *a = p->a;
  if (p->left && !p->right && a->m < call->nprocs) {
    DAP_TRY(stand_in(call, a, p->k, a->n, &p->spare));
    p->right = &p->spare;
  } else if (p->right && !p->left && a->n < call->nprocs) {
    DAP_TRY(stand_in(call, a, a->m, p->k, &p->spare));
    p->left = &p->spare;
  }
  return DAP_OK;
}

static dap_scalapack_int call_driver(const dap_linalg_call *call, const dap_linalg_svd_problem *p, void *work,
                                     dap_scalapack_int lwork, void *rwork)
{
  const dap_scalapack_matrix *a = p->a, *u = p->left ? p->left : a, *vt = p->right ? p->right : a;
  const char *job_u = p->left ? "V" : "N", *job_vt = p->right ? "V" : "N";
  dap_scalapack_int info = 0;
  if (dap_linalg_is_complex(call))
    call->lib->cgesvd(job_u, job_vt, &a->m, &a->n, a->data, &a->ia, &a->ja, a->desc, p->s, u->data, &u->ia,
                      &u->ja, u->desc, vt->data, &vt->ia, &vt->ja, vt->desc, work, &lwork, rwork, &info);
  else
    call->lib->gesvd(job_u, job_vt, &a->m, &a->n, a->data, &a->ia, &a->ja, a->desc, p->s, u->data, &u->ia,
                     &u->ja, u->desc, vt->data, &vt->ia, &vt->ja, vt->desc, work, &lwork, &info);
  return info;
}

dap_status dap_linalg_svd_gesvd(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  const int64_t longer = p->a->m > p->a->n ? p->a->m : p->a->n;
  dap_scalapack_int lwork;
  double asked[2] = {0};
  void *work, *rwork;
  DAP_TRY(fill_in(call, p));
  DAP_TRY(dap_linalg_work(call, 1 + 4 * longer, call->lib->real, &rwork)); /* SRC/pzgesvd.f */
  p->info = call_driver(call, p, asked, -1, rwork);
  DAP_TRY(dap_linalg_info(call, "gesvd, asked for its workspace", &p->info));
  const dap_room_matrix on = dap_room_of(p->a);
  DAP_TRY(dap_linalg_work_room(call, call->lib->dtype, dap_room_gesvd(&on), 0, asked, &lwork, &work));
  p->info = call_driver(call, p, work, lwork, rwork);
  return dap_linalg_info(call, "gesvd", &p->info);
}
