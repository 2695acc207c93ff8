/* Makes one process's part of an array from a layout, and releases it. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Memory that an array keeps until it is released. */
typedef struct keep {
  void *buffer;
  dap_layout *layout; /* owns the indices of 'u' axes; NULL: there are none */
} keep;

static void release_keep(dap_array *array)
{
  keep *kept = array->private_data;
  dap_lines_free(kept->buffer);
  dap_layout_destroy(&kept->layout);
  free(kept);
}

bool dap_layout_has_lists(const dap_layout *layout)
{
  for (int k = 0; k < layout->ndim; k++)
    if (layout->maps[k].axis.dist_type == 'u') return true;
  return false;
}

static dap_status start_keep(dap_array *array, const dap_layout *layout, keep **kept, dap_error *err)
{
  *kept = calloc(1, sizeof **kept);
  DAP_REQUIRE(*kept, err, DAP_ERR_NOMEM, "no memory for an array");
  (*kept)->layout = dap_layout_has_lists(layout) ? dap_layout_retain(layout) : NULL;
  array->private_data = *kept;
  array->release = release_keep;
  return DAP_OK;
}

static dap_status allocate(dap_array *array, int64_t bytes, keep *kept, dap_error *err)
{
  if (bytes == 0) return DAP_OK;
  array->data = kept->buffer = dap_lines_allocate(bytes);
  DAP_REQUIRE(array->data, err, DAP_ERR_NOMEM, "no memory for a buffer of %" PRId64 " bytes", bytes);
  return DAP_OK;
}

static dap_status export(dap_array *array, const dap_layout *layout, const char *version, const int coords[],
                         dap_error *err)
{
  for (int k = 0; k < layout->ndim; k++)
    DAP_TRY(dap_layout_dim(layout, version, k, coords[k], &array->dims[k], err));
  const dap_dialect *dialect = dap_dialect_find(version); /* no axis of a scalar has checked it */
  DAP_RULE(2, dialect, err, DAP_ERR_VERSION, "version '%.32s' is not 0.0.1, 0.9.* or 0.10.*", version);
  memcpy(array->version, dialect->exported, strlen(dialect->exported) + 1);
  return DAP_OK;
}

dap_status dap_array_describe(dap_array *array, const dap_layout *layout, int rank, const char *version,
                              dap_error *err)
{
  int coords[DAP_MAX_NDIM];
  array->abi = DAP_ARRAY_ABI;
  array->dim_count = array->ndim = layout->ndim;
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < layout->ndim; k++) array->shape[k] = dap_layout_extent(layout, k, coords[k]);
  if (version) return export(array, layout, version, coords, err);
  dap_error error; /* err is untouched if the other version has words for the layout */
  const dap_status s = export(array, layout, "0.10.0", coords, &error);
  if (s == DAP_ERR_UNSUPPORTED) return export(array, layout, "0.9.0", coords, err);
  if (s && err) *err = error;
  return s;
}

static bool is_empty(const dap_array *array)
{
  for (int k = 0; k < array->ndim; k++)
    if (array->shape[k] == 0) return true;
  return false;
}

dap_status dap_array_set_strides(dap_array *array, dap_order order, dap_pitch *pitch, int64_t *bytes,
                                 dap_error *err)
{
  const int64_t itemsize = dap_dtype_size(array->dtype);
  *bytes = itemsize;
  for (int i = 0; i < array->ndim; i++) {
    const int k = order == DAP_ORDER_C ? array->ndim - 1 - i : i;
    array->strides[k] = *bytes;
    bool fits = dap_multiply(*bytes, array->shape[k] > 0 ? array->shape[k] : 1, bytes);
    if (fits && i == 0 && array->ndim > 1 && pitch) fits = pitch(*bytes, bytes);
    DAP_REQUIRE(fits || is_empty(array), err, DAP_ERR_RANGE, "axis %d: the buffer exceeds 2^63 - 1 bytes", k);
    if (!fits) *bytes = itemsize; /* the buffer is empty, so any stride is right */
  }
  if (is_empty(array)) *bytes = 0;
  return DAP_OK;
}

/* C converts between int and enum without a warning, so callers may exchange rank and dtype. */
static const char *hint_exchanged(const dap_layout *layout, int rank, int dtype)
{
  const bool fits = dtype >= 0 && dtype < layout->nprocs && dap_dtype_size((dap_dtype)rank) > 0;
  return fits ? "; were rank and dtype exchanged?" : "";
}

static dap_status fill(dap_array *array, const dap_layout *layout, int rank, dap_dtype dtype, dap_order order,
                       void *data, dap_error *err)
{
  DAP_TRY(dap_layout_check(layout, err));
  DAP_REQUIRE(rank >= 0 && rank < layout->nprocs, err, DAP_ERR_ARG, "rank %d is outside 0 .. %d%s", rank,
              layout->nprocs - 1, hint_exchanged(layout, rank, (int)dtype));
  DAP_REQUIRE(dap_dtype_size(dtype) > 0, err, DAP_ERR_ARG, "dtype %d is not an element type%s", (int)dtype,
              hint_exchanged(layout, rank, (int)dtype));
  DAP_REQUIRE(order == DAP_ORDER_C || order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "order %d is neither 'C' nor 'F'", (int)order);
  DAP_TRY(dap_array_describe(array, layout, rank, NULL, err));
  array->dtype = dtype;
  int64_t bytes;
  DAP_TRY(dap_array_set_strides(array, order, NULL, &bytes, err));
  array->data = data;
  if (data && !dap_layout_has_lists(layout)) return DAP_OK;
  keep *kept;
  DAP_TRY(start_keep(array, layout, &kept, err));
  return data ? DAP_OK : allocate(array, bytes, kept, err);
}

dap_status dap_array_init(dap_array *array, const dap_layout *layout, int rank, dap_dtype dtype,
                          dap_order order, void *data, dap_error *err)
{
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array must not be NULL");
  *array = (dap_array){0};
  const dap_status s = fill(array, layout, rank, dtype, order, data, err);
  if (s) dap_array_release(array);
  return s;
}

void dap_array_release(dap_array *array)
{
  if (!array) return;
  if (array->release) array->release(array);
  *array = (dap_array){0};
}

int64_t dap_array_count(const dap_array *array)
{
  int64_t count = !is_empty(array);
  for (int k = 0; k < array->ndim && count > 0; k++) count *= array->shape[k];
  return count;
}

int64_t dap_array_bytes(const dap_array *array)
{
  return dap_array_count(array) * dap_dtype_size(array->dtype);
}
