/* The singular value decomposition by ScaLAPACK's gesvd. */
#include "room_impl.h"
#include "svd_impl.h"

/* Gives vectors that are not wanted a spare matrix if M has fewer lines of the other kind than there are
 * processes, because gesvd compares the results of processes that compute vectors. */
static dap_status fill_in(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  const dap_scalapack_matrix *a = p->a;
  if (p->left && !p->right && a->m < call->nprocs) {
    DAP_TRY(dap_linalg_space_of(call, a, p->k, a->n, call->lib->dtype, &p->spare));
    p->right = &p->spare;
  } else if (p->right && !p->left && a->n < call->nprocs) {
    DAP_TRY(dap_linalg_space_of(call, a, a->m, p->k, call->lib->dtype, &p->spare));
    p->left = &p->spare;
  }
  return DAP_OK;
}

static void call_driver(const dap_linalg_call *call, const dap_linalg_svd_problem *p, dap_workspace *w,
                        void *rwork)
{
  const dap_scalapack_matrix *a = p->a, *u = p->left ? p->left : a, *vt = p->right ? p->right : a;
  const char *job_u = p->left ? "V" : "N", *job_vt = p->right ? "V" : "N";
  if (dap_linalg_is_complex(call))
    call->lib->cgesvd(job_u, job_vt, &a->m, &a->n, DAP_MATRIX(a), p->s, DAP_MATRIX(u), DAP_MATRIX(vt),
                      w->work, &w->lwork, rwork, &w->info);
  else
    call->lib->gesvd(job_u, job_vt, &a->m, &a->n, DAP_MATRIX(a), p->s, DAP_MATRIX(u), DAP_MATRIX(vt), w->work,
                     &w->lwork, &w->info);
}

dap_status dap_linalg_svd_gesvd(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  dap_workspace w = {.routine = "gesvd", .bound = dap_room_vectors(2, p->a), .may_fail = true};
  void *rwork;
  DAP_TRY(fill_in(call, p));
  /* SRC/pzgesvd.f */
  DAP_TRY(dap_linalg_work(call, 1 + 4 * dap_room_larger(p->a->m, p->a->n), call->lib->real, &rwork));
  while (dap_workspace_next(call, &w)) call_driver(call, p, &w, rwork);
  p->info = w.info;
  return w.status;
}
