/* The drivers for eigenvalues and singular values: few of them check what they need. */
#include "traps.h"

enum { WORK = 1 << 15 }; /* elements, for matrices of this size more than any of them wants */

/* ---- Hermitian ----------------------------------------------------------------------------------- */

static dap_psyev *const syev[] = {pssyev_, pdsyev_};
static dap_pheev *const heev[] = {pcheev_, pzheev_};
static dap_psyevd *const syevd[] = {pssyevd_, pdsyevd_};
static dap_pheevd *const heevd[] = {pcheevd_, pzheevd_};
static dap_psyevr *const syevr[] = {pssyevr_, pdsyevr_};
static dap_pheevr *const heevr[] = {pcheevr_, pzheevr_};
static dap_psyevx *const syevx[] = {pssyevx_, pdsyevx_};
static dap_pheevx *const heevx[] = {pcheevx_, pzheevx_};

typedef struct space {
  dap_scalapack_int n, lwork, ifirst, ilast, found, vectors;
  double none; /* bounds and tolerances: 0 in every type */
  void *work, *rwork;
  const void *orfac;
  dap_scalapack_int *iwork, *ifail, *clusters;
  void *gaps;
} space;

static space space_make(trap *t)
{
  const int64_t n = t->size[0][0];
  const int64_t procs = t->procs[0] * t->procs[1];
  static const float single = -1;
  static const double twice = -1;
  t->count = n;
  return (space){.n = (dap_scalapack_int)n,
                 .lwork = WORK,
                 .ifirst = 1,
                 .ilast = (dap_scalapack_int)n,
                 .work = trap_space(16 * WORK),
                 .rwork = trap_space(8 * WORK),
                 .iwork = trap_space(8 * WORK),
                 .orfac = t->type->real == DAP_F4 ? (const void *)&single : &twice,
                 .ifail = trap_space(8 * n),
                 .clusters = trap_space(16 * procs),
                 .gaps = trap_space(8 * procs)};
}

static void space_free(space *s)
{
  free(s->work), free(s->rwork), free(s->iwork);
  free(s->ifail), free(s->clusters), free(s->gaps);
}

static void run_ev(trap *t, const char *job)
{
  space s = space_make(t);
  dap_scalapack_matrix *a = &t->views[0], *z = &t->views[1];
  const int k = t->letter % 2;
  if (t->type->is_complex)
    heev[k](job, "U", &s.n, AT(*a), t->values, AT(*z), s.work, &s.lwork, s.rwork, &s.lwork, &t->info);
  else
    syev[k](job, "U", &s.n, AT(*a), t->values, AT(*z), s.work, &s.lwork, &t->info);
  space_free(&s);
}

static void run_syev(trap *t)
{
  run_ev(t, "V");
}

static void run_values(trap *t)
{
  run_ev(t, "N");
}

static void run_syevd(trap *t)
{
  space s = space_make(t);
  dap_scalapack_matrix *a = &t->views[0], *z = &t->views[1];
  const int k = t->letter % 2;
  if (t->type->is_complex)
    heevd[k]("V", "L", &s.n, AT(*a), t->values, AT(*z), s.work, &s.lwork, s.rwork, &s.lwork, s.iwork,
             &s.lwork, &t->info);
  else
    syevd[k]("V", "L", &s.n, AT(*a), t->values, AT(*z), s.work, &s.lwork, s.iwork, &s.lwork, &t->info);
  space_free(&s);
}

static void run_syevr(trap *t)
{
  space s = space_make(t);
  dap_scalapack_matrix *a = &t->views[0], *z = &t->views[1];
  const int k = t->letter % 2;
  if (t->type->is_complex)
    heevr[k]("V", "A", "U", &s.n, AT(*a), &s.none, &s.none, &s.ifirst, &s.ilast, &s.found, &s.vectors,
             t->values, AT(*z), s.work, &s.lwork, s.rwork, &s.lwork, s.iwork, &s.lwork, &t->info);
  else
    syevr[k]("V", "A", "U", &s.n, AT(*a), &s.none, &s.none, &s.ifirst, &s.ilast, &s.found, &s.vectors,
             t->values, AT(*z), s.work, &s.lwork, s.iwork, &s.lwork, &t->info);
  space_free(&s);
}

static void run_syevx(trap *t)
{
  space s = space_make(t);
  dap_scalapack_matrix *a = &t->views[0], *z = &t->views[1];
  const int k = t->letter % 2;
  if (t->type->is_complex)
    heevx[k]("V", "A", "U", &s.n, AT(*a), &s.none, &s.none, &s.ifirst, &s.ilast, &s.none, &s.found,
             &s.vectors, t->values, s.orfac, AT(*z), s.work, &s.lwork, s.rwork, &s.lwork, s.iwork, &s.lwork,
             s.ifail, s.clusters, s.gaps, &t->info);
  else
    syevx[k]("V", "A", "U", &s.n, AT(*a), &s.none, &s.none, &s.ifirst, &s.ilast, &s.none, &s.found,
             &s.vectors, t->values, s.orfac, AT(*z), s.work, &s.lwork, s.iwork, &s.lwork, s.ifail, s.clusters,
             s.gaps, &t->info);
  space_free(&s);
}

static double worse(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

static double differ_from_serial(const trap *t)
{
  const int64_t n = t->count;
  double complex *want = serial_eigenvalues('U', n, t->before[0]);
  const double r =
      residual_difference(n, 1, t->w, want, whole_norm('1', n, n, t->before[0]), n, t->type->eps);
  free(want);
  return r;
}

static double check_vectors(trap *t)
{
  const int64_t n = t->count;
  const double eps = t->type->eps;
  return worse(worse(differ_from_serial(t), residual_orthogonal(n, n, t->after[1], eps)),
               residual_eigen(n, t->before[0], t->w, t->after[1], eps));
}

static double check_values(trap *t)
{
  return differ_from_serial(t);
}

/* ---- singular values ----------------------------------------------------------------------------- */

static void run_gesvd(trap *t)
{
  static dap_pgesvd *const real[] = {psgesvd_, pdgesvd_};
  static dap_pcgesvd *const complex_[] = {pcgesvd_, pzgesvd_};
  const int64_t m = t->size[0][0], n = t->size[0][1];
  const dap_scalapack_int rows = (dap_scalapack_int)m, cols = (dap_scalapack_int)n, lwork = WORK;
  dap_scalapack_matrix *a = &t->views[0], *u = &t->views[1], *vt = &t->views[2];
  void *work = trap_space(16 * WORK), *rwork = trap_space(8 * WORK);
  t->count = m < n ? m : n;
  if (t->type->is_complex)
    complex_[t->letter % 2]("V", "V", &rows, &cols, AT(*a), t->values, AT(*u), AT(*vt), work, &lwork, rwork,
                            &t->info);
  else
    real[t->letter % 2]("V", "V", &rows, &cols, AT(*a), t->values, AT(*u), AT(*vt), work, &lwork, &t->info);
  free(work), free(rwork);
}

static double check_svd(trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1], k = t->count;
  const double eps = t->type->eps;
  double complex *want = serial_singular_values(m, n, t->before[0]), *v = whole_op('C', k, n, t->after[2]);
  double r = residual_difference(k, 1, t->w, want, whole_norm('1', m, n, t->before[0]), k, eps);
  r = worse(r, residual_svd(m, n, t->before[0], t->after[1], t->w, t->after[2], eps));
  r = worse(r, worse(residual_orthogonal(m, k, t->after[1], eps), residual_orthogonal(n, k, v, eps)));
  free(want), free(v);
  return r;
}

/* ---- the table ------------------------------------------------------------------------------------ */

#define EIGEN(name, real, complex, needs, unsafe, run, residual)                                             \
  {                                                                                                          \
    name, {real, complex}, 2, {entry_hermitian, entry_nans}, {{0}}, needs, DAP_ALIGN_SAME, unsafe, run,      \
        residual                                                                                             \
  }
#define NEEDS(...)                                                                                           \
  {                                                                                                          \
    .square_blocks = true, .offset = DAP_OFFSET_NONE, __VA_ARGS__                                            \
  }
#define BESIDE "B: 3 x 3|B: 4 x 3|B: RSRC|B: CSRC|B: IB"
#define PARTS BESIDE "|IA, JA|IA <> JA|IA|JA|IA, JA inside|IA inside|JA inside"

const trap_routine trap_eigen_routines[] = {
    EIGEN("ev", "syev", "heev", NEEDS(.any_sources = true), BESIDE, run_syev, check_vectors),
    EIGEN("ev, values", "syev", "heev", NEEDS(.any_sources = true), BESIDE, run_values, check_values),
    EIGEN("evd", "syevd", "heevd", NEEDS(.several_blocks = true), PARTS, run_syevd, check_vectors),
    EIGEN("evr", "syevr", "heevr", NEEDS(), BESIDE, run_syevr, check_vectors),
    EIGEN("evx", "syevx", "heevx", NEEDS(), BESIDE, run_syevx, check_vectors),
    ROUTINE("gesvd", "gesvd", "gesvd", 3, OF(entry_any, entry_nans, entry_nans), OF({0}),
            NEEDS(.spans_grid = true), SAME, BESIDE, run_gesvd, check_svd),
    ROUTINE("gesvd, tall", "gesvd", "gesvd", 3, OF(entry_any, entry_nans, entry_nans),
            OF({23, 17}, {23, 17}, {17, 17}), NEEDS(.spans_grid = true), SAME, BESIDE, run_gesvd, check_svd),
    ROUTINE("gesvd, wide", "gesvd", "gesvd", 3, OF(entry_any, entry_nans, entry_nans),
            OF({17, 23}, {17, 17}, {17, 23}), NEEDS(.spans_grid = true), SAME, BESIDE, run_gesvd, check_svd),
    {.name = NULL},
};
