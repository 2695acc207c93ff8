/* One process' part of an array: filled from a layout, checked, released. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 /* bytes: a cache line, and an AVX-512 register */ };

static const char exported_version[] = "0.10.0";

/* ---- filled from a layout --------------------------------------------------------------------- */

static void free_buffer(dap_array *array)
{
  free(array->private_data);
}

static dap_status allocate(dap_array *array, int64_t bytes, dap_error *err)
{
  if (bytes == 0) return DAP_OK;
  DAP_REQUIRE(bytes <= INT64_MAX - ALIGNMENT, err, DAP_ERR_RANGE, "the buffer exceeds 2^63 - 1 bytes");
  const size_t rounded = ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  array->data = aligned_alloc(ALIGNMENT, rounded);
  DAP_REQUIRE(array->data, err, DAP_ERR_NOMEM, "no memory for a buffer of %" PRId64 " bytes", bytes);
  memset(array->data, 0, rounded);
  array->private_data = array->data;
  array->release = free_buffer;
  return DAP_OK;
}

static void describe_buffer(dap_array *array, const dap_layout *layout, int rank)
{
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < layout->ndim; k++) {
    array->dims[k] = dap_layout_dim(layout, k, coords[k]);
    array->shape[k] = dap_layout_extent(layout, k, coords[k]);
  }
}

static bool is_empty(const dap_array *array)
{
  for (int k = 0; k < array->ndim; k++)
    if (array->shape[k] == 0) return true;
  return false;
}

/* Contiguous strides; an extent of 0 counts as 1, so that those of an empty buffer stay usable. */
static dap_status set_strides(dap_array *array, dap_order order, dap_error *err)
{
  const int64_t itemsize = dap_dtype_size(array->dtype);
  int64_t stride = itemsize;
  for (int i = 0; i < array->ndim; i++) {
    const int k = order == DAP_ORDER_C ? array->ndim - 1 - i : i;
    array->strides[k] = stride;
    if (dap_multiply(stride, array->shape[k] > 0 ? array->shape[k] : 1, &stride)) continue;
    DAP_REQUIRE(is_empty(array), err, DAP_ERR_RANGE, "dim %d: the buffer exceeds 2^63 - 1 bytes", k);
    stride = itemsize; /* of no element */
  }
  return DAP_OK;
}

static dap_status fill(dap_array *array, const dap_layout *layout, int rank, dap_dtype dtype, dap_order order,
                       void *data, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  DAP_REQUIRE(rank >= 0 && rank < layout->nprocs, err, DAP_ERR_ARG, "rank %d is outside 0 .. %d", rank,
              layout->nprocs - 1);
  DAP_REQUIRE(dap_dtype_size(dtype) > 0, err, DAP_ERR_ARG, "dtype %d is no element type", (int)dtype);
  DAP_REQUIRE(order == DAP_ORDER_C || order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "order %d is neither 'C' nor 'F'", (int)order);
  array->abi = DAP_ARRAY_ABI;
  memcpy(array->version, exported_version, sizeof exported_version);
  array->dim_count = array->ndim = layout->ndim;
  array->dtype = dtype;
  describe_buffer(array, layout, rank);
  DAP_TRY(set_strides(array, order, err));
  array->data = data;
  return data ? DAP_OK : allocate(array, dap_array_bytes(array), err);
}

dap_status dap_array_init(dap_array *array, const dap_layout *layout, int rank, dap_dtype dtype,
                          dap_order order, void *data, dap_error *err)
{
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array must not be NULL");
  *array = (dap_array){0};
  const dap_status s = fill(array, layout, rank, dtype, order, data, err);
  if (s) *array = (dap_array){0};
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

/* ---- checked ---------------------------------------------------------------------------------- */

static dap_status check_form(const dap_array *array, dap_error *err)
{
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array must not be NULL");
  DAP_REQUIRE(array->abi == DAP_ARRAY_ABI, err, DAP_ERR_ARG, "abi %" PRId32 " is not %d", array->abi,
              DAP_ARRAY_ABI);
  DAP_TRY(dap_version_check(array->version, err));
  DAP_REQUIRE(array->ndim >= 0 && array->ndim <= DAP_MAX_NDIM, err, DAP_ERR_BUFFER,
              "the buffer's ndim %" PRId32 " is outside 0 .. %d", array->ndim, DAP_MAX_NDIM);
  DAP_REQUIRE(array->dim_count == array->ndim, err, DAP_ERR_BUFFER,
              "dim_data has %" PRId32 " dictionaries, but the buffer has %" PRId32 " dimensions",
              array->dim_count, array->ndim);
  DAP_REQUIRE(dap_dtype_size(array->dtype) > 0, err, DAP_ERR_BUFFER, "dtype %d is no element type",
              (int)array->dtype);
  return DAP_OK;
}

static dap_status check_buffer(const dap_array *array, dap_error *err)
{
  int64_t count = !is_empty(array), span;
  for (int k = 0; k < array->ndim; k++) {
    DAP_REQUIRE(array->shape[k] >= 0, err, DAP_ERR_BUFFER,
                "dim %d: the buffer's extent %" PRId64 " is negative", k, array->shape[k]);
    DAP_REQUIRE(dap_multiply(count, array->shape[k], &count), err, DAP_ERR_RANGE,
                "dim %d: the buffer exceeds 2^63 - 1 elements", k);
  }
  const int64_t itemsize = dap_dtype_size(array->dtype);
  DAP_REQUIRE(dap_multiply(count, itemsize, &span) &&
                  dap_span(array->ndim, array->shape, array->strides, itemsize, &span),
              err, DAP_ERR_RANGE, "the buffer exceeds 2^63 - 1 bytes");
  DAP_REQUIRE(array->data || count == 0, err, DAP_ERR_BUFFER,
              "data is NULL, but the buffer has %" PRId64 " elements", count);
  return DAP_OK;
}

dap_status dap_array_check(const dap_array *array, dap_error *err)
{
  DAP_TRY(check_form(array, err));
  DAP_TRY(check_buffer(array, err));
  for (int k = 0; k < array->ndim; k++) {
    const dap_dim dim = dap_dim_normal(&array->dims[k], array->shape[k]);
    DAP_TRY(dap_dim_check(k, &dim, array->shape[k], err));
  }
  return DAP_OK;
}
