/* Copying between two local buffers of any strides, alignment and byte order. */
#include "model_impl.h"

#include <inttypes.h>
#include <string.h>

/* ---- may it be copied? -------------------------------------------------------------------------- */

static dap_status check_shapes(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_REQUIRE(from->ndim == to->ndim, err, DAP_ERR_BUFFER,
              "the buffers have %" PRId32 " and %" PRId32 " dimensions", from->ndim, to->ndim);
  DAP_REQUIRE(to->ndim >= 0 && to->ndim <= DAP_MAX_NDIM, err, DAP_ERR_BUFFER,
              "the buffer's ndim %" PRId32 " is outside 0 .. %d", to->ndim, DAP_MAX_NDIM);
  for (int k = 0; k < to->ndim; k++) {
    DAP_REQUIRE(from->shape[k] == to->shape[k], err, DAP_ERR_BUFFER,
                "dim %d: extents %" PRId64 " and %" PRId64 " differ", k, from->shape[k], to->shape[k]);
    DAP_REQUIRE(to->shape[k] >= 0, err, DAP_ERR_BUFFER, "dim %d: the buffer's extent %" PRId64 " is negative",
                k, to->shape[k]);
  }
  return DAP_OK;
}

/* There are elements; can they be read and written? */
static dap_status check_memory(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_REQUIRE(from->data && to->data, err, DAP_ERR_BUFFER,
              "data of %s is NULL, but it has %" PRId64 " elements", from->data ? "to" : "from",
              dap_array_count(to));
  for (int k = 0; k < to->ndim; k++)
    DAP_RULE(19, to->shape[k] == 1 || to->strides[k] != 0, err, DAP_ERR_BUFFER,
             "dim %d: the buffer to be written has stride 0 along %" PRId64 " elements", k, to->shape[k]);
  DAP_RULE(19, !dap_array_overlaps(to, to), err, DAP_ERR_BUFFER,
           "the strides of the buffer to be written put several of its elements at one place");
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
  DAP_REQUIRE(dap_dtype_size(to->dtype) > 0, err, DAP_ERR_BUFFER, "dtype %d is no element type",
              (int)to->dtype);
  int64_t bytes;
  const int64_t size = dap_dtype_size(to->dtype);
  DAP_REQUIRE(dap_span(to->ndim, from->shape, from->strides, size, &bytes) &&
                  dap_span(to->ndim, to->shape, to->strides, size, &bytes),
              err, DAP_ERR_RANGE, "the strides of a buffer span more than 2^63 - 1 bytes");
  DAP_RULE(19, !to->readonly, err, DAP_ERR_BUFFER, "the buffer to be written is read-only");
  return dap_array_count(to) > 0 ? check_memory(from, to, err) : DAP_OK;
}

/* ---- the loops ---------------------------------------------------------------------------------- */

/* A complex number whose bytes are swapped is two numbers, not one of twice the width. */
static int64_t number_bytes(const dap_array *array, bool is_swapped)
{
  const bool is_complex = array->dtype == DAP_C8 || array->dtype == DAP_C16 || array->dtype == DAP_C32;
  return dap_dtype_size(array->dtype) / (is_swapped && is_complex ? 2 : 1);
}

static void make_nest(const dap_array *from, const dap_array *to, bool is_swapped, dap_nest *sorted)
{
  dap_nest nest = {.bytes = number_bytes(to, is_swapped)};
  dap_nest_add(&nest, dap_dtype_size(to->dtype) / nest.bytes, nest.bytes, nest.bytes);
  for (int k = 0; k < to->ndim; k++) dap_nest_add(&nest, to->shape[k], from->strides[k], to->strides[k]);
  dap_nest_sort(&nest, sorted);
  if (!is_swapped) dap_nest_widen(sorted);
}

/* Inlined for each usual width, so that an iteration becomes a load and a store. */
static inline void copy_row(const dap_loop *row, const char *from, char *to, int64_t bytes)
{
  for (int64_t i = 0; i < row->count; i++, from += row->from, to += row->to) memcpy(to, from, (size_t)bytes);
}

static void copy_numbers(const dap_loop *row, const char *from, char *to, int64_t bytes, bool is_swapped)
{
  if (is_swapped)
    dap_swap_row(from, row->from, to, row->to, row->count, (int)bytes);
  else if (bytes == 1)
    copy_row(row, from, to, 1);
  else if (bytes == 2)
    copy_row(row, from, to, 2);
  else if (bytes == 4)
    copy_row(row, from, to, 4);
  else if (bytes == 8)
    copy_row(row, from, to, 8);
  else
    copy_row(row, from, to, bytes);
}

/* The `depth` inner loops. */
static void run(const dap_nest *nest, int depth, const char *from, char *to, bool is_swapped)
{
  static const dap_loop once = {.count = 1};
  const dap_loop *loop = depth > 0 ? &nest->loops[depth - 1] : &once;
  if (depth <= 1)
    copy_numbers(loop, from, to, nest->bytes, is_swapped);
  else
    for (int64_t i = 0; i < loop->count; i++)
      run(nest, depth - 1, from + i * loop->from, to + i * loop->to, is_swapped);
}

dap_status dap_array_copy(const dap_array *from, const dap_array *to, dap_error *err)
{
  DAP_TRY(check(from, to, err));
  if (dap_array_count(to) == 0) return DAP_OK;
  const bool is_swapped = from->swapped != to->swapped;
  dap_nest nest;
  make_nest(from, to, is_swapped, &nest);
  run(&nest, nest.depth, (const char *)from->data + nest.from, (char *)to->data + nest.to, is_swapped);
  return DAP_OK;
}
