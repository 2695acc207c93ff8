/* Eigenvalues by multiple relatively robust representations: the steps of LAPACK's syevr and heevr.
 *
 * ScaLAPACK's drivers are not called. They never return for singular matrices on several processes: if
 * stegr2a fails on one, it leaves at once, and the others wait for it in a sum (SRC/pdsyevr.f). Their ranges
 * give vectors that are not orthogonal, or not transformed back. Here process 0 computes the vectors of T,
 * and divide and conquer takes its place if it fails. */
#include "eigh_impl.h"

#include <stdio.h>
#include <string.h>

static size_t bytes_of(const dap_linalg_call *call, int64_t count)
{
  return (size_t)(count * dap_dtype_size(call->lib->real));
}

/* Starts again by divide and conquer, with the T that was kept. */
static dap_status divide(dap_linalg_call *call, dap_eigh_problem *p, const dap_linalg_tridiagonal *t,
                         const dap_linalg_tridiagonal *kept, const char *why)
{
  dap_linalg_report *report = call->report;
  report->solver = DAP_EIGH_EVD;
  (void)snprintf(report->method, sizeof report->method, "divide and conquer, as %.400s", why);
  memcpy(t->d, kept->d, bytes_of(call, p->n)), memcpy(t->e, kept->e, bytes_of(call, p->n));
  return dap_linalg_eigh_divide(call, p, t);
}

/* Copies the arrays that are overwritten when eigenvalues are computed. */
static dap_status keep(dap_linalg_call *call, const dap_eigh_problem *p, const dap_linalg_tridiagonal *t,
                       dap_linalg_tridiagonal *kept)
{
  *kept = *t;
  DAP_TRY(dap_linalg_work(call, p->n, call->lib->real, &kept->d));
  DAP_TRY(dap_linalg_work(call, p->n, call->lib->real, &kept->e));
  memcpy(kept->d, t->d, bytes_of(call, p->n)), memcpy(kept->e, t->e, bytes_of(call, p->n));
  return DAP_OK;
}

/* Finds the eigenvalues of T, in t->e, and of M, in p->w. */
static dap_status find_values(dap_linalg_call *call, dap_eigh_problem *p, const dap_linalg_tridiagonal *t)
{
  DAP_TRY(dap_linalg_tridiagonal_values(call, p, t));
  memcpy(t->e, p->w, bytes_of(call, p->n));
  dap_linalg_scale_back(call, p->n, t->sigma, p->w);
  return dap_linalg_eigh_choose(call, p);
}

static dap_status find_vectors(dap_linalg_call *call, dap_eigh_problem *p, const dap_linalg_tridiagonal *t,
                               const dap_linalg_tridiagonal *kept)
{
  const int blocks = call->block_count;
  dap_linalg_mrrr m;
  char why[DAP_ERROR_TEXT];
  const dap_status room = dap_linalg_mrrr_make_room(call, p, &m);
  if (room == DAP_ERR_RANGE || room == DAP_ERR_NOMEM) {
    dap_linalg_work_free(call, blocks);
    (void)snprintf(why, sizeof why, "MRRR is not possible: %.400s", call->err->text);
    return divide(call, p, t, kept, why);
  }
  DAP_TRY(room);
  dap_scalapack_int info = call->rank == 0 ? dap_linalg_mrrr_find(call, p, kept, t->e, &m) : 0;
  DAP_TRY(dap_linalg_info(call, "stemr of LAPACK", &info));
  if (info > 0) {
    dap_linalg_work_free(call, blocks);
    (void)snprintf(why, sizeof why, "MRRR failed: LAPACK's info is %d", (int)info);
    return divide(call, p, t, kept,
                  info == DAP_LINALG_MRRR_WRONG ? "vectors by MRRR were not accurate" : why);
  }
  DAP_TRY(dap_linalg_hand_out(call, p->n, p->count, m.vectors, p->z));
  return dap_linalg_tridiagonal_back(call, p, t);
}

dap_status dap_linalg_eigh_evr(dap_linalg_call *call, dap_eigh_problem *p)
{
  dap_linalg_tridiagonal t, kept;
  DAP_TRY(dap_linalg_tridiagonal_reduce(call, p, &t));
  if (!p->z) return dap_linalg_eigh_divide(call, p, &t);
  DAP_TRY(keep(call, p, &t, &kept));
  DAP_TRY(find_values(call, p, &t));
  return p->count > 0 ? find_vectors(call, p, &t, &kept) : DAP_OK;
}
