/* The norm of a Hermitian matrix by one of its triangles. ScaLAPACK's lansy and lanhe need square blocks on
 * the diagonals of square grids (model/routines.c). The sums here need nothing. */
#include "factors_impl.h"

#include <math.h>

/* Adds elements of a column on one side of the diagonal, and their mirror images, which are in a row. */
static void add_stretch(const dap_linalg_part *part, int64_t row, int64_t col, int64_t count, double sums[])
{
  double sizes[DAP_LINALG_STRETCH];
  double *mirror = sums + dap_linalg_global(part, 0, row);
  dap_linalg_magnitudes(part, row, col, count, sizes);
  sums[dap_linalg_global(part, 1, col)] += dap_linalg_total(sizes, count);
  for (int64_t i = 0; i < count; i++) mirror[i] += sizes[i];
}

/* Adds a single element. Imaginary parts on the diagonal count as 0. */
static void add_element(const dap_linalg_part *part, int64_t row, int64_t col, double sums[])
{
  double x[2];
  if (dap_linalg_global(part, 0, row) != dap_linalg_global(part, 1, col)) {
    add_stretch(part, row, col, 1, sums);
    return;
  }
  dap_linalg_value(part, row, col, x);
  sums[dap_linalg_global(part, 1, col)] += fabs(x[0]);
}

/* Adds a column by stretches within one block of rows, whose rows follow each other in the matrix. */
static void add_column(const dap_linalg_part *part, char uplo, int64_t col, double sums[])
{
  const int64_t block = part->view->desc[DAP_MB], j = dap_linalg_global(part, 1, col);
  for (int64_t row = 0, count; row < part->extents[0]; row += count) {
    const int64_t first = dap_linalg_global(part, 0, row);
    count = dap_linalg_stretch(part, row);
    if (count > block - row % block) count = block - row % block;
    const int64_t last = first + count - 1;
    if (uplo == 'L' ? first > j : last < j)
      add_stretch(part, row, col, count, sums);
    else
      for (int64_t k = 0; k < count; k++) /* across the diagonal, or on its other side */
        if (uplo == 'L' ? first + k >= j : first + k <= j) add_element(part, row + k, col, sums);
  }
}

dap_status dap_linalg_hermitian_norm(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *view,
                                     double *value)
{
  double *sums;
  DAP_TRY(dap_linalg_work(call, view->n, DAP_F8, &sums));
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t col = 0; col < part.extents[1]; col++) add_column(&part, uplo, col, sums);
  DAP_TRY(dap_linalg_sums(call, sums, view->n));
  *value = 0;
  for (int64_t j = 0; j < view->n; j++) *value = fmax(*value, sums[j]);
  return DAP_OK;
}
