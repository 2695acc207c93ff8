/* Reads and writes the elements of a view that this process has. */
#include "linalg_impl.h"

#include <math.h>

void dap_linalg_local(const dap_scalapack_matrix *view, int64_t extents[2])
{
  dap_scalapack_int procs[2], coords[2];
  Cblacs_gridinfo(view->desc[DAP_CTXT], &procs[0], &procs[1], &coords[0], &coords[1]);
  for (int k = 0; k < 2; k++)
    extents[k] = coords[k] < 0 ? 0
                               : numroc_(&view->desc[DAP_M + k], &view->desc[DAP_MB + k], &coords[k],
                                         &view->desc[DAP_RSRC + k], &procs[k]);
}

dap_linalg_part dap_linalg_part_of(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  dap_linalg_part part = {
      .view = view, .item = call->lib->item, .real = call->lib->real, .components = call->lib->parts};
  dap_linalg_local(view, part.extents);
  Cblacs_gridinfo(view->desc[DAP_CTXT], &part.procs[0], &part.procs[1], &part.coords[0], &part.coords[1]);
  return part;
}

int64_t dap_linalg_global(const dap_linalg_part *part, int axis, int64_t local)
{
  const int64_t block = part->view->desc[DAP_MB + axis], procs = part->procs[axis];
  const int64_t offset = (part->coords[axis] - part->view->desc[DAP_RSRC + axis] + procs) % procs;
  return (local / block * procs + offset) * block + local % block;
}

void *dap_linalg_element(const dap_linalg_part *part, int64_t row, int64_t col)
{
  return (char *)part->view->data + (row + col * part->view->desc[DAP_LLD]) * part->item;
}

void dap_linalg_value(const dap_linalg_part *part, int64_t row, int64_t col, double value[2])
{
  const void *at = dap_linalg_element(part, row, col);
  for (int c = 0; c < 2; c++) value[c] = c < part->components ? dap_linalg_get_real(part->real, at, c) : 0;
}

void dap_linalg_set(const dap_linalg_part *part, int64_t row, int64_t col, const double value[2])
{
  void *at = dap_linalg_element(part, row, col);
  for (int c = 0; c < 2 && c < part->components; c++) dap_linalg_put_real(part->real, at, c, value[c]);
}

double dap_linalg_size(const dap_linalg_part *part, int64_t row, int64_t col)
{
  double value[2];
  dap_linalg_value(part, row, col, value);
  return part->components == 1 ? fabs(value[0]) : hypot(value[0], value[1]);
}

bool dap_linalg_within(const dap_linalg_part *part, char uplo, int64_t row, int64_t col)
{
  if (uplo == 'A') return true;
  const int64_t below = dap_linalg_global(part, 0, row) - dap_linalg_global(part, 1, col);
  if (below == 0) return uplo == 'L' || uplo == 'U';
  return (uplo == 'L' || uplo == 'l') == (below > 0);
}

void dap_linalg_conjugate(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t at[2] = {-1, 0}; part.components == 2 && dap_linalg_next(&part, at);) {
    double value[2];
    dap_linalg_value(&part, at[0], at[1], value);
    value[1] = -value[1];
    dap_linalg_set(&part, at[0], at[1], value);
  }
}

void dap_linalg_make_diagonal_real(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, 0, at);) {
    double value[2] = {0};
    dap_linalg_value(&part, at[0], at[1], value);
    value[1] = 0;
    dap_linalg_set(&part, at[0], at[1], value);
  }
}

bool dap_linalg_next_diagonal(const dap_linalg_part *part, int64_t right, int64_t at[2])
{
  for (at[0]++, at[1]++; at[0] < part->extents[0] && at[1] < part->extents[1];) {
    const int64_t row = dap_linalg_global(part, 0, at[0]), col = dap_linalg_global(part, 1, at[1]) - right;
    if (row == col) return true;
    at[row < col ? 0 : 1]++;
  }
  return false;
}
