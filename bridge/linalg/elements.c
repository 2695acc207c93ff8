/* Reads and writes the elements of a view that this process has. */
#include "linalg_impl.h"

#include <math.h>

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

dap_status dap_linalg_diagonal(dap_linalg_call *call, const dap_scalapack_matrix *view, int below, int right,
                               int64_t count, double values[])
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t k = 0; k < count; k++) values[k] = 0;
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, right - below, at);) {
    const int64_t i = dap_linalg_global(&part, 0, at[0]) - below;
    double value[2];
    dap_linalg_value(&part, at[0], at[1], value);
    if (i >= 0 && i < count) values[i] = value[0];
  }
  return dap_linalg_sums(call, values, count);
}

/* Compilers vectorise these loops. */
static void of_complex(const dap_linalg_part *part, const void *at, int64_t count, double to[])
{
  const float *single = at;
  const double *wide = at;
  for (int64_t i = 0; i < count; i++)
    to[i] = part->real == DAP_F4 ? hypot((double)single[2 * i], (double)single[2 * i + 1])
                                 : hypot(wide[2 * i], wide[2 * i + 1]);
}

int64_t dap_linalg_stretch(const dap_linalg_part *part, int64_t row)
{
  const int64_t left = part->extents[0] - row;
  return left < DAP_LINALG_STRETCH ? left : DAP_LINALG_STRETCH;
}

void dap_linalg_magnitudes(const dap_linalg_part *part, int64_t row, int64_t col, int64_t count, double to[])
{
  const void *at = dap_linalg_element(part, row, col);
  if (part->components == 2) {
    of_complex(part, at, count, to);
  } else if (part->real == DAP_F4) {
    for (int64_t i = 0; i < count; i++) to[i] = fabs((double)((const float *)at)[i]);
  } else {
    for (int64_t i = 0; i < count; i++) to[i] = fabs(((const double *)at)[i]);
  }
}

double dap_linalg_total(const double values[], int64_t count)
{
  enum { LANES = 8 }; /* additions that do not wait for each other, and lose fewer digits */
  double lanes[LANES] = {0}, total = 0;
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int k = 0; k < LANES; k++) lanes[k] += values[i + k];
  for (; i < count; i++) total += values[i];
  for (int k = 0; k < LANES; k++) total += lanes[k];
  return total;
}
