/* Eigenvalues by divide and conquer: the steps of syevd and heevd, one by one.
 *
 * The drivers themselves are not called. They give stedc and ormtr less work space than these ask for,
 * ignore what they say of it, and then leave vectors that are wrong, with info = 0 (SRC/pdsyevd.f,
 * pdstedc.f; for the latter also github.com/Reference-ScaLAPACK/scalapack/issues/74); of a matrix of one
 * block only one process has the eigenvalues; and they have no eigenvalues alone, and no range. Here each
 * step gets what it needs, and the vectors of T are chosen before they are made those of M. */
#include "eigh_impl.h"

#include <inttypes.h>

enum { CTXT = 1, NB = 5 }; /* of a descriptor */

/* The diagonals of T, and reflectors, as they are given to LAPACK and ScaLAPACK. */
typedef struct tridiagonal {
  void *d, *e;  /* [n] of the real type, on every process; e: [n - 1] and one more */
  void *tau;    /* of this process's columns */
  double sigma; /* M was multiplied by that */
} tridiagonal;

/* LAPACK's own (SRC/dsterf.f). */
typedef void lapack_sterf(const dap_scalapack_int *n, void *d, void *e, dap_scalapack_int *info);
lapack_sterf ssterf_, dsterf_;

/* ---- M to T ------------------------------------------------------------------------------------------ */

/* Adds up arrays of the real type over all processes: each number has one that is not 0, so it is exact. */
static dap_status spread(dap_linalg_call *call, void *numbers, int64_t count)
{
  MPI_Datatype type = call->lib->real == DAP_F4 ? MPI_FLOAT : MPI_DOUBLE;
  return dap_linalg_mpi(call, MPI_Allreduce(MPI_IN_PLACE, numbers, (int)count, type, MPI_SUM, call->comm),
                        "MPI_Allreduce");
}

/* Number `from` of this process's columns to where column `to` is among all; by the first process row. */
static void put(const dap_linalg_call *call, const void *local, int64_t from, void *all, int64_t to)
{
  if (call->lib->real == DAP_F4)
    ((float *)all)[to] = ((const float *)local)[from];
  else
    ((double *)all)[to] = ((const double *)local)[from];
}

/* From what the process columns have to what all processes have. The off-diagonal element of column j is the
 * one below the diagonal in the lower triangle, the one above it in the upper one. */
static dap_status gather(dap_linalg_call *call, const dap_eigh_problem *p, const void *d, const void *e,
                         tridiagonal *t)
{
  const dap_linalg_part part = dap_linalg_part_of(call, p->a);
  const int64_t shift = p->uplo == 'U' ? 1 : 0;
  for (int64_t col = 0; col < part.extents[1] && part.coords[0] == 0; col++) {
    const int64_t j = dap_linalg_global(&part, 1, col);
    put(call, d, col, t->d, j);
    if (j >= shift && j - shift < p->n - 1) put(call, e, col, t->e, j - shift);
  }
  DAP_TRY(spread(call, t->d, p->n));
  return spread(call, t->e, p->n - 1);
}

static dap_status reduce(dap_linalg_call *call, const dap_eigh_problem *p, tridiagonal *t)
{
  const dap_scalapack_matrix *a = p->a;
  const dap_linalg_routines *lib = call->lib;
  int64_t extents[2];
  void *d, *e, *work;
  double asked[2] = {0};
  dap_scalapack_int info, lwork = -1;
  dap_linalg_local(a, extents);
  DAP_TRY(dap_linalg_scale(call, a, p->uplo, &t->sigma));
  DAP_TRY(dap_linalg_work(call, extents[1], lib->real, &d));
  DAP_TRY(dap_linalg_work(call, extents[1], lib->real, &e));
  DAP_TRY(dap_linalg_work(call, extents[1], lib->dtype, &t->tau));
  DAP_TRY(dap_linalg_work(call, p->n, lib->real, &t->e));
  t->d = p->w;
  lib->sytrd(&p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, d, e, t->tau, asked, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "sytrd, asked for its workspace", &info));
  DAP_TRY(dap_linalg_work_sized(call, lib->dtype, asked, &lwork, &work));
  lib->sytrd(&p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, d, e, t->tau, work, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "sytrd", &info));
  return gather(call, p, d, e, t);
}

/* ---- T ------------------------------------------------------------------------------------------------ */

/* What is said of eigenvalues that one process has, on all: that of block (0, 0), where those of a matrix of
 * one block are. So all have the same bits, too. */
static dap_status share_values(dap_linalg_call *call, const dap_eigh_problem *p)
{
  const dap_linalg_part part = dap_linalg_part_of(call, p->a);
  if (part.coords[0] != 0 || part.coords[1] != 0)
    for (int64_t k = 0; k < p->n; k++) put(call, &(const double){0}, 0, p->w, k);
  return spread(call, p->w, p->n);
}

static dap_status values_of(dap_linalg_call *call, const dap_eigh_problem *p, const tridiagonal *t)
{
  dap_scalapack_int info;
  (call->lib->real == DAP_F4 ? ssterf_ : dsterf_)(&p->a->n, t->d, t->e, &info);
  DAP_TRY(dap_linalg_info(call, "sterf of LAPACK", &info));
  if (info > 0)
    return dap_linalg_numeric(call, info, "eigenvalue %" PRId64 " did not converge", (int64_t)info);
  return share_values(call, p);
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* The eigenvectors of T, real ones, as columns of q. */
static dap_status vectors_of(dap_linalg_call *call, const dap_eigh_problem *p, const tridiagonal *t,
                             const dap_scalapack_matrix *q)
{
  const dap_linalg_routines *lib = dap_linalg_routines_of(call->lib->real);
  const int64_t n = p->n, block = q->desc[NB];
  const dap_linalg_part part = dap_linalg_part_of(call, q);
  const int64_t rows = part.extents[0], cols = part.extents[1], procs = part.procs[1];
  /* SRC/pdstedc.f, where rows count as one at least: pdlaed1.f writes beyond what that asks for where a
   * process has columns but no rows; and pdlasrt.f, and of a single block dstedc.f, with the same space */
  const int64_t merging = 6 * n + 2 * larger(rows, 1) * cols, sorting = rows * (block + cols);
  const int64_t alone = n <= block ? n * n + 4 * n + 1 : 0;
  const int64_t asked = larger(larger(merging, sorting), alone);
  const int64_t integers = larger(7 * n + 8 * procs + 2, n + 2 * (block + procs));
  void *work, *iwork;
  DAP_TRY(dap_linalg_work(call, asked, lib->dtype, &work));
  DAP_TRY(dap_linalg_work(call, integers, dap_linalg_integer(), &iwork));
  const dap_scalapack_int lwork = (dap_scalapack_int)asked, liwork = (dap_scalapack_int)integers;
  dap_scalapack_int info;
  lib->laset("A", &q->n, &q->n, lib->zero, lib->one, q->data, &q->ia, &q->ja, q->desc);
  lib->stedc("I", &q->n, t->d, t->e, q->data, &q->ia, &q->ja, q->desc, work, &lwork, iwork, &liwork, &info);
  DAP_TRY(dap_linalg_info(call, "stedc", &info));
  if (info > 0)
    return dap_linalg_numeric(call, info, "divide and conquer failed: stedc's info is %" PRId64,
                              (int64_t)info);
  return share_values(call, p);
}

/* ---- T's vectors to M's -------------------------------------------------------------------------------- */

/* Real numbers as complex ones, in matrices that lie alike. */
static void make_complex(const dap_linalg_call *call, const dap_scalapack_matrix *from,
                         const dap_scalapack_matrix *to)
{
  const dap_linalg_part part = dap_linalg_part_of(call, to);
  enum { LLD = 8 };
  for (int64_t col = 0; col < part.extents[1]; col++) {
    for (int64_t row = 0; row < part.extents[0]; row++) {
      const int64_t at = row + col * from->desc[LLD];
      const double value = call->lib->real == DAP_F4 ? (double)((const float *)from->data)[at]
                                                     : ((const double *)from->data)[at];
      dap_linalg_set(&part, row, col, (const double[2]){value, 0});
    }
  }
}

/* The chosen columns of q to z. */
static dap_status take_columns(dap_linalg_call *call, const dap_eigh_problem *p,
                               const dap_scalapack_matrix *q)
{
  const dap_dtype real = call->lib->real;
  if (!dap_linalg_is_complex(call)) {
    dap_linalg_eigh_columns(real, q, p->first, p->count, p->z);
    return DAP_OK;
  }
  dap_scalapack_matrix chosen = *q;
  if (p->room != p->n || p->count != p->n) {
    DAP_TRY(dap_linalg_space_of(call, p->z, p->n, p->room, real, &chosen));
    dap_linalg_eigh_columns(real, q, p->first, p->count, &chosen);
  }
  make_complex(call, &chosen, p->z);
  return DAP_OK;
}

static dap_status transform(dap_linalg_call *call, const dap_eigh_problem *p, const tridiagonal *t)
{
  const dap_scalapack_matrix *a = p->a, *z = p->z;
  const dap_scalapack_int columns = (dap_scalapack_int)p->count;
  double asked[2] = {0};
  dap_scalapack_int info, lwork = -1;
  void *work;
  if (p->n == 1 || p->count == 0) return DAP_OK; /* no reflector */
  call->lib->ormtr("L", &p->uplo, "N", &a->n, &columns, a->data, &a->ia, &a->ja, a->desc, t->tau, z->data,
                   &z->ia, &z->ja, z->desc, asked, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "ormtr, asked for its workspace", &info));
  DAP_TRY(dap_linalg_work_sized(call, call->lib->dtype, asked, &lwork, &work));
  call->lib->ormtr("L", &p->uplo, "N", &a->n, &columns, a->data, &a->ia, &a->ja, a->desc, t->tau, z->data,
                   &z->ia, &z->ja, z->desc, work, &lwork, &info);
  return dap_linalg_info(call, "ormtr", &info);
}

/* Where stedc puts its vectors: in z, where that is as large and as real. */
static dap_status room_for_vectors(dap_linalg_call *call, const dap_eigh_problem *p, dap_scalapack_matrix *q)
{
  if (!dap_linalg_is_complex(call)) return dap_linalg_eigh_vectors(call, p, q);
  return dap_linalg_space_of(call, p->a, p->n, p->n, call->lib->real, q);
}

dap_status dap_linalg_eigh_evd(dap_linalg_call *call, dap_eigh_problem *p)
{
  tridiagonal t;
  dap_scalapack_matrix q;
  DAP_TRY(reduce(call, p, &t));
  if (p->z) {
    DAP_TRY(room_for_vectors(call, p, &q));
    DAP_TRY(vectors_of(call, p, &t, &q));
  } else {
    DAP_TRY(values_of(call, p, &t));
  }
  dap_linalg_scale_back(call, p->n, t.sigma, p->w);
  DAP_TRY(dap_linalg_eigh_choose(call, p));
  if (!p->z) return DAP_OK;
  DAP_TRY(take_columns(call, p, &q));
  return transform(call, p, &t);
}
