#include "vectors.h"

#include <stdlib.h>
#include <string.h>

static const char *kind_of(const json_t *value)
{
  static const char *const kinds[] = {"an object",     "a list", "a string", "an integer",
                                      "a real number", "a bool", "a bool",   "null"};
  return kinds[json_typeof(value)];
}

static dap_status read_integer(int axis, const char *key, const json_t *value, int64_t *word, dap_error *err)
{
  if (!json_is_integer(value))
    return dap_fail(err, DAP_ERR_DIM, "dim %d: %s is %s, not an integer", axis, key, kind_of(value));
  *word = json_integer_value(value);
  return DAP_OK;
}

static dap_status read_bool(int axis, const char *key, const json_t *value, bool *word, dap_error *err)
{
  if (!json_is_boolean(value))
    return dap_fail(err, DAP_ERR_DIM, "dim %d: %s is %s, not a bool", axis, key, kind_of(value));
  *word = json_is_true(value);
  return DAP_OK;
}

/* A text of one letter; any other becomes '?', which is no distribution. */
static dap_status read_type(int axis, const json_t *value, char *type, dap_error *err)
{
  if (!json_is_string(value))
    return dap_fail(err, DAP_ERR_DIM, "dim %d: dist_type is %s, not a text", axis, kind_of(value));
  const char *text = json_string_value(value);
  *type = '?';
  if (json_string_length(value) == 1) *type = text[0];
  return DAP_OK;
}

static dap_status read_padding(int axis, const json_t *value, int64_t padding[2], dap_error *err)
{
  if (!json_is_array(value) || json_array_size(value) != 2)
    return dap_fail(err, DAP_ERR_DIM, "dim %d: padding is no sequence of two", axis);
  dap_status s = read_integer(axis, "padding[0]", json_array_get(value, 0), &padding[0], err);
  if (!s) s = read_integer(axis, "padding[1]", json_array_get(value, 1), &padding[1], err);
  return s;
}

static dap_status read_indices(int axis, const json_t *value, dap_dim *dim, dap_error *err)
{
  if (!json_is_array(value))
    return dap_fail(err, DAP_ERR_DIM, "dim %d: indices is %s, not a list", axis, kind_of(value));
  const size_t count = json_array_size(value);
  int64_t *indices = malloc((count + 1) * sizeof *indices);
  if (!indices) return dap_fail(err, DAP_ERR_NOMEM, "dim %d: no memory for indices", axis);
  dim->indices = indices;
  dim->indices_dtype = DAP_I8;
  dim->index_count = (int64_t)count;
  dap_status s = DAP_OK;
  for (size_t i = 0; i < count && !s; i++)
    s = read_integer(axis, "indices", json_array_get(value, i), &indices[i], err);
  return s;
}

dap_status dim_read(int axis, const json_t *json, dap_dim *dim, dap_error *err)
{
  *dim = (dap_dim){.dist_type = '?',
                   .size = DAP_ABSENT,
                   .proc_grid_size = DAP_ABSENT,
                   .proc_grid_rank = DAP_ABSENT,
                   .start = DAP_ABSENT,
                   .stop = DAP_ABSENT,
                   .block_size = DAP_ABSENT};
  if (!json_is_object(json))
    return dap_fail(err, DAP_ERR_DIM, "dim %d is %s, no dictionary", axis, kind_of(json));
  if (json_object_size(json) == 0) dim->dist_type = 0;
  const struct {
    const char *key;
    int64_t *word;
  } integers[] = {{"size", &dim->size},
                  {"proc_grid_size", &dim->proc_grid_size},
                  {"proc_grid_rank", &dim->proc_grid_rank},
                  {"start", &dim->start},
                  {"stop", &dim->stop},
                  {"block_size", &dim->block_size}};
  dap_status s = DAP_OK;
  const json_t *value;
  for (size_t i = 0; i < sizeof integers / sizeof integers[0] && !s; i++)
    if ((value = json_object_get(json, integers[i].key)))
      s = read_integer(axis, integers[i].key, value, integers[i].word, err);
  if (!s && (value = json_object_get(json, "dist_type"))) s = read_type(axis, value, &dim->dist_type, err);
  if (!s && (value = json_object_get(json, "periodic")))
    s = read_bool(axis, "periodic", value, &dim->periodic, err);
  if (!s && (value = json_object_get(json, "one_to_one")))
    s = read_bool(axis, "one_to_one", value, &dim->one_to_one, err);
  if (!s && (value = json_object_get(json, "padding"))) s = read_padding(axis, value, dim->padding, err);
  if (!s && (value = json_object_get(json, "indices"))) s = read_indices(axis, value, dim, err);
  return s;
}
