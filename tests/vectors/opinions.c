/* Entries bring verdicts of their own: what the documents' text says, and what the protocol's own checker
 * did. Where one differs from the oracle's, a rule must have decided that very difference. */
#include "vectors.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1U, CHECKER = 2U };

/* ---- what is refused though another accepts it ------------------------------------------------- */

typedef struct stricter {
  fault found;
  unsigned whom; /* who may have overlooked it: TEXT, CHECKER, or both */
  const char *why;
} stricter;

static const stricter refusals[] = {
    {FAULT_VERSION, TEXT | CHECKER, "only 0.0.1, 0.9.* and 0.10.* are read unless the rules are named"},
    {FAULT_EXTENT, TEXT | CHECKER, "the local extent must be the buffer's, for every dist_type"},
    {FAULT_LABEL, TEXT | CHECKER, "an index outside 0 .. size - 1 cannot be found again"},
    {FAULT_INTEGER, CHECKER, "a bool or real is no integer, though Python has them for one"},
    {FAULT_BOOL, CHECKER, "a bool is nothing but a bool"},
    {FAULT_KEY, CHECKER, "the checker does not look for every required key"},
    {FAULT_SIZE, CHECKER, "the checker does not look at the size"},
    {FAULT_GRID, CHECKER, "the checker does not look for negative ranks"},
    {FAULT_RANGE, CHECKER, "the checker does not look at all of start and stop"},
    {FAULT_EDGE, CHECKER, "the checker does not ask who owns the end"},
    {FAULT_PADDING, CHECKER, "the checker does not look at the widths"},
    {FAULT_START, CHECKER, "the checker does not look at every start"},
    {FAULT_NOTHING, CHECKER, "the checker does not ask who owns the rest"},
    {FAULT_INDICES, CHECKER, "the checker does not look into the indices"},
    {FAULT_TWICE, CHECKER, "the checker does not look into the indices"},
    {FAULT_GAP, CHECKER, "the checker does not look into the indices"},
};

/* ---- what is accepted though another refuses it ------------------------------------------------ */

static const json_t *types_of(const json_t *entry, size_t axis)
{
  const json_t *types = json_object_get(entry, "py_types");
  const json_t *dims = json_is_object(types) ? json_object_get(types, "dims") : types;
  return json_array_get(dims, axis);
}

static bool begins(const json_t *text, const char *with)
{
  return json_is_string(text) && !strncmp(json_string_value(text), with, strlen(with));
}

static bool is_type(const json_t *dim, const char *letter)
{
  const json_t *type = json_object_get(dim, "dist_type");
  return json_is_string(type) && !strcmp(json_string_value(type), letter);
}

/* dim_data is a list, where the text has a tuple. */
static bool has_list_of_dims(const json_t *entry)
{
  const json_t *types = json_object_get(entry, "py_types");
  return begins(json_object_get(entry, "dim_data_type"), "list") ||
         begins(json_object_get(types, "dim_data"), "list");
}

static bool has_padding_list(const json_t *entry, size_t axis, const json_t *dim)
{
  (void)dim;
  return begins(json_object_get(types_of(entry, axis), "padding"), "list");
}

static bool has_indices_list(const json_t *entry, size_t axis, const json_t *dim)
{
  (void)dim;
  return begins(json_object_get(types_of(entry, axis), "indices"), "list");
}

/* A key that the text gives to another dist_type only. */
static bool has_foreign_key(const json_t *entry, size_t axis, const json_t *dim)
{
  static const struct {
    const char *key, *types;
  } homes[] = {{"start", "bc"},  {"stop", "b"},       {"padding", "bn"},  {"periodic", "bn"},
               {"indices", "u"}, {"one_to_one", "u"}, {"block_size", "c"}};
  (void)entry;
  (void)axis;
  const char *type = json_string_value(json_object_get(dim, "dist_type"));
  for (size_t i = 0; i < sizeof homes / sizeof homes[0] && type; i++)
    if (json_object_get(dim, homes[i].key) && !strchr(homes[i].types, type[0])) return true;
  return false;
}

/* numpy's integers and bools, which are none of Python's. */
static bool has_other_number(const json_t *entry, size_t axis, const json_t *dim)
{
  const json_t *types = types_of(entry, axis), *value;
  const char *key;
  json_object_foreach((json_t *)types, key, value)
  {
    const json_t *given = json_object_get(dim, key);
    const bool is_plain = begins(value, "int") && json_string_length(value) == 3;
    if (json_is_integer(given) && !is_plain) return true;
    if (json_is_boolean(given) && !(begins(value, "bool") && json_string_length(value) == 4)) return true;
  }
  return false;
}

static bool is_other_version(const json_t *entry)
{
  const json_t *version = json_object_get(entry, "__version__");
  return json_is_string(version) && strcmp(json_string_value(version), "0.10.0") != 0;
}

/* Block 0 on another process than the first, or an empty section wherever it says it starts. */
static bool has_other_start(const json_t *entry, size_t axis, const json_t *dim)
{
  (void)entry;
  (void)axis;
  const json_t *blocks = json_object_get(dim, "block_size");
  const json_int_t bs = blocks ? json_integer_value(blocks) : 1;
  return is_type(dim, "c") && json_integer_value(json_object_get(dim, "start")) !=
                                  json_integer_value(json_object_get(dim, "proc_grid_rank")) * bs;
}

static bool has_empty_section(const json_t *entry, size_t axis, const json_t *dim)
{
  (void)entry;
  (void)axis;
  const json_t *start = json_object_get(dim, "start"), *stop = json_object_get(dim, "stop");
  return is_type(dim, "b") && start && stop && json_integer_value(start) == json_integer_value(stop);
}

/* A rule that accepts; it has to do with an entry if the entry or one of its dictionaries has what it is
 * about, or if the checker's complaint is this one, as of things that the entry itself leaves out. */
typedef struct laxer {
  int rule;
  unsigned whom;
  bool (*of_entry)(const json_t *entry);
  bool (*of_dim)(const json_t *entry, size_t axis, const json_t *dim);
  const char *complaint;
  const char *why;
} laxer;

static const laxer licences[] = {
    {3, TEXT | CHECKER, has_list_of_dims, NULL, "is not an instance of tuple",
     "dim_data may be any sequence"},
    {10, TEXT | CHECKER, NULL, has_padding_list, "is not a tuple", "padding may be any sequence of two"},
    {17, TEXT | CHECKER, NULL, has_indices_list, "support the buffer interface",
     "indices may be any sequence"},
    {3, TEXT | CHECKER, NULL, has_foreign_key, NULL, "keys of another dist_type are ignored"},
    {3, TEXT | CHECKER, NULL, has_other_number, "type <class 'numpy.", "integers and bools may be numpy's"},
    {3, CHECKER, NULL, NULL, "extra keys", "unknown keys are ignored"},
    {2, CHECKER, is_other_version, NULL, NULL, "other patch levels and versions are read"},
    {14, TEXT | CHECKER, NULL, has_other_start, NULL,
     "block 0 may be on any process; start >= size is empty"},
    {11, TEXT | CHECKER, NULL, has_empty_section, NULL, "start == stop is an empty section"},
};

static bool complains(const json_t *entry, const char *of)
{
  const char *message = json_string_value(json_object_get(entry, "validator_message"));
  const char *reason = json_string_value(json_object_get(entry, "reason"));
  return of && ((message && strstr(message, of)) || (reason && strstr(reason, of)));
}

static bool is_licensed(const json_t *entry, const laxer *licence)
{
  const json_t *dims = json_object_get(entry, "dim_data"), *dim;
  size_t axis;
  if (licence->of_entry && licence->of_entry(entry)) return true;
  json_array_foreach((json_t *)dims, axis,
                     dim) if (licence->of_dim && licence->of_dim(entry, axis, dim)) return true;
  return complains(entry, licence->complaint);
}

/* ---- comparing --------------------------------------------------------------------------------- */

/* "valid", "valid for 0.9", "invalid", and what the checker does besides: "raises". Else, as "ambiguous",
 * none. */
typedef enum opinion { NONE, VALID, INVALID } opinion;

static opinion read_opinion(const json_t *text)
{
  if (begins(text, "valid")) return VALID;
  return begins(text, "invalid") || begins(text, "raises") ? INVALID : NONE;
}

/* Entries without "text" are listed as right, or as wrong for a "reason", or to ask "why". */
static opinion text_of(const json_t *entry)
{
  if (json_object_get(entry, "text")) return read_opinion(json_object_get(entry, "text"));
  if (json_object_get(entry, "reason")) return INVALID;
  return json_object_get(entry, "why") ? NONE : VALID;
}

static bool explain_refusal(const oracle *judged, unsigned whose, tally *all)
{
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const stricter *r = &refusals[i];
    if (!(judged->faults & 1UL << r->found) || !(r->whom & whose)) continue;
    tally_note(all, "%s says valid, refused by rule %d: %s", whose == TEXT ? "the text" : "the checker",
               fault_rule(r->found), r->why);
    return true;
  }
  return false;
}

static bool explain_licence(const json_t *entry, unsigned whose, tally *all)
{
  for (size_t i = 0; i < sizeof licences / sizeof licences[0]; i++) {
    const laxer *l = &licences[i];
    if (!(l->whom & whose) || !is_licensed(entry, l)) continue;
    tally_note(all, "%s says invalid, accepted by rule %d: %s", whose == TEXT ? "the text" : "the checker",
               l->rule, l->why);
    return true;
  }
  return false;
}

static bool explain(const json_t *entry, const oracle *judged, unsigned whose, opinion said, tally *all,
                    char text[VECTOR_TEXT])
{
  const bool is_right = judged->faults == 0;
  if (said == NONE || (said == VALID) == is_right) return true;
  if (is_right ? explain_licence(entry, whose, all) : explain_refusal(judged, whose, all)) return true;
  snprintf(text, VECTOR_TEXT, "%s says %s, the rules say otherwise, and that is no known difference",
           whose == TEXT ? "its text" : "its checker", said == VALID ? "valid" : "invalid");
  return false;
}

bool opinions_explained(const json_t *entry, const oracle *judged, tally *all, char text[VECTOR_TEXT])
{
  const opinion said = text_of(entry), checked = read_opinion(json_object_get(entry, "validator"));
  if (said == NONE) tally_note(all, "the text leaves it open, %s", judged->faults ? "refused" : "accepted");
  return explain(entry, judged, TEXT, said, all, text) && explain(entry, judged, CHECKER, checked, all, text);
}

bool opinions_say_wrong(const json_t *entry)
{
  return text_of(entry) == INVALID;
}
