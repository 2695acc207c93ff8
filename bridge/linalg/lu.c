/* Computes LU factors of square matrices. */
#include "system_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static bool has(dap_defect defect, double size, double least_normal)
{
  switch (defect) {
  case DAP_DEFECT_ZERO:
    return size == 0;
  case DAP_DEFECT_SUBNORMAL:
    return size > 0 && size < least_normal;
  default:
    return !isfinite(size);
  }
}

/* The larger part of a complex number counts. */
dap_scalapack_int dap_linalg_first_defect(const dap_linalg_call *call, const dap_scalapack_matrix *view,
                                          dap_defect defect)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, 0, at);)
    if (has(defect, dap_linalg_largest_part(call, dap_linalg_element(&part, at[0], at[1]), 1),
            call->lib->tiny))
      return (dap_scalapack_int)dap_linalg_global(&part, 0, at[0]) + 1;
  return 0;
}

dap_status dap_linalg_check_diagonal(dap_linalg_call *call, const dap_scalapack_matrix *view,
                                     dap_defect defect, const char *name, const char *what)
{
  dap_scalapack_int found = dap_linalg_first_defect(call, view, defect);
  DAP_TRY(dap_linalg_info(call, "the diagonal", &found));
  if (found == 0) return DAP_OK;
  const int64_t k = found;
  return dap_linalg_numeric(call, k, "%s(%" PRId64 ", %" PRId64 ") is %s", name, k, k, what);
}

dap_status dap_lu_factor(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_lu *lu)
{
  *lu = (dap_lu){.matrix = view};
  int64_t extents[2];
  dap_linalg_local(view, extents);
  DAP_TRY(dap_linalg_work(call, extents[0] + view->desc[DAP_MB], dap_linalg_integer(), &lu->pivots));
  DAP_TRY(dap_linalg_finite(call, view, 'A'));
  DAP_TRY(dap_linalg_scale(call, view, 'A', true, &lu->sigma));
  dap_scalapack_int info;
  call->lib->getrf(&view->m, &view->n, DAP_MATRIX(view), lu->pivots, &info);
  if (info == 0) info = dap_linalg_first_defect(call, view, DAP_DEFECT_ZERO); /* getrf overlooks 1 x 1 */
  DAP_TRY(dap_linalg_info(call, "getrf", &info));
  lu->singular = info;
  char what[160]; /* such an element spoils all that follow */
  (void)snprintf(
      what, sizeof what,
      "not finite: elements of A are too unlike in size for %s. Scale its rows or columns, or solve "
      "with error bounds, which does",
      dap_dtype_name(call->lib->dtype));
  return dap_linalg_check_diagonal(call, view, DAP_DEFECT_NOT_FINITE, "U", what);
}

dap_status dap_lu_regular(dap_linalg_call *call, const dap_lu *lu)
{
  if (lu->singular == 0)
    return dap_linalg_check_diagonal(call, lu->matrix, DAP_DEFECT_SUBNORMAL, "U",
                                     "subnormal in the LU factors");
  return dap_linalg_numeric(call, lu->singular,
                            "A is singular: U(%" PRId64 ", %" PRId64 ") is zero in the LU factors of %s",
                            lu->singular, lu->singular, lu->matrix->op == 'N' ? "A" : "its transpose");
}

dap_status dap_lu_pivots(dap_linalg_call *call, const dap_lu *lu, dap_scalapack_int **pivots)
{
  dap_scalapack_int *all;
  DAP_TRY(dap_linalg_work(call, lu->matrix->m, dap_linalg_integer(), &all));
  const dap_linalg_part part = dap_linalg_part_of(call, lu->matrix);
  for (int64_t i = 0; i < part.extents[0] && part.coords[1] == 0; i++) /* every process column has them all */
    all[dap_linalg_global(&part, 0, i)] = lu->pivots[i];
  *pivots = all;
  return dap_linalg_reduce(call, all, lu->matrix->m, dap_dtype_mpi(dap_linalg_integer()), MPI_SUM);
}
