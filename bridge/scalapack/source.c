/* The caller's buffer behind a moved view. Plans move bytes, not numbers: where the elements are in the other
 * byte order they work on a copy in this machine's. */
#include "scalapack_impl.h"

#include <stdlib.h>

/* A buffer of the same extents and order. Its dictionaries do not matter, so they are those of an array of one
 * process, which any layout has. */
static dap_status make_native(const dap_array *array, dap_array *native, dap_error *err)
{
  const dap_dist whole[2] = {dap_dist_even(array->shape[0], 1), dap_dist_even(array->shape[1], 1)};
  const bool is_matrix = array->shape[0] > 1 && array->shape[1] > 1; /* else strides say nothing */
  const bool fortran = is_matrix && llabs(array->strides[0]) < llabs(array->strides[1]);
  dap_layout *here;
  DAP_TRY(dap_layout_create(2, whole, &here, err));
  const dap_order order = fortran ? DAP_ORDER_F : DAP_ORDER_C;
  const dap_status status = dap_array_init(native, here, 0, array->dtype, order, NULL, err);
  dap_layout_destroy(&here);
  return status;
}

dap_status dap_scalapack_source_make(const dap_scalapack_request *request, dap_scalapack_source *source,
                                     dap_error *err)
{
  const dap_array *array = &request->array;
  int coords[DAP_MAX_NDIM];
  *source = (dap_scalapack_source){.origin = *array};
  source->origin.release = NULL; /* borrowed */
  for (int k = 0; k < 2; k++)
    source->part = source->part || request->shape[k] != dap_layout_size(request->layout, k);
  if (request->member < 0) return DAP_OK; /* nothing is here */
  dap_layout_coords(request->layout, request->member, coords);
  for (int k = 0; k < 2; k++) dap_layout_halo(request->layout, k, coords[k], source->halo[k]);
  return array->swapped ? make_native(array, &source->native, err) : DAP_OK;
}

void dap_scalapack_source_release(dap_scalapack_source *source)
{
  dap_array_release(&source->native);
}

const dap_array *dap_scalapack_source_array(const dap_scalapack_source *source)
{
  return source->origin.swapped ? &source->native : &source->origin;
}

/* The buffer without its communication padding. */
static dap_array inner(const dap_scalapack_source *source, const dap_array *array)
{
  dap_array part = *array;
  part.release = NULL;
  for (int k = 0; k < 2; k++) part.shape[k] -= source->halo[k][0] + source->halo[k][1];
  if (dap_array_count(&part) == 0) return part; /* the first element may not be there */
  for (int k = 0; k < 2; k++) part.data = (char *)part.data + source->halo[k][0] * part.strides[k];
  return part;
}

static dap_status copy(const dap_scalapack_source *source, const dap_array *from, const dap_array *to,
                       int64_t *moved, dap_error *err)
{
  if (!source->origin.swapped) return DAP_OK;
  const dap_array a = inner(source, from), b = inner(source, to);
  DAP_TRY(dap_array_copy(&a, &b, err));
  *moved += dap_array_bytes(&b);
  return DAP_OK;
}

dap_status dap_scalapack_source_fetch(const dap_scalapack_source *source, int64_t *moved, dap_error *err)
{
  return copy(source, &source->origin, &source->native, moved, err);
}

dap_status dap_scalapack_source_store(const dap_scalapack_source *source, int64_t *moved, dap_error *err)
{
  return copy(source, &source->native, &source->origin, moved, err);
}
