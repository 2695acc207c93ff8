/* LU factors. */
#include "system_impl.h"

#include <inttypes.h>

enum { MB = 4 }; /* of a descriptor */

/* The first zero on this process's part of the diagonal, 1-based; 0: none. */
static dap_scalapack_int first_zero(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, at);) {
    double value[2];
    dap_linalg_value(&part, at[0], at[1], value);
    if (value[0] == 0 && value[1] == 0) return (dap_scalapack_int)dap_linalg_global(&part, 0, at[0]) + 1;
  }
  return 0;
}

dap_status dap_linalg_first_zero(dap_linalg_call *call, const dap_scalapack_matrix *view,
                                 dap_scalapack_int *first)
{
  *first = first_zero(call, view);
  return dap_linalg_info(call, "the diagonal", first);
}

dap_status dap_lu_factor(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_lu *lu)
{
  *lu = (dap_lu){.matrix = view};
  int64_t extents[2];
  dap_linalg_local(view, extents);
  void *pivots;
  DAP_TRY(dap_linalg_work(call, extents[0] + view->desc[MB], dap_linalg_integer(), &pivots));
  DAP_TRY(dap_linalg_finite(call, view, 'A'));
  lu->pivots = pivots;

  dap_scalapack_int info;
  call->lib->getrf(&view->m, &view->n, view->data, &view->ia, &view->ja, view->desc, lu->pivots, &info);
  if (info == 0) info = first_zero(call, view); /* getrf does not look at a matrix of one element */
  DAP_TRY(dap_linalg_info(call, "getrf", &info));
  lu->singular = info;
  return DAP_OK;
}

dap_status dap_lu_regular(dap_linalg_call *call, const dap_lu *lu)
{
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
