/* Measures products and norms, and the speed of the cores. */
#include "linalg_by_hand.h"

static void hand_multiply(linalg_job *job)
{
  const integer n = order_of(job);
  const double alpha = 1, beta = 0;
  pdgemm_("N", "N", &n, &n, &n, &alpha, AT(job, 0), AT(job, 1), &beta, AT(job, 2));
}

LIBRARY(multiply)
{
  return dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, ARRAY(0), ARRAY(1), NULL, ARRAY(2), o, err);
}

static void hand_norm(linalg_job *job)
{
  const integer n = order_of(job);
  double *sums = doubles(local_cols(job) + 1);
  job->value = pdlange_("1", &n, &n, AT(job, 0), sums);
  free(sums);
}

LIBRARY(norm)
{
  return dap_linalg_norm(MPI_COMM_WORLD, '1', ARRAY(0), &j->value, o, err);
}

static void hand_triangular_solve(linalg_job *job)
{
  const integer n = order_of(job);
  const double alpha = 1;
  pdtrsm_("L", "L", "N", "N", &n, &n, &alpha, AT(job, 0), AT(job, 1));
}

LIBRARY(triangular_solve)
{
  return dap_linalg_triangular_solve(MPI_COMM_WORLD, 'L', 'L', 'N', 'N', NULL, ARRAY(0), ARRAY(1), o, err);
}

static void hand_triangular_multiply(linalg_job *job)
{
  const integer n = order_of(job);
  const double alpha = 1;
  pdtrmm_("L", "L", "N", "N", &n, &n, &alpha, AT(job, 0), AT(job, 1));
}

LIBRARY(triangular_multiply)
{
  return dap_linalg_triangular_multiply(MPI_COMM_WORLD, 'L', 'L', 'N', 'N', NULL, ARRAY(0), ARRAY(1), o, err);
}

static void hand_rank_k(linalg_job *job)
{
  const integer n = order_of(job);
  const double alpha = 1, beta = 0;
  pdsyrk_("L", "N", &n, &n, &alpha, AT(job, 0), &beta, AT(job, 1));
}

LIBRARY(rank_k)
{
  return dap_linalg_rank_k(MPI_COMM_WORLD, 'S', 'L', 'N', NULL, ARRAY(0), NULL, ARRAY(1), o, err);
}

const linalg_row linalg_products[] = {
    {.name = "multiply",
     .by = "pdgemm",
     .operands = {LINALG_GENERAL, LINALG_SYMMETRIC, LINALG_RESULT},
     .results = {2, 2},
     .cubes = 2,
     .routine = "gemm",
     .hand = hand_multiply,
     .library = multiply,
     .shapes = true},
    {.name = "rank_k",
     .by = "pdsyrk",
     .operands = {LINALG_GENERAL, LINALG_SYMMETRIC},
     .results = {1, 1},
     .cubes = 1,
     .routine = "syrk",
     .hand = hand_rank_k,
     .library = rank_k},
    {.name = "triangular_multiply",
     .by = "pdtrmm",
     .operands = {LINALG_DEFINITE, LINALG_GENERAL},
     .results = {1, 1},
     .cubes = 1,
     .routine = "trmm",
     .ops = " N  ",
     .hand = hand_triangular_multiply,
     .library = triangular_multiply},
    {.name = "triangular_solve",
     .by = "pdtrsm",
     .operands = {LINALG_DEFINITE, LINALG_GENERAL},
     .results = {1, 1},
     .cubes = 1,
     .routine = "trsm",
     .ops = " N  ",
     .hand = hand_triangular_solve,
     .library = triangular_solve},
    {.name = "norm",
     .by = "pdlange",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_VALUE, LINALG_VALUE},
     .squares = 1,
     .routine = "lange",
     .hand = hand_norm,
     .library = norm},
    {.name = NULL},
};

/* ---- the cores ----------------------------------------------------------------------------------------- */

void dgemm_(const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,
            const double *alpha, const double *a, const integer *lda, const double *b, const integer *ldb,
            const double *beta, double *c, const integer *ldc);

double linalg_dgemm(void)
{
  enum { N = 512, TURNS = 7 };
  const integer n = N;
  const double alpha = 1, beta = 0;
  double *a = doubles(3 * N * N), *b = a + N * N, *c = b + N * N, times[TURNS];
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
