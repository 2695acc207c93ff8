/* Copies chunks of a process's rows, in any strides and byte order, to and from contiguous columns. A first
 * look at A and B finds NaN, infinity and the largest element. */
#include "tsqr_impl.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Returns the row of the array with which chunk `c` begins. Numbers of rows differ by at most one. */
static int64_t first_row(const dap_tsqr *t, const dap_array *array, int64_t c)
{
  const int64_t all = array->shape[t->along], each = all / t->chunks, longer = all % t->chunks;
  return c * each + (c < longer ? c : longer);
}

static dap_array chunk_of(const dap_tsqr *t, const dap_array *array, int64_t c)
{
  dap_array part = *array;
  const int64_t first = first_row(t, array, c);
  part.shape[t->along] = first_row(t, array, c + 1) - first;
  if (dap_array_count(&part) > 0) part.data = (char *)part.data + first * part.strides[t->along];
  return part;
}

/* Returns columns of t->rows elements without gaps as an array with the axes of `chunk`. */
static dap_array columns_of(const dap_tsqr *t, const dap_array *chunk, void *values)
{
  dap_array columns = *chunk;
  const int64_t item = dap_dtype_size(chunk->dtype);
  columns.strides[t->along] = item;
  columns.strides[1 - t->along] = t->rows * item;
  columns.data = values;
  columns.readonly = columns.swapped = false;
  return columns;
}

dap_status dap_tsqr_read(const dap_tsqr *t, const dap_array *from, int64_t c, void *values, dap_error *err)
{
  const dap_array chunk = chunk_of(t, from, c), columns = columns_of(t, &chunk, values);
  const int64_t item = dap_dtype_size(from->dtype), rows = chunk.shape[t->along];
  for (int64_t j = 0; j < from->shape[1 - t->along] && rows < t->rows; j++)
    memset((char *)values + (j * t->rows + rows) * item, 0, (size_t)((t->rows - rows) * item));
  return dap_array_copy(&chunk, &columns, err);
}

dap_status dap_tsqr_write(const dap_tsqr *t, const dap_array *to, int64_t c, void *values, dap_error *err)
{
  const dap_array chunk = chunk_of(t, to, c), columns = columns_of(t, &chunk, values);
  return dap_array_copy(&columns, &chunk, err);
}

/* ---- the first look ---------------------------------------------------------------------------------- */

/* Fails with the place where chunk `c`, which was read, has an element that is not finite. */
static dap_status place(const dap_linalg_call *call, const dap_tsqr *t, int64_t c, dap_error *err)
{
  const dap_layout *layout = t->a.layout;
  const int64_t item = call->lib->item, total = t->rows * t->n;
  int64_t at = 0, local[2], global[2];
  while (at < total && isfinite(dap_linalg_largest_part(call, (const char *)t->chunk.v + at * item, 1))) at++;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, call->rank, coords);
  local[t->along] = first_row(t, &t->a.part, c) + at % t->rows;
  local[1 - t->along] = at / t->rows;
  for (int k = 0; k < 2; k++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, coords[k], halo);
    local[k] += halo[0];
  }
  DAP_TRY(dap_layout_globalize(layout, call->rank, local, global, NULL, err));
  return dap_fail(err, DAP_ERR_NUMERIC, "%s has an element that is not finite, at (%" PRId64 ", %" PRId64 ")",
                  call->arguments.operands[0].name, global[0], global[1]);
}

static dap_status scan(const dap_linalg_call *call, const dap_tsqr *t, bool of_b, double *most,
                       dap_error *err)
{
  const dap_array *from = of_b ? &t->b.part : &t->a.part;
  for (int64_t c = 0; c < t->chunks; c++) {
    DAP_TRY(dap_tsqr_read(t, from, c, t->chunk.v, err));
    const double size = dap_linalg_largest_part(call, t->chunk.v, t->rows * from->shape[1 - t->along]);
    if (!of_b && !isfinite(size)) return place(call, t, c, err);
    *most = isfinite(size) ? fmax(*most, size) : INFINITY;
  }
  return DAP_OK;
}

dap_status dap_tsqr_scan(dap_linalg_call *call, const dap_tsqr *t, bool of_b, double *most)
{
  *most = 0;
  DAP_TRY(dap_agree(call->comm, scan(call, t, of_b, most, call->err), call->err));
  DAP_TRY(dap_linalg_most(call, most, 1));
  if (!isfinite(*most)) *most = 0;
  return DAP_OK;
}
