/* Chunks of a process's rows, in any strides and byte order, to and from contiguous columns. */
#include "tsqr_impl.h"

#include <string.h>

/* Rows of the array in chunk `c`: the last one may have less than t->rows, or none. */
static int64_t rows_in(const dap_tsqr *t, const dap_array *array, int64_t c)
{
  const int64_t left = array->shape[t->along] - c * t->rows;
  return left < t->rows ? left : t->rows;
}

static dap_array chunk_of(const dap_tsqr *t, const dap_array *array, int64_t c)
{
  dap_array part = *array;
  part.shape[t->along] = rows_in(t, array, c);
  if (dap_array_count(&part) > 0) part.data = (char *)part.data + c * t->rows * part.strides[t->along];
  return part;
}

/* Columns of t->rows elements without gaps, seen along the array's axes. */
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
