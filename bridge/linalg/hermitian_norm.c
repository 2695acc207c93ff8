/* The norm of a Hermitian matrix by one of its triangles. (lansy and lanhe need square blocks on square
 * grids' diagonals: model/routines.c; sums of their own need nothing.) */
#include "factors_impl.h"

#include <math.h>

dap_status dap_linalg_hermitian_norm(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *view,
                                     double *value)
{
  void *space;
  DAP_TRY(dap_linalg_work(call, view->n, DAP_F8, &space));
  double *sums = space;
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t col = 0; col < part.extents[1]; col++) {
    const int64_t j = dap_linalg_global(&part, 1, col);
    for (int64_t row = 0; row < part.extents[0]; row++) {
      const int64_t i = dap_linalg_global(&part, 0, row);
      if (uplo == 'L' ? i < j : i > j) continue;
      double x[2];
      dap_linalg_value(&part, row, col, x);
      const double size = i == j ? fabs(x[0]) : hypot(x[0], x[1]); /* real there */
      sums[j] += size;
      if (i != j) sums[i] += size;
    }
  }
  DAP_TRY(dap_linalg_sums(call, sums, view->n));
  *value = 0;
  for (int64_t j = 0; j < view->n; j++) *value = fmax(*value, sums[j]);
  return DAP_OK;
}
