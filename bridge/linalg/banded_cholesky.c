/* Cholesky factors of a band, and X: by ScaLAPACK's pbtrf and pbtrs, on one process by LAPACK's pbsv.
 *
 * ScaLAPACK's routines (SRC/pdpbtrf.f) have faults, which are avoided here:
 * - They need BW * BW more elements of AF than they ask for if the last process has a whole block.
 * - A process that cannot factor its own columns returns, and messages (the blocks E_i) stay under way that
 *   nobody
 *   receives. So each process first factors a copy of its columns by LAPACK's pbtrf, with which ScaLAPACK's
 *   begins. ScaLAPACK's is called only if all succeed. */
#include "banded_impl.h"

#include <inttypes.h>
#include <string.h>

/* Fails if any process could not factor. info: the column of A where it failed, from 1, or 0. Collective. */
static dap_status check_definite(dap_linalg_call *call, const char *routine, dap_scalapack_int info)
{
  DAP_TRY(dap_linalg_info(call, routine, &info));
  if (info == 0) return DAP_OK;
  return dap_linalg_numeric(
      call, info, "A is not positive definite: its leading principal submatrix of order %" PRId64 " is not",
      (int64_t)info);
}

static dap_status solve_alone(dap_linalg_call *call, const dap_banded *band)
{
  dap_scalapack_int info = 0;
  if (call->rank == 0)
    dap_linalg_banded_routines_of(call)->pbsv(&band->kind, &band->ints.n, &band->ints.width, &band->ints.nrhs,
                                              band->a, &band->ints.height, band->b, &band->ints.n, &info);
  return check_definite(call, "pbsv of LAPACK", info);
}

/* Checks that each process can factor its own columns. The last ones of each belong to the next as well. */
static dap_status try_blocks(dap_linalg_call *call, const dap_banded *band)
{
  const bool is_last = call->rank == band->procs - 1;
  const dap_scalapack_int own =
      (dap_scalapack_int)(band->columns == 0 || is_last ? band->columns : band->columns - band->ints.width);
  dap_scalapack_int info = 0;
  void *copy;
  DAP_TRY(dap_linalg_work(call, band->height * band->block, call->lib->dtype, &copy));
  memcpy(copy, band->a, (size_t)(band->height * band->columns * dap_dtype_size(call->lib->dtype)));
  if (own > 0)
    dap_linalg_banded_routines_of(call)->pbtrf_alone(&band->kind, &own, &band->ints.width, copy,
                                                     &band->ints.height, &info);
  if (info > 0) info += (dap_scalapack_int)(call->rank * band->block);
  return check_definite(call, "pbtrf of LAPACK", info);
}

dap_status dap_linalg_banded_cholesky(dap_linalg_call *call, const dap_banded *band,
                                      dap_scalapack_int context)
{
  if (band->procs == 1) return solve_alone(call, band);
  const dap_scalapack_int first = 1;
  const int64_t width = band->ints.width;
  const int64_t fill = (band->block + 3 * width) * width;
  const int64_t space = width * (band->nrhs > width ? band->nrhs : width);
  dap_scalapack_int desc_a[7], desc_b[7], info = 0;
  void *filled, *work;
  DAP_TRY(try_blocks(call, band));
  DAP_TRY(dap_linalg_work(call, fill, call->lib->dtype, &filled));
  DAP_TRY(dap_linalg_work(call, space, call->lib->dtype, &work));
  const dap_scalapack_int lfill = (dap_scalapack_int)fill, lwork = (dap_scalapack_int)space;
  dap_linalg_banded_describe(band, context, desc_a, desc_b);
  dap_linalg_banded_routines_of(call)->pbtrf(&band->kind, &band->ints.n, &band->ints.width, band->a, &first,
                                             desc_a, filled, &lfill, work, &lwork, &info);
  if (info > 0) info = band->ints.n; /* where blocks meet */
  DAP_TRY(check_definite(call, "pbtrf", info));
  dap_linalg_banded_routines_of(call)->pbtrs(&band->kind, &band->ints.n, &band->ints.width, &band->ints.nrhs,
                                             band->a, &first, desc_a, band->b, &first, desc_b, filled, &lfill,
                                             work, &lwork, &info);
  return dap_linalg_succeeds(call, "pbtrs", info);
}
