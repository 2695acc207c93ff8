/* Factors a band and finds X, by ScaLAPACK's gbtrf and gbtrs or, if it is positive definite, pbtrf and pbtrs.
 * On one process LAPACK's gbsv or pbsv is called. Faults of ScaLAPACK's routines are avoided here. */
#include "banded_impl.h"

#include <string.h>

/* ---- routines ------------------------------------------------------------------------------------------ */

/* Prototypes of LAPACK (SRC/dgbsv.f, SRC/dgbtrf.f, SRC/dpbsv.f, SRC/dpbtrf.f). Their rules are those of
 * scalapack_calls.h. */
typedef void lapack_gbsv(const dap_scalapack_int *n, const dap_scalapack_int *kl, const dap_scalapack_int *ku,
                         const dap_scalapack_int *nrhs, void *ab, const dap_scalapack_int *ldab,
                         dap_scalapack_int *pivots, void *b, const dap_scalapack_int *ldb,
                         dap_scalapack_int *info);
typedef void lapack_gbtrf(const dap_scalapack_int *m, const dap_scalapack_int *n, const dap_scalapack_int *kl,
                          const dap_scalapack_int *ku, void *ab, const dap_scalapack_int *ldab,
                          dap_scalapack_int *pivots, dap_scalapack_int *info);
typedef void lapack_pbsv(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *kd,
                         const dap_scalapack_int *nrhs, void *ab, const dap_scalapack_int *ldab, void *b,
                         const dap_scalapack_int *ldb, dap_scalapack_int *info);
typedef void lapack_pbtrf(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *kd, void *ab,
                          const dap_scalapack_int *ldab, dap_scalapack_int *info);
lapack_gbsv sgbsv_, dgbsv_, cgbsv_, zgbsv_;
lapack_gbtrf sgbtrf_, dgbtrf_, cgbtrf_, zgbtrf_;
lapack_pbsv spbsv_, dpbsv_, cpbsv_, zpbsv_;
lapack_pbtrf spbtrf_, dpbtrf_, cpbtrf_, zpbtrf_;

typedef struct routines {
  dap_pgbtrf *gbtrf;
  dap_pgbtrs *gbtrs;
  dap_ppbtrf *pbtrf;
  dap_ppbtrs *pbtrs;
  lapack_gbsv *gbsv;
  lapack_pbsv *pbsv;
  lapack_gbtrf *gbtrf_alone;
  lapack_pbtrf *pbtrf_alone;
} routines;

#define ROUTINES(l)                                                                                          \
  p##l##gbtrf_, p##l##gbtrs_, p##l##pbtrf_, p##l##pbtrs_, l##gbsv_, l##pbsv_, l##gbtrf_, l##pbtrf_

static const routines *routines_of(const dap_linalg_call *call)
{
  static const routines table[] = {{ROUTINES(s)}, {ROUTINES(d)}, {ROUTINES(c)}, {ROUTINES(z)}};
  return &table[call->lib->letter];
}

/* Fails if any process could not factor. info: the column of A where it failed, from 1, or 0. Collective. */
static dap_status check(dap_linalg_call *call, const dap_banded *band, const char *routine,
                        dap_scalapack_int info)
{
  if (band->kind == 'G')
    return dap_linalg_check_info(call, routine, info, "A is singular: its first",
                                 " columns are linearly dependent");
  return dap_linalg_check_info(
      call, routine, info, "A is not positive definite: its leading principal submatrix of order", " is not");
}

/* ---- one process --------------------------------------------------------------------------------------- */

static dap_status solve_alone(dap_linalg_call *call, const dap_banded *band)
{
  const bool is_general = band->kind == 'G';
  const dap_scalapack_int *height = &band->ints.height, *n = &band->ints.n, *nrhs = &band->ints.nrhs;
  dap_scalapack_int info = 0;
  void *pivots;
  DAP_TRY(dap_linalg_work(call, is_general ? band->n : 0, dap_linalg_integer(), &pivots));
  if (call->rank == 0 && is_general) /* LAPACK fills in `lower` of the rows above A */
    routines_of(call)->gbsv(n, &band->ints.lower, &band->ints.upper, nrhs,
                            dap_linalg_banded_at(call, band, band->upper, 0), height, pivots, band->b, n,
                            &info);
  else if (call->rank == 0)
    routines_of(call)->pbsv(&band->kind, n, &band->ints.width, nrhs, band->a, height, band->b, n, &info);
  return check(call, band, is_general ? "gbsv of LAPACK" : "pbsv of LAPACK", info);
}

/* ---- own columns --------------------------------------------------------------------------------------- */

/* Factors this process's columns without the last lower + upper, which are factored with those of others. All
 * their elements are in the process's rows, which begin `upper` before its first column. There are as many
 * rows as columns. The first process lacks `upper` rows, and the last one has as many more. */
static dap_status factor_columns(dap_linalg_call *call, const dap_banded *band, char *copy,
                                 dap_scalapack_int *info)
{
  const bool is_first = call->rank == 0, is_last = call->rank == band->procs - 1;
  const dap_scalapack_int upper = is_first ? band->ints.upper : 0,
                          lower = is_first ? band->ints.lower : band->ints.width,
                          rows = (dap_scalapack_int)(band->columns - upper + (is_last ? band->upper : 0)),
                          cols = (dap_scalapack_int)band->columns - band->ints.width;
  void *pivots;
  DAP_TRY(dap_linalg_work(call, band->block, dap_linalg_integer(), &pivots));
  if (band->columns > 0)
    routines_of(call)->gbtrf_alone(&rows, &cols, &lower, &upper, copy + upper * call->lib->item,
                                   &band->ints.height, pivots, info);
  return DAP_OK;
}

/* Does the same for a triangle. The last process has all columns of it. */
static void factor_triangle(const dap_linalg_call *call, const dap_banded *band, char *copy,
                            dap_scalapack_int *info)
{
  const bool is_last = call->rank == band->procs - 1;
  const dap_scalapack_int own = (dap_scalapack_int)band->columns - (is_last ? 0 : band->ints.width);
  if (band->columns > 0 && own > 0)
    routines_of(call)->pbtrf_alone(&band->kind, &own, &band->ints.width, copy, &band->ints.height, info);
}

/* Checks that each process can factor a copy of its own columns by LAPACK, with which ScaLAPACK's routines
 * begin. These are called only if all succeed, because they leave messages under way if one fails:
 * - A process that meets a pivot of 0 in gbtrf does not receive the message of the process before, which a
 *   later call then receives. Later stages also overwrite its info.
 * - Nobody receives the messages (the blocks E_i) of a process that cannot factor its columns in pbtrf. */
static dap_status try_blocks(dap_linalg_call *call, const dap_banded *band)
{
  const bool is_general = band->kind == 'G';
  dap_scalapack_int info = 0;
  char *copy;
  DAP_TRY(dap_linalg_work(call, band->height * band->block, call->lib->dtype, &copy));
  memcpy(copy, band->a, (size_t)(band->height * band->columns * call->lib->item));
  if (is_general)
    DAP_TRY(factor_columns(call, band, copy, &info));
  else
    factor_triangle(call, band, copy, &info);
  if (info > 0) info += (dap_scalapack_int)(call->rank * band->block);
  return check(call, band, is_general ? "gbtrf of LAPACK" : "pbtrf of LAPACK", info);
}

/* ---- several processes --------------------------------------------------------------------------------- */

/* Arguments of ScaLAPACK's routines besides the band. */
typedef struct rest {
  dap_scalapack_int a[7], b[7]; /* descriptors of one dimension: A by columns, B by rows */
  void *pivots, *filled, *work;
  dap_scalapack_int lfill, lwork;
} rest;

/* Source: SRC/pdgbtrf.f, SRC/pdpbtrf.f. But gbtrf writes more pivots than the NB that it asks room for,
 * because the last stage factors up to 2 (BWL + BWU) + BWU rows, whose pivots follow the NB - BWL - BWU of
 * the block. And pbtrf needs BW * BW more elements of AF than it asks for if the last process has a whole
 * block. */
static dap_status make_rest(dap_linalg_call *call, const dap_banded *band, dap_scalapack_int context, rest *r)
{
  const bool is_general = band->kind == 'G';
  const int64_t width = band->ints.width, upper = band->upper, block = band->block, nrhs = band->nrhs;
  const int64_t fill =
      is_general ? (block + upper) * width + 6 * width * (width + upper) : (block + 3 * width) * width;
  const int64_t space =
      is_general ? nrhs * (block + 2 * width + 2 * upper) : width * (nrhs > width ? nrhs : width);
  const dap_scalapack_int nb = (dap_scalapack_int)block;
  *r = (rest){.a = {501, context, band->ints.n, nb, 0, band->ints.height, 0},
              .b = {502, context, band->ints.n, nb, 0, nb, 0}};
  DAP_TRY(
      dap_linalg_work(call, is_general ? block + 2 * width + upper : 0, dap_linalg_integer(), &r->pivots));
  DAP_TRY(dap_linalg_work(call, fill, call->lib->dtype, &r->filled));
  DAP_TRY(dap_linalg_work(call, space, call->lib->dtype, &r->work));
  r->lfill = (dap_scalapack_int)fill, r->lwork = (dap_scalapack_int)space;
  return DAP_OK;
}

/* gbtrs solves with A whatever TRANS is, so it is not asked for more. */
dap_status dap_linalg_banded_factor(dap_linalg_call *call, const dap_banded *band, dap_scalapack_int context)
{
  if (band->procs == 1) return solve_alone(call, band);
  const routines *lib = routines_of(call);
  const bool is_general = band->kind == 'G';
  const dap_scalapack_int first = 1, *n = &band->ints.n, *nrhs = &band->ints.nrhs, *lower = &band->ints.lower,
                          *upper = &band->ints.upper, *width = &band->ints.width;
  dap_scalapack_int info = 0;
  rest r;
  DAP_TRY(try_blocks(call, band));
  DAP_TRY(make_rest(call, band, context, &r));
  if (is_general)
    lib->gbtrf(n, lower, upper, band->a, &first, r.a, r.pivots, r.filled, &r.lfill, r.work, &r.lwork, &info);
  else
    lib->pbtrf(&band->kind, n, width, band->a, &first, r.a, r.filled, &r.lfill, r.work, &r.lwork, &info);
  if (info > 0) info = *n; /* where blocks meet */
  DAP_TRY(check(call, band, is_general ? "gbtrf" : "pbtrf", info));
  if (is_general)
    lib->gbtrs("N", n, lower, upper, nrhs, band->a, &first, r.a, r.pivots, band->b, &first, r.b, r.filled,
               &r.lfill, r.work, &r.lwork, &info);
  else
    lib->pbtrs(&band->kind, n, width, nrhs, band->a, &first, r.a, band->b, &first, r.b, r.filled, &r.lfill,
               r.work, &r.lwork, &info);
  return dap_linalg_succeeds(call, is_general ? "gbtrs" : "pbtrs", info);
}
