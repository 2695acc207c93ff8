/* Reads one dimension dictionary by the keys and types of its dialect. */
#include "document_impl.h"

#include <stdlib.h>
#include <string.h>

/* A dictionary being read. */
typedef struct dictionary {
  int axis;
  const json_t *json;
  const dap_keys *keys;
  const dap_dist_name *type;
  dap_dim *dim;
  void **indices;
} dictionary;

/* Returns the value of a key that the dialect has, in dictionaries of these types; else NULL. */
static const json_t *value_of(const dictionary *d, const char *key, const char *types)
{
  return key && strchr(types, d->dim->dist_type) ? json_object_get(d->json, key) : NULL;
}

/* ---- keys ----------------------------------------------------------------------------------------- */

static void read_integers(const dictionary *d, document_findings *findings)
{
  const dap_keys *keys = d->keys;
  const struct {
    const char *key, *types;
    int64_t *word;
  } integers[] = {{keys->size, "bcun", &d->dim->size},
                  {keys->proc_grid_size, "bcu", &d->dim->proc_grid_size},
                  {keys->proc_grid_rank, "bcu", &d->dim->proc_grid_rank},
                  {keys->start, "bc", &d->dim->start},
                  {keys->stop, "b", &d->dim->stop},
                  {d->type->has_block_size ? keys->block_size : NULL, "c", &d->dim->block_size}};
  for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
    const json_t *value = value_of(d, integers[i].key, integers[i].types);
    dap_error error = {0};
    if (!value) continue;
    const dap_status s = document_integer(value, 3, DAP_ERR_DIM, integers[i].word, &error, "axis %d: %s",
                                          d->axis, integers[i].key);
    (void)document_found(findings, s, &error);
  }
}

static dap_status read_bool(const dictionary *d, const char *key, const char *types, bool *word,
                            dap_error *err)
{
  const json_t *value = value_of(d, key, types);
  DAP_RULE(3, !value || json_is_boolean(value), err, DAP_ERR_DIM, "axis %d: %s %s, not a bool", d->axis, key,
           document_say(value).text);
  *word = json_is_true(value);
  return DAP_OK;
}

static dap_status read_padding(const dictionary *d, dap_error *err)
{
  const char *key = d->type->has_padding ? d->keys->padding : NULL;
  const json_t *value = value_of(d, key, "bn");
  if (!value) return DAP_OK;
  DAP_RULE(10, json_is_array(value), err, DAP_ERR_DIM, "axis %d: %s %s, not a sequence of 2 integers",
           d->axis, key, document_say(value).text);
  DAP_RULE(10, json_array_size(value) == 2, err, DAP_ERR_DIM, "axis %d: %s has %zu elements, not 2", d->axis,
           key, json_array_size(value));
  for (size_t side = 0; side < 2; side++)
    DAP_TRY(document_integer(json_array_get(value, side), 10, DAP_ERR_DIM, &d->dim->padding[side], err,
                             "axis %d: %s[%zu]", d->axis, key, side));
  return DAP_OK;
}

static dap_status read_indices(const dictionary *d, dap_error *err)
{
  const char *key = d->keys->indices;
  const json_t *value = value_of(d, key, "u");
  if (d->dim->dist_type != 'u') return DAP_OK;
  DAP_RULE(1, value, err, DAP_ERR_DIM, "axis %d: required key %s is absent", d->axis, key);
  DAP_RULE(17, json_is_array(value), err, DAP_ERR_DIM, "axis %d: %s %s, not a list of integers", d->axis, key,
           document_say(value).text);
  const size_t count = json_array_size(value);
  int64_t *indices = calloc(count + 1, sizeof *indices);
  DAP_REQUIRE(indices, err, DAP_ERR_NOMEM, "axis %d: no memory for %zu indices", d->axis, count);
  *d->indices = indices;
  d->dim->indices = indices;
  d->dim->indices_dtype = DAP_I8;
  d->dim->index_count = (int64_t)count;
  for (size_t i = 0; i < count; i++)
    DAP_TRY(document_integer(json_array_get(value, i), 17, DAP_ERR_DIM, &indices[i], err, "axis %d: %s[%zu]",
                             d->axis, key, i));
  return DAP_OK;
}

/* ---- the dictionary ------------------------------------------------------------------------------- */

/* Writes the names of a dialect's types: "'b', 'c' or 'u'". */
static const char *list_types(const dap_dialect *dialect, char text[64])
{
  int length = 0;
  for (int i = 0; i < dialect->name_count; i++) {
    const char *name = dialect->names[i].name;
    const char *before = i == 0 ? "" : i + 1 < dialect->name_count ? ", " : " or ", *quote = name ? "'" : "";
    length +=
        snprintf(text + length, 64 - (size_t)length, "%s%s%s%s", before, quote, name ? name : "null", quote);
  }
  return text;
}

/* Finds the type, on which other keys depend. */
static dap_status read_type(dictionary *d, const dap_dialect *dialect, dap_error *err)
{
  const char *key = d->keys->dist_type;
  const json_t *value = json_object_get(d->json, key);
  DAP_RULE(1, value, err, DAP_ERR_DIM, "axis %d: required key %s is absent", d->axis, key);
  const bool is_name = json_is_null(value) || (json_is_string(value) && !document_number_text(value));
  d->type = is_name ? dap_dialect_type(dialect, json_string_value(value)) : NULL;
  if (!d->type) {
    char types[64];
    return dap_fail_rule(err, 1, DAP_ERR_DIM, "axis %d: %s %s, not one of protocol %s: %s", d->axis, key,
                         document_say(value).text, dialect->versions, list_types(dialect, types));
  }
  d->dim->dist_type = d->type->dist_type;
  return DAP_OK;
}

static void read_keys(const dictionary *d, document_findings *findings)
{
  dap_error error = {0};
  read_integers(d, findings);
  (void)document_found(findings, read_padding(d, &error), &error);
  (void)document_found(findings, read_bool(d, d->keys->periodic, "bn", &d->dim->periodic, &error), &error);
  (void)document_found(findings, read_indices(d, &error), &error);
  (void)document_found(findings, read_bool(d, d->keys->one_to_one, "u", &d->dim->one_to_one, &error), &error);
}

bool document_dim(int axis, const json_t *json, const dap_dialect *dialect, dap_dim *dim, void **indices,
                  document_findings *findings)
{
  *dim = (dap_dim){.size = DAP_ABSENT,
                   .proc_grid_size = DAP_ABSENT,
                   .proc_grid_rank = DAP_ABSENT,
                   .start = DAP_ABSENT,
                   .stop = DAP_ABSENT,
                   .block_size = DAP_ABSENT};
  dictionary d = {.axis = axis, .json = json, .keys = &dialect->keys, .dim = dim, .indices = indices};
  dap_error error = {0};
  const long before = findings->count;
  if (!json_is_object(json)) {
    const dap_status s =
        dap_fail_rule(&error, 3, DAP_ERR_DIM, "axis %d %s, not a dictionary", axis, document_say(json).text);
    return document_found(findings, s, &error);
  }
  if (json_object_size(json) == 0 && dialect->has_empty) return true;
  if (!document_found(findings, read_type(&d, dialect, &error), &error)) return false;
  read_keys(&d, findings);
  return findings->count == before;
}
