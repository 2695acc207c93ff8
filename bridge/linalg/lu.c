/* LU factors. */
#include "system_impl.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { MB = 4 }; /* of a descriptor */

typedef bool property(double size, double least); /* of an element; `least`: the least normal number */

static bool is_zero(double size, double least)
{
  (void)least;
  return size == 0;
}

static bool is_subnormal(double size, double least)
{
  return size > 0 && size < least;
}

static bool is_not_finite(double size, double least)
{
  (void)least;
  return !isfinite(size);
}

/* The first element of this process's part of the diagonal that has it, 1-based; 0: none. Of a complex one
 * the larger part counts. */
static dap_scalapack_int first(const dap_linalg_call *call, const dap_scalapack_matrix *view,
                               property *has_it)
{
  const double least = call->lib->real == DAP_F4 ? (double)FLT_MIN : DBL_MIN;
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, at);)
    if (has_it(dap_linalg_largest_part(call, dap_linalg_element(&part, at[0], at[1]), 1), least))
      return (dap_scalapack_int)dap_linalg_global(&part, 0, at[0]) + 1;
  return 0;
}

dap_status dap_linalg_first_zero(dap_linalg_call *call, const dap_scalapack_matrix *view,
                                 dap_scalapack_int *zero)
{
  *zero = first(call, view, is_zero);
  return dap_linalg_info(call, "the diagonal", zero);
}

dap_status dap_linalg_first_subnormal(dap_linalg_call *call, const dap_scalapack_matrix *view,
                                      dap_scalapack_int *subnormal)
{
  *subnormal = first(call, view, is_subnormal);
  return dap_linalg_info(call, "the diagonal", subnormal);
}

/* The diagonal of factors. A pivot that is not finite spoils all that follow. */
static dap_status check_range(dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  dap_scalapack_int spoilt = first(call, view, is_not_finite);
  DAP_TRY(dap_linalg_info(call, "the diagonal", &spoilt));
  if (spoilt == 0) return DAP_OK;
  return dap_linalg_numeric(call, spoilt,
                            "U(%" PRId64 ", %" PRId64 ") is not finite: elements of A are too unlike in size "
                            "for %s. Scale its rows or columns, or solve with error bounds, which does",
                            (int64_t)spoilt, (int64_t)spoilt, dap_dtype_name(call->lib->dtype));
}

dap_status dap_lu_factor(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_lu *lu)
{
  *lu = (dap_lu){.matrix = view};
  int64_t extents[2];
  dap_linalg_local(view, extents);
  void *pivots;
  DAP_TRY(dap_linalg_work(call, extents[0] + view->desc[MB], dap_linalg_integer(), &pivots));
  DAP_TRY(dap_linalg_finite(call, view, 'A'));
  DAP_TRY(dap_linalg_scale_up(call, view, 'A', &lu->sigma));
  lu->pivots = pivots;

  dap_scalapack_int info;
  call->lib->getrf(&view->m, &view->n, view->data, &view->ia, &view->ja, view->desc, lu->pivots, &info);
  if (info == 0) info = first(call, view, is_zero); /* getrf does not look at a matrix of one element */
  DAP_TRY(dap_linalg_info(call, "getrf", &info));
  lu->singular = info;
  return check_range(call, view);
}

dap_status dap_lu_regular(dap_linalg_call *call, const dap_lu *lu)
{
  dap_scalapack_int subnormal;
  DAP_TRY(dap_linalg_first_subnormal(call, lu->matrix, &subnormal));
  if (lu->singular == 0 && subnormal > 0)
    return dap_linalg_numeric(call, subnormal, "U(%" PRId64 ", %" PRId64 ") is subnormal in the LU factors",
                              (int64_t)subnormal, (int64_t)subnormal);
  if (lu->singular == 0) return DAP_OK;
  return dap_linalg_numeric(call, lu->singular,
                            "A is singular: U(%" PRId64 ", %" PRId64 ") is zero in the LU factors of %s",
                            lu->singular, lu->singular, lu->matrix->op == 'N' ? "A" : "its transpose");
}

dap_status dap_lu_pivots(dap_linalg_call *call, const dap_lu *lu, dap_scalapack_int **pivots)
{
  void *space;
  DAP_TRY(dap_linalg_work(call, lu->matrix->m, dap_linalg_integer(), &space));
  dap_scalapack_int *all = space;
  const dap_linalg_part part = dap_linalg_part_of(call, lu->matrix);
  if (part.coords[1] == 0) { /* every process column has them all */
    for (int64_t i = 0; i < part.extents[0]; i++) all[dap_linalg_global(&part, 0, i)] = lu->pivots[i];
  }
  MPI_Datatype type = dap_dtype_mpi(dap_linalg_integer());
  *pivots = all;
  return dap_linalg_mpi(call, MPI_Allreduce(MPI_IN_PLACE, all, (int)lu->matrix->m, type, MPI_SUM, call->comm),
                        "MPI_Allreduce");
}
