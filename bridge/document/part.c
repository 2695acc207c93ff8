/* Reads one process's part: version, dictionaries, buffer. */
#include "document_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that an array owns. */
typedef struct owned {
  void *memory;
  void *indices[DAP_MAX_NDIM];
} owned;

static void release(dap_array *array)
{
  owned *mine = array->private_data;
  for (int k = 0; k < DAP_MAX_NDIM; k++) free(mine->indices[k]);
  free(mine->memory);
  free(mine);
}

/* ---- the version ---------------------------------------------------------------------------------- */

enum { VERSION = 64 /* bytes of the text of any version */ };

/* Writes a version: a text, or the integers of a list with points between them, as 0.0.1's tuple is. */
static dap_status write_version(const document_process *process, char text[VERSION], dap_error *err)
{
  const json_t *value = process->version;
  const bool has_other = json_object_get(process->json, "version");
  text[0] = '\0';
  DAP_RULE(1, value, err, DAP_ERR_VERSION, "__version__ is absent%s",
           has_other ? "; rename the key \"version\"" : "");
  DAP_RULE(1, json_is_array(value) || (json_is_string(value) && !document_number_text(value)), err,
           DAP_ERR_VERSION, "__version__ %s, not a string", document_say(value).text);
  if (json_is_string(value)) (void)snprintf(text, VERSION, "%s", json_string_value(value));
  for (char *c = text; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = '?'; /* messages are one line */
  for (size_t i = 0, used = 0; i < json_array_size(value) && used < VERSION; i++) {
    int64_t number = 0;
    DAP_TRY(document_integer(json_array_get(value, i), 1, DAP_ERR_VERSION, &number, err,
                             "__version__: an element"));
    used += (size_t)snprintf(text + used, VERSION - used, "%s%lld", i ? "." : "", (long long)number);
  }
  return DAP_OK;
}

static dap_status read_version(const document_process *process, const char *rules, dap_array *array,
                               const dap_dialect **dialect, dap_error *err)
{
  char text[VERSION];
  DAP_TRY(write_version(process, text, err));
  const dap_dialect *found = dap_dialect_find(rules ? rules : text);
  DAP_RULE(2, found, err, DAP_ERR_VERSION,
           "__version__ '%s' is not 0.0.1, 0.9.* or 0.10.*, and no rules are given to read it by", text);
  DAP_RULE(1, rules || found->is_tuple || json_is_string(process->version), err, DAP_ERR_VERSION,
           "__version__ is a list of integers, not the string '%s'", text);
  DAP_REQUIRE(strlen(text) < DAP_VERSION_TEXT, err, DAP_ERR_RANGE, "__version__ '%s' is longer than %d bytes",
              text, DAP_VERSION_TEXT - 1);
  memcpy(array->version, text, strlen(text) + 1);
  *dialect = found;
  return DAP_OK;
}

/* ---- the dictionaries ----------------------------------------------------------------------------- */

static dap_status find_dims(const document_process *process, const dap_dialect *dialect, const json_t **dims,
                            dap_error *err)
{
  const json_t *json = process->json;
  const bool is_known = json_is_array(json) || json_is_object(json);
  DAP_RULE(3, is_known, err, DAP_ERR_DIM, "the process %s, not a dictionary", document_say(json).text);
  *dims = json_is_array(json) ? json : document_dims(json, dialect);
  DAP_RULE(1, *dims, err, DAP_ERR_DIM, "required key %s is absent", dialect->keys.dim_data);
  DAP_RULE(3, json_is_array(*dims), err, DAP_ERR_DIM, "%s %s, not a sequence of dictionaries",
           dialect->keys.dim_data, document_say(*dims).text);
  DAP_REQUIRE(json_array_size(*dims) <= DAP_MAX_NDIM, err, DAP_ERR_RANGE,
              "%s has %zu dictionaries, more than %d", dialect->keys.dim_data, json_array_size(*dims),
              DAP_MAX_NDIM);
  return DAP_OK;
}

static void read_dims(const json_t *dims, const dap_dialect *dialect, dap_array *array,
                      bool is_read[DAP_MAX_NDIM], document_findings *findings)
{
  owned *mine = array->private_data;
  array->dim_count = (int32_t)json_array_size(dims);
  for (int k = 0; k < array->dim_count; k++)
    is_read[k] = document_dim(k, json_array_get(dims, (size_t)k), dialect, &array->dims[k], &mine->indices[k],
                              findings);
}

/* ---- the part ------------------------------------------------------------------------------------- */

static dap_status check_buffer(const document *doc, const document_process *process, dap_error *err)
{
  DAP_RULE(1, !doc->has_buffers || process->buffer || process->shape, err, DAP_ERR_BUFFER,
           "the buffer is missing, but other processes have one");
  return DAP_OK;
}

static void read_part(const document *doc, int rank, dap_array *array, document_findings *findings)
{
  owned *mine = array->private_data;
  const document_process process = document_process_of(doc, rank);
  const char *layout = json_string_value(json_object_get(doc->json, "layout"));
  const dap_dialect *dialect = NULL;
  const json_t *dims = NULL;
  bool is_read[DAP_MAX_NDIM] = {false};
  dap_error error = {0};
  dap_status s = read_version(&process, doc->rules, array, &dialect, &error);
  if (!s) s = find_dims(&process, dialect, &dims, &error);
  if (!document_found(findings, s, &error)) return;
  read_dims(dims, dialect, array, is_read, findings);
  if (process.buffer || process.shape)
    document_buffer(&process, layout && !strcmp(layout, "unaligned"), array, &mine->memory, findings);
  else
    (void)document_found(findings, check_buffer(doc, &process, &error), &error);
  if (array->dtype == DAP_NONE) array->ndim = array->dim_count;

  /* A dictionary that passes all checks stands for each that could not be read. */
  for (int k = 0; k < array->dim_count; k++)
    if (!is_read[k])
      array->dims[k] =
          (dap_dim){.dist_type = 'b', .size = array->shape[k], .proc_grid_size = 1, .stop = array->shape[k]};
  array->abi = DAP_ARRAY_ABI;
}

dap_status document_read(const document *doc, int rank, const document_listener *listener, dap_array *array,
                         dap_error *err)
{
  document_findings findings = {.listener = listener, .rank = -1, .err = err};
  return document_read_noting(doc, rank, array, &findings);
}

dap_status document_read_noting(const document *doc, int rank, dap_array *array, document_findings *findings)
{
  *array = (dap_array){.private_data = calloc(1, sizeof(owned))};
  const long before = findings->count;
  dap_error error = {0};
  if (array->private_data) {
    array->release = release;
    read_part(doc, rank, array, findings);
  } else {
    (void)document_found(findings, dap_fail(&error, DAP_ERR_NOMEM, "no memory for an array"), &error);
  }
  return findings->count > before ? findings->status : DAP_OK;
}
