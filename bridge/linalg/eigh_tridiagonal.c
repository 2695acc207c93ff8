/* Takes the steps between a Hermitian matrix M and its tridiagonal T, which algorithms with sytrd share. */
#include "eigh_impl.h"
#include "room_impl.h"

/* A prototype of LAPACK (SRC/dsterf.f). */
typedef void lapack_sterf(const dap_scalapack_int *n, void *d, void *e, dap_scalapack_int *info);
lapack_sterf ssterf_, dsterf_;

/* LAPACK takes the steps of one process, because ScaLAPACK's routines send messages to themselves and work on
 * narrower panels. Prototypes of LAPACK (SRC/dsytrd.f, SRC/dormtr.f). Their rules are those of
 * scalapack_calls.h. */
typedef void lapack_sytrd(const char *uplo, const dap_scalapack_int *n, void *a, const dap_scalapack_int *lda,
                          void *d, void *e, void *tau, void *work, const dap_scalapack_int *lwork,
                          dap_scalapack_int *info);
typedef void lapack_ormtr(const char *side, const char *uplo, const char *trans, const dap_scalapack_int *m,
                          const dap_scalapack_int *n, const void *a, const dap_scalapack_int *lda,
                          const void *tau, void *c, const dap_scalapack_int *ldc, void *work,
                          const dap_scalapack_int *lwork, dap_scalapack_int *info);
lapack_sytrd ssytrd_, dsytrd_, chetrd_, zhetrd_;
lapack_ormtr sormtr_, dormtr_, cunmtr_, zunmtr_;

enum { PANEL = 64, TRIANGLE = 65 * 64 }; /* columns of a panel; elements of its triangle in ormtr's work */

static dap_status reduce_alone(dap_linalg_call *call, const dap_eigh_problem *p, dap_linalg_tridiagonal *t)
{
  lapack_sytrd *const sytrd[] = {ssytrd_, dsytrd_, chetrd_, zhetrd_};
  const dap_scalapack_int lwork = (dap_scalapack_int)(PANEL * p->n);
  dap_scalapack_int info = 0;
  void *work;
  DAP_TRY(dap_linalg_work(call, PANEL * p->n, call->lib->dtype, &work));
  sytrd[call->lib->letter](&p->uplo, &p->a->n, p->a->data, &p->a->desc[DAP_LLD], t->d, t->e, t->tau, work,
                           &lwork, &info);
  return dap_linalg_succeeds(call, "sytrd of LAPACK", info);
}

static dap_status back_alone(dap_linalg_call *call, const dap_eigh_problem *p,
                             const dap_linalg_tridiagonal *t)
{
  lapack_ormtr *const ormtr[] = {sormtr_, dormtr_, cunmtr_, zunmtr_};
  const dap_scalapack_int columns = (dap_scalapack_int)p->count;
  const int64_t asked = PANEL * p->count + TRIANGLE;
  const dap_scalapack_int lwork = (dap_scalapack_int)asked;
  dap_scalapack_int info = 0;
  void *work;
  DAP_TRY(dap_linalg_work(call, asked, call->lib->dtype, &work));
  ormtr[call->lib->letter]("L", &p->uplo, "N", &p->a->n, &columns, p->a->data, &p->a->desc[DAP_LLD], t->tau,
                           p->z->data, &p->z->desc[DAP_LLD], work, &lwork, &info);
  return dap_linalg_succeeds(call, "ormtr of LAPACK", info);
}

/* Adds up numbers of the real type over all processes. Each is 0 on all processes except one, so sums are
 * exact. */
static dap_status add_up(dap_linalg_call *call, void *numbers, int64_t count)
{
  return dap_linalg_reduce(call, numbers, count, dap_dtype_mpi(call->lib->real), MPI_SUM);
}

/* Gives all processes T, which the first process row has. The off-diagonal element of column j is below the
 * diagonal in the lower triangle, and above it in the upper one. */
static dap_status gather(dap_linalg_call *call, const dap_eigh_problem *p, const void *d, const void *e,
                         dap_linalg_tridiagonal *t)
{
  const dap_linalg_part part = dap_linalg_part_of(call, p->a);
  const int64_t shift = p->uplo == 'U' ? 1 : 0;
  for (int64_t col = 0; col < part.extents[1] && part.coords[0] == 0; col++) {
    const int64_t j = dap_linalg_global(&part, 1, col);
    dap_linalg_put_real(call->lib->real, t->d, j, dap_linalg_get_real(call->lib->real, d, col));
    if (j >= shift && j - shift < p->n - 1)
      dap_linalg_put_real(call->lib->real, t->e, j - shift, dap_linalg_get_real(call->lib->real, e, col));
  }
  DAP_TRY(add_up(call, t->d, p->n));
  return add_up(call, t->e, p->n - 1);
}

dap_status dap_linalg_tridiagonal_reduce(dap_linalg_call *call, const dap_eigh_problem *p,
                                         dap_linalg_tridiagonal *t)
{
  const dap_scalapack_matrix *a = p->a;
  const dap_linalg_routines *lib = call->lib;
  int64_t extents[2];
  void *d, *e;
  dap_workspace w = {.routine = "sytrd", .bound = dap_room_panels(a->desc[DAP_NB], a)};
  dap_linalg_local(a, extents);
  DAP_TRY(dap_linalg_scale(call, a, p->uplo, false, &t->sigma));
  DAP_TRY(dap_linalg_work(call, extents[1], lib->real, &d));
  DAP_TRY(dap_linalg_work(call, extents[1], lib->real, &e));
  DAP_TRY(dap_linalg_work(call, extents[1], lib->dtype, &t->tau));
  DAP_TRY(dap_linalg_work(call, p->n, lib->real, &t->e));
  t->d = p->w;
  if (call->nprocs == 1) return reduce_alone(call, p, t);
  while (dap_workspace_next(call, &w))
    lib->sytrd(&p->uplo, &a->n, DAP_MATRIX(a), d, e, t->tau, w.work, &w.lwork, &w.info);
  DAP_TRY(w.status);
  return gather(call, p, d, e, t);
}

/* The process of block (0, 0) always has the eigenvalues. All processes take its bits. */
dap_status dap_linalg_tridiagonal_share(dap_linalg_call *call, const dap_eigh_problem *p)
{
  const dap_linalg_part part = dap_linalg_part_of(call, p->a);
  if (part.coords[0] != 0 || part.coords[1] != 0)
    for (int64_t k = 0; k < p->n; k++) dap_linalg_put_real(call->lib->real, p->w, k, 0);
  return add_up(call, p->w, p->n);
}

dap_status dap_linalg_tridiagonal_values(dap_linalg_call *call, const dap_eigh_problem *p,
                                         const dap_linalg_tridiagonal *t)
{
  dap_scalapack_int info = 0;
  (call->lib->real == DAP_F4 ? ssterf_ : dsterf_)(&p->a->n, t->d, t->e, &info);
  DAP_TRY(dap_linalg_check_info(call, "sterf of LAPACK", info, "eigenvalue", " did not converge"));
  return dap_linalg_tridiagonal_share(call, p);
}

dap_status dap_linalg_tridiagonal_back(dap_linalg_call *call, const dap_eigh_problem *p,
                                       const dap_linalg_tridiagonal *t)
{
  const dap_scalapack_matrix *a = p->a, *z = p->z;
  const dap_scalapack_int columns = (dap_scalapack_int)p->count;
  dap_workspace w = {.routine = "ormtr", .bound = dap_room_panels(z->desc[DAP_NB], z)};
  if (p->n == 1 || p->count == 0) return DAP_OK; /* no reflector */
  if (call->nprocs == 1) return back_alone(call, p, t);
  while (dap_workspace_next(call, &w))
    call->lib->ormtr("L", &p->uplo, "N", &a->n, &columns, DAP_MATRIX(a), t->tau, DAP_MATRIX(z), w.work,
                     &w.lwork, &w.info);
  return w.status;
}
