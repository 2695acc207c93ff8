/* The rules for what one process exports, but for its dictionaries. */
#include "oracle.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- faults ------------------------------------------------------------------------------------ */

/* Where several rules are broken by the same thing, the library may name any. */
static const struct {
  int rule, also[2];
  const char *text;
} faults[FAULTS] = {
    [FAULT_VERSION] = {2, {1}, "no version of the protocol"},
    [FAULT_NO_DIM_DATA] = {1, {3}, "no dim_data"},
    [FAULT_NO_SEQUENCE] = {3, {1}, "dim_data is no sequence"},
    [FAULT_NO_BUFFER] = {4, {20, 1}, "no buffer"},
    [FAULT_ELEMENT] = {20, {0}, "no element type"},
    [FAULT_COUNT] = {4, {0}, "not as many dictionaries as dimensions"},
    [FAULT_NO_DICTIONARY] = {3, {1, 20}, "a dimension that is no dictionary"},
    [FAULT_TYPE] = {1, {3}, "no dist_type of the version"},
    [FAULT_KEY] = {1, {0}, "a required key is missing"},
    [FAULT_INTEGER] = {3, {0}, "an integer that is none"},
    [FAULT_BOOL] = {3, {0}, "a bool that is none"},
    [FAULT_SIZE] = {1, {0}, "a negative size"},
    [FAULT_GRID] = {6, {0}, "no place in the process grid"},
    [FAULT_RANGE] = {8, {0}, "start and stop not in 0 <= start <= stop <= size"},
    [FAULT_EDGE] = {8, {0}, "the first or last process leaves a gap"},
    [FAULT_PADDING] = {10, {3}, "padding that is not two integers >= 0, or does not fit"},
    [FAULT_BLOCK_SIZE] = {13, {0}, "a block_size less than 1"},
    [FAULT_START] = {14, {0}, "a start that begins no block of the first round"},
    [FAULT_NOTHING] = {14, {0, 0}, "one process, which has no block"},
    [FAULT_INDICES] = {17, {3}, "indices that are no 1-D sequence of integers"},
    [FAULT_LABEL] = {17, {0}, "an index outside 0 .. size - 1"},
    [FAULT_TWICE] = {17, {0}, "an index twice"},
    [FAULT_GAP] = {17, {0}, "one process, which does not hold every index"},
    [FAULT_EXTENT] = {4, {15, 8}, "a local extent that is not the buffer's"},
};

int fault_rule(fault f)
{
  return faults[f].rule;
}

bool fault_breaks(fault f, int rule)
{
  return rule == faults[f].rule || (rule > 0 && (rule == faults[f].also[0] || rule == faults[f].also[1]));
}

const char *fault_text(fault f)
{
  return faults[f].text;
}

bool fault_is_of_whole(fault f)
{
  return f == FAULT_EDGE || f == FAULT_NOTHING || f == FAULT_GAP;
}

void oracle_fault(oracle *judged, fault f)
{
  judged->faults |= 1UL << f;
}

/* ---- the version ------------------------------------------------------------------------------- */

static const speech dialects[] = {
    {"0.10.", false, "dim_data", "dist_type", "size", "proc_grid_size", "proc_grid_rank", "block_size",
     "one_to_one", true, true, false},
    {"0.9.", false, "dim_data", "dist_type", "size", "proc_grid_size", "proc_grid_rank", "block_size",
     "one_to_one", false, false, true},
    {"0.0.1", true, "dimdata", "disttype", "datasize", "gridsize", "gridrank", "blocksize", NULL, false,
     false, true},
};

static bool is_of(const speech *dialect, const char *version)
{
  const size_t length = strlen(dialect->versions);
  if (dialect->versions[length - 1] != '.') return !strcmp(version, dialect->versions);
  return !strncmp(version, dialect->versions, length) && isdigit((unsigned char)version[length]);
}

/* A tuple as a text; "" for what is neither. */
static bool read_version(const json_t *version, char text[64])
{
  size_t used = 0;
  text[0] = '\0';
  if (json_is_string(version)) snprintf(text, 64, "%s", json_string_value(version));
  for (size_t i = 0; i < json_array_size(version) && used < 64; i++)
    used += (size_t)snprintf(text + used, 64 - used, "%s%lld", i ? "." : "",
                             (long long)json_integer_value(json_array_get(version, i)));
  return json_is_array(version);
}

/* Rules 1 and 2. */
static const speech *choose(const json_t *version, const char *rules)
{
  char text[64];
  const bool is_tuple = read_version(version, text);
  for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
    if (rules ? is_of(&dialects[i], rules) : is_of(&dialects[i], text) && (dialects[i].is_tuple || !is_tuple))
      return &dialects[i];
  return NULL;
}

/* ---- the buffer -------------------------------------------------------------------------------- */

static bool is_shape(const json_t *shape)
{
  for (size_t i = 0; i < json_array_size(shape); i++) {
    const json_t *extent = json_array_get(shape, i);
    if (!json_is_integer(extent) || json_integer_value(extent) < 0) return false;
  }
  return json_is_array(shape);
}

/* Rule 20; the formats of the element types there are, in either byte order. */
static bool is_format(const char *format)
{
  static const char *const known[] = {"?", "b", "B", "h", "H", "i", "I", "l",  "L",  "q",
                                      "Q", "e", "f", "d", "g", "c", "n", "Zf", "Zd", "Zg"};
  if (strchr("@=<>!", format[0]) && format[0]) format++;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (!strcmp(format, known[i])) return true;
  return false;
}

/* The shape, or NULL. */
static const json_t *read_buffer(const json_t *part, bool needs_buffer, oracle *judged)
{
  const json_t *buffer = json_object_get(part, "buffer"), *shape = json_object_get(part, "buffer_shape");
  const json_t *format = json_object_get(buffer, "format");
  if (buffer) shape = json_object_get(buffer, "shape");
  if (!shape && !buffer && !needs_buffer) return NULL;
  if (!is_shape(shape)) {
    oracle_fault(judged, FAULT_NO_BUFFER);
    return NULL;
  }
  if (format && !(json_is_string(format) && is_format(json_string_value(format))))
    oracle_fault(judged, FAULT_ELEMENT);
  return shape;
}

/* ---- all of it --------------------------------------------------------------------------------- */

void oracle_judge(const json_t *part, const char *rules, bool needs_buffer, oracle *judged)
{
  *judged = (oracle){0};
  const speech *dialect = choose(json_object_get(part, "__version__"), rules);
  const json_t *shape = read_buffer(part, needs_buffer, judged);
  if (!dialect) {
    oracle_fault(judged, FAULT_VERSION);
    return;
  }
  const json_t *dims = json_object_get(part, dialect->dim_data);
  if (!dims) dims = json_object_get(part, "dim_data");
  if (!json_is_array(dims)) {
    oracle_fault(judged, dims ? FAULT_NO_SEQUENCE : FAULT_NO_DIM_DATA);
    return;
  }
  const size_t count = json_array_size(dims);
  const bool has_extents = shape && json_array_size(shape) == count;
  if (shape && !has_extents) oracle_fault(judged, FAULT_COUNT);
  if (count > DAP_MAX_NDIM) oracle_fault(judged, FAULT_COUNT); /* no rule, but this library's limit */
  judged->padding_inside = dialect->padding_inside;
  for (int k = 0; k < (int)count && k < DAP_MAX_NDIM; k++) {
    const json_t *extent = has_extents ? json_array_get(shape, (size_t)k) : NULL;
    oracle_dim(dialect, json_array_get(dims, (size_t)k), extent ? json_integer_value(extent) : -1, judged,
               &judged->axes[k]);
    judged->ndim = k + 1;
  }
}
