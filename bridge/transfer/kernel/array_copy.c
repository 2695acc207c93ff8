/* Copies between two local buffers of any strides, alignment and byte order. */
#include "kernel_impl.h"

#include <inttypes.h>

static dap_status check_shapes(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_REQUIRE(from->ndim == to->ndim, err, DAP_ERR_BUFFER,
              "the buffers' ndim is %" PRId32 " and %" PRId32 ": both must have the same number of axes",
              from->ndim, to->ndim);
  DAP_REQUIRE(to->ndim >= 0 && to->ndim <= DAP_MAX_NDIM, err, DAP_ERR_BUFFER,
              "the buffer's number of axes, ndim %" PRId32 ", is outside 0 .. %d", to->ndim, DAP_MAX_NDIM);
  for (int k = 0; k < to->ndim; k++) {
    DAP_REQUIRE(from->shape[k] == to->shape[k], err, DAP_ERR_BUFFER,
                "axis %d: extents %" PRId64 " and %" PRId64 " differ", k, from->shape[k], to->shape[k]);
    DAP_REQUIRE(to->shape[k] >= 0, err, DAP_ERR_BUFFER,
                "axis %d: the buffer's extent %" PRId64 " is negative", k, to->shape[k]);
  }
  return DAP_OK;
}

dap_status dap_strided_check_writable(const dap_strided *to, dap_error *err)
{
  for (int k = 0; k < to->ndim; k++)
    DAP_RULE(19, to->shape[k] <= 1 || to->strides[k] != 0, err, DAP_ERR_BUFFER,
             "to: axis %d: stride 0 puts %" PRId64 " elements at one place, which cannot be written", k,
             to->shape[k]);
  DAP_RULE(19, !dap_strided_overlaps(to, to), err, DAP_ERR_BUFFER,
           "to: its strides put several elements at one place, which cannot be written");
  return DAP_OK;
}

/* Checks that elements can be read and written. There must be at least one. */
static dap_status check_memory(const dap_array *from, const dap_array *to, dap_error *err)
{
  const dap_strided written = {to->data, to->ndim, to->shape, to->strides, dap_dtype_size(to->dtype)};
  DAP_REQUIRE(from->data && to->data, err, DAP_ERR_BUFFER,
              "data of %s is NULL, but it has %" PRId64 " elements", from->data ? "to" : "from",
              dap_array_count(to));
  DAP_TRY(dap_strided_check_writable(&written, err));
  DAP_REQUIRE(!dap_array_overlaps(from, to), err, DAP_ERR_BUFFER,
              "the buffers overlap: elements to be read share memory with elements to be written");
  return DAP_OK;
}

static dap_status check(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_REQUIRE(from && to, err, DAP_ERR_ARG, "%s must not be NULL", from ? "to" : "from");
  DAP_TRY(check_shapes(from, to, err));
  DAP_REQUIRE(from->dtype == to->dtype, err, DAP_ERR_BUFFER, "dtypes %s and %s differ",
              dap_dtype_name(from->dtype), dap_dtype_name(to->dtype));
  DAP_REQUIRE(dap_dtype_size(to->dtype) > 0, err, DAP_ERR_BUFFER, "dtype %d is not an element type",
              (int)to->dtype);
  int64_t bytes;
  const int64_t size = dap_dtype_size(to->dtype);
  DAP_REQUIRE(dap_span(to->ndim, from->shape, from->strides, size, &bytes) &&
                  dap_span(to->ndim, to->shape, to->strides, size, &bytes),
              err, DAP_ERR_RANGE, "the strides of a buffer span more than 2^63 - 1 bytes");
  DAP_RULE(19, !to->readonly, err, DAP_ERR_BUFFER, "the buffer to be written is read-only");
  return dap_array_count(to) > 0 ? check_memory(from, to, err) : DAP_OK;
}

dap_status dap_array_copy(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_TRY(check(from, to, err));
  if (dap_array_count(to) == 0) return DAP_OK;
  dap_nest nest, loops = {.bytes = dap_dtype_size(to->dtype)};
  for (int k = 0; k < to->ndim; k++) dap_nest_add(&loops, to->shape[k], from->strides[k], to->strides[k]);
  dap_nest_sort(&loops, &nest);
  if (from->swapped == to->swapped) {
    dap_nest_widen(&nest);
    dap_nest_copy(dap_kernels_best(), &nest, from->data, to->data, false);
  } else {
    const dap_transform swap = {.from = from->dtype,
                                .to = to->dtype,
                                .from_swapped = from->swapped,
                                .to_swapped = to->swapped,
                                .alpha = {1, 0}};
    dap_nest_transform(&swap, &nest, from->data, to->data);
  }
  return DAP_OK;
}
