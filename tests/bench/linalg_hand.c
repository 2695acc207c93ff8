/* What a program that calls ScaLAPACK itself does: ask for work space, allocate it, call. */
#include "linalg_by_hand.h"

#include <stdlib.h>

static const integer ask = -1;

/* Elements of the first operand that this process has. */
static int64_t local_rows(const linalg_job *job)
{
  return job->operands[0].array.shape[0];
}

static int64_t local_cols(const linalg_job *job)
{
  return job->operands[0].array.shape[1];
}

/* ---- systems ------------------------------------------------------------------------------------------- */

void linalg_hand_solve(linalg_job *job)
{
  const integer n = order_of(job), sides = LINALG_RIGHT_SIDES;
  integer info, *pivots = bench_alloc((local_rows(job) + job->block) * (int64_t)sizeof(integer));
  pdgesv_(&n, &sides, AT(job, 0), pivots, AT(job, 1), &info);
  require(info, "pdgesv");
  free(pivots);
}

void linalg_hand_cholesky(linalg_job *job)
{
  const integer n = order_of(job), sides = LINALG_RIGHT_SIDES;
  integer info;
  pdposv_("L", &n, &sides, AT(job, 0), AT(job, 1), &info);
  require(info, "pdposv");
}

void linalg_hand_least_squares(linalg_job *job)
{
  const integer n = order_of(job), sides = LINALG_RIGHT_SIDES;
  double asked;
  integer info;
  pdgels_("N", &n, &n, &sides, AT(job, 0), AT(job, 1), &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = bench_alloc(lwork * (int64_t)sizeof(double));
  pdgels_("N", &n, &n, &sides, AT(job, 0), AT(job, 1), work, &lwork, &info);
  require(info, "pdgels");
  free(work);
}

void linalg_hand_inverse(linalg_job *job)
{
  const integer n = order_of(job);
  double asked;
  integer info, integers, *pivots = bench_alloc((local_rows(job) + job->block) * (int64_t)sizeof(integer));
  pdgetrf_(&n, &n, AT(job, 0), pivots, &info);
  require(info, "pdgetrf");
  pdgetri_(&n, AT(job, 0), pivots, &asked, &ask, &integers, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = bench_alloc(lwork * (int64_t)sizeof(double));
  integer *iwork = bench_alloc(integers * (int64_t)sizeof(integer));
  pdgetri_(&n, AT(job, 0), pivots, work, &lwork, iwork, &integers, &info);
  require(info, "pdgetri");
  free(iwork), free(work), free(pivots);
}

/* ---- products and factors ------------------------------------------------------------------------------ */

void linalg_hand_multiply(linalg_job *job)
{
  const integer n = order_of(job);
  const double alpha = 1, beta = 0;
  pdgemm_("N", "N", &n, &n, &n, &alpha, AT(job, 0), AT(job, 1), &beta, AT(job, 2));
}

void linalg_hand_qr(linalg_job *job)
{
  const integer n = order_of(job);
  double asked[2], *tau = bench_alloc((local_cols(job) + job->block) * (int64_t)sizeof(double));
  integer info;
  pdgeqrf_(&n, &n, AT(job, 0), tau, &asked[0], &ask, &info);
  pdorgqr_(&n, &n, &n, AT(job, 0), tau, &asked[1], &ask, &info);
  const integer lwork = (integer)(asked[0] > asked[1] ? asked[0] : asked[1]);
  double *work = bench_alloc(lwork * (int64_t)sizeof(double));
  const double zero = 0;
  pdgeqrf_(&n, &n, AT(job, 0), tau, work, &lwork, &info);
  require(info, "pdgeqrf");
  pdlacpy_("U", &n, &n, AT(job, 0), AT(job, 2));
  const integer rest = n - 1, two = 2;
  pdlaset_("L", &rest, &rest, &zero, &zero, job->operands[2].array.data, &two, &one, job->operands[2].desc);
  pdorgqr_(&n, &n, &n, AT(job, 0), tau, work, &lwork, &info);
  require(info, "pdorgqr");
  pdlacpy_("A", &n, &n, AT(job, 0), AT(job, 1));
  free(work), free(tau);
}

/* ---- eigenvalues --------------------------------------------------------------------------------------- */

/* With the work space that the steps of the driver ask for: it asks for too little of it itself. */
void linalg_hand_syevd(linalg_job *job)
{
  const integer n = order_of(job);
  const int64_t rows = local_rows(job), cols = local_cols(job), block = job->block;
  double *w = job->operands[1].array.data, asked;
  integer info, integers;
  pdsyevd_("V", "L", &n, AT(job, 0), w, AT(job, 2), &asked, &ask, &integers, &ask, &info);
  int64_t elements = (int64_t)asked;
  if (elements < 2 * n + (rows + block) * (cols + block) + block * (rows + cols + block))
    elements = 2 * n + (rows + block) * (cols + block) + block * (rows + cols + block);
  const integer lwork = (integer)elements;
  double *work = bench_alloc(elements * (int64_t)sizeof(double));
  integer *iwork = bench_alloc(integers * (int64_t)sizeof(integer));
  pdsyevd_("V", "L", &n, AT(job, 0), w, AT(job, 2), work, &lwork, iwork, &integers, &info);
  require(info, "pdsyevd");
  free(iwork), free(work);
}

static void syevr(linalg_job *job, const char *what)
{
  const integer n = order_of(job);
  const double none = 0;
  double *w = job->operands[1].array.data, asked[3];
  integer info, integers, values, vectors;
  pdsyevr_(what, "A", "L", &n, AT(job, 0), &none, &none, &one, &n, &values, &vectors, w, AT(job, 2), asked,
           &ask, &integers, &ask, &info);
  const integer lwork = (integer)asked[0];
  double *work = bench_alloc(lwork * (int64_t)sizeof(double));
  integer *iwork = bench_alloc(integers * (int64_t)sizeof(integer));
  pdsyevr_(what, "A", "L", &n, AT(job, 0), &none, &none, &one, &n, &values, &vectors, w, AT(job, 2), work,
           &lwork, iwork, &integers, &info);
  require(info, "pdsyevr");
  free(iwork), free(work);
}

void linalg_hand_syevr(linalg_job *job)
{
  syevr(job, "V");
}

static void syev(linalg_job *job, const char *what)
{
  const integer n = order_of(job);
  double *w = job->operands[1].array.data, asked;
  integer info;
  pdsyev_(what, "L", &n, AT(job, 0), w, AT(job, 2), &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = bench_alloc(lwork * (int64_t)sizeof(double));
  pdsyev_(what, "L", &n, AT(job, 0), w, AT(job, 2), work, &lwork, &info);
  require(info, "pdsyev");
  free(work);
}

void linalg_hand_syev(linalg_job *job)
{
  syev(job, "V");
}

void linalg_hand_values(linalg_job *job)
{
  syevr(job, "N");
}

void linalg_hand_pair(linalg_job *job)
{
  const integer n = order_of(job);
  const double unit = 1;
  double scale;
  integer info;
  pdpotrf_("L", &n, AT(job, 3), &info);
  require(info, "pdpotrf");
  pdsygst_(&one, "L", &n, AT(job, 0), AT(job, 3), &scale, &info);
  require(info, "pdsygst");
  linalg_hand_syevd(job);
  pdtrsm_("L", "L", "T", "N", &n, &n, &unit, AT(job, 3), AT(job, 2));
}

/* ---- singular values ----------------------------------------------------------------------------------- */

void linalg_hand_svd(linalg_job *job)
{
  const integer n = order_of(job);
  double *s = job->operands[2].array.data, asked;
  integer info;
  pdgesvd_("V", "V", &n, &n, AT(job, 0), s, AT(job, 1), AT(job, 3), &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = bench_alloc(lwork * (int64_t)sizeof(double));
  pdgesvd_("V", "V", &n, &n, AT(job, 0), s, AT(job, 1), AT(job, 3), work, &lwork, &info);
  require(info, "pdgesvd");
  free(work);
}

/* ---- the cores ----------------------------------------------------------------------------------------- */

void dgemm_(const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,
            const double *alpha, const double *a, const integer *lda, const double *b, const integer *ldb,
            const double *beta, double *c, const integer *ldc);

double linalg_dgemm(void)
{
  enum { N = 512, TURNS = 7 };
  const integer n = N;
  const double alpha = 1, beta = 0;
  double *a = bench_alloc(3 * N * N * (int64_t)sizeof(double)), *b = a + N * N, *c = b + N * N, times[TURNS];
  for (int i = 0; i < N * N; i++) a[i] = b[i] = 1.0 / (i + 1), c[i] = 0;
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  for (int turn = 0; turn < TURNS; turn++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = bench_now();
    dgemm_("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n);
    times[turn] = bench_span(MPI_COMM_WORLD, begun, bench_now());
  }
  free(a);
  return nprocs * 2e-9 * N * N * N / bench_median(times, TURNS);
}
