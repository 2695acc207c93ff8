/* Measures factors that are kept: how they are made, and how they are used if they exist before a run. */
#include "linalg_by_hand.h"

/* ---- made ---------------------------------------------------------------------------------------------- */

LIBRARY(lu)
{
  return dap_linalg_lu(MPI_COMM_WORLD, ARRAY(0), o, &j->factors, err);
}

LIBRARY(cholesky)
{
  return dap_linalg_cholesky(MPI_COMM_WORLD, 'L', ARRAY(0), o, &j->factors, err);
}

static void hand_lu(linalg_job *job)
{
  const integer n = order_of(job);
  integer info;
  job->pivots = pivots_of(job);
  pdgetrf_(&n, &n, AT(job, 0), job->pivots, &info);
  require(info, "pdgetrf");
}

static void hand_cholesky(linalg_job *job)
{
  const integer n = order_of(job);
  integer info;
  pdpotrf_("L", &n, AT(job, 0), &info);
  require(info, "pdpotrf");
}

/* Makes factors of operand 0, before a run that uses them. */
static void make(linalg_job *job, bool by_hand, void (*hand)(linalg_job *),
                 dap_status (*library)(linalg_job *, const dap_linalg_options *, dap_error *))
{
  const dap_linalg_options options = {.sharing = job->moved ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE};
  dap_error err;
  if (by_hand)
    hand(job);
  else
    bench_require(library(job, &options, &err), &err);
}

static void before_lu(linalg_job *job, bool by_hand)
{
  make(job, by_hand, hand_lu, lu);
}

static void before_cholesky(linalg_job *job, bool by_hand)
{
  make(job, by_hand, hand_cholesky, cholesky);
}

/* ---- used ---------------------------------------------------------------------------------------------- */

static void hand_getrs(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  integer info;
  pdgetrs_("N", &n, &sides, AT(job, 0), job->pivots, AT(job, 1), &info);
  require(info, "pdgetrs");
}

static void hand_potrs(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  integer info;
  pdpotrs_("L", &n, &sides, AT(job, 0), AT(job, 1), &info);
  require(info, "pdpotrs");
}

LIBRARY(factors_solve)
{
  return dap_linalg_factors_solve(j->factors, 'N', ARRAY(1), o, err);
}

static void hand_inverse(linalg_job *job)
{
  const integer n = order_of(job);
  pdlacpy_("A", &n, &n, AT(job, 0), AT(job, 1));
  linalg_hand_inverse_by(job, 1, job->pivots);
}

LIBRARY(factors_inverse)
{
  return dap_linalg_factors_inverse(j->factors, ARRAY(1), o, err);
}

static void hand_determinant(linalg_job *job)
{
  job->value = linalg_log_of_diagonal(job);
}

LIBRARY(factors_determinant)
{
  double sign[2];
  (void)o;
  return dap_linalg_factors_determinant(j->factors, sign, &j->value, err);
}

static void hand_condition(linalg_job *job)
{
  linalg_four_solutions(job, job->pivots);
}

LIBRARY(factors_condition)
{
  (void)o;
  return dap_linalg_factors_condition(j->factors, '1', &j->value, err);
}

const linalg_row linalg_kept[] = {
    {.name = "lu",
     .by = "pdgetrf",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_NOTHING, LINALG_NOTHING},
     .cubes = 2 / 3.,
     .routine = "getrf",
     .hand = hand_lu,
     .library = lu,
     .shapes = true},
    {.name = "cholesky",
     .by = "pdpotrf",
     .operands = {LINALG_DEFINITE},
     .results = {LINALG_NOTHING, LINALG_NOTHING},
     .cubes = 1 / 3.,
     .routine = "potrs",
     .ops = "N   ",
     .hand = hand_cholesky,
     .library = cholesky,
     .shapes = true},
    {.name = "factors_solve LU",
     .by = "pdgetrs, 1 side",
     .operands = {LINALG_GENERAL, LINALG_SIDE},
     .results = {1, 1},
     .squares = 2,
     .routine = "getrf",
     .ops = " N  ",
     .hand = hand_getrs,
     .library = factors_solve,
     .before = before_lu},
    {.name = "factors_solve LU",
     .by = "pdgetrs, 64 sides",
     .operands = {LINALG_GENERAL, LINALG_SIDES},
     .results = {1, 1},
     .squares = 2. * LINALG_RIGHT_SIDES,
     .routine = "getrf",
     .ops = " N  ",
     .hand = hand_getrs,
     .library = factors_solve,
     .before = before_lu,
     .shapes = true},
    {.name = "factors_solve Cholesky",
     .by = "pdpotrs, 1 side",
     .operands = {LINALG_DEFINITE, LINALG_SIDE},
     .results = {1, 1},
     .squares = 2,
     .routine = "potrs",
     .ops = "NN  ",
     .hand = hand_potrs,
     .library = factors_solve,
     .before = before_cholesky},
    {.name = "factors_solve Cholesky",
     .by = "pdpotrs, 64 sides",
     .operands = {LINALG_DEFINITE, LINALG_SIDES},
     .results = {1, 1},
     .squares = 2. * LINALG_RIGHT_SIDES,
     .routine = "potrs",
     .ops = "NN  ",
     .hand = hand_potrs,
     .library = factors_solve,
     .before = before_cholesky,
     .shapes = true},
    {.name = "factors_inverse LU",
     .by = "pdlacpy, pdgetri",
     .operands = {LINALG_GENERAL, LINALG_RESULT},
     .results = {1, 1},
     .cubes = 4 / 3.,
     .routine = "getrf",
     .ops = " N  ",
     .hand = hand_inverse,
     .library = factors_inverse,
     .before = before_lu},
    {.name = "factors_determinant LU",
     .by = "own sum",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_VALUE, LINALG_VALUE},
     .lines = 1,
     .hand = hand_determinant,
     .library = factors_determinant,
     .before = before_lu},
    {.name = "factors_condition LU",
     .by = "4 pdgetrs",
     .operands = {LINALG_GENERAL},
     .results = {LINALG_NOTHING, LINALG_NOTHING},
     .squares = 8,
     .hand = hand_condition,
     .library = factors_condition,
     .before = before_lu},
    {.name = NULL},
};
