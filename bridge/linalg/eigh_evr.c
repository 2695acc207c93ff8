/* Finds eigenvalues by multiple relatively robust representations: the steps of LAPACK's syevr and heevr,
 * with stemr on process 0. ScaLAPACK's drivers never return for singular matrices on several processes,
 * because a process where stegr2a fails leaves at once and the others wait for it (SRC/pdsyevr.f). Their
 * ranges give vectors that are not orthogonal, or not transformed back. */
#include "eigh_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t bytes_of(const dap_linalg_call *call, int64_t count)
{
  return (size_t)(count * dap_dtype_size(call->lib->real));
}

/* ---- vectors of T on process 0 ------------------------------------------------------------------------- */

/* A prototype of LAPACK (SRC/dstemr.f). Its rules are those of scalapack_calls.h. */
typedef void lapack_stemr(const char *jobz, const char *range, const dap_scalapack_int *n, void *d, void *e,
                          const void *vl, const void *vu, const dap_scalapack_int *il,
                          const dap_scalapack_int *iu, dap_scalapack_int *m, void *w, void *z,
                          const dap_scalapack_int *ldz, const dap_scalapack_int *nzc,
                          dap_scalapack_int *isuppz, dap_scalapack_int *tryrac, void *work,
                          const dap_scalapack_int *lwork, dap_scalapack_int *iwork,
                          const dap_scalapack_int *liwork, dap_scalapack_int *info);
lapack_stemr sstemr_, dstemr_;

typedef struct mrrr {
  void *vectors;    /* [n * count] of the real type, columns without gaps */
  void *numbers[3]; /* [n] T, which is overwritten, and eigenvalues */
  void *work, *iwork, *support, *doubles;
} mrrr;

enum { REALS = 18, INTEGERS = 10, WRONG = 10000 }; /* workspace for each row; an info of ours */

/* Reserves memory for p->count vectors. Collective. */
static dap_status make_room(dap_linalg_call *call, const dap_eigh_problem *p, mrrr *m)
{
  const dap_dtype real = call->lib->real;
  const int64_t n = call->rank == 0 ? p->n : 0;
  DAP_TRY(dap_linalg_work(call, n * p->count, real, &m->vectors));
  for (int k = 0; k < 3; k++) DAP_TRY(dap_linalg_work(call, n, real, &m->numbers[k]));
  DAP_TRY(dap_linalg_work(call, REALS * n, real, &m->work));
  DAP_TRY(dap_linalg_work(call, INTEGERS * n, dap_linalg_integer(), &m->iwork));
  DAP_TRY(dap_linalg_work(call, 2 * n, dap_linalg_integer(), &m->support));
  return dap_linalg_work(call, 4 * n, DAP_F8, &m->doubles);
}

/* One process computes all vectors, because stemr only then makes those of close eigenvalues orthogonal. It
 * takes O(n) operations for each number, few beside the reduction to T. */
static dap_scalapack_int call_stemr(const dap_linalg_call *call, const dap_eigh_problem *p, const mrrr *m)
{
  const dap_scalapack_int n = (dap_scalapack_int)p->n, columns = (dap_scalapack_int)p->count;
  const dap_scalapack_int from = (dap_scalapack_int)p->first + 1, to = from + columns - 1;
  const dap_scalapack_int lwork = REALS * n, liwork = INTEGERS * n;
  const double none = 0; /* bounds of values, 0 in every type, which are not read */
  dap_scalapack_int found = 0, accurate = 1, info = 0;
  (call->lib->real == DAP_F4 ? sstemr_ : dstemr_)(
      "V", "I", &n, m->numbers[0], m->numbers[1], &none, &none, &from, &to, &found, m->numbers[2], m->vectors,
      &n, &columns, m->support, &accurate, m->work, &lwork, m->iwork, &liwork, &info);
  return info == 0 && found != columns ? WRONG : info;
}

static void widen(const dap_linalg_call *call, const void *from, int64_t first, int64_t count, double to[])
{
  for (int64_t k = 0; k < count; k++) to[k] = dap_linalg_get_real(call->lib->real, from, first + k);
}

/* Returns the sum of squares of T z - w z. */
static double residual(int64_t n, const double d[], const double e[], double w, const double z[])
{
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const double above = i > 0 ? e[i - 1] * z[i - 1] : 0, below = i + 1 < n ? e[i] * z[i + 1] : 0;
    const double r = above + (d[i] - w) * z[i] + below;
    sum += r * r;
  }
  return sum;
}

static double product(int64_t n, const double a[], const double b[])
{
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double largest(int64_t n, const double d[], const double e[])
{
  double most = 0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(d[i]) + (i + 1 < n ? 2 * fabs(e[i]) : 0));
  return most;
}

/* Returns whether each vector belongs to its eigenvalue, has length 1, and is orthogonal to the one before.
 * stemr loses orthogonality in clusters of eigenvalues, where neighbours show it. The product of neighbours
 * may be a fifth of the limit, because a vector can have such products with several others. The residual may
 * be a fifth too, because the reduction and the transformation back add errors of their own. */
static bool are_right(const dap_linalg_call *call, const dap_eigh_problem *p, const dap_linalg_tridiagonal *t,
                      const void *values, const mrrr *m)
{
  const int64_t n = p->n;
  double *d = m->doubles, *e = d + n, *z = e + n, *before = z + n, w;
  widen(call, t->d, 0, n, d), widen(call, t->e, 0, n, e);
  const double limit = 10 * call->lib->eps * fmax((double)n, 10), most = limit / 5 * largest(n, d, e);
  for (int64_t k = 0; k < p->count; k++) {
    widen(call, m->vectors, k * n, n, z), widen(call, values, p->first + k, 1, &w);
    const double length = product(n, z, z), angle = k > 0 ? product(n, z, before) : 0;
    if (!(residual(n, d, e, w, z) <= most * most && fabs(length - 1) <= limit && fabs(angle) <= limit / 5))
      return false;
    double *spare = before;
    before = z, z = spare;
  }
  return true;
}

/* Computes the vectors p->first .. p->first + p->count - 1 of T, whose eigenvalues are `values`. Returns 0,
 * LAPACK's info, or WRONG if they are not accurate. Not collective. */
static dap_scalapack_int find(const dap_linalg_call *call, const dap_eigh_problem *p,
                              const dap_linalg_tridiagonal *t, const void *values, const mrrr *m)
{
  memcpy(m->numbers[0], t->d, bytes_of(call, p->n)), memcpy(m->numbers[1], t->e, bytes_of(call, p->n));
  const dap_scalapack_int info = call_stemr(call, p, m);
  return info == 0 && !are_right(call, p, t, values, m) ? WRONG : info;
}

/* ---- the algorithm ------------------------------------------------------------------------------------- */

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
  mrrr m;
  char why[DAP_ERROR_TEXT];
  const dap_status room = make_room(call, p, &m);
  if (room == DAP_ERR_RANGE || room == DAP_ERR_NOMEM) {
    dap_linalg_work_free(call, blocks);
    (void)snprintf(why, sizeof why, "MRRR is not possible: %.400s", call->err->text);
    return divide(call, p, t, kept, why);
  }
  DAP_TRY(room);
  dap_scalapack_int info = call->rank == 0 ? find(call, p, kept, t->e, &m) : 0;
  DAP_TRY(dap_linalg_info(call, "stemr of LAPACK", &info));
  if (info > 0) {
    dap_linalg_work_free(call, blocks);
    (void)snprintf(why, sizeof why, "MRRR failed: LAPACK's info is %d", (int)info);
    return divide(call, p, t, kept, info == WRONG ? "vectors by MRRR were not accurate" : why);
  }
  DAP_TRY(dap_linalg_hand_out(call, p->n, p->count, m.vectors, p->z));
  return dap_linalg_tridiagonal_back(call, p, t);
}

dap_status dap_linalg_eigh_evr(dap_linalg_call *call, dap_eigh_problem *p)
{
  dap_linalg_tridiagonal t, kept;
  DAP_TRY(dap_linalg_tridiagonal_reduce(call, p, &t));
  /* stemr of LAPACK before 3.12 may exchange the eigenvalues of a matrix of 2 rows */
  if (!p->z || p->n <= 2) return dap_linalg_eigh_divide(call, p, &t);
  DAP_TRY(keep(call, p, &t, &kept));
  DAP_TRY(find_values(call, p, &t));
  return p->count > 0 ? find_vectors(call, p, &t, &kept) : DAP_OK;
}
