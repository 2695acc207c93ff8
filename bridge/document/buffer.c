/* Reads a buffer: its form, and its values into memory with its strides. */
#include "document_impl.h"

#include <stdlib.h>
#include <string.h>

/* A buffer may span ROOM bytes and SPREAD times the bytes of its elements. A column of a wide matrix does,
 * but strides of a document may be any numbers. */
enum { ROOM = 1 << 16, SPREAD = 512 };

/* ---- form ----------------------------------------------------------------------------------------- */

static dap_status read_shape(const json_t *shape, dap_array *array, dap_error *err)
{
  DAP_RULE(4, json_is_array(shape), err, DAP_ERR_BUFFER, "the buffer's shape %s, not a list of integers",
           document_say(shape).text);
  const size_t ndim = json_array_size(shape);
  DAP_REQUIRE(ndim <= DAP_MAX_NDIM, err, DAP_ERR_RANGE, "the buffer's shape has %zu axes, more than %d", ndim,
              DAP_MAX_NDIM);
  for (size_t k = 0; k < ndim; k++) {
    const json_t *extent = json_array_get(shape, k);
    DAP_TRY(document_integer(extent, 4, DAP_ERR_BUFFER, &array->shape[k], err,
                             "axis %zu: the buffer's extent", k));
    DAP_RULE(4, array->shape[k] >= 0, err, DAP_ERR_BUFFER, "axis %zu: the buffer's extent %s negative", k,
             document_say(extent).text);
  }
  array->ndim = (int32_t)ndim;
  return DAP_OK;
}

/* Sets strides in C order. An extent of 0 counts as 1. */
static dap_status make_strides(dap_array *array, dap_error *err)
{
  int64_t stride = dap_dtype_size(array->dtype);
  for (int k = array->ndim - 1; k >= 0; k--) {
    array->strides[k] = stride;
    DAP_REQUIRE(!__builtin_mul_overflow(stride, array->shape[k] ? array->shape[k] : 1, &stride), err,
                DAP_ERR_RANGE, "axis %d: the buffer exceeds 2^63 - 1 bytes", k);
  }
  return DAP_OK;
}

static dap_status read_strides(const json_t *strides, dap_array *array, dap_error *err)
{
  if (!strides || json_is_null(strides)) return make_strides(array, err);
  DAP_RULE(19, json_is_array(strides) && json_array_size(strides) == (size_t)array->ndim, err, DAP_ERR_BUFFER,
           "the buffer's strides: %s, not a list of %d integers", document_say(strides).text, array->ndim);
  for (int k = 0; k < array->ndim; k++)
    DAP_TRY(document_integer(json_array_get(strides, (size_t)k), 19, DAP_ERR_BUFFER, &array->strides[k], err,
                             "axis %d: the buffer's stride", k));
  return DAP_OK;
}

static dap_status read_dtype(const json_t *buffer, dap_array *array, dap_error *err)
{
  const json_t *numpy = json_object_get(buffer, "dtype"), *format = json_object_get(buffer, "format");
  const json_t *named = numpy ? numpy : format;
  const char *text = json_string_value(named);
  dap_dtype other = DAP_NONE;
  bool swapped = false;
  array->dtype = DAP_NONE;
  DAP_RULE(20, named, err, DAP_ERR_BUFFER, "the buffer has neither dtype nor format");
  if (text && numpy) (void)dap_dtype_parse_numpy(text, &array->dtype, &array->swapped, NULL);
  if (text && !numpy) (void)dap_dtype_parse(text, &array->dtype, &array->swapped, NULL);
  DAP_RULE(20, array->dtype, err, DAP_ERR_BUFFER, "the buffer's %s %s, not an element type such as '<f8'",
           numpy ? "dtype" : "format", document_say(named).text);
  if (!numpy || !json_is_string(format)) return DAP_OK;
  /* PEP 3118 has no format for some types in the other byte order. If there is one, it must agree. */
  if (dap_dtype_parse(json_string_value(format), &other, &swapped, NULL)) return DAP_OK;
  DAP_RULE(20, other == array->dtype && swapped == array->swapped, err, DAP_ERR_BUFFER,
           "the buffer's dtype %.16s contradicts its format %.16s", text, json_string_value(format));
  return DAP_OK;
}

static dap_status read_readonly(const json_t *readonly, dap_array *array, dap_error *err)
{
  DAP_RULE(19, !readonly || json_is_boolean(readonly), err, DAP_ERR_BUFFER,
           "the buffer's readonly %s, not a bool", document_say(readonly).text);
  array->readonly = json_is_true(readonly);
  return DAP_OK;
}

/* ---- values --------------------------------------------------------------------------------------- */

/* Checks that there are as many values as elements. The product of extents stops at the first excess. */
static dap_status check_values(const json_t *values, const dap_array *array, dap_error *err)
{
  DAP_REQUIRE(json_is_array(values), err, DAP_ERR_BUFFER, "the buffer's values: %s, not a list",
              document_say(values).text);
  const int64_t given = (int64_t)json_array_size(values);
  int64_t count = 1;
  for (int k = 0; k < array->ndim; k++)
    if (array->shape[k] == 0) count = 0;
  for (int k = 0; k < array->ndim; k++)
    if (count <= given && __builtin_mul_overflow(count, array->shape[k], &count)) count = INT64_MAX;
  DAP_REQUIRE(count == given, err, DAP_ERR_BUFFER, "the buffer's extents do not fit its %lld values",
              (long long)given);
  return DAP_OK;
}

/* Finds the bytes before element (0, ..., 0), and those from it on. Returns false if they overflow. */
static bool measure(const dap_array *array, int64_t *before, int64_t *from)
{
  *before = 0;
  *from = dap_dtype_size(array->dtype);
  for (int k = 0; k < array->ndim; k++) {
    int64_t reach;
    if (__builtin_mul_overflow(array->shape[k] - 1, array->strides[k], &reach)) return false;
    if (reach < 0 ? __builtin_sub_overflow(*before, reach, before)
                  : __builtin_add_overflow(*from, reach, from))
      return false;
  }
  return true;
}

static dap_status allocate(int64_t count, bool is_unaligned, dap_array *array, void **memory, dap_error *err)
{
  const int64_t most = ROOM + SPREAD * count * dap_dtype_size(array->dtype);
  int64_t before = 0, from = 0;
  DAP_REQUIRE(count == 0 || (measure(array, &before, &from) && before <= most && from <= most), err,
              DAP_ERR_RANGE, "the buffer's strides spread %lld elements too far for a document",
              (long long)count);
  const size_t bytes = (size_t)(before + from) + (size_t)is_unaligned;
  free(*memory);
  *memory = calloc(1, bytes + DOCUMENT_ELEMENT);
  DAP_REQUIRE(*memory, err, DAP_ERR_NOMEM, "no memory for the buffer's %zu bytes", bytes);
  array->data = (unsigned char *)*memory + before + is_unaligned;
  return DAP_OK;
}

/* Stores the values, which are in C order. With `look`, it checks that no later value has replaced one. */
static dap_status store(const json_t *values, const dap_array *array, bool look, dap_error *err)
{
  int64_t index[DAP_MAX_NDIM] = {0};
  const size_t count = json_array_size(values), size = (size_t)dap_dtype_size(array->dtype);
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_array_get(values, i);
    unsigned char element[DOCUMENT_ELEMENT] = {0}, *place = array->data;
    for (int k = 0; k < array->ndim; k++) place += index[k] * array->strides[k];
    DAP_RULE(20, document_element(array->dtype, value, element), err, DAP_ERR_BUFFER,
             "the buffer's values[%zu] %s, and no %s", i, document_say(value).text,
             dap_dtype_name(array->dtype));
    if (array->swapped) document_swap(array->dtype, element);
    DAP_REQUIRE(!look || memcmp(place, element, size) == 0, err, DAP_ERR_BUFFER,
                "the buffer's values[%zu] shares memory with another value, and they differ", i);
    memcpy(place, element, size);
    for (int k = array->ndim - 1; k >= 0 && ++index[k] == array->shape[k]; k--) index[k] = 0;
  }
  return DAP_OK;
}

static dap_status read_values(const json_t *values, bool is_unaligned, dap_array *array, void **memory,
                              dap_error *err)
{
  if (!values) return DAP_OK;
  DAP_TRY(check_values(values, array, err));
  DAP_TRY(allocate((int64_t)json_array_size(values), is_unaligned, array, memory, err));
  DAP_TRY(store(values, array, false, err));
  return store(values, array, true, err);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static dap_status read_extents(const document_process *process, dap_array *array, void **memory,
                               dap_error *err)
{
  const json_t *buffer = process->buffer;
  DAP_RULE(1, !buffer || json_is_object(buffer), err, DAP_ERR_BUFFER, "buffer %s, not a dictionary",
           document_say(buffer).text);
  DAP_TRY(read_shape(buffer ? json_object_get(buffer, "shape") : process->shape, array, err));
  *memory = calloc(1, DOCUMENT_ELEMENT); /* an address for buffers without values */
  DAP_REQUIRE(*memory, err, DAP_ERR_NOMEM, "no memory for a buffer");
  array->data = *memory;
  array->dtype = DAP_U1;
  return DAP_OK;
}

static dap_status read_elements(const json_t *buffer, bool is_unaligned, dap_array *array, void **memory,
                                dap_error *err)
{
  DAP_TRY(read_dtype(buffer, array, err));
  DAP_TRY(read_strides(json_object_get(buffer, "strides"), array, err));
  return read_values(json_object_get(buffer, "values"), is_unaligned, array, memory, err);
}

void document_buffer(const document_process *process, bool is_unaligned, dap_array *array, void **memory,
                     document_findings *findings)
{
  const json_t *buffer = process->buffer;
  dap_error error = {0};
  if (!document_found(findings, read_extents(process, array, memory, &error), &error) || !buffer) return;
  dap_array read = *array;
  const long before = findings->count;
  dap_status s = read_readonly(json_object_get(buffer, "readonly"), &read, &error);
  (void)document_found(findings, s, &error);
  s = read_elements(buffer, is_unaligned, &read, memory, &error);
  (void)document_found(findings, s, &error);
  array->data = *memory; /* the old memory may be freed */
  if (findings->count == before) *array = read;
}
