/* Reads all processes of a document and joins them. */
#include "document_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dap_status document_parts_init(document_parts *parts, const document *doc, const document_listener *listener,
                               dap_error *err)
{
  const size_t count = (size_t)doc->nprocs;
  document_findings findings = {.listener = listener, .err = &parts->error};
  *parts = (document_parts){.doc = doc};
  parts->arrays = calloc(count, sizeof *parts->arrays);
  parts->is_read = parts->arrays ? calloc(count, sizeof *parts->is_read) : NULL; /* NULL: nothing is read */
  DAP_REQUIRE(parts->is_read, err, DAP_ERR_NOMEM, "no memory for %zu processes", count);
  for (int rank = 0; rank < doc->nprocs; rank++) {
    findings.rank = doc->is_export ? -1 : rank;
    dap_array array;
    parts->is_read[rank] = !document_read_noting(doc, rank, &array, &findings);
    if (array.abi) /* the zeroed memory of empty arrays is never touched */
      parts->arrays[rank] = array;
    else
      dap_array_release(&array);
  }
  parts->status = findings.status;
  if (findings.status && err) *err = parts->error;
  return findings.status;
}

void document_parts_release(document_parts *parts)
{
  for (int rank = 0; parts->arrays && rank < parts->doc->nprocs; rank++)
    if (parts->arrays[rank].abi) dap_array_release(&parts->arrays[rank]);
  free(parts->arrays);
  free(parts->is_read);
  *parts = (document_parts){0};
}

/* ---- joining -------------------------------------------------------------------------------------- */

/* Forwards findings of dap_layout_join() to a listener. */
typedef struct forwarding {
  const document_parts *parts;
  int alone;    /* the only process that is joined; -1: all are */
  bool is_part; /* the grid has more processes than the document */
  document_findings findings;
} forwarding;

static dap_status give(void *context, int rank, dap_array *array, dap_error *err)
{
  (void)err;
  const forwarding *r = context;
  const int asked = r->alone >= 0 ? r->alone : rank;
  /* A process that could not be read has no array to join. concerns() drops the library's finding about
   * it. */
  const bool is_joined = r->alone >= 0 || r->parts->is_read[rank];
  *array = is_joined ? r->parts->arrays[asked] : (dap_array){0};
  return DAP_OK;
}

static const char *without_rank(const dap_error *finding)
{
  char prefix[32];
  const int length = snprintf(prefix, sizeof prefix, "rank %d: ", finding->rank);
  return strncmp(finding->text, prefix, (size_t)length) ? finding->text : finding->text + length;
}

/* Returns whether a finding is about the document itself. */
static bool concerns(forwarding *r, dap_status status, const dap_error *finding)
{
  const bool *is_read = r->parts->is_read;
  if (r->alone < 0) return finding->rank < 0 || is_read[finding->rank];
  if (status == DAP_ERR_LAYOUT && finding->rule == 6) r->is_part = true;
  if (status == DAP_ERR_LAYOUT)
    return is_read[r->alone] && !r->is_part;       /* a contradiction between processes */
  return is_read[r->alone] || finding->rule != 12; /* {} has the size of a buffer, which may be missing */
}

static void report_finding(void *context, dap_status status, const dap_error *finding)
{
  forwarding *r = context;
  dap_error said = *finding;
  if (!concerns(r, status, finding)) return;
  (void)snprintf(said.text, sizeof said.text, "%s", without_rank(finding));
  r->findings.rank = r->alone >= 0 ? r->alone : finding->rank;
  if (r->parts->doc->is_export) r->findings.rank = -1;
  (void)document_found(&r->findings, status, &said);
}

/* Makes the layout of all processes, or of only one. */
static void join(forwarding *r, dap_layout **layout)
{
  const document *doc = r->parts->doc;
  const bool has_buffers = r->alone >= 0 ? r->parts->arrays[r->alone].dtype != DAP_NONE : doc->has_buffers;
  const dap_join all = {.nprocs = r->alone >= 0 ? 1 : doc->nprocs,
                        .context = r,
                        .part = give,
                        .tell = report_finding,
                        .rules = doc->rules,
                        .without_buffers = !has_buffers};
  (void)dap_layout_join(&all, layout, NULL);
}

/* Checks the rest of a process that could not be read. */
static void check_rest(forwarding *r, int rank)
{
  dap_layout *none = NULL;
  if (r->parts->arrays[rank].abi == 0) return;
  r->alone = rank;
  join(r, &none);
  dap_layout_destroy(&none);
}

dap_status document_parts_join(const document_parts *parts, const document_listener *listener,
                               dap_layout **layout, dap_error *err)
{
  forwarding r = {.parts = parts, .findings = {.listener = listener, .err = err}};
  *layout = NULL;
  for (int rank = 0; rank < parts->doc->nprocs; rank++)
    if (!parts->is_read[rank]) check_rest(&r, rank);
  r.is_part = false;
  r.alone = parts->doc->is_export ? 0 : -1;
  if (!parts->status || !parts->doc->is_export) join(&r, layout);
  if (parts->status && err) *err = parts->error;
  return parts->status ? parts->status : r.findings.status;
}
