#include "vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rebuilt array owns. */
typedef struct owned {
  unsigned char *memory;
  void *indices[DAP_MAX_NDIM];
} owned;

static void release(dap_array *array)
{
  owned *mine = array->private_data;
  for (int k = 0; k < DAP_MAX_NDIM; k++) free(mine->indices[k]);
  free(mine->memory);
  free(mine);
}

static dap_status broken(dap_error *err, const char *what)
{
  return dap_fail(err, DAP_ERR_LIBRARY, "the document is broken: %s", what);
}

/* ---- the envelope ------------------------------------------------------------------------------- */

/* A text, or a list of integers joined by points, as 0.0.1's tuple is. */
static dap_status read_version(const json_t *value, char version[DAP_VERSION_TEXT], dap_error *err)
{
  char text[64] = "";
  size_t used = 0;
  if (json_is_string(value)) used = (size_t)snprintf(text, sizeof text, "%s", json_string_value(value));
  for (size_t i = 0; i < json_array_size(value) && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%" JSON_INTEGER_FORMAT, i ? "." : "",
                             json_integer_value(json_array_get(value, i)));
  if (used == 0 || used >= DAP_VERSION_TEXT)
    return dap_fail(err, DAP_ERR_VERSION, "__version__ is no version of the protocol");
  memcpy(version, text, used + 1);
  return DAP_OK;
}

static dap_status read_dims(const json_t *dim_data, dap_array *array, dap_error *err)
{
  owned *mine = array->private_data;
  if (!json_is_array(dim_data)) return dap_fail(err, DAP_ERR_DIM, "dim_data is no sequence");
  array->dim_count = (int32_t)json_array_size(dim_data); /* also when dims has no room: the library says so */
  dap_status s = DAP_OK;
  for (int k = 0; k < array->dim_count && k < DAP_MAX_NDIM && !s; k++) {
    s = dim_read(k, json_array_get(dim_data, (size_t)k), &array->dims[k], err);
    memcpy(&mine->indices[k], &array->dims[k].indices, sizeof mine->indices[k]);
  }
  return s;
}

static dap_status read_dtype(const json_t *document, const json_t *buffer, dap_array *array, dap_error *err)
{
  const char *format = json_string_value(json_object_get(buffer, "format"));
  const char *name = json_string_value(json_object_get(document, "dtype_name"));
  const dap_status s = dap_dtype_parse(format, &array->dtype, err);
  if (s == DAP_ERR_BUFFER) return dap_fail(err, DAP_ERR_UNSUPPORTED, "element type %s", name ? name : format);
  if (s == DAP_ERR_UNSUPPORTED) return dap_fail(err, s, "elements in the other byte order");
  if (!s && json_integer_value(json_object_get(buffer, "itemsize")) != dap_dtype_size(array->dtype))
    return broken(err, "format and itemsize contradict each other");
  return s;
}

/* ---- the buffer --------------------------------------------------------------------------------- */

static dap_status read_form(const json_t *buffer, dap_array *array, dap_error *err)
{
  const json_t *shape = json_object_get(buffer, "shape"), *strides = json_object_get(buffer, "strides");
  array->ndim = (int32_t)json_array_size(shape);
  if (!json_is_array(shape) || !json_is_array(strides) || json_array_size(strides) != (size_t)array->ndim)
    return broken(err, "shape and strides");
  for (int k = 0; k < array->ndim && k < DAP_MAX_NDIM; k++) {
    const json_t *extent = json_array_get(shape, (size_t)k), *stride = json_array_get(strides, (size_t)k);
    if (!json_is_integer(extent) || !json_is_integer(stride)) return broken(err, "an extent or stride");
    array->shape[k] = json_integer_value(extent);
    array->strides[k] = json_integer_value(stride);
  }
  array->readonly = json_is_true(json_object_get(buffer, "readonly"));
  return DAP_OK;
}

/* The span that extents and strides imply, with the origin where negative strides fit; one byte further on
 * when the elements are to be unaligned. */
static dap_status allocate(const json_t *document, dap_array *array, dap_error *err)
{
  const char *form = json_string_value(json_object_get(document, "layout"));
  int64_t low = 0, high = dap_dtype_size(array->dtype);
  const int64_t off = form && !strcmp(form, "unaligned") ? 1 : 0;
  for (int k = 0; k < array->ndim && dap_array_count(array) > 0; k++) {
    const int64_t reach = (array->shape[k] - 1) * array->strides[k];
    if (reach < 0)
      low += reach;
    else
      high += reach;
  }
  owned *mine = array->private_data;
  mine->memory = malloc((size_t)(high - low + off));
  if (!mine->memory) return dap_fail(err, DAP_ERR_NOMEM, "no memory for the buffer");
  memset(mine->memory, 0xEE, (size_t)(high - low + off));
  array->data = mine->memory - low + off;
  return DAP_OK;
}

/* The values come in the order of the indices, whatever the order in memory. */
static dap_status store(const json_t *values, dap_array *array, dap_error *err)
{
  const int64_t count = dap_array_count(array);
  int64_t index[DAP_MAX_NDIM] = {0};
  if (!json_is_array(values) || (int64_t)json_array_size(values) != count)
    return broken(err, "there are not as many values as elements");
  for (int64_t i = 0; i < count; i++) {
    unsigned char *element = array->data;
    for (int k = 0; k < array->ndim; k++) element += index[k] * array->strides[k];
    if (!element_from_json(array->dtype, json_array_get(values, (size_t)i), element))
      return broken(err, "a value is not of the element type");
    for (int k = array->ndim - 1; k >= 0 && ++index[k] == array->shape[k]; k--) index[k] = 0;
  }
  return DAP_OK;
}

dap_status part_read(const json_t *document, int rank, dap_array *array, dap_error *err)
{
  *array = (dap_array){.abi = DAP_ARRAY_ABI};
  array->private_data = calloc(1, sizeof(owned));
  if (!array->private_data) return dap_fail(err, DAP_ERR_NOMEM, "no memory for an array");
  array->release = release;
  const json_t *part = json_array_get(json_object_get(document, "ranks"), (size_t)rank);
  const json_t *buffer = json_object_get(part, "buffer");
  if (!json_is_object(buffer)) return broken(err, "a process has no buffer");

  dap_status s = read_form(buffer, array, err);
  if (!s) s = read_version(json_object_get(part, "__version__"), array->version, err);
  if (!s) s = read_dims(json_object_get(part, "dim_data"), array, err);
  if (!s) s = read_dtype(document, buffer, array, err);
  if (s || array->ndim > DAP_MAX_NDIM) return s; /* the library will say that there are too many */
  s = allocate(document, array, err);
  return s ? s : store(json_object_get(buffer, "values"), array, err);
}
