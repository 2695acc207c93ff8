/* dapbridge explain: prints whether ScaLAPACK and PETSc take each document's array as it lies. */
#include "check.h"
#include "cli_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 16 /* most ownership ranges that are printed */ };

/* Reports whether ScaLAPACK shares the array. The report is printed, or appended to `list` if that is not
 * NULL. False: no memory. */
static bool report_matrix(const cli_case *c, const document_parts *parts, const dap_layout *layout,
                          json_t *list)
{
  dap_error err = {0};
  const dap_status s = cli_matrix(c, parts, layout, list, &err);
  if (s == DAP_OK || s == DAP_ERR_NOMEM) return s == DAP_OK;
  if (list)
    return !json_array_append_new(
        list, json_pack("{ss so}", "verdict", "refused", "reason", cli_json_string(err.text)));
  printf("  ScaLAPACK: refused\n");
  cli_print_wrapped(4, 4, err.text);
  return true;
}

static json_t *pack_vector(const void *verdicts, int i)
{
  const cli_field_verdict *v = (const cli_field_verdict *)verdicts + i;
  const char order[] = {(char)v->order, '\0'};
  return json_pack("{ss ss so ss*}", "vector", v->vector, "verdict", v->is_shared ? "shared" : "moved",
                   "reason", cli_json_string(v->why), "if_order", v->order ? order : NULL);
}

/* This line is always short: the longest name of a type with a PetscScalar is complex128. */
static void print_vector(const cli_field_verdict *v)
{
  printf("  PETSc, %s vector: %s", v->vector, v->is_shared ? "shared" : "moved");
  if (v->is_shared && v->type) printf(", if PetscScalar is %s", dap_dtype_name(v->type));
  if (v->order) printf(", if in %c order", (char)v->order);
  printf("\n");
  cli_print_wrapped(4, 4, v->why);
}

/* Reports whether PETSc works in the array's buffers as a field. Returns the list of verdicts, or prints them
 * if `is_printed`. NULL: no memory. */
static json_t *report_field(const document_parts *parts, const dap_layout *layout, bool is_printed)
{
  cli_field_verdict verdicts[CLI_FIELD_VERDICTS];
  dap_error err = {0};
  int count;
  const dap_array *arrays = parts->doc->has_strides ? parts->arrays : NULL;
  const bool is_refused = cli_judge_field(layout, arrays, verdicts, &count, &err) != DAP_OK;
  if (!is_printed && is_refused)
    return json_pack("[{ss so}]", "verdict", "refused", "reason", cli_json_string(err.text));
  if (!is_printed) return cli_json_list(count, pack_vector, verdicts);
  if (is_refused) {
    printf("  PETSc, vectors of a field: refused\n");
    cli_print_wrapped(4, 4, err.text);
  }
  for (int i = 0; i < count; i++) print_vector(&verdicts[i]);
  return NULL;
}

/* Finds PETSc's ranges[processes of the axis + 1]. dap_layout_ranges() takes the first process as the owner
 * of an axis that all processes have. This function refuses such an axis. */
static dap_status find_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *why)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  DAP_REQUIRE(a.procs == 1 || !a.replicated, why, DAP_ERR_SHARE,
              "axis %d: replicated: every process has all of it", axis);
  DAP_REQUIRE(a.procs == 1 || !a.partial, why, DAP_ERR_SHARE,
              "axis %d: partial: every process has an addend of each element", axis);
  return dap_layout_ranges(layout, axis, ranges, why);
}

static json_t *pack_integer(const void *values, int i)
{
  return json_integer(((const int64_t *)values)[i]);
}

static void print_ranges(int axis, const int64_t ranges[], int count)
{
  char text[512]; /* SHOWN numbers and the spaces before them have at most 20 * SHOWN characters */
  int length = snprintf(text, sizeof text, "PETSc, axis %d: ownership ranges", axis);
  for (int c = 0; c < count && c < SHOWN; c++)
    length += snprintf(text + length, sizeof text - (size_t)length, " %" PRId64, ranges[c]);
  if (count > SHOWN) (void)snprintf(text + length, sizeof text - (size_t)length, " ...");
  cli_print_wrapped(2, 6, text);
}

/* Reports PETSc's ownership ranges of an axis, or why there are none, as report_matrix() does. */
static bool report_ranges(const dap_layout *layout, int axis, json_t *list)
{
  const int count = dap_layout_procs(layout, axis) + 1;
  int64_t *ranges = malloc((size_t)count * sizeof *ranges);
  dap_error why = {0};
  bool is_done = true;
  if (!ranges) return false;
  const bool is_refused = find_ranges(layout, axis, ranges, &why) != DAP_OK;
  if (list) {
    json_t *json = is_refused ? json_pack("{so}", "reason", cli_json_string(why.text))
                              : json_pack("{so}", "ranges", cli_json_list(count, pack_integer, ranges));
    is_done = !json_array_append_new(list, json);
  } else if (is_refused) {
    printf("  PETSc, axis %d: no ownership ranges\n", axis);
    cli_print_wrapped(4, 4, why.text);
  } else {
    print_ranges(axis, ranges, count);
  }
  free(ranges);
  return is_done;
}

static bool report(const cli_case *c, const document_parts *parts, const dap_layout *layout, json_t *matrices,
                   json_t *ranges)
{
  bool is_done = report_matrix(c, parts, layout, matrices);
  if (!matrices) (void)report_field(parts, layout, true);
  for (int k = 0; k < dap_layout_ndim(layout) && is_done; k++) is_done = report_ranges(layout, k, ranges);
  return is_done;
}

static cli_exit print_json(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  json_t *matrices = json_array(), *ranges = json_array();
  json_t *json = json_pack("{so so so so}", "summary", cli_json_text(dap_layout_summary, layout), "scalapack",
                           matrices, "petsc_field", report_field(parts, layout, false), "petsc", ranges);
  if (json && report(c, parts, layout, matrices, ranges)) return cli_print_result(c, json);
  json_decref(json);
  return cli_no_memory(c);
}

/* Prints the place of a document and its layout, in one line if they fit. False: no memory. */
static bool print_heading(const char *where, const dap_layout *layout)
{
  char *summary = cli_text(dap_layout_summary, layout);
  const size_t end = strlen(where) + 1, size = end + (summary ? strlen(summary) : 0) + 2;
  char *text = malloc(size);
  const bool is_made = summary && text;
  if (is_made) {
    (void)snprintf(text, size, "%s: %s", where, summary);
    const bool is_long = size - 1 > CLI_WIDTH;
    if (is_long) text[end] = '\0';
    cli_print_wrapped(0, 4, text);
    if (is_long) cli_print_wrapped(2, 4, summary);
  }
  free(text);
  free(summary);
  return is_made;
}

static cli_exit explain(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  if (c->options->json) return print_json(c, parts, layout);
  const bool is_done = print_heading(c->where, layout) && report(c, parts, layout, NULL, NULL);
  return is_done ? CLI_FINE : cli_no_memory(c);
}

cli_exit cli_explain(const cli_options *options)
{
  return cli_walk_whole(options, explain);
}
