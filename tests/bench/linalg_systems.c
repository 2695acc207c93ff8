/* Linear systems. */
#include "linalg_by_hand.h"

#include <math.h>

/* Not in scalapack_calls.h. Source: SRC/pdgesvx.f. */
void pdgesvx_(const char *fact, const char *trans, const integer *n, const integer *nrhs, void *a,
              const integer *ia, const integer *ja, const integer *desca, void *af, const integer *iaf,
              const integer *jaf, const integer *descaf, integer *pivots, char *equed, void *r, void *c,
              void *b, const integer *ib, const integer *jb, const integer *descb, void *x, const integer *ix,
              const integer *jx, const integer *descx, void *rcond, void *ferr, void *berr, void *work,
              const integer *lwork, integer *iwork, const integer *liwork, integer *info);

static integer *pivots_of(const linalg_job *job)
{
  return integers(local_rows(job) + job->block);
}

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

static void hand_refined(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  const int64_t most = job->n + job->block; /* rows, columns or right-hand sides that a process may have */
  double asked, rcond, *numbers = doubles(4 * most), *rows = numbers, *cols = rows + most,
                       *forward = cols + most, *backward = forward + most;
  integer info, counted, *pivots = pivots_of(job);
  char equed[2] = "N";
  pdgesvx_("E", "N", &n, &sides, AT(job, 0), AT(job, 3), pivots, equed, rows, cols, AT(job, 1), AT(job, 2),
           &rcond, forward, backward, &asked, &ask, &counted, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  integer *iwork = integers(counted);
  pdgesvx_("E", "N", &n, &sides, AT(job, 0), AT(job, 3), pivots, equed, rows, cols, AT(job, 1), AT(job, 2),
           &rcond, forward, backward, work, &lwork, iwork, &counted, &info);
  require(info, "pdgesvx");
  free(iwork), free(work), free(pivots), free(numbers);
}

LIBRARY(refined)
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

static integer *factor(const linalg_job *job)
{
  const integer n = order_of(job);
  integer info, *pivots = pivots_of(job);
  pdgetrf_(&n, &n, AT(job, 0), pivots, &info);
  require(info, "pdgetrf");
  return pivots;
}

static void hand_inverse(linalg_job *job)
{
  integer *pivots = factor(job);
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
  integer *pivots = factor(job);
  job->value = linalg_log_of_diagonal(job);
  free(pivots);
}

LIBRARY(determinant)
{
  double sign[2];
  return dap_linalg_determinant(MPI_COMM_WORLD, ARRAY(0), sign, &j->value, o, err);
}

double linalg_reciprocal(const linalg_job *job, double norm)
{
  const integer n = order_of(job);
  double asked, rcond;
  integer info, counted;
  pdgecon_("1", &n, AT(job, 0), &norm, &rcond, &asked, &ask, &counted, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  integer *iwork = integers(counted);
  pdgecon_("1", &n, AT(job, 0), &norm, &rcond, work, &lwork, iwork, &counted, &info);
  require(info, "pdgecon");
  free(iwork), free(work);
  return rcond;
}

static void hand_condition(linalg_job *job)
{
  const integer n = order_of(job);
  double *sums = doubles(local_cols(job) + 1);
  const double norm = pdlange_("1", &n, &n, AT(job, 0), sums);
  free(factor(job));
  job->value = linalg_reciprocal(job, norm);
  free(sums);
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

/* Estimates of condition numbers are not compared: pdgecon's are wrong. */
const linalg_row linalg_systems[] = {
    {.name = "cholesky_solve",
     .by = "pdposv",
     .operands = {LINALG_DEFINITE, LINALG_SIDES},
     .results = {1, 1},
     .cubes = 1 / 3.,
     .squares = 2. * LINALG_RIGHT_SIDES,
     .hand = hand_cholesky,
     .library = cholesky,
     .shapes = true},
    {.name = "solve",
     .by = "pdgesv",
     .operands = {LINALG_GENERAL, LINALG_SIDES},
     .results = {1, 1},
     .cubes = 2 / 3.,
     .squares = 2. * LINALG_RIGHT_SIDES,
     .hand = hand_solve,
     .library = solve,
     .shapes = true},
    {.name = "solve, complex",
     .by = "pzgesv",
     .operands = {LINALG_GENERAL, LINALG_SIDES},
     .results = {1, 1},
     .cubes = 2 / 3.,
     .squares = 2. * LINALG_RIGHT_SIDES,
     .hand = hand_solve_complex,
     .library = solve,
     .complex = true},
    {.name = "solve_refined",
     .by = "pdgesvx",
     .operands = {LINALG_GENERAL, LINALG_SIDES, LINALG_RESULT_SIDES, LINALG_RESULT_BY_HAND},
     .results = {2, 2},
     .cubes = 2 / 3.,
     .squares = 2. * LINALG_RIGHT_SIDES,
     .hand = hand_refined,
     .library = refined},
    {.name = "inverse",
     .by = "pdgetrf, pdgetri",
     .operands = {LINALG_GENERAL},
     .results = {0, 0},
     .cubes = 2,
     .hand = hand_inverse,
     .library = inverse,
     .shapes = true},
    {.name = "determinant",
     .by = "pdgetrf",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_VALUE, LINALG_VALUE},
     .cubes = 2 / 3.,
     .hand = hand_determinant,
     .library = determinant},
    {.name = "condition",
     .by = "pdlange, pdgetrf, pdgecon",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_NOTHING, LINALG_NOTHING},
     .cubes = 2 / 3.,
     .hand = hand_condition,
     .library = condition},
    {.name = NULL},
};
