/* Elements of a view that this process has, one by one. */
#include "linalg_impl.h"

enum { CTXT = 1, MB = 4, RSRC = 6 }; /* of a descriptor; what concerns columns follows what concerns rows */

dap_linalg_part dap_linalg_part_of(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  dap_linalg_part part = {.view = view,
                          .item = dap_dtype_size(call->lib->dtype),
                          .single = call->lib->real == DAP_F4,
                          .components = dap_linalg_is_complex(call) ? 2 : 1};
  dap_linalg_local(view, part.extents);
  Cblacs_gridinfo(view->desc[CTXT], &part.procs[0], &part.procs[1], &part.coords[0], &part.coords[1]);
  return part;
}

int64_t dap_linalg_global(const dap_linalg_part *part, int axis, int64_t local)
{
  const int64_t block = part->view->desc[MB + axis], procs = part->procs[axis];
  const int64_t offset = (part->coords[axis] - part->view->desc[RSRC + axis] + procs) % procs;
  return (local / block * procs + offset) * block + local % block;
}

void *dap_linalg_element(const dap_linalg_part *part, int64_t row, int64_t col)
{
  enum { LLD = 8 };
  return (char *)part->view->data + (row + col * part->view->desc[LLD]) * part->item;
}

/* Component `c`, 0 or 1, of the element at `at`. */
static double component(const dap_linalg_part *part, const void *at, int c)
{
  if (c >= part->components) return 0;
  return part->single ? (double)((const float *)at)[c] : ((const double *)at)[c];
}

void dap_linalg_value(const dap_linalg_part *part, int64_t row, int64_t col, double value[2])
{
  const void *at = dap_linalg_element(part, row, col);
  for (int c = 0; c < 2; c++) value[c] = component(part, at, c);
}

void dap_linalg_set(const dap_linalg_part *part, int64_t row, int64_t col, const double value[2])
{
  void *at = dap_linalg_element(part, row, col);
  for (int c = 0; c < part->components; c++) {
    if (part->single)
      ((float *)at)[c] = (float)value[c];
    else
      ((double *)at)[c] = value[c];
  }
}

void dap_linalg_conjugate(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  if (part.components < 2) return;
  for (int64_t j = 0; j < part.extents[1]; j++) {
    for (int64_t i = 0; i < part.extents[0]; i++) {
      double value[2];
      dap_linalg_value(&part, i, j, value);
      value[1] = -value[1];
      dap_linalg_set(&part, i, j, value);
    }
  }
}

dap_status dap_linalg_diagonal(dap_linalg_call *call, const dap_scalapack_matrix *view, int below, int right,
                               int64_t count, double values[])
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t k = 0; k < count; k++) values[k] = 0;
  for (int64_t row = 0, col = 0; row < part.extents[0] && col < part.extents[1];) {
    const int64_t i = dap_linalg_global(&part, 0, row) - below;
    const int64_t j = dap_linalg_global(&part, 1, col) - right;
    double value[2];
    if (i == j && i >= 0 && i < count) {
      dap_linalg_value(&part, row, col, value);
      values[i] = value[0];
    }
    if (i <= j) row++;
    if (j <= i) col++;
  }
  return dap_linalg_sums(call, values, count);
}

bool dap_linalg_next_diagonal(const dap_linalg_part *part, int64_t at[2])
{
  for (at[0]++, at[1]++; at[0] < part->extents[0] && at[1] < part->extents[1];) {
    const int64_t row = dap_linalg_global(part, 0, at[0]), col = dap_linalg_global(part, 1, at[1]);
    if (row == col) return true;
    at[row < col ? 0 : 1]++;
  }
  return false;
}
