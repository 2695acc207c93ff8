/* Computes QR factors with column pivoting of the triangle R of a tall matrix A = Q R: R P = Q' R', so A P =
 * (Q Q') R'. LAPACK computes on process 0. */
#include "tsqr_impl.h"

#include <math.h>
#include <string.h>

/* Prototypes of LAPACK (SRC/dgeqp3.f, SRC/zgeqp3.f, SRC/dormqr.f, SRC/dgelqf.f). Their rules are those of
 * scalapack_calls.h. */
typedef void lapack_geqp3(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                          const dap_scalapack_int *lda, dap_scalapack_int *jpvt, void *tau, void *work,
                          const dap_scalapack_int *lwork, dap_scalapack_int *info);
typedef void lapack_cgeqp3(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                           const dap_scalapack_int *lda, dap_scalapack_int *jpvt, void *tau, void *work,
                           const dap_scalapack_int *lwork, void *rwork, dap_scalapack_int *info);
typedef void lapack_ormqr(const char *side, const char *trans, const dap_scalapack_int *m,
                          const dap_scalapack_int *n, const dap_scalapack_int *k, const void *a,
                          const dap_scalapack_int *lda, const void *tau, void *c,
                          const dap_scalapack_int *ldc, void *work, const dap_scalapack_int *lwork,
                          dap_scalapack_int *info);
typedef void lapack_gelqf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                          const dap_scalapack_int *lda, void *tau, void *work, const dap_scalapack_int *lwork,
                          dap_scalapack_int *info);
lapack_geqp3 sgeqp3_, dgeqp3_;
lapack_cgeqp3 cgeqp3_, zgeqp3_;
lapack_ormqr sormqr_, dormqr_, cunmqr_, zunmqr_;
lapack_ormqr sormlq_, dormlq_, cunmlq_, zunmlq_;
lapack_gelqf sgelqf_, dgelqf_, cgelqf_, zgelqf_;

/* By dap_linalg_routines.letter. */
static lapack_ormqr *const ormqr[] = {sormqr_, dormqr_, cunmqr_, zunmqr_};
static lapack_ormqr *const ormlq[] = {sormlq_, dormlq_, cunmlq_, zunmlq_};
static lapack_gelqf *const gelqf[] = {sgelqf_, dgelqf_, cgelqf_, zgelqf_};

/* The workspace has room for blocks of 64 columns, which each routine uses, and for ormqr's triangle of one
 * block. */
dap_status dap_tsqr_pivot_room(dap_linalg_call *call, int64_t n, int64_t nrhs, dap_tsqr_pivoted *p)
{
  const bool first = call->rank == 0;
  *p = (dap_tsqr_pivoted){.n = n, .nrhs = nrhs};
  p->lwork = (dap_scalapack_int)(64 * (2 * n + nrhs + 66));
  DAP_TRY(dap_linalg_work(call, first ? n : 0, call->lib->dtype, &p->tau));
  DAP_TRY(dap_linalg_work(call, first ? n : 0, dap_linalg_integer(), &p->pivots));
  DAP_TRY(dap_linalg_work(call, first ? p->lwork : 0, call->lib->dtype, &p->work));
  DAP_TRY(dap_linalg_work(call, first ? 2 * n : 0, call->lib->real, &p->rwork));
  DAP_TRY(dap_linalg_work(call, n, DAP_F8, &p->sizes));
  return dap_linalg_work(call, n, DAP_I8, &p->order);
}

/* Returns the address of element (i, j) of a matrix of n rows. */
static char *at(const dap_linalg_call *call, const dap_tsqr_pivoted *p, void *matrix, int64_t i, int64_t j)
{
  return (char *)matrix + (i + j * p->n) * call->lib->item;
}

/* LAPACK's info is 0, because it only tells which argument is wrong. */
static void factor(const dap_linalg_call *call, dap_tsqr_pivoted *p, void *r)
{
  const dap_dtype real = call->lib->real;
  const bool single = real == DAP_F4;
  const dap_scalapack_int n = (dap_scalapack_int)p->n;
  dap_scalapack_int info;
  if (dap_linalg_is_complex(call))
    (single ? cgeqp3_ : zgeqp3_)(&n, &n, r, &n, p->pivots, p->tau, p->work, &p->lwork, p->rwork, &info);
  else
    (single ? sgeqp3_ : dgeqp3_)(&n, &n, r, &n, p->pivots, p->tau, p->work, &p->lwork, &info);
  for (int64_t i = 0; i < p->n; i++) {
    const char *element = at(call, p, r, i, i);
    const double im = dap_linalg_is_complex(call) ? dap_linalg_get_real(real, element, 1) : 0;
    p->sizes[i] = hypot(dap_linalg_get_real(real, element, 0), im);
    p->order[i] = p->pivots[i] - 1;
  }
}

dap_status dap_tsqr_pivot(dap_linalg_call *call, dap_tsqr_pivoted *p, void *r, dap_linalg_rank *found)
{
  if (call->rank == 0) factor(call, p, r);
  DAP_TRY(dap_linalg_sums(call, p->sizes, p->n));
  DAP_TRY(dap_linalg_reduce(call, p->order, p->n, MPI_INT64_T, MPI_SUM));
  return dap_linalg_find_rank(call, p->sizes, p->n, found);
}

void dap_tsqr_pivot_apply(const dap_linalg_call *call, const dap_tsqr_pivoted *p, const void *r, bool adjoint,
                          int64_t columns, void *c)
{
  const dap_scalapack_int n = (dap_scalapack_int)p->n, cols = (dap_scalapack_int)columns;
  const char *trans = !adjoint ? "N" : dap_linalg_is_complex(call) ? "C" : "T";
  dap_scalapack_int info;
  ormqr[call->lib->letter]("L", trans, &n, &cols, &n, r, &n, p->tau, c, &n, p->work, &p->lwork, &info);
}

void dap_tsqr_pivot_clear(const dap_linalg_call *call, const dap_tsqr_pivoted *p, void *r)
{
  for (int64_t j = 0; j + 1 < p->n; j++)
    memset(at(call, p, r, j + 1, j), 0, (size_t)((p->n - j - 1) * call->lib->item));
}

/* Moves row k of X to row order[k]. */
static void permute(const dap_linalg_call *call, const dap_tsqr_pivoted *p, void *x)
{
  const size_t item = (size_t)call->lib->item;
  for (int64_t j = 0; j < p->nrhs; j++) {
    memcpy(p->work, at(call, p, x, 0, j), (size_t)p->n * item);
    for (int64_t k = 0; k < p->n; k++)
      memcpy(at(call, p, x, p->order[k], j), at(call, p, p->work, k, 0), item);
  }
}

/* The first `rank` rows of R' are L Z with orthonormal rows in Z. If these are all rows, Z is 1. */
void dap_tsqr_pivot_solve(const dap_linalg_call *call, const dap_tsqr_pivoted *p, void *r, int64_t rank,
                          void *x)
{
  const char *adjoint = dap_linalg_is_complex(call) ? "C" : "T";
  const dap_scalapack_int n = (dap_scalapack_int)p->n, nrhs = (dap_scalapack_int)p->nrhs,
                          rows = (dap_scalapack_int)rank;
  const bool full = rank == p->n;
  dap_scalapack_int info;
  dap_tsqr_pivot_apply(call, p, r, true, p->nrhs, x);
  dap_tsqr_pivot_clear(call, p, r);
  if (!full) gelqf[call->lib->letter](&rows, &n, r, &n, p->tau, p->work, &p->lwork, &info);
  dap_tsqr_solve(call, full ? "U" : "L", rank, p->n, p->nrhs, r, x);
  for (int64_t j = 0; j < p->nrhs && !full; j++)
    memset(at(call, p, x, rank, j), 0, (size_t)((p->n - rank) * call->lib->item));
  if (!full)
    ormlq[call->lib->letter]("L", adjoint, &n, &nrhs, &rows, r, &n, p->tau, x, &n, p->work, &p->lwork, &info);
  permute(call, p, x);
}
