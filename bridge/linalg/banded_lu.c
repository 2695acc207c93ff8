/* LU factors of a band, and X: by ScaLAPACK's gbtrf and gbtrs, on one process by LAPACK's gbsv.
 *
 * ScaLAPACK's routines (SRC/pdgbtrf.f, SRC/pdgbtrs.f) have faults, which are avoided here:
 * - gbtrf writes more pivots than the NB that it asks room for. The last stage factors up to
 *   2 (BWL + BWU) + BWU rows, whose pivots follow the NB - BWL - BWU of the block.
 * - A process that meets a pivot of 0 in its own columns does not receive the message of the process before.
 *   It takes that for the next message, and leaves one that a later call receives, which is then wrong. Later
 *   stages also overwrite its info. So each process first factors a copy of its columns by LAPACK's gbtrf,
 *   with which ScaLAPACK's begins. ScaLAPACK's is called only if all succeed.
 * - gbtrs solves with A whatever TRANS is. It is not asked for more. */
#include "banded_impl.h"

#include <inttypes.h>
#include <string.h>

static dap_status singular(dap_linalg_call *call, int64_t columns)
{
  return dap_linalg_numeric(call, columns,
                            "A is singular: its first %" PRId64 " columns are linearly dependent", columns);
}

static dap_status solve_alone(dap_linalg_call *call, const dap_banded *band)
{
  void *pivots;
  dap_scalapack_int info = 0;
  DAP_TRY(dap_linalg_work(call, band->n, dap_linalg_integer(), &pivots));
  if (call->rank == 0) /* LAPACK fills in `lower` of the rows above A */
    dap_linalg_banded_routines_of(call)->gbsv(&band->ints.n, &band->ints.lower, &band->ints.upper,
                                              &band->ints.nrhs,
                                              dap_linalg_banded_at(call, band, band->upper, 0),
                                              &band->ints.height, pivots, band->b, &band->ints.n, &info);
  DAP_TRY(dap_linalg_info(call, "gbsv of LAPACK", &info));
  return info > 0 ? singular(call, info) : DAP_OK;
}

/* Checks that each process can factor its own columns, without the last lower + upper, which are factored
 * with those of others. All their elements are in the process's rows, which begin `upper` before its first
 * column. There are as many rows as columns. The first process lacks `upper` rows, and the last one has as
 * many more. */
static dap_status try_blocks(dap_linalg_call *call, const dap_banded *band)
{
  const int64_t width = band->lower + band->upper;
  const bool is_first = call->rank == 0, is_last = call->rank == band->procs - 1;
  const dap_scalapack_int upper = (dap_scalapack_int)(is_first ? band->upper : 0),
                          lower = (dap_scalapack_int)(is_first ? band->lower : width),
                          rows = (dap_scalapack_int)(band->columns - upper + (is_last ? band->upper : 0)),
                          cols = (dap_scalapack_int)(band->columns - width);
  dap_scalapack_int info = 0;
  void *copy, *pivots;
  DAP_TRY(dap_linalg_work(call, band->height * band->block, call->lib->dtype, &copy));
  DAP_TRY(dap_linalg_work(call, band->block, dap_linalg_integer(), &pivots));
  memcpy(copy, band->a, (size_t)(band->height * band->columns * call->lib->item));
  if (band->columns > 0)
    dap_linalg_banded_routines_of(call)->gbtrf_alone(&rows, &cols, &lower, &upper,
                                                     (char *)copy + upper * call->lib->item,
                                                     &band->ints.height, pivots, &info);
  if (info > 0) info += (dap_scalapack_int)(call->rank * band->block);
  DAP_TRY(dap_linalg_info(call, "gbtrf of LAPACK", &info));
  return info > 0 ? singular(call, info) : DAP_OK;
}

dap_status dap_linalg_banded_lu(dap_linalg_call *call, const dap_banded *band, dap_scalapack_int context)
{
  if (band->procs == 1) return solve_alone(call, band);
  const dap_scalapack_int first = 1;
  const int64_t width = band->lower + band->upper;
  const int64_t fill = (band->block + band->upper) * width + 6 * width * (width + band->upper);
  const int64_t space = band->nrhs * (band->block + 2 * width + 2 * band->upper);
  dap_scalapack_int desc_a[7], desc_b[7], info = 0;
  void *pivots, *filled, *work;
  DAP_TRY(try_blocks(call, band));
  DAP_TRY(dap_linalg_work(call, band->block + 2 * width + band->upper, dap_linalg_integer(), &pivots));
  DAP_TRY(dap_linalg_work(call, fill, call->lib->dtype, &filled));
  DAP_TRY(dap_linalg_work(call, space, call->lib->dtype, &work));
  const dap_scalapack_int lfill = (dap_scalapack_int)fill, lwork = (dap_scalapack_int)space;
  dap_linalg_banded_describe(band, context, desc_a, desc_b);
  dap_linalg_banded_routines_of(call)->gbtrf(&band->ints.n, &band->ints.lower, &band->ints.upper, band->a,
                                             &first, desc_a, pivots, filled, &lfill, work, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "gbtrf", &info));
  if (info > 0) return singular(call, band->n); /* where blocks meet */
  dap_linalg_banded_routines_of(call)->gbtrs("N", &band->ints.n, &band->ints.lower, &band->ints.upper,
                                             &band->ints.nrhs, band->a, &first, desc_a, pivots, band->b,
                                             &first, desc_b, filled, &lfill, work, &lwork, &info);
  return dap_linalg_succeeds(call, "gbtrs", info);
}
