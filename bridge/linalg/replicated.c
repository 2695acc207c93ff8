/* A result that every process has whole, as eigenvalues are, into a distributed vector. */
#include "linalg_impl.h"

/* Stores one number, the bytes of each part in the array's order. */
static void store(const dap_array *array, int64_t index, const char *value)
{
  char *to = (char *)array->data + index * array->strides[0];
  const bool is_complex = array->dtype == DAP_C8 || array->dtype == DAP_C16;
  const int64_t item = dap_dtype_size(array->dtype), part = is_complex ? item / 2 : item;
  for (int64_t b = 0; b < item; b++)
    to[b] = value[array->swapped ? b / part * part + part - 1 - b % part : b];
}

/* All but the communication padding: also the copies of elements of a 'u' axis. */
dap_status dap_linalg_store_replicated(dap_linalg_call *call, int i, const void *values)
{
  const dap_layout *layout = call->arguments.operands[i].operand.layout;
  const dap_array *array = call->arguments.operands[i].operand.local;
  const int64_t item = dap_dtype_size(array->dtype);
  int coords[DAP_MAX_NDIM];
  int64_t halo[2], moved = 0;
  dap_layout_coords(layout, call->rank, coords);
  dap_layout_halo(layout, 0, coords[0], halo);
  const int64_t stop = dap_array_count(array) > 0 ? array->shape[0] - halo[1] : 0;
  for (int64_t index = halo[0]; index < stop; index++) {
    const int64_t local[2] = {index, 0}; /* of a column's one column */
    int64_t global[2];
    DAP_TRY(dap_layout_globalize(layout, call->rank, local, global, NULL, call->err));
    store(array, index, (const char *)values + global[0] * item);
    moved += item;
  }
  dap_linalg_note(call, i, moved, "every process computes all values and stores its own");
  return DAP_OK;
}
