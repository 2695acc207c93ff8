/* Reads the distribution of one axis in a text, and makes its map. */
#include "parse_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* Some of scan->number. */
typedef struct numbers {
  size_t first, count;
} numbers;

/* The text of an axis. */
typedef struct axis_text {
  size_t at; /* place in the text */
  dap_dist dist;
  int implied; /* number of processes with lists or lengths; 0: any number */
  numbers lengths, halos;
  int64_t outer[2];
  int64_t first_owner;
  bool has_ghosts;
  int64_t *list_lengths; /* [implied] */
  const int64_t **lists; /* [implied] */
  const bool **is_owned; /* [implied] */
} axis_text;

/* ---- options in parentheses ----------------------------------------------------------------------- */

enum {
  CEIL = 1,
  LENGTHS = 2,
  HALO = 4,
  OUTER = 8,
  WRAPS = 16,
  BOUNDARY = 32,
  PERIODIC = 64,
  BLOCK_SIZE = 128,
  FIRST = 256,
  ONE_TO_ONE = 512
};

/* An option of an axis. It may be given once, and not together with those that it excludes. */
typedef struct axis_option {
  const char *phrase; /* NULL: it begins with a number */
  unsigned bit, excludes;
  enum { NOTHING, NUMBER, ENDS, NUMBERS } what; /* follows; ENDS: one number for both ends, or two */
  size_t member; /* offset in axis_text of the int64_t, int64_t[2] or numbers */
} axis_option;

static dap_status read_value(dap_scan *scan, const axis_option *option, axis_text *axis, dap_error *err)
{
  void *member = (char *)axis + option->member;
  if (option->what == NOTHING) return DAP_OK;
  if (option->what == NUMBERS) {
    numbers *list = member;
    DAP_TRY(dap_scan_numbers(scan, &list->first, err));
    list->count = scan->count - list->first;
    return DAP_OK;
  }
  int64_t *number = member;
  DAP_TRY(dap_scan_number(scan, &number[0], err));
  if (option->what == NUMBER) return DAP_OK;
  number[1] = number[0];
  return dap_scan_is_number(scan) ? dap_scan_number(scan, &number[1], err) : DAP_OK;
}

static dap_status choose_option(dap_scan *scan, const axis_option options[], axis_text *axis, unsigned *said,
                                const char *what, dap_error *err)
{
  const size_t at = scan->at;
  for (const axis_option *o = options; o->bit; o++) {
    if (o->phrase ? !dap_scan_phrase(scan, o->phrase) : !dap_scan_is_number(scan)) continue;
    if (*said & (o->bit | o->excludes))
      return dap_scan_fail(scan, at, DAP_ERR_ARG, err, "'%s' says again what was said before",
                           o->phrase ? o->phrase : "block size");
    *said |= o->bit;
    return read_value(scan, o, axis, err);
  }
  return dap_scan_expected(scan, what, err);
}

static dap_status read_options(dap_scan *scan, const axis_option options[], axis_text *axis, unsigned *said,
                               const char *what, dap_error *err)
{
  if (!dap_scan_sign(scan, '(')) return DAP_OK;
  do {
    DAP_TRY(choose_option(scan, options, axis, said, what, err));
  } while (dap_scan_sign(scan, ','));
  return dap_scan_sign(scan, ')') ? DAP_OK : dap_scan_expected(scan, "',' or ')'", err);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* Makes "wraps" widths at both ends. */
static dap_status settle_wraps(const dap_scan *scan, axis_text *axis, dap_error *err)
{
  const int64_t *halos = scan->number + axis->halos.first;
  if (axis->halos.count < 1)
    return dap_scan_fail(scan, axis->at, DAP_ERR_ARG, err, "'wraps' needs a halo of one width, and has none");
  for (size_t i = 1; i < axis->halos.count; i++)
    if (halos[i] != halos[0])
      return dap_scan_fail(scan, axis->at, DAP_ERR_ARG, err,
                           "'wraps' needs a halo of one width, and %" PRId64 " differs from %" PRId64,
                           halos[i], halos[0]);
  axis->outer[0] = axis->outer[1] = halos[0];
  return DAP_OK;
}

/* Reads the lengths in brackets. */
static dap_status read_lengths(dap_scan *scan, numbers *lengths, dap_error *err)
{
  const size_t at = scan->at;
  DAP_TRY(dap_scan_list(scan, false, &lengths->first, err));
  lengths->count = scan->count - lengths->first;
  if (lengths->count == 0)
    return dap_scan_fail(scan, at, DAP_ERR_ARG, err, "there are no lengths in the list");
  return DAP_OK;
}

static dap_status read_block(dap_scan *scan, axis_text *axis, dap_error *err)
{
  static const axis_option options[] = {{"ceil", CEIL, LENGTHS, NOTHING, 0},
                                        {"lengths", LENGTHS, CEIL, NUMBERS, offsetof(axis_text, lengths)},
                                        {"halo", HALO, 0, NUMBERS, offsetof(axis_text, halos)},
                                        {"outer halo", OUTER, WRAPS, ENDS, offsetof(axis_text, outer)},
                                        {"wraps", WRAPS, OUTER, NOTHING, 0},
                                        {"boundary", BOUNDARY, 0, ENDS, offsetof(axis_text, dist.boundary)},
                                        {"periodic", PERIODIC, 0, NOTHING, 0},
                                        {0}};
  const bool has_list = scan->text[scan->at] == '[';
  unsigned said = has_list ? LENGTHS : 0;
  if (has_list) DAP_TRY(read_lengths(scan, &axis->lengths, err));
  DAP_TRY(read_options(scan, options, axis, &said,
                       "ceil, lengths, halo, outer halo, wraps, boundary or periodic", err));
  if (said & CEIL) axis->dist.kind = DAP_DIST_CEIL;
  if (said & LENGTHS) {
    axis->dist.kind = DAP_DIST_LENGTHS;
    axis->dist.lengths = scan->number + axis->lengths.first;
    axis->implied = axis->lengths.count < INT_MAX ? (int)axis->lengths.count : INT_MAX;
  }
  axis->dist.periodic = said & PERIODIC;
  if (said & WRAPS) DAP_TRY(settle_wraps(scan, axis, err));
  axis->dist.wraps = axis->outer[0] > 0 || axis->outer[1] > 0;
  return DAP_OK;
}

/* ---- cyclic and unstructured ------------------------------------------------------------------------ */

static dap_status read_cyclic(dap_scan *scan, axis_text *axis, dap_error *err)
{
  static const axis_option options[] = {{NULL, BLOCK_SIZE, 0, NUMBER, offsetof(axis_text, dist.block_size)},
                                        {"first", FIRST, 0, NUMBER, offsetof(axis_text, first_owner)},
                                        {0}};
  unsigned said = 0;
  axis->dist.block_size = 1;
  DAP_TRY(read_options(scan, options, axis, &said, "a block size or 'first'", err));
  if (axis->first_owner >= DAP_PARSE_PROCS)
    return dap_scan_fail(scan, axis->at, DAP_ERR_DIM, err, "first owner %" PRId64 " exceeds all grids",
                         axis->first_owner);
  axis->dist.first_owner = (int)axis->first_owner;
  return DAP_OK;
}

/* Allocates the lists that follow, one for each process, after counting them. */
static dap_status allocate_lists(const dap_scan *scan, axis_text *axis, dap_error *err)
{
  size_t most = 1; /* the list that begins here */
  for (const char *c = scan->text + scan->at + 1; *c && *c != '('; c++) most += *c == '[';
  axis->list_lengths = calloc(most, sizeof *axis->list_lengths);
  axis->lists = calloc(most, sizeof *axis->lists);
  axis->is_owned = calloc(most, sizeof *axis->is_owned);
  DAP_REQUIRE(axis->list_lengths && axis->lists && axis->is_owned, err, DAP_ERR_NOMEM,
              "no memory for %zu lists", most);
  return DAP_OK;
}

static dap_status read_lists(dap_scan *scan, axis_text *axis, dap_error *err)
{
  static const axis_option options[] = {{"one to one", ONE_TO_ONE, 0, NOTHING, 0}, {0}};
  unsigned said = 0;
  if (scan->text[scan->at] != '[') return dap_scan_expected(scan, "the list of a process's indices", err);
  DAP_TRY(allocate_lists(scan, axis, err));
  while (scan->text[scan->at] == '[' && axis->implied < DAP_PARSE_PROCS) {
    size_t first;
    DAP_TRY(dap_scan_list(scan, true, &first, err));
    axis->lists[axis->implied] = scan->number + first;
    axis->is_owned[axis->implied] = scan->is_owned + first;
    axis->list_lengths[axis->implied++] = (int64_t)(scan->count - first);
    for (size_t i = first; i < scan->count; i++) axis->has_ghosts = axis->has_ghosts || !scan->is_owned[i];
  }
  axis->dist.lengths = axis->list_lengths;
  axis->dist.indices = axis->lists;
  axis->dist.is_owned = axis->has_ghosts ? axis->is_owned : NULL;
  DAP_TRY(read_options(scan, options, axis, &said, "'one to one'", err));
  axis->dist.one_to_one = said & ONE_TO_ONE;
  return DAP_OK;
}

/* ---- any axis ---------------------------------------------------------------------------------------- */

static dap_status read_axis(dap_scan *scan, axis_text *axis, dap_error *err)
{
  static const struct {
    const char *letter, *word;
    dap_dist_kind kind;
    int procs;                                                           /* 0: any number */
    dap_status (*read)(dap_scan *scan, axis_text *axis, dap_error *err); /* NULL: nothing follows */
  } kinds[] = {{"b", "block", DAP_DIST_EVEN, 0, read_block},
               {"c", "cyclic", DAP_DIST_CYCLIC, 0, read_cyclic},
               {"u", "unstructured", DAP_DIST_UNSTRUCTURED, 0, read_lists},
               {"r", "replicated", DAP_DIST_REPLICATED, 0, NULL},
               {"p", "partial", DAP_DIST_PARTIAL, 0, NULL},
               {"n", "local", DAP_DIST_EVEN, 1, NULL}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (!dap_scan_phrase(scan, kinds[i].letter) && !dap_scan_phrase(scan, kinds[i].word)) continue;
    axis->dist.kind = kinds[i].kind;
    axis->implied = kinds[i].procs;
    return kinds[i].read ? kinds[i].read(scan, axis, err) : DAP_OK;
  }
  return dap_scan_expected(scan, "b, c, u, r, p or n", err);
}

/* Sets the number of processes: that of the grid, or else what the axis implies. */
static dap_status set_procs(const dap_scan *scan, int procs, axis_text *axis, dap_error *err)
{
  const int implied = axis->implied;
  axis->dist.procs = procs > 0 ? procs : implied > 0 ? implied : 1;
  if (implied > 0 && implied != axis->dist.procs)
    return dap_scan_fail(scan, axis->at, DAP_ERR_DIM, err,
                         "this is for %d process%s, but the grid has %d along the axis", implied,
                         implied == 1 ? "" : "es", axis->dist.procs);
  return DAP_OK;
}

/* Sets the widths of halos at each interface and at the ends, which a dap_dist cannot have. */
static dap_status widen(const dap_scan *scan, const axis_text *axis, dap_map *map, dap_error *err)
{
  const size_t interfaces = (size_t)axis->dist.procs - 1;
  const bool is_one = axis->halos.count <= 1;
  if (axis->halos.count == 0 && !axis->dist.wraps) return DAP_OK;
  DAP_REQUIRE(is_one || axis->halos.count == interfaces, err, DAP_ERR_DIM,
              "axis %d: %zu halo widths, but %zu interfaces between %d processes", scan->axis,
              axis->halos.count, interfaces, axis->dist.procs);
  return dap_block_widen(scan->axis, map, axis->halos.count ? scan->number + axis->halos.first : NULL, is_one,
                         axis->outer, err);
}

static dap_status make_map(const dap_scan *scan, const axis_text *axis, dap_map *map, dap_error *err)
{
  dap_error error = {0};
  dap_status s = dap_map_create(scan->axis, &axis->dist, map, &error);
  if (!s) s = widen(scan, axis, map, &error);
  return s ? dap_scan_place(axis->at, s, &error, err) : DAP_OK;
}

dap_status dap_parse_axis(dap_scan *scan, int64_t size, int procs, dap_map *map, dap_error *err)
{
  axis_text axis = {.at = scan->at, .dist = {.size = size}};
  dap_status s = read_axis(scan, &axis, err);
  if (!s) s = set_procs(scan, procs, &axis, err);
  if (!s) s = make_map(scan, &axis, map, err);
  free(axis.list_lengths);
  free(axis.lists);
  free(axis.is_owned);
  return s;
}
