#include "vectors.h"

#include <stdio.h>
#include <string.h>

/* ---- why a document is skipped ------------------------------------------------------------------ */

/* The library's text without the rank and dimension that it names, so that equal reasons count as one. */
static const char *without_place(const char *text)
{
  int length = 0;
  if (sscanf(text, "rank %*d: %n", &length) == 0 && length > 0) text += length;
  length = 0;
  if (sscanf(text, "dim %*d: %n", &length) == 0 && length > 0) text += length;
  return text;
}

static void write_reason(const char *text, char reason[VECTOR_TEXT])
{
  const char *version = strstr(text, "__version__ '");
  if (version && !strncmp(version + 13, "0.9.", 4))
    snprintf(reason, VECTOR_TEXT, "protocol 0.9.*");
  else if (version && !strncmp(version + 13, "0.0.1", 5))
    snprintf(reason, VECTOR_TEXT, "protocol 0.0.1");
  else if (strstr(text, "dist_type 'u'"))
    snprintf(reason, VECTOR_TEXT, "dist_type 'u'");
  else
    snprintf(reason, VECTOR_TEXT, "%s", without_place(text));
}

/* ---- one document ------------------------------------------------------------------------------- */

/* The same status and text on all processes, byte for byte. */
static bool is_same(MPI_Comm comm, dap_status status, const dap_error *err)
{
  struct {
    int status;
    char text[DAP_ERROR_TEXT];
  } mine = {.status = (int)status}, first;
  if (status) snprintf(mine.text, sizeof mine.text, "%s", err->text);
  first = mine;
  MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, comm);
  int same = mine.status == first.status && !strcmp(mine.text, first.text), all = 0;
  MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, comm);
  return all;
}

static outcome judge_refusal(bool conforming, dap_status status, const dap_error *err)
{
  outcome result = {VERDICT_PASSED, ""};
  if (status == DAP_ERR_UNSUPPORTED) {
    result.verdict = VERDICT_SKIPPED;
    write_reason(err->text, result.text);
  } else if (conforming || status == DAP_ERR_LIBRARY || status == DAP_ERR_NOMEM) {
    result.verdict = VERDICT_FAILED;
    snprintf(result.text, sizeof result.text, "refused (%s): %s", dap_status_name(status), err->text);
  } else {
    snprintf(result.text, sizeof result.text, "rightly refused: %s", err->text);
  }
  return result;
}

/* On the document's own processes. */
static outcome run(const json_t *document, MPI_Comm comm)
{
  const bool conforming = json_is_true(json_object_get(document, "conforming"));
  outcome result = {VERDICT_FAILED, ""};
  dap_error err = {0};
  dap_array mine;
  dap_layout *layout = NULL;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  dap_status s = dap_agree(comm, part_read(document, rank, &mine, &err), &err);
  if (!s) s = dap_layout_assemble(comm, &mine, &layout, &err);

  if (!is_same(comm, s, &err)) {
    snprintf(result.text, sizeof result.text, "status or text is not the same on all ranks; here: %s",
             err.text);
  } else if (s) {
    result = judge_refusal(conforming, s, &err);
  } else if (!conforming) {
    const char *notes = json_string_value(json_object_get(document, "notes"));
    snprintf(result.text, sizeof result.text, "accepted, but: %s", notes ? notes : "it does not conform");
  } else {
    s = dap_agree(comm, compare_map(document, layout, rank, &err), &err);
    if (!s) s = dap_agree(comm, compare_elements(document, comm, layout, &mine, &err), &err);
    result.verdict = s ? VERDICT_FAILED : VERDICT_PASSED;
    if (s) snprintf(result.text, sizeof result.text, "%s", err.text);
  }
  dap_layout_destroy(&layout);
  dap_array_release(&mine);
  return result;
}

outcome document_run(const json_t *document, MPI_Comm world)
{
  outcome result = {VERDICT_FAILED, "the document is broken: nprocs, ranks or conforming"};
  const json_t *nprocs = json_object_get(document, "nprocs"), *ranks = json_object_get(document, "ranks");
  const json_int_t wanted = json_integer_value(nprocs);
  if (!json_is_boolean(json_object_get(document, "conforming")) || wanted < 1 ||
      json_array_size(ranks) != (size_t)wanted)
    return result;
  int rank = 0, size = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (wanted > size) {
    result.verdict = VERDICT_SKIPPED;
    snprintf(result.text, sizeof result.text, "nprocs > %d", size);
    return result;
  }
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(world, rank < wanted ? 0 : MPI_UNDEFINED, rank, &part);
  if (part != MPI_COMM_NULL) {
    result = run(document, part);
    MPI_Comm_free(&part);
  }
  MPI_Bcast(&result, (int)sizeof result, MPI_BYTE, 0, world);
  return result;
}
