/* Eigenvectors of a tridiagonal matrix T by multiple relatively robust representations: LAPACK's stemr on
 * process 0.
 *
 * One process computes all vectors, because stemr only then makes those of close eigenvalues orthogonal. It
 * takes O(n) operations for each number, few beside the reduction to T. The vectors are checked before they
 * are used, because stemr may fail where other algorithms do not. */
#include "eigh_impl.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Prototypes of LAPACK (SRC/dstemr.f, SRC/dsteqr.f). Their rules are those of scalapack_calls.h. */
typedef void lapack_stemr(const char *jobz, const char *range, const dap_scalapack_int *n, void *d, void *e,
                          const void *vl, const void *vu, const dap_scalapack_int *il,
                          const dap_scalapack_int *iu, dap_scalapack_int *m, void *w, void *z,
                          const dap_scalapack_int *ldz, const dap_scalapack_int *nzc,
                          dap_scalapack_int *isuppz, dap_scalapack_int *tryrac, void *work,
                          const dap_scalapack_int *lwork, dap_scalapack_int *iwork,
                          const dap_scalapack_int *liwork, dap_scalapack_int *info);
typedef void lapack_steqr(const char *compz, const dap_scalapack_int *n, void *d, void *e, void *z,
                          const dap_scalapack_int *ldz, void *work, dap_scalapack_int *info);
lapack_stemr sstemr_, dstemr_;
lapack_steqr ssteqr_, dsteqr_;

/* stemr of LAPACK before 3.12 may exchange the eigenvalues of a matrix of 2 rows. */
enum { FEW = 2, REALS = 18, INTEGERS = 10 };

dap_status dap_linalg_mrrr_make_room(dap_linalg_call *call, const dap_eigh_problem *p, dap_linalg_mrrr *m)
{
  const dap_dtype real = call->lib->real;
  const int64_t n = call->rank == 0 ? p->n : 0, columns = n <= FEW ? n : p->count;
  DAP_TRY(dap_linalg_work(call, n * columns, real, &m->vectors));
  for (int k = 0; k < 3; k++) DAP_TRY(dap_linalg_work(call, n, real, &m->numbers[k]));
  DAP_TRY(dap_linalg_work(call, REALS * n, real, &m->work));
  DAP_TRY(dap_linalg_work(call, INTEGERS * n, dap_linalg_integer(), &m->iwork));
  DAP_TRY(dap_linalg_work(call, 2 * n, dap_linalg_integer(), &m->support));
  return dap_linalg_work(call, 4 * n, DAP_F8, &m->doubles);
}

/* ---- LAPACK -------------------------------------------------------------------------------------------- */

/* Finds all vectors, and moves the wanted ones to the front. */
static dap_scalapack_int find_few(const dap_linalg_call *call, const dap_eigh_problem *p,
                                  const dap_linalg_mrrr *m)
{
  const dap_scalapack_int n = (dap_scalapack_int)p->n;
  const size_t column = (size_t)(p->n * dap_dtype_size(call->lib->real));
  dap_scalapack_int info = 0;
  (call->lib->real == DAP_F4 ? ssteqr_ : dsteqr_)("I", &n, m->numbers[0], m->numbers[1], m->vectors, &n,
                                                  m->work, &info);
  memmove(m->vectors, (char *)m->vectors + (size_t)p->first * column, (size_t)p->count * column);
  return info;
}

static dap_scalapack_int find_many(const dap_linalg_call *call, const dap_eigh_problem *p,
                                   const dap_linalg_mrrr *m)
{
  const dap_scalapack_int n = (dap_scalapack_int)p->n, columns = (dap_scalapack_int)p->count;
  const dap_scalapack_int from = (dap_scalapack_int)p->first + 1, to = from + columns - 1;
  const dap_scalapack_int lwork = REALS * n, liwork = INTEGERS * n;
  const double none = 0; /* bounds of values, 0 in every type, which are not read */
  dap_scalapack_int found = 0, accurate = 1, info = 0;
  (call->lib->real == DAP_F4 ? sstemr_ : dstemr_)(
      "V", "I", &n, m->numbers[0], m->numbers[1], &none, &none, &from, &to, &found, m->numbers[2], m->vectors,
      &n, &columns, m->support, &accurate, m->work, &lwork, m->iwork, &liwork, &info);
  return info == 0 && found != columns ? DAP_LINALG_MRRR_WRONG : info;
}

/* ---- checks --------------------------------------------------------------------- */

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

/* Whether each vector belongs to its eigenvalue, has length 1, and is orthogonal to the one before.
 * Neighbours in a cluster show where stemr loses orthogonality. They may take a fifth of the limit, because
 * several can be as near to each other. So may the residual, to which the reduction and the way back add
 * theirs. */
static bool are_right(const dap_linalg_call *call, const dap_eigh_problem *p, const dap_linalg_tridiagonal *t,
                      const void *values, const dap_linalg_mrrr *m)
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

dap_scalapack_int dap_linalg_mrrr_find(const dap_linalg_call *call, const dap_eigh_problem *p,
                                       const dap_linalg_tridiagonal *t, const void *values,
                                       const dap_linalg_mrrr *m)
{
  const size_t bytes = (size_t)(p->n * dap_dtype_size(call->lib->real));
  fenv_t environment;
  memcpy(m->numbers[0], t->d, bytes), memcpy(m->numbers[1], t->e, bytes);
  (void)feholdexcept(&environment); /* stemr uses infinity and NaN: SRC/dlaneg.f */
  dap_scalapack_int info = p->n <= FEW ? find_few(call, p, m) : find_many(call, p, m);
  if (info == 0 && !are_right(call, p, t, values, m)) info = DAP_LINALG_MRRR_WRONG;
  (void)fesetenv(&environment);
  return info;
}
