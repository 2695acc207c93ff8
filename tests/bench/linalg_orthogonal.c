/* Measures QR factorisations and least squares. */
#include "linalg_by_hand.h"

/* ---- of full rank -------------------------------------------------------------------------------------- */

static void hand_least_squares(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  double asked;
  integer info;
  pdgels_("N", &n, &n, &sides, AT(job, 0), AT(job, 1), &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  pdgels_("N", &n, &n, &sides, AT(job, 0), AT(job, 1), work, &lwork, &info);
  require(info, "pdgels");
  free(work);
}

LIBRARY(least_squares)
{
  return dap_linalg_least_squares(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), ARRAY(2), o, err);
}

/* Copies R to operand 2 and Q to operand 1 from the factors in A. */
static void take_apart(const linalg_job *job, const double tau[])
{
  const integer n = order_of(job), rest = n - 1, two = 2;
  const double zero = 0;
  double asked;
  integer info;
  pdlacpy_("U", &n, &n, AT(job, 0), AT(job, 2));
  pdlaset_("L", &rest, &rest, &zero, &zero, job->operands[2].array.data, &two, &one, job->operands[2].desc);
  pdorgqr_(&n, &n, &n, AT(job, 0), tau, &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  pdorgqr_(&n, &n, &n, AT(job, 0), tau, work, &lwork, &info);
  require(info, "pdorgqr");
  pdlacpy_("A", &n, &n, AT(job, 0), AT(job, 1));
  free(work);
}

static void hand_qr(linalg_job *job)
{
  const integer n = order_of(job);
  double asked, *tau = doubles(local_cols(job) + job->block);
  integer info;
  pdgeqrf_(&n, &n, AT(job, 0), tau, &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  pdgeqrf_(&n, &n, AT(job, 0), tau, work, &lwork, &info);
  require(info, "pdgeqrf");
  take_apart(job, tau);
  free(work), free(tau);
}

LIBRARY(qr)
{
  return dap_linalg_qr(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), ARRAY(2), o, err);
}

/* ---- of any rank --------------------------------------------------------------------------------------- */

/* Factors with pivots. pdgeqpf writes beyond its work space on a process with rows and no columns. */
static void factor_pivoted(const linalg_job *job, double tau[])
{
  enum { BEYOND = 1 };
  const integer n = order_of(job);
  double asked;
  integer info, *pivots = integers(local_cols(job) + job->block);
  pdgeqpf_(&n, &n, AT(job, 0), pivots, tau, &asked, &ask, &info);
  const integer lwork = (integer)asked + BEYOND;
  double *work = doubles(lwork);
  pdgeqpf_(&n, &n, AT(job, 0), pivots, tau, work, &lwork, &info);
  require(info, "pdgeqpf");
  free(work), free(pivots);
}

static void hand_qr_pivoted(linalg_job *job)
{
  double *tau = doubles(local_cols(job) + job->block);
  factor_pivoted(job, tau);
  take_apart(job, tau);
  free(tau);
}

LIBRARY(qr_pivoted)
{
  int64_t rank;
  return dap_linalg_qr_pivoted(MPI_COMM_WORLD, -1, ARRAY(0), ARRAY(1), ARRAY(2), (dap_darray){0}, &rank, o,
                               err);
}

/* Solves by hand. A has full rank, so lower ranks are not treated. X stays in the order of the pivots. */
static void hand_least_squares_rank(linalg_job *job)
{
  const integer n = order_of(job), sides = sides_of(job);
  const double unit = 1;
  double asked, *tau = doubles(local_cols(job) + job->block);
  integer info;
  factor_pivoted(job, tau);
  pdormqr_("L", "T", &n, &sides, &n, AT(job, 0), tau, AT(job, 1), &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  pdormqr_("L", "T", &n, &sides, &n, AT(job, 0), tau, AT(job, 1), work, &lwork, &info);
  require(info, "pdormqr");
  pdtrsm_("L", "U", "N", "N", &n, &sides, &unit, AT(job, 0), AT(job, 1));
  free(work), free(tau);
}

LIBRARY(least_squares_rank)
{
  int64_t rank;
  return dap_linalg_least_squares_rank(MPI_COMM_WORLD, -1, ARRAY(0), ARRAY(1), ARRAY(2), &rank, o, err);
}

const linalg_row linalg_orthogonal[] = {
    {.name = "least_squares",
     .by = "pdgels",
     .operands = {LINALG_DEFINITE, LINALG_SIDES, LINALG_RESULT_SIDES},
     .results = {1, 2},
     .cubes = 4 / 3.,
     .squares = 3. * LINALG_RIGHT_SIDES,
     .routine = "gels",
     .ops = " NN ",
     .hand = hand_least_squares,
     .library = least_squares,
     .shapes = true},
    {.name = "least_squares_rank",
     .by = "pdgeqpf, pdormqr, pdtrsm",
     .operands = {LINALG_DEFINITE, LINALG_SIDES, LINALG_RESULT_SIDES},
     .results = {1, 2},
     .compare = LINALG_NORM,
     .cubes = 4 / 3.,
     .squares = 3. * LINALG_RIGHT_SIDES,
     .ops = "NNN ",
     .hand = hand_least_squares_rank,
     .library = least_squares_rank},
    {.name = "qr",
     .by = "pdgeqrf, pdorgqr",
     .operands = {LINALG_DEFINITE, LINALG_RESULT, LINALG_RESULT},
     .results = {2, 2},
     .cubes = 8 / 3.,
     .routine = "geqrf",
     .hand = hand_qr,
     .library = qr,
     .shapes = true},
    {.name = "qr_pivoted",
     .by = "pdgeqpf, pdorgqr",
     .operands = {LINALG_GENERAL, LINALG_RESULT, LINALG_RESULT},
     .results = {2, 2},
     .cubes = 8 / 3.,
     .ops = "N   ",
     .hand = hand_qr_pivoted,
     .library = qr_pivoted},
    {.name = NULL},
};
