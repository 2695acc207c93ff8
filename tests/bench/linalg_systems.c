/* Measures linear systems. */
#include "linalg_by_hand.h"

#include <math.h>

/* ---- LU ------------------------------------------------------------------------------------------------ */

static void hand_solve(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  integer info, *pivots = pivots_of(job);
  pdgesv_(&n, &sides, AT(job, 0), pivots, AT(job, 1), &info);
  require(info, "pdgesv");
  free(pivots);
}

static void hand_solve_complex(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  integer info, *pivots = pivots_of(job);
  pzgesv_(&n, &sides, AT(job, 0), pivots, AT(job, 1), &info);
  require(info, "pzgesv");
  free(pivots);
}

LIBRARY(solve)
{
  return dap_linalg_solve(MPI_COMM_WORLD, 'N', ARRAY(0), ARRAY(1), o, err);
}

static integer *factor(const linalg_job *job, int operand)
{
  const integer n = order_of(job);
  integer info, *pivots = pivots_of(job);
  pdgetrf_(&n, &n, AT(job, operand), pivots, &info);
  require(info, "pdgetrf");
  return pivots;
}

/* Solves by hand with one step of refinement, without bounds. pdgesvx cannot be used: in pdgerfs processes
 * can differ in the estimator's next step, and then wait for each other for ever (n = 65, 4 x 1
 * processes). */
static void hand_refined(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  const double unit = 1, minus = -1;
  integer info;
  pdlacpy_("A", &n, &n, AT(job, 0), AT(job, 3));
  integer *pivots = factor(job, 3);
  pdlacpy_("A", &n, &sides, AT(job, 1), AT(job, 2));
  pdgetrs_("N", &n, &sides, AT(job, 3), pivots, AT(job, 2), &info);
  require(info, "pdgetrs");
  pdgemm_("N", "N", &n, &sides, &n, &minus, AT(job, 0), AT(job, 2), &unit, AT(job, 1));
  pdgetrs_("N", &n, &sides, AT(job, 3), pivots, AT(job, 1), &info);
  require(info, "pdgetrs");
  pdgeadd_("N", &n, &sides, &unit, AT(job, 1), &unit, AT(job, 2));
  free(pivots);
}

LIBRARY(refined)
{
  return dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', ARRAY(0), ARRAY(1), ARRAY(2), NULL, NULL, NULL, o,
                                  err);
}

LIBRARY(bounded)
{
  double forward[LINALG_RIGHT_SIDES], backward[LINALG_RIGHT_SIDES];
  return dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', ARRAY(0), ARRAY(1), ARRAY(2), forward, backward, NULL,
                                  o, err);
}

void linalg_hand_inverse_by(const linalg_job *job, int operand, const integer pivots[])
{
  const integer n = order_of(job);
  double asked;
  integer info, counted;
  pdgetri_(&n, AT(job, operand), pivots, &asked, &ask, &counted, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  integer *iwork = integers(counted);
  pdgetri_(&n, AT(job, operand), pivots, work, &lwork, iwork, &counted, &info);
  require(info, "pdgetri");
  free(iwork), free(work);
}

static void hand_inverse(linalg_job *job)
{
  integer *pivots = factor(job, 0);
  linalg_hand_inverse_by(job, 0, pivots);
  free(pivots);
}

LIBRARY(inverse)
{
  return dap_linalg_inverse(MPI_COMM_WORLD, ARRAY(0), o, err);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

double linalg_log_of_diagonal(const linalg_job *job)
{
  const int64_t block = job->block, lld = job->operands[0].desc[8];
  const int at[2] = {job->rank / job->grid[1], job->rank % job->grid[1]};
  const double *a = job->operands[0].array.data;
  double sum = 0, all;
  for (int64_t i = 0; i < job->n; i++) {
    const int64_t b = i / block;
    if (b % job->grid[0] != at[0] || b % job->grid[1] != at[1]) continue;
    const int64_t row = b / job->grid[0] * block + i % block, col = b / job->grid[1] * block + i % block;
    sum += log(fabs(a[row + col * lld]));
  }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void hand_determinant(linalg_job *job)
{
  integer *pivots = factor(job, 0);
  job->value = linalg_log_of_diagonal(job);
  free(pivots);
}

LIBRARY(determinant)
{
  double sign[2];
  return dap_linalg_determinant(MPI_COMM_WORLD, ARRAY(0), sign, &j->value, o, err);
}

/* Solves alternately with the matrix and its transpose, like Higham's estimator, which usually ends with
 * the fourth solution. */
void linalg_four_solutions(const linalg_job *job, const integer pivots[])
{
  const integer n = order_of(job), block = (integer)job->block, zero = 0;
  const integer lld = (integer)(local_rows(job) > 1 ? local_rows(job) : 1);
  double *x = doubles(lld);
  integer desc[9], info;
  descinit_(desc, &n, &one, &block, &block, &zero, &zero, &job->context, &lld, &info);
  require(info, "descinit");
  for (integer i = 0; i < lld; i++) x[i] = 1.0 / n;
  for (int k = 0; k < 4; k++) {
    pdgetrs_(k % 2 ? "T" : "N", &n, &one, AT(job, 0), pivots, x, &one, &one, desc, &info);
    require(info, "pdgetrs");
  }
  free(x);
}

static void hand_condition(linalg_job *job)
{
  const integer n = order_of(job);
  double *sums = doubles(local_cols(job) + 1);
  job->value = pdlange_("1", &n, &n, AT(job, 0), sums);
  integer *pivots = factor(job, 0);
  linalg_four_solutions(job, pivots);
  free(pivots), free(sums);
}

LIBRARY(condition)
{
  return dap_linalg_condition(MPI_COMM_WORLD, '1', ARRAY(0), &j->value, o, err);
}

/* ---- Cholesky ------------------------------------------------------------------------------------------ */

static void hand_cholesky(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  integer info;
  pdposv_("L", &n, &sides, AT(job, 0), AT(job, 1), &info);
  require(info, "pdposv");
}

LIBRARY(cholesky)
{
  return dap_linalg_cholesky_solve(MPI_COMM_WORLD, 'L', ARRAY(0), ARRAY(1), o, err);
}

/* Condition numbers are not compared, because pdgecon is wrong, and like pdgerfs might not end. */
const linalg_row linalg_systems[] = {
    {.name = "cholesky_solve",
     .by = "pdposv",
     .operands = {LINALG_DEFINITE, LINALG_SIDES},
     .results = {1, 1},
     .cubes = 1 / 3.,
     .squares = 2. * LINALG_RIGHT_SIDES,
     .routine = "potrf",
     .ops = "NN  ",
     .hand = hand_cholesky,
     .library = cholesky,
     .shapes = true},
    {.name = "solve",
     .by = "pdgesv",
     .operands = {LINALG_GENERAL, LINALG_SIDES},
     .results = {1, 1},
     .cubes = 2 / 3.,
     .squares = 2. * LINALG_RIGHT_SIDES,
     .routine = "getrf",
     .ops = " N  ",
     .hand = hand_solve,
     .library = solve,
     .shapes = true},
    {.name = "solve complex",
     .by = "pzgesv",
     .operands = {LINALG_GENERAL, LINALG_SIDES},
     .results = {1, 1},
     .cubes = 2 / 3.,
     .squares = 2. * LINALG_RIGHT_SIDES,
     .routine = "getrf",
     .ops = " N  ",
     .hand = hand_solve_complex,
     .library = solve,
     .complex = true},
    {.name = "solve_refined",
     .by = "pdgetrf, pdgetrs, one step",
     .operands = {LINALG_GENERAL, LINALG_SIDES, LINALG_RESULT_SIDES, LINALG_RESULT_BY_HAND},
     .results = {2, 2},
     .cubes = 2 / 3.,
     .squares = 6. * LINALG_RIGHT_SIDES,
     .routine = "getrf",
     .ops = " NN ",
     .hand = hand_refined,
     .library = refined},
    {.name = "solve_refined bounds",
     .by = "the same, without bounds",
     .operands = {LINALG_GENERAL, LINALG_SIDES, LINALG_RESULT_SIDES, LINALG_RESULT_BY_HAND},
     .results = {2, 2},
     .cubes = 2 / 3.,
     .squares = 6. * LINALG_RIGHT_SIDES,
     .routine = "getrf",
     .ops = " NN ",
     .hand = hand_refined,
     .library = bounded,
     .no_target = true},
    {.name = "inverse",
     .by = "pdgetrf, pdgetri",
     .operands = {LINALG_GENERAL},
     .results = {0, 0},
     .cubes = 2,
     .routine = "getri",
     .hand = hand_inverse,
     .library = inverse,
     .shapes = true},
    {.name = "determinant",
     .by = "pdgetrf",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_VALUE, LINALG_VALUE},
     .cubes = 2 / 3.,
     .routine = "getrf",
     .hand = hand_determinant,
     .library = determinant},
    {.name = "condition",
     .by = "pdlange, pdgetrf, 4 pdgetrs",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_NOTHING, LINALG_NOTHING},
     .cubes = 2 / 3.,
     .squares = 1 + 8,
     .routine = "getrf",
     .hand = hand_condition,
     .library = condition},
    {.name = NULL},
};
