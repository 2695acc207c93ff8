/* Eigenvalues by QR iteration: syev and heev, which are right for every size and process grid. */
#include "eigh_impl.h"
#include "room_impl.h"

#include <inttypes.h>

/* The arguments that the real and the complex driver have, and the latter's. */
typedef struct space {
  void *work, *rwork;
  dap_scalapack_int lwork, lrwork;
} space;

static dap_scalapack_int call_driver(const dap_linalg_call *call, const dap_eigh_problem *p,
                                     const dap_scalapack_matrix *z, const space *s)
{
  const dap_scalapack_matrix *a = p->a;
  const char *job = p->z ? "V" : "N"; /* z is not looked at without vectors */
  dap_scalapack_int info = 0;
  if (dap_linalg_is_complex(call))
    call->lib->heev(job, &p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, p->w, z->data, &z->ia, &z->ja,
                    z->desc, s->work, &s->lwork, s->rwork, &s->lrwork, &info);
  else
    call->lib->syev(job, &p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, p->w, z->data, &z->ia, &z->ja,
                    z->desc, s->work, &s->lwork, &info);
  return info;
}

static dap_status run(dap_linalg_call *call, const dap_eigh_problem *p, const dap_scalapack_matrix *z,
                      dap_scalapack_int *info)
{
  const dap_linalg_routines *lib = call->lib;
  double asked[2] = {0}, real_asked[2] = {0};
  space s = {.work = asked, .rwork = real_asked, .lwork = -1, .lrwork = -1};
  *info = call_driver(call, p, z, &s);
  DAP_TRY(dap_linalg_info(call, "syev, asked for its workspace", info));
  const dap_room_matrix on = dap_room_of(p->a);
  const int64_t bound = dap_room_ev(&on);
  DAP_TRY(dap_linalg_work_room(call, lib->dtype, bound, 0, asked, &s.lwork, &s.work));
  DAP_TRY(dap_linalg_work_room(call, lib->real, bound, 0, real_asked, &s.lrwork, &s.rwork));
  *info = call_driver(call, p, z, &s);
  return dap_linalg_info(call, "syev", info);
}

/* Of one element heev leaves Z as it was. */
static void set_single_vector(const dap_linalg_call *call, const dap_scalapack_matrix *z)
{
  const dap_linalg_part part = dap_linalg_part_of(call, z);
  if (part.extents[0] > 0 && part.extents[1] > 0) dap_linalg_set(&part, 0, 0, (const double[2]){1, 0});
}

dap_status dap_linalg_eigh_ev(dap_linalg_call *call, dap_eigh_problem *p)
{
  dap_scalapack_matrix z = *p->a;
  if (p->z) DAP_TRY(dap_linalg_eigh_vectors(call, p, &z));
  dap_scalapack_int info;
  DAP_TRY(run(call, p, &z, &info));
  if (info == p->n + 1) return dap_linalg_numeric(call, info, "the processes computed different eigenvalues");
  if (info > 0)
    return dap_linalg_numeric(call, info, "eigenvalue %" PRId64 " did not converge", (int64_t)info);
  DAP_TRY(dap_linalg_eigh_choose(call, p));
  if (!p->z) return DAP_OK;
  if (p->n == 1) set_single_vector(call, &z);
  dap_linalg_eigh_columns(call->lib->dtype, &z, p->first, p->count, p->z);
  return DAP_OK;
}
