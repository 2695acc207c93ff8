/* A swapped array in this machine's byte order, with the strides that it has. */
#include "view_impl.h"

#include <stdlib.h>

/* Bytes from the lowest element to element (0, ..., 0), and from there to behind the highest. */
static void extent(const dap_array *array, int64_t *below, int64_t *above)
{
  *below = 0;
  *above = dap_dtype_size(array->dtype);
  for (int k = 0; k < array->ndim; k++) {
    const int64_t span = (array->shape[k] - 1) * array->strides[k];
    if (span < 0) *below -= span;
    if (span > 0) *above += span;
  }
}

static bool is_copied(const dap_view *view)
{
  return view->local.swapped && dap_array_count(&view->local) > 0;
}

void dap_view_native_free(dap_view *view)
{
  free(dap_live(view)->native);
}

void *dap_view_native_data(dap_view *view)
{
  int64_t below, above;
  if (!is_copied(view)) return view->local.data;
  extent(&view->local, &below, &above);
  return dap_live(view)->native ? (char *)dap_live(view)->native + below : NULL;
}

static dap_status copy(dap_view *view, bool load, dap_error *err)
{
  if (!is_copied(view)) return DAP_OK;
  dap_array origin = view->local, native = view->local;
  native.swapped = native.readonly = false;
  native.data = dap_view_native_data(view);
  for (int k = 0; k < origin.ndim; k++) /* what is repeated is copied once */
    if (origin.strides[k] == 0) origin.shape[k] = native.shape[k] = 1;
  return load ? dap_array_copy(&origin, &native, err) : dap_array_copy(&native, &origin, err);
}

dap_status dap_view_native_load(dap_view *view, dap_error *err)
{
  int64_t below, above;
  if (is_copied(view) && !dap_live(view)->native) {
    extent(&view->local, &below, &above);
    dap_live(view)->native = calloc(1, (size_t)(below + above));
    DAP_REQUIRE(dap_live(view)->native, err, DAP_ERR_NOMEM, "no memory for the elements in this byte order");
  }
  return copy(view, true, err);
}

dap_status dap_view_native_store(dap_view *view, dap_error *err)
{
  return copy(view, false, err);
}
