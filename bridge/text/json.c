/* Writes one process's part as JSON: keys, names, numbers, and two texts of the array. It needs no
 * library. */
#include "text_impl.h"

#include <inttypes.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------ */

/* Writes a text of any bytes, which are taken for Latin-1. */
static void add_string(dap_text *text, const char *string, size_t most)
{
  dap_text_add(text, "\"");
  for (size_t i = 0; i < most && string[i]; i++) {
    const unsigned char c = (unsigned char)string[i];
    const bool is_plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    dap_text_add(text, is_plain ? "%c" : "\\u%04x", c);
  }
  dap_text_add(text, "\"");
}

static void add_integers(dap_text *text, const char *key, int count, const int64_t values[])
{
  dap_text_add(text, "\"%s\": [", key);
  for (int i = 0; i < count; i++) dap_text_add(text, "%s%" PRId64, i ? ", " : "", values[i]);
  dap_text_add(text, "]");
}

/* Writes the integers of "0.0.1", which is a tuple. */
static void add_tuple(dap_text *text, const char *version)
{
  dap_text_add(text, "[");
  for (const char *c = version; *c; c++) dap_text_add(text, *c == '.' ? ", " : "%c", *c);
  dap_text_add(text, "]");
}

/* ---- a dictionary -------------------------------------------------------------------------------------- */

/* Leaves out a key that the dialect or the dictionary does not have. */
static void add_integer(dap_text *text, const char *key, int64_t value)
{
  if (key && value != DAP_ABSENT) dap_text_add(text, ", \"%s\": %" PRId64, key, value);
}

static void add_true(dap_text *text, const char *key, bool value)
{
  if (key && value) dap_text_add(text, ", \"%s\": true", key);
}

static void add_padding(dap_text *text, const char *key, const dap_dim *dim)
{
  if (dim->padding[0] == 0 && dim->padding[1] == 0) return;
  dap_text_add(text, ", ");
  add_integers(text, key, 2, dim->padding);
}

static void add_indices(dap_text *text, const char *key, const dap_dim *dim)
{
  dap_text_add(text, ", \"%s\": [", key);
  for (int64_t i = 0; i < dim->index_count; i++)
    dap_text_add(text, "%s%" PRId64, i ? ", " : "", dap_dim_index(dim, i));
  dap_text_add(text, "]");
}

static void add_type(dap_text *text, const dap_dialect *dialect, const dap_dim *dim)
{
  const dap_dist_name *type = dap_dialect_name(dialect, dim);
  dap_text_add(text, "\"%s\": ", dialect->keys.dist_type);
  if (type && !type->name)
    dap_text_add(text, "null");
  else
    add_string(text, type ? type->name : &dim->dist_type, type ? SIZE_MAX : 1);
}

static void add_dim(dap_text *text, const dap_dialect *dialect, const dap_dim *dim)
{
  const dap_keys *keys = &dialect->keys;
  const char type = dim->dist_type;
  dap_text_add(text, "{");
  if (type) {
    add_type(text, dialect, dim);
    add_integer(text, keys->size, dim->size);
  }
  if (type && type != 'n') {
    add_integer(text, keys->proc_grid_size, dim->proc_grid_size);
    add_integer(text, keys->proc_grid_rank, dim->proc_grid_rank);
  }
  if (type == 'b' || type == 'c') add_integer(text, keys->start, dim->start);
  if (type == 'b') add_integer(text, keys->stop, dim->stop);
  if (type == 'b' || type == 'n') {
    add_padding(text, keys->padding, dim);
    add_true(text, keys->periodic, dim->periodic);
  }
  if (type == 'c') add_integer(text, keys->block_size, dim->block_size == 1 ? DAP_ABSENT : dim->block_size);
  if (type == 'u') {
    add_indices(text, keys->indices, dim);
    add_true(text, keys->one_to_one, dim->one_to_one);
  }
  dap_text_add(text, "}");
}

/* ---- the array ------------------------------------------------------------------------------------ */

static void add_buffer(dap_text *text, const dap_array *array)
{
  char type[DAP_TYPESTR];
  if (array->dtype == DAP_NONE) {
    dap_text_add(text, ", ");
    add_integers(text, "buffer_shape", array->ndim, array->shape);
    return;
  }
  dap_dtype_write_numpy(array->dtype, array->swapped, type);
  dap_text_add(text, ", \"buffer\": {");
  add_integers(text, "shape", array->ndim, array->shape);
  dap_text_add(text, ", \"dtype\": \"%s\", ", type);
  add_integers(text, "strides", array->ndim, array->strides);
  dap_text_add(text, array->readonly ? ", \"readonly\": true}" : "}");
}

static void add_array(dap_text *text, const dap_array *array)
{
  const char *closed = memchr(array->version, '\0', DAP_VERSION_TEXT);
  const dap_dialect *found = closed ? dap_dialect_find(array->version) : NULL;
  const dap_dialect *dialect = found ? found : dap_dialect_find("0.10.0");
  dap_text_add(text, "{\"__version__\": ");
  if (dialect->is_tuple)
    add_tuple(text, array->version);
  else
    add_string(text, array->version, DAP_VERSION_TEXT);
  dap_text_add(text, ", \"%s\": [", dialect->keys.dim_data);
  for (int k = 0; k < array->dim_count; k++) {
    dap_text_add(text, k ? ", " : "");
    add_dim(text, dialect, &array->dims[k]);
  }
  dap_text_add(text, "]");
  add_buffer(text, array);
  dap_text_add(text, "}");
}

static dap_status check(const dap_array *array, dap_error *err)
{
  DAP_TRY(dap_local_check_form(array, err));
  DAP_RULE(20, array->dtype == DAP_NONE || dap_dtype_size(array->dtype) > 0, err, DAP_ERR_BUFFER,
           "dtype %d is not an element type", (int)array->dtype);
  for (int k = 0; k < array->dim_count; k++)
    if (array->dims[k].dist_type == 'u') DAP_TRY(dap_dim_check_indices(k, &array->dims[k], err));
  return DAP_OK;
}

dap_status dap_array_json(const dap_array *array, char *text, size_t capacity, size_t *length, dap_error *err)
{
  DAP_REQUIRE(length && (text || capacity == 0), err, DAP_ERR_ARG, "%s must not be NULL",
              length ? "text" : "length");
  dap_text out = dap_text_start(text, capacity);
  *length = 0;
  DAP_TRY(check(array, err));
  add_array(&out, array);
  *length = out.length;
  return DAP_OK;
}
