/* Finds out the form of a document: the place of the processes, and whether they have buffers. */
#include "document_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* ---- parts of a document -------------------------------------------------------------------------- */

const json_t *document_dims(const json_t *json, const dap_dialect *dialect)
{
  const char *key = dialect ? dialect->keys.dim_data : "dimdata";
  return json_object_get(json, key) ? json_object_get(json, key) : json_object_get(json, "dim_data");
}

/* Returns the list of processes; NULL if there is none. */
static const json_t *ranks_of(const json_t *json)
{
  if (json_is_array(json)) return json;
  if (json_object_get(json, "ranks")) return json_object_get(json, "ranks");
  const json_t *dims = document_dims(json, NULL);
  return json_is_array(json_array_get(dims, 0)) ? dims : NULL;
}

bool document_is_whole(const json_t *json)
{
  return json_is_object(json) && ranks_of(json) != NULL;
}

document_process document_process_of(const document *doc, int rank)
{
  const json_t *json = doc->ranks ? json_array_get(doc->ranks, (size_t)rank) : doc->json;
  document_process process = {.json = json, .version = json_object_get(json, "__version__")};
  if (!process.version) process.version = json_object_get(doc->json, "__version__");
  process.buffer = json_object_get(json, "buffer");
  if (!process.buffer) process.shape = json_object_get(json, "buffer_shape");
  return process;
}

/* ---- opening -------------------------------------------------------------------------------------- */

static dap_status find_ranks(document *doc, dap_error *err)
{
  doc->ranks = ranks_of(doc->json);
  doc->is_export = !doc->ranks;
  doc->nprocs = 1;
  if (doc->is_export) {
    DAP_REQUIRE(json_is_object(doc->json) &&
                    (document_dims(doc->json, NULL) || json_object_get(doc->json, "__version__")),
                err, DAP_ERR_ARG, "no description of an array: neither ranks nor dim_data is there");
    return DAP_OK;
  }
  DAP_REQUIRE(json_is_array(doc->ranks), err, DAP_ERR_ARG, "ranks %s, not a list of processes",
              document_say(doc->ranks).text);
  const size_t count = json_array_size(doc->ranks);
  DAP_REQUIRE(count > 0, err, DAP_ERR_ARG, "no description of an array: the list of processes is empty");
  DAP_REQUIRE(count <= INT_MAX, err, DAP_ERR_RANGE, "%zu processes are more than there can be", count);
  doc->nprocs = (int)count;
  return DAP_OK;
}

/* Checks that "nprocs", if it is there, is the number of processes. */
static dap_status check_nprocs(const document *doc, dap_error *err)
{
  const json_t *nprocs = doc->ranks ? json_object_get(doc->json, "nprocs") : NULL;
  if (!nprocs) return DAP_OK;
  DAP_REQUIRE(json_is_integer(nprocs), err, DAP_ERR_ARG, "nprocs %s, not an integer",
              document_say(nprocs).text);
  const json_int_t count = json_integer_value(nprocs);
  DAP_REQUIRE(count == doc->nprocs, err, DAP_ERR_ARG, "nprocs is %lld, but %d processes are listed",
              (long long)count, doc->nprocs);
  return DAP_OK;
}

/* Checks that the first element of a list could be a process. */
static dap_status check_list(const document *doc, dap_error *err)
{
  const json_t *first = json_array_get(doc->json, 0);
  DAP_REQUIRE(!first || document_dims(first, NULL) || json_object_get(first, "__version__"), err, DAP_ERR_ARG,
              "no description of an array: the list's first element has neither __version__ nor dim_data");
  return DAP_OK;
}

dap_status document_open(document *doc, const json_t *json, const char *rules, dap_error *err)
{
  *doc = (document){.json = json, .rules = rules, .has_strides = true, .has_values = true};
  DAP_RULE(2, !rules || dap_dialect_find(rules), err, DAP_ERR_VERSION,
           "rules '%.32s' are not 0.0.1, 0.9.* or 0.10.*", rules);
  DAP_TRY(find_ranks(doc, err));
  DAP_TRY(check_nprocs(doc, err));
  DAP_TRY(check_list(doc, err));
  for (int rank = 0; rank < doc->nprocs; rank++) {
    const document_process process = document_process_of(doc, rank);
    doc->has_buffers = doc->has_buffers || process.buffer || process.shape;
    doc->has_strides = doc->has_strides && process.buffer;
    doc->has_values = doc->has_values && json_object_get(process.buffer, "values");
  }
  return DAP_OK;
}
