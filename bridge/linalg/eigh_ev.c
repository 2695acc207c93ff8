/* Finds eigenvalues by QR iteration (syev, heev), which is right for every size and process grid. */
#include "eigh_impl.h"
#include "room_impl.h"

#include <inttypes.h>

static dap_status run(dap_linalg_call *call, const dap_eigh_problem *p, const dap_scalapack_matrix *z,
                      dap_scalapack_int *info)
{
  const dap_scalapack_matrix *a = p->a;
  const char *job = p->z ? "V" : "N"; /* then z is not read */
  const bool is_complex = dap_linalg_is_complex(call);
  dap_workspace w = {
      .routine = "syev", .bound = dap_room_vectors(1, a), .has_reals = is_complex, .may_fail = true};
  while (dap_workspace_next(call, &w)) {
    if (is_complex)
      call->lib->heev(job, &p->uplo, &a->n, DAP_MATRIX(a), p->w, DAP_MATRIX(z), w.work, &w.lwork, w.rwork,
                      &w.lrwork, &w.info);
    else
      call->lib->syev(job, &p->uplo, &a->n, DAP_MATRIX(a), p->w, DAP_MATRIX(z), w.work, &w.lwork, &w.info);
  }
  *info = w.info;
  return w.status;
}

dap_status dap_linalg_eigh_ev(dap_linalg_call *call, dap_eigh_problem *p)
{
  if (p->n == 1) return dap_linalg_eigh_evd(call, p); /* heev does not set Z */
  dap_scalapack_matrix z = *p->a;
  if (p->z) DAP_TRY(dap_linalg_eigh_vectors(call, p, &z));
  dap_scalapack_int info;
  DAP_TRY(run(call, p, &z, &info));
  if (info == p->n + 1) return dap_linalg_numeric(call, info, "the processes computed different eigenvalues");
  if (info > 0)
    return dap_linalg_numeric(call, info, "eigenvalue %" PRId64 " did not converge", (int64_t)info);
  DAP_TRY(dap_linalg_eigh_choose(call, p));
  if (!p->z) return DAP_OK;
  dap_linalg_eigh_columns(call->lib->dtype, &z, p->first, p->count, p->z);
  return DAP_OK;
}
