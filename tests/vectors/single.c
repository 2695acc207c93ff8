/* One entry of a file of single dictionaries: what a process exported, checked as one process's part; as a
 * part of a whole array that is made up around it; and compared with what the entry says of itself. */
#include "vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static outcome fail(const char *why, const char *text)
{
  outcome result = {.verdict = VERDICT_FAILED};
  snprintf(result.text, sizeof result.text, "%s%s%s", why, text[0] ? ": " : "", text);
  return result;
}

/* ---- from an entry to an export ---------------------------------------------------------------- */

/* JSON has no bytes: a version of that type looks like a text. The entry tells by version_type, or by
 * Python's complaint about it. */
static bool is_bytes(const json_t *entry)
{
  const char *type = json_string_value(json_object_get(entry, "version_type"));
  const char *message = json_string_value(json_object_get(entry, "validator_message"));
  return (type && !strcmp(type, "bytes")) || (message && strstr(message, "on a bytes-like object"));
}

/* An entry that only has a dictionary is of the version whose tests it is from ("... rel-0.10.0 ..."). */
static json_t *version_of(const json_t *entry)
{
  const char *source = json_string_value(json_object_get(entry, "source"));
  const char *release = source ? strstr(source, "rel-") : NULL;
  char text[DAP_VERSION_TEXT] = "0.10.0";
  if (is_bytes(entry)) return json_null(); /* as little a text as bytes are */
  if (json_object_get(entry, "__version__")) return json_incref(json_object_get(entry, "__version__"));
  if (!json_object_get(entry, "dim_dict")) return NULL;
  if (release) sscanf(release, "rel-%15[0-9.]", text);
  return json_string(text);
}

/* What of an entry the process exported. */
static json_t *export_of(const json_t *entry)
{
  static const char *const keys[] = {"dim_data", "dimdata", "buffer", "buffer_shape"};
  json_t *export = json_object(), *version = version_of(entry), *dim = json_object_get(entry, "dim_dict");
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (json_object_get(entry, keys[i])) json_object_set(export, keys[i], json_object_get(entry, keys[i]));
  if (version) json_object_set_new(export, "__version__", version);
  if (dim) json_object_set_new(export, "dim_data", json_pack("[O]", dim));
  return export;
}

static bool has_shape(const json_t *export)
{
  return json_object_get(export, "buffer") || json_object_get(export, "buffer_shape");
}

/* Dictionaries that came without a buffer get one of the extents that the rules say, or any. */
static void add_shape(json_t *export)
{
  enum { ANY = 3 };
  oracle judged;
  oracle_judge(export, NULL, false, &judged);
  json_t *shape = json_array();
  for (int k = 0; k < judged.ndim; k++)
    json_array_append_new(shape, json_integer(judged.axes[k].extent < 0 ? ANY : judged.axes[k].extent));
  json_object_set_new(export, "buffer_shape", shape);
}

/* ---- one process ------------------------------------------------------------------------------- */

/* What the library says of an export. `part` is ended by dap_array_release(). */
static dap_status check(const json_t *export, const char *rules, dap_array *part, dap_error *err)
{
  document doc;
  *part = (dap_array){0};
  dap_status s = document_open(&doc, export, rules, err);
  if (!s) s = document_read(&doc, 0, NULL, part, err);
  if (!s && rules) snprintf(part->version, sizeof part->version, "%s", rules);
  return s ? s : dap_array_check(part, err);
}

/* A refusal must name a rule that is broken, if it names one. */
static bool names_a_fault(const oracle *judged, const dap_error *err)
{
  bool does = err->rule == 0;
  for (int f = 0; f < FAULTS; f++)
    does = does || ((judged->faults & 1UL << f) && fault_breaks((fault)f, err->rule));
  return does;
}

/* Wrong, but accepted: allowed if that is seen only where all processes come together, and is seen there. */
static outcome compare_whole(const oracle *judged, fault first, const dap_array *part, tally *all)
{
  outcome result = {.verdict = VERDICT_PASSED};
  dap_layout *layout = NULL;
  dap_error err = {0};
  for (int f = 0; f < FAULTS; f++)
    if (judged->faults & 1UL << f && !fault_is_of_whole((fault)f))
      return fail("accepted, though there is", fault_text((fault)f));
  const dap_status s = completion_join(judged, part, &layout, &err);
  const bool is_accepted = layout != NULL;
  dap_layout_destroy(&layout);
  if (is_accepted) return fail("accepted, also in a whole array, though there is", fault_text(first));
  if (!s) tally_note(all, "accepted on its own, and no whole array can be made up: %s", fault_text(first));
  if (!s) return result;
  if (!names_a_fault(judged, &err)) return fail("refused, but not by a rule that it breaks", err.text);
  tally_note(all, "accepted on its own, refused in a whole array by rule %d: %s", err.rule,
             fault_text(first));
  snprintf(result.text, sizeof result.text, "rightly refused as a part of a whole array: %s", err.text);
  return result;
}

static outcome compare(const oracle *judged, const dap_array *part, dap_status status, const dap_error *err,
                       tally *all)
{
  outcome result = {.verdict = VERDICT_PASSED};
  dap_layout *layout = NULL;
  dap_error error = {0};
  fault first = (fault)0;
  while (first < FAULTS && !(judged->faults & 1UL << first)) first++;
  if (judged->faults && !status) return compare_whole(judged, first, part, all);
  if (!judged->faults && status) return fail("refused, though it is right", err->text);
  if (status && !names_a_fault(judged, err))
    return fail("refused, but not by a rule that it breaks", err->text);
  if (status) {
    snprintf(result.text, sizeof result.text, "rightly refused: %s", err->text);
    return result;
  }
  const dap_status s = completion_join(judged, part, &layout, &error);
  if (s) result = fail("right, but not as a part of a whole array", error.text);
  if (!s && !layout) tally_note(all, "right, but no small whole array was found that it is a part of");
  dap_layout_destroy(&layout);
  return result;
}

/* By the version's own rules, or by named ones. */
static outcome judge(json_t *export, const char *rules, bool needs_buffer, tally *all, oracle *judged)
{
  dap_array part;
  dap_error err = {0};
  oracle_judge(export, rules, needs_buffer, judged);
  const dap_status status = check(export, rules, &part, &err);
  const outcome result = compare(judged, &part, status, &err, all);
  dap_array_release(&part);
  return result;
}

/* Refused for a version that nobody knows: under each set of rules it must be judged rightly too. */
static outcome judge_named(json_t *export, bool needs_buffer, tally *all)
{
  static const char *const rules[] = {"0.10.0", "0.9.0", "0.0.1"};
  outcome result = {.verdict = VERDICT_PASSED};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0] && result.verdict == VERDICT_PASSED; i++) {
    oracle judged;
    result = judge(export, rules[i], needs_buffer, all, &judged);
    tally_note(all, "of no known version, by the rules of %s %s", rules[i],
               judged.faults ? "refused" : "accepted");
  }
  return result;
}

static int64_t owned_of(const oracle *judged)
{
  int64_t owned = 1;
  for (int k = 0; k < judged->ndim; k++) owned *= judged->axes[k].owned;
  return owned;
}

static outcome run_export(const json_t *entry, bool needs_buffer, tally *all)
{
  oracle judged;
  char text[VECTOR_TEXT];
  json_t *export = export_of(entry);
  const json_t *owned = json_object_get(entry, "num_owned_true");
  if (!needs_buffer && !has_shape(export)) add_shape(export);
  outcome result = judge(export, NULL, needs_buffer, all, &judged);
  if (result.verdict == VERDICT_PASSED && owned && json_integer_value(owned) != owned_of(&judged))
    result = fail("it owns another number of elements than the entry says", "");
  if (result.verdict == VERDICT_PASSED && judged.faults == 1UL << FAULT_VERSION &&
      json_is_string(json_object_get(export, "__version__"))) {
    const outcome named = judge_named(export, needs_buffer, all);
    if (named.verdict != VERDICT_PASSED) result = named;
  }
  if (result.verdict == VERDICT_PASSED && !opinions_explained(entry, &judged, all, text))
    result = fail(text, "");
  json_decref(export);
  return result;
}

/* ---- several processes ------------------------------------------------------------------------- */

/* Each on its own, by the rules. *faults: of them all. */
static outcome run_each(const json_t *ranks, tally *all, unsigned long *faults)
{
  outcome result = {.verdict = VERDICT_PASSED};
  const json_t *one;
  size_t rank;
  json_array_foreach((json_t *)ranks, rank, one)
  {
    oracle judged;
    json_t *export = export_of(one);
    if (!has_shape(export)) add_shape(export);
    if (result.verdict == VERDICT_PASSED) result = judge(export, NULL, false, all, &judged);
    *faults |= judged.faults;
    json_decref(export);
  }
  return result;
}

static dap_status join_ranks(const json_t *entry, dap_error *err)
{
  document doc;
  document_parts parts = {0};
  dap_layout *layout = NULL;
  dap_status s = document_open(&doc, entry, NULL, err);
  if (!s) s = document_parts_init(&parts, &doc, NULL, err);
  if (!s) s = document_parts_join(&parts, NULL, &layout, err);
  if (!s && doc.has_values) s = document_parts_compare(&parts, layout, NULL, err);
  if (!s) s = export_compare(layout, NULL, parts.arrays, err);
  dap_layout_destroy(&layout);
  document_parts_release(&parts);
  return s;
}

/* A complete array makes a layout, unless the entry says that it is wrong; of one that is not complete each
 * process is judged on its own. */
static outcome run_ranks(const json_t *entry, tally *all)
{
  const bool is_complete = !json_is_false(json_object_get(entry, "complete"));
  const bool is_wrong = opinions_say_wrong(entry) || json_is_false(json_object_get(entry, "conforming"));
  dap_error err = {0};
  unsigned long faults = 0;
  const outcome result = run_each(json_object_get(entry, "ranks"), all, &faults);
  if (result.verdict != VERDICT_PASSED) return result;
  const dap_status s = is_complete ? join_ranks(entry, &err) : DAP_OK;
  if ((s || faults) && !is_wrong)
    return fail("refused, though it is right", s ? err.text : "one of the processes");
  if (!s && !faults && is_wrong) return fail("accepted, though it says that it is wrong", "");
  return result;
}

outcome single_run(const json_t *entry, bool needs_buffer, tally *all)
{
  if (!json_is_object(entry)) return fail("the entry is no dictionary", "");
  return json_is_array(json_object_get(entry, "ranks")) ? run_ranks(entry, all)
                                                        : run_export(entry, needs_buffer, all);
}
