/* Measures singular values, and eigenvalues of general matrices. */
#include "linalg_by_hand.h"

#include <math.h>

/* ---- singular values ----------------------------------------------------------------------------------- */

static void hand_svd(linalg_job *job)
{
  const integer n = order_of(job);
  double *s = job->operands[2].array.data, asked;
  integer info;
  pdgesvd_("V", "V", &n, &n, AT(job, 0), s, AT(job, 1), AT(job, 3), &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  pdgesvd_("V", "V", &n, &n, AT(job, 0), s, AT(job, 1), AT(job, 3), work, &lwork, &info);
  require(info, "pdgesvd");
  free(work);
}

LIBRARY(svd)
{
  return dap_linalg_svd(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3), o, err);
}

LIBRARY(iterated_svd)
{
  dap_linalg_options options = *o;
  options.svd.solver = DAP_SVD_GESVD;
  return svd(j, &options, err);
}

/* Does the steps of the library that depend on the shape: reduces to a bidiagonal matrix, and transforms
 * vectors back. */
static void hand_gebrd(linalg_job *job)
{
  const integer n = order_of(job);
  const int64_t room = job->n + job->block;
  const double zero = 0, unit = 1;
  double asked[3], *d = doubles(4 * room), *e = d + room, *tauq = e + room, *taup = tauq + room;
  integer info;
  pdgebrd_(&n, &n, AT(job, 0), d, e, tauq, taup, &asked[0], &ask, &info);
  pdormbr_("Q", "L", "N", &n, &n, &n, AT(job, 0), tauq, AT(job, 1), &asked[1], &ask, &info);
  pdormbr_("P", "R", "T", &n, &n, &n, AT(job, 0), taup, AT(job, 3), &asked[2], &ask, &info);
  const integer lwork = (integer)fmax(asked[0], fmax(asked[1], asked[2]));
  double *work = doubles(lwork);
  pdgebrd_(&n, &n, AT(job, 0), d, e, tauq, taup, work, &lwork, &info);
  require(info, "pdgebrd");
  pdlaset_("A", &n, &n, &zero, &unit, AT(job, 1));
  pdlaset_("A", &n, &n, &zero, &unit, AT(job, 3));
  pdormbr_("Q", "L", "N", &n, &n, &n, AT(job, 0), tauq, AT(job, 1), work, &lwork, &info);
  require(info, "pdormbr");
  pdormbr_("P", "R", "T", &n, &n, &n, AT(job, 0), taup, AT(job, 3), work, &lwork, &info);
  require(info, "pdormbr");
  free(work), free(d);
}

/* ---- Schur form ---------------------------------------------------------------------------------------- */

/* Applies pdhseqr to operand 0, which becomes T. It gets two windows of a third of the rows in addition to
 * the work space that it asks for, which is too small (bridge/docs/linalg.md). */
static void hseqr(linalg_job *job, const char *what, const char *vectors)
{
  const integer n = order_of(job);
  const int64_t window = job->n / 3 + 768,
                room = 2 * window * window + 64 * (job->n + job->block) + 7 * 64 * 64;
  integer info, counted = -1, *iwork = integers(2 * job->n + 1024 + 4 * 64 * 64);
  linalg_operand *a = &job->operands[0], *z = &job->operands[2];
  double asked[8], *w = doubles(2 * job->n);
  pdhseqr_(what, vectors, &n, &one, &n, a->array.data, a->desc, w, w + n, z->array.data, z->desc, asked, &ask,
           iwork, &counted, &info);
  counted = 2 * n + 1024 + 4 * 64 * 64;
  const integer lwork = (integer)(asked[0] + (double)room);
  double *work = doubles(lwork);
  pdhseqr_(what, vectors, &n, &one, &n, a->array.data, a->desc, w, w + n, z->array.data, z->desc, work,
           &lwork, iwork, &counted, &info);
  require(info, "pdhseqr");
  free(work), free(w), free(iwork);
}

/* Computes the Hessenberg form in operand 0 and, if wanted, its transformation in operand 2. */
static void gehrd(linalg_job *job, bool vectors)
{
  const integer n = order_of(job), less = n - 2, three = 3;
  const double zero = 0, unit = 1;
  double asked, *tau = doubles(job->n);
  integer info;
  pdgehrd_(&n, &one, &n, AT(job, 0), tau, &asked, &ask, &info);
  const integer lwork = (integer)asked + 64 * (n + (integer)job->block);
  double *work = doubles(lwork);
  pdgehrd_(&n, &one, &n, AT(job, 0), tau, work, &lwork, &info);
  require(info, "pdgehrd");
  if (vectors) {
    pdlaset_("A", &n, &n, &zero, &unit, AT(job, 2));
    pdormhr_("L", "N", &n, &n, &one, &n, AT(job, 0), tau, AT(job, 2), work, &lwork, &info);
    require(info, "pdormhr");
  }
  pdlaset_("L", &less, &less, &zero, &zero, job->operands[0].array.data, &three, &one, job->operands[0].desc);
  free(work), free(tau);
}

static void hand_schur(linalg_job *job)
{
  const integer n = order_of(job);
  gehrd(job, true);
  hseqr(job, "S", "V");
  pdlacpy_("A", &n, &n, AT(job, 0), AT(job, 1));
}

LIBRARY(schur)
{
  return dap_linalg_schur(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), ARRAY(2), (dap_darray){0}, o, err);
}

/* ---- eigenvalues --------------------------------------------------------------------------------------- */

static void hand_eigenvalues(linalg_job *job)
{
  gehrd(job, false);
  hseqr(job, "E", "N");
}

LIBRARY(eigenvalues)
{
  return dap_linalg_eig(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), (dap_darray){0}, o, err);
}

/* A routine of LAPACK, declared by the rules of scalapack_calls.h. Source: SRC/dgeev.f. */
void dgeev_(const char *jobvl, const char *jobvr, const integer *n, void *a, const integer *lda, void *wr,
            void *wi, void *vl, const integer *ldvl, void *vr, const integer *ldvr, void *work,
            const integer *lwork, integer *info);

/* Computes eigenvalues of process 0's whole matrix. w [2n]: real and imaginary parts. */
static void geev(const linalg_job *job, double a[], double w[], double vectors[])
{
  const integer n = order_of(job);
  double asked;
  integer info;
  dgeev_("N", "V", &n, a, &n, w, w + n, NULL, &one, vectors, &n, &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  dgeev_("N", "V", &n, a, &n, w, w + n, NULL, &one, vectors, &n, work, &lwork, &info);
  require(info, "dgeev");
  free(work);
}

/* ScaLAPACK has no eigenvectors of general matrices, so process 0 receives the whole matrix. The vectors
 * return in LAPACK's packed form of real numbers. */
static void hand_eig(linalg_job *job)
{
  const integer n = order_of(job), zero = 0;
  integer context = Csys2blacs_handle(MPI_COMM_WORLD), desc[9] = {1, -1, n, n, n, n, 0, 0, n}, info;
  Cblacs_gridinit(&context, "R", 1, 1);
  const bool is_root = job->rank == 0;
  if (is_root) descinit_(desc, &n, &n, &n, &n, &zero, &zero, &context, &n, &info);
  const int64_t elements = is_root ? job->n * job->n : 1;
  double *a = doubles(elements), *vectors = doubles(elements), *w = doubles(2 * job->n);
  pdgemr2d_(&n, &n, AT(job, 0), a, &one, &one, desc, &job->context);
  if (is_root) geev(job, a, w, vectors);
  MPI_Bcast(w, 2 * n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  pdgemr2d_(&n, &n, vectors, &one, &one, desc, AT(job, 3), &job->context);
  job->value = 0;
  for (integer i = 0; i < 2 * n; i++) job->value += w[i] * w[i];
  if (is_root) Cblacs_gridexit(context);
  free(w), free(vectors), free(a);
}

LIBRARY(eig)
{
  const dap_status status = dap_linalg_eig(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), ARRAY(2), o, err);
  const double *w = j->operands[1].array.data;
  j->value = 0;
  for (int64_t i = 0; i < 2 * j->n; i++) j->value += w[i] * w[i];
  return status;
}

/* Limits of blocks for pdhseqr (bridge/docs/linalg.md). It omits the last eigenvalue if n is a multiple of
 * the block, so the row of eigenvalues without a Schur form is not compared. */
enum { HSEQR_LEAST = 6, HSEQR_BLOCK = 80 };

const linalg_row linalg_general[] = {
    {.name = "svd",
     .by = "pdgesvd",
     .operands = {LINALG_SYMMETRIC, LINALG_RESULT, LINALG_VALUES, LINALG_RESULT},
     .results = {2, 2},
     .cubes = 20,
     .routine = "gesvd",
     .hand = hand_svd,
     .library = svd},
    {.name = "svd gesvd",
     .by = "pdgesvd",
     .operands = {LINALG_SYMMETRIC, LINALG_RESULT, LINALG_VALUES, LINALG_RESULT},
     .results = {2, 2},
     .cubes = 20,
     .routine = "gesvd",
     .hand = hand_svd,
     .library = iterated_svd},
    {.name = "svd gebrd",
     .by = "pdgebrd, pdormbr",
     .operands = {LINALG_GENERAL, LINALG_RESULT, LINALG_VALUES, LINALG_RESULT},
     .results = {LINALG_NOTHING, LINALG_NOTHING},
     .cubes = 8 / 3. + 4,
     .routine = "gesvd",
     .hand = hand_gebrd,
     .library = svd,
     .shapes = true,
     .partly = true},
    {.name = "schur",
     .by = "pdgehrd, pdhseqr",
     .operands = {LINALG_GENERAL, LINALG_RESULT, LINALG_RESULT},
     .results = {1, 1},
     .compare = LINALG_SCHUR,
     .cubes = 25,
     .hand = hand_schur,
     .library = schur,
     .always_moved = true,
     .gathered = true,
     .least_block = HSEQR_LEAST,
     .most_block = HSEQR_BLOCK},
    {.name = "eig values",
     .by = "pdgehrd, pdhseqr, E",
     .operands = {LINALG_GENERAL, LINALG_COMPLEX_VALUES, LINALG_RESULT_BY_HAND},
     .results = {LINALG_NOTHING, LINALG_NOTHING},
     .cubes = 10,
     .hand = hand_eigenvalues,
     .library = eigenvalues,
     .always_moved = true,
     .gathered = true,
     .least_block = HSEQR_LEAST,
     .most_block = HSEQR_BLOCK},
    {.name = "eig",
     .by = "pdgemr2d, dgeev",
     .operands = {LINALG_GENERAL, LINALG_COMPLEX_VALUES, LINALG_COMPLEX_VECTORS, LINALG_RESULT_BY_HAND},
     .results = {LINALG_VALUE, LINALG_VALUE},
     .cubes = 26 + 1 / 3.,
     .hand = hand_eig,
     .library = eig,
     .always_moved = true,
     .gathered = true},
    {.name = NULL},
};
