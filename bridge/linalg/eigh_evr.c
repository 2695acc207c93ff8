/* Eigenvalues by multiple relatively robust representations: syevr and heevr.
 *
 * All vectors are computed and those wanted are chosen, as the drivers' own ranges are wrong: where one ends
 * amid equal eigenvalues the vectors are not orthogonal (in single precision by 0.02), and with fewer vectors
 * than a block ormtr gets too little of WORK, whatever LWORK is, and does nothing, while info stays 0
 * (SRC/pdsyevr.f: SIZE1). heevr asks for too little for matrices smaller than a block. */
#include "eigh_impl.h"

#include <inttypes.h>

typedef struct space {
  void *work, *rwork;
  dap_scalapack_int *iwork;
  dap_scalapack_int lwork, lrwork, liwork;
} space;

typedef struct counts {
  dap_scalapack_int values, vectors; /* computed */
} counts;

static dap_scalapack_int call_driver(const dap_linalg_call *call, const dap_eigh_problem *p,
                                     const dap_scalapack_matrix *z, counts *r, const space *s)
{
  const dap_scalapack_matrix *a = p->a;
  const char *job = p->z ? "V" : "N";
  const double none = 0; /* bounds of values: 0 in every type */
  const dap_scalapack_int one = 1;
  dap_scalapack_int info = 0;
  if (dap_linalg_is_complex(call))
    call->lib->heevr(job, "A", &p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, &none, &none, &one, &a->n,
                     &r->values, &r->vectors, p->w, z->data, &z->ia, &z->ja, z->desc, s->work, &s->lwork,
                     s->rwork, &s->lrwork, s->iwork, &s->liwork, &info);
  else
    call->lib->syevr(job, "A", &p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, &none, &none, &one, &a->n,
                     &r->values, &r->vectors, p->w, z->data, &z->ia, &z->ja, z->desc, s->work, &s->lwork,
                     s->iwork, &s->liwork, &info);
  return info;
}

/* What unmtr asks for (SRC/pzunmtr.f). */
static double least_space(const dap_eigh_problem *p)
{
  enum { NB = 5 };
  int64_t extents[2];
  dap_linalg_local(p->a, extents);
  const double block = (double)p->a->desc[NB], all = (double)p->n;
  return all + block * (2 * block + (double)(extents[0] + extents[1]));
}

/* What the driver asked for, or what is needed. */
static void at_least(dap_dtype real, double least, void *asked)
{
  if (real == DAP_F4) {
    float *number = asked;
    if (*number < (float)least) *number = (float)least;
  } else {
    double *number = asked;
    if (*number < least) *number = least;
  }
}

static dap_status run(dap_linalg_call *call, const dap_eigh_problem *p, const dap_scalapack_matrix *z,
                      counts *r, dap_scalapack_int *info)
{
  const dap_linalg_routines *lib = call->lib;
  double asked[6] = {0}, real_asked[3] = {0}; /* checks of the arguments take three elements of WORK */
  dap_scalapack_int integers = 0;
  space s = {.work = asked, .rwork = real_asked, .iwork = &integers, .lwork = -1, .lrwork = -1, .liwork = -1};
  *info = call_driver(call, p, z, r, &s);
  DAP_TRY(dap_linalg_info(call, "syevr, asked for its workspace", info));
  at_least(lib->real, least_space(p), asked);
  DAP_TRY(dap_linalg_work_sized(call, lib->dtype, asked, &s.lwork, &s.work));
  DAP_TRY(dap_linalg_work_sized(call, lib->real, real_asked, &s.lrwork, &s.rwork));
  void *iwork;
  DAP_TRY(dap_linalg_work(call, integers, dap_linalg_integer(), &iwork));
  s.iwork = iwork, s.liwork = integers;
  *info = call_driver(call, p, z, r, &s);
  return dap_linalg_info(call, "syevr", info);
}

dap_status dap_linalg_eigh_evr(dap_linalg_call *call, dap_eigh_problem *p)
{
  dap_scalapack_matrix z = *p->a;
  if (p->z) DAP_TRY(dap_linalg_eigh_vectors(call, p, &z));
  counts r = {0};
  dap_scalapack_int info;
  DAP_TRY(run(call, p, &z, &r, &info));
  if (info > 0 || r.values != p->n || (p->z && r.vectors != p->n))
    return dap_linalg_numeric(call, info > 0 ? info : p->n, "%" PRId64 " eigenvalues did not all converge",
                              p->n);
  DAP_TRY(dap_linalg_eigh_choose(call, p));
  if (p->z) dap_linalg_eigh_columns(call->lib->dtype, &z, p->first, p->count, p->z);
  return DAP_OK;
}
