/* Measures eigenvalues of symmetric matrices. */
#include "linalg_by_hand.h"

#include <math.h>

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Computes by hand, with the work space that the steps of the driver ask for, because the driver asks for
 * too little. */
static void hand_syevd(linalg_job *job)
{
  const integer n = order_of(job);
  const int64_t rows = local_rows(job), cols = local_cols(job), block = job->block;
  double *w = job->operands[1].array.data, asked;
  integer info, counted;
  pdsyevd_("V", "L", &n, AT(job, 0), w, AT(job, 2), &asked, &ask, &counted, &ask, &info);
  const int64_t needed = 5 * job->n + (rows + block) * (cols + block) + block * (rows + cols + 4 * block);
  const int64_t elements = needed > (int64_t)asked ? needed : (int64_t)asked;
  const integer lwork = (integer)elements;
  double *work = doubles(elements);
  integer *iwork = integers(counted);
  pdsyevd_("V", "L", &n, AT(job, 0), w, AT(job, 2), work, &lwork, iwork, &counted, &info);
  require(info, "pdsyevd");
  free(iwork), free(work);
}

LIBRARY(eigh)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'L', ARRAY(0), ARRAY(1), ARRAY(2), o, err);
}

/* Part of the spectrum, as pdsyevr describes it. */
typedef struct range {
  const char *how;
  double above, up_to;
  integer last;
} range;

/* Computes values [n]. Returns their number. */
static integer syevr(const linalg_job *job, const char *what, const range *r, double values[])
{
  const integer n = order_of(job);
  double asked[3];
  integer info, counted, found, vectors;
  pdsyevr_(what, r->how, "L", &n, AT(job, 0), &r->above, &r->up_to, &one, &r->last, &found, &vectors, values,
           AT(job, 2), asked, &ask, &counted, &ask, &info);
  const integer lwork = (integer)asked[0];
  double *work = doubles(lwork);
  integer *iwork = integers(counted);
  pdsyevr_(what, r->how, "L", &n, AT(job, 0), &r->above, &r->up_to, &one, &r->last, &found, &vectors, values,
           AT(job, 2), work, &lwork, iwork, &counted, &info);
  require(info, "pdsyevr");
  free(iwork), free(work);
  return found;
}

static range all_of(const linalg_job *job)
{
  return (range){.how = "A", .last = order_of(job)};
}

static void hand_syevr(linalg_job *job)
{
  const range all = all_of(job);
  syevr(job, "V", &all, job->operands[1].array.data);
}

LIBRARY(mrrr)
{
  dap_linalg_options options = *o;
  options.eigh.solver = DAP_EIGH_EVR;
  return eigh(j, &options, err);
}

static void hand_syev(linalg_job *job)
{
  const integer n = order_of(job);
  double *w = job->operands[1].array.data, asked;
  integer info;
  pdsyev_("V", "L", &n, AT(job, 0), w, AT(job, 2), &asked, &ask, &info);
  const integer lwork = (integer)asked;
  double *work = doubles(lwork);
  pdsyev_("V", "L", &n, AT(job, 0), w, AT(job, 2), work, &lwork, &info);
  require(info, "pdsyev");
  free(work);
}

LIBRARY(iterated)
{
  dap_linalg_options options = *o;
  options.eigh.solver = DAP_EIGH_EV;
  return eigh(j, &options, err);
}

static void hand_values(linalg_job *job)
{
  const range all = all_of(job);
  syevr(job, "N", &all, job->operands[1].array.data);
}

LIBRARY(values)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, 'L', ARRAY(0), ARRAY(1), (dap_darray){0}, o, err);
}

/* ---- some of them -------------------------------------------------------------------------------------- */

/* pdsyevr's ranges are right for random matrices, which have no equal eigenvalues. If there are fewer
 * vectors than columns in a block, it does not transform them, as PDORMTR prints. It is then faster than a
 * right routine: in blocks of 64 below n = 214. The eigenvalues are still right, and only they are
 * compared. */

/* Returns the value below which three tenths of the eigenvalues are. They fill a half circle whose radius
 * is the root of n / 3, because elements have variance 1 / 12 (E. P. Wigner, Annals of Mathematics 62,
 * 1955). */
static double three_tenths(const linalg_job *job)
{
  return -0.319 * sqrt((double)job->n / 3);
}

static void hand_range(linalg_job *job, const range *r)
{
  double *values = doubles(job->n);
  const integer found = syevr(job, "V", r, values);
  job->value = 0;
  for (integer i = 0; i < found; i++) job->value += values[i] * values[i];
  free(values);
}

static void hand_by_index(linalg_job *job)
{
  const range some = {.how = "I", .last = order_of(job) / 3};
  hand_range(job, &some);
}

static void hand_by_value(linalg_job *job)
{
  const range low = {.how = "V", .above = -(double)job->n, .up_to = three_tenths(job), .last = order_of(job)};
  hand_range(job, &low);
}

static dap_status ranged(linalg_job *j, const dap_linalg_options *options, dap_error *err)
{
  const double *values = j->operands[1].array.data;
  const dap_status status = dap_linalg_eigh(MPI_COMM_WORLD, 'L', ARRAY(0), ARRAY(1), ARRAY(3), options, err);
  j->value = 0;
  for (int64_t i = 0; i < j->operands[1].array.shape[0]; i++)
    if (!isnan(values[i])) j->value += values[i] * values[i]; /* NaN marks unused room */
  return status;
}

LIBRARY(by_index)
{
  dap_linalg_options options = *o;
  options.eigh.range = DAP_EIGH_BY_INDEX;
  options.eigh.stop = j->n / 3;
  return ranged(j, &options, err);
}

LIBRARY(by_value)
{
  dap_linalg_options options = *o;
  options.eigh.range = DAP_EIGH_BY_VALUE;
  options.eigh.above = -(double)j->n;
  options.eigh.up_to = three_tenths(j);
  return ranged(j, &options, err);
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

static void hand_pair(linalg_job *job)
{
  const integer n = order_of(job);
  const double unit = 1;
  double scale;
  integer info;
  pdpotrf_("L", &n, AT(job, 3), &info);
  require(info, "pdpotrf");
  pdsygst_(&one, "L", &n, AT(job, 0), AT(job, 3), &scale, &info);
  require(info, "pdsygst");
  hand_syevd(job);
  pdtrsm_("L", "L", "T", "N", &n, &n, &unit, AT(job, 3), AT(job, 2));
}

LIBRARY(pair)
{
  return dap_linalg_eigh_generalized(MPI_COMM_WORLD, 'L', ARRAY(0), ARRAY(3), ARRAY(1), ARRAY(2), o, err);
}

const linalg_row linalg_eigen[] = {
    {.name = "eigh",
     .by = "pdsyevd",
     .operands = {LINALG_SYMMETRIC, LINALG_VALUES, LINALG_RESULT},
     .results = {1, 1},
     .cubes = 4 / 3. + 4 / 3. + 2,
     .ops = "N N ",
     .hand = hand_syevd,
     .library = eigh,
     .shapes = true},
    {.name = "eigh evr",
     .by = "pdsyevr",
     .operands = {LINALG_SYMMETRIC, LINALG_VALUES, LINALG_RESULT},
     .results = {1, 1},
     .cubes = 4 / 3. + 2,
     .ops = "N N ",
     .hand = hand_syevr,
     .library = mrrr},
    {.name = "eigh ev",
     .by = "pdsyev",
     .operands = {LINALG_SYMMETRIC, LINALG_VALUES, LINALG_RESULT},
     .results = {1, 1},
     .cubes = 9,
     .ops = "N N ",
     .hand = hand_syev,
     .library = iterated},
    {.name = "eigh values",
     .by = "pdsyevr, N",
     .operands = {LINALG_SYMMETRIC, LINALG_VALUES, LINALG_RESULT_BY_HAND},
     .results = {1, 1},
     .cubes = 4 / 3.,
     .ops = "N   ",
     .hand = hand_values,
     .library = values},
    {.name = "eigh by index",
     .by = "pdsyevr, a third",
     .operands = {LINALG_SYMMETRIC, LINALG_SOME_VALUES, LINALG_RESULT_BY_HAND, LINALG_SOME_VECTORS},
     .results = {LINALG_VALUE, LINALG_VALUE},
     .cubes = 4 / 3. + 2 / 3.,
     .ops = "N  N",
     .hand = hand_by_index,
     .library = by_index},
    {.name = "eigh by value",
     .by = "pdsyevr, 30 %",
     .operands = {LINALG_SYMMETRIC, LINALG_SOME_VALUES, LINALG_RESULT_BY_HAND, LINALG_SOME_VECTORS},
     .results = {LINALG_VALUE, LINALG_VALUE},
     .cubes = 4 / 3. + 3 / 5.,
     .ops = "N  N",
     .hand = hand_by_value,
     .library = by_value},
    {.name = "eigh_generalized",
     .by = "pdsygst, pdsyevd",
     .operands = {LINALG_SYMMETRIC, LINALG_VALUES, LINALG_RESULT, LINALG_DEFINITE},
     .results = {1, 1},
     .cubes = 1 / 3. + 1 + 4 / 3. + 4 / 3. + 2 + 1,
     .ops = "N NN",
     .hand = hand_pair,
     .library = pair},
    {.name = NULL},
};
