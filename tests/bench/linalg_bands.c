/* Measures bands and tridiagonal matrices. ScaLAPACK's routines need their own storage, in one block of
 * columns a process, which is filled before a run. Matrices are diagonally dominant, because pddtsv and
 * pdptsv do not pivot. */
#include "linalg_by_hand.h"

#include <string.h>

enum { K = LINALG_DIAGONALS, FILLED = 2 * K, HEIGHT = FILLED + 2 * K + 1, STRETCH = 64 };

/* scalapack_calls.h lacks these. Sources: SRC/pdgbsv.f, pddtsv.f, pdptsv.f. */
void pdgbsv_(const integer *n, const integer *bwl, const integer *bwu, const integer *nrhs, void *a,
             const integer *ja, const integer *desca, integer *pivots, void *b, const integer *ib,
             const integer *descb, void *work, const integer *lwork, integer *info);
void pddtsv_(const integer *n, const integer *nrhs, void *dl, void *d, void *du, const integer *ja,
             const integer *desca, void *b, const integer *ib, const integer *descb, void *work,
             const integer *lwork, integer *info);
void pdptsv_(const integer *n, const integer *nrhs, void *d, void *e, const integer *ja, const integer *desca,
             void *b, const integer *ib, const integer *descb, void *work, const integer *lwork,
             integer *info);

/* One-dimensional descriptors: of columns (501) with `height` rows, and of rows of right-hand sides (502). */
typedef struct descriptors {
  integer a[7], b[7];
} descriptors;

static descriptors describe(const linalg_job *job, integer height)
{
  const integer n = order_of(job), block = (integer)job->block;
  return (descriptors){{501, job->context, n, block, 0, height, 0},
                       {502, job->context, n, block, 0, block, 0}};
}

/* ---- bands --------------------------------------------------------------------------------------------- */

/* Copies the band below the rows of fill-in. */
static void before_band(linalg_job *job, bool by_hand)
{
  if (!by_hand) return;
  const double *band = job->operands[0].array.data;
  const int64_t rows = 2 * K + 1;
  double *a = job->spaces[0] = doubles(HEIGHT * job->block);
  memset(a, 0, (size_t)(HEIGHT * job->block) * sizeof *a);
  for (int64_t j = 0; j < job->block; j++)
    memcpy(a + j * HEIGHT + FILLED, band + j * rows, (size_t)rows * sizeof *a);
}

/* Solves by hand. pdgbtrf writes more pivots than it asks room for (bridge/docs/linalg.md). */
static void hand_band(linalg_job *job)
{
  const integer n = order_of(job), k = K, first = 1;
  const int64_t block = job->block, sides = 1;
  const descriptors desc = describe(job, HEIGHT);
  const integer lwork = (integer)((block + K) * 2 * K + 6 * 2 * K * 3 * K + sides * (block + 6 * K));
  double *work = doubles(lwork);
  integer info, *pivots = integers(block + 5 * K);
  pdgbsv_(&n, &k, &k, &one, job->spaces[0], &first, desc.a, pivots, job->operands[1].array.data, &first,
          desc.b, work, &lwork, &info);
  require(info, "pdgbsv");
  free(pivots), free(work);
}

LIBRARY(banded_solve)
{
  return dap_linalg_banded_solve(MPI_COMM_WORLD, K, K, ARRAY(0), ARRAY(1), o, err);
}

static void before_positive_band(linalg_job *job, bool by_hand)
{
  const int64_t count = (K + 1) * job->block;
  if (!by_hand) return;
  job->spaces[0] = doubles(count);
  memcpy(job->spaces[0], job->operands[0].array.data, (size_t)count * sizeof(double));
}

/* Solves by hand. pdpbtrf writes beyond the room that it asks for (bridge/docs/linalg.md); in pdpbsv it
 * writes to the work space. */
static void hand_positive_band(linalg_job *job)
{
  const integer n = order_of(job), k = K, first = 1;
  const descriptors desc = describe(job, K + 1);
  const integer lfill = (integer)(job->block + 3 * K) * K, lwork = K * K;
  double *fill = doubles(lfill), *work = doubles(lwork);
  integer info;
  pdpbtrf_("L", &n, &k, job->spaces[0], &first, desc.a, fill, &lfill, work, &lwork, &info);
  require(info, "pdpbtrf");
  pdpbtrs_("L", &n, &k, &one, job->spaces[0], &first, desc.a, job->operands[1].array.data, &first, desc.b,
           fill, &lfill, work, &lwork, &info);
  require(info, "pdpbtrs");
  free(work), free(fill);
}

LIBRARY(positive_banded_solve)
{
  return dap_linalg_positive_banded_solve(MPI_COMM_WORLD, 'L', ARRAY(0), ARRAY(1), o, err);
}

/* ---- three diagonals ----------------------------------------------------------------------------------- */

enum { BELOW, MAIN, ABOVE };

/* Copies the diagonals by columns. The lower one is shifted by one. */
static void before_diagonals(linalg_job *job, bool by_hand)
{
  if (!by_hand) return;
  for (int k = 0; k < 3; k++) job->spaces[k] = doubles(job->block);
  for (int64_t i = 0; i < job->block; i++) {
    const int64_t column = job->rank * job->block + i;
    job->spaces[BELOW][i] = column > 0 ? linalg_noise(column - 1, 1) : 0;
    job->spaces[MAIN][i] = linalg_noise(column, 0) + 4;
    job->spaces[ABOVE][i] = column < job->n - 1 ? linalg_noise(column, 1) : 0;
  }
}

static void hand_tridiagonal(linalg_job *job)
{
  const integer n = order_of(job), first = 1;
  const descriptors desc = describe(job, (integer)job->block);
  const integer lwork = (integer)(12 * job->nprocs + 3 * job->block + 10 * job->nprocs + 4);
  double *work = doubles(lwork);
  integer info;
  pddtsv_(&n, &one, job->spaces[BELOW], job->spaces[MAIN], job->spaces[ABOVE], &first, desc.a,
          job->operands[3].array.data, &first, desc.b, work, &lwork, &info);
  require(info, "pddtsv");
  free(work);
}

LIBRARY(tridiagonal_solve)
{
  return dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3), o, err);
}

static void hand_positive_tridiagonal(linalg_job *job)
{
  const integer n = order_of(job), first = 1;
  const descriptors desc = describe(job, (integer)job->block);
  const integer lwork = (integer)(12 * job->nprocs + 3 * job->block + 12 * job->nprocs + 4);
  double *work = doubles(lwork);
  integer info;
  pdptsv_(&n, &one, job->spaces[MAIN], job->spaces[ABOVE], &first, desc.a, job->operands[2].array.data,
          &first, desc.b, work, &lwork, &info);
  require(info, "pdptsv");
  free(work);
}

LIBRARY(positive_tridiagonal_solve)
{
  return dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, ARRAY(0), ARRAY(1), ARRAY(2), o, err);
}

/* Operations count factors without exchanged rows, and one right-hand side. */
const linalg_row linalg_bands[] = {
    {.name = "banded_solve",
     .by = "pdgbsv, 8 + 8 diagonals",
     .operands = {LINALG_BAND, LINALG_BAND_SIDE},
     .results = {1, 1},
     .lines = 2. * K * K + K + 4. * K,
     .hand = hand_band,
     .library = banded_solve,
     .before = before_band,
     .always_moved = true,
     .stretch = STRETCH},
    {.name = "positive_banded_solve",
     .by = "pdpbtrf, pdpbtrs, 8 diagonals",
     .operands = {LINALG_LOWER_BAND, LINALG_BAND_SIDE},
     .results = {1, 1},
     .lines = 1. * K * K + 2. * K + 4. * K,
     .hand = hand_positive_band,
     .library = positive_banded_solve,
     .before = before_positive_band,
     .always_moved = true,
     .stretch = STRETCH},
    {.name = "tridiagonal_solve",
     .by = "pddtsv",
     .operands = {LINALG_BESIDE, LINALG_DIAGONAL, LINALG_BESIDE, LINALG_BAND_SIDE},
     .results = {3, 3},
     .lines = 8,
     .hand = hand_tridiagonal,
     .library = tridiagonal_solve,
     .before = before_diagonals,
     .always_moved = true,
     .stretch = STRETCH},
    {.name = "positive_tridiagonal_solve",
     .by = "pdptsv",
     .operands = {LINALG_DIAGONAL, LINALG_BESIDE, LINALG_BAND_SIDE},
     .results = {2, 2},
     .lines = 8,
     .hand = hand_positive_tridiagonal,
     .library = positive_tridiagonal_solve,
     .before = before_diagonals,
     .always_moved = true,
     .stretch = STRETCH},
    {.name = NULL},
};
