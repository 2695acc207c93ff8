/* Reads the distribution of one axis in a text. */
#include "parse_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* ---- options in parentheses ----------------------------------------------------------------------- */

/* An option of an axis. It may be given once, and not together with those that it excludes. */
typedef struct axis_option {
  const char *phrase; /* NULL: it begins with a number */
  unsigned bit, excludes;
  dap_status (*read)(dap_scan *scan, dap_axis_text *axis, dap_error *err); /* NULL: nothing follows */
} axis_option;

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

static dap_status choose_option(dap_scan *scan, const axis_option options[], dap_axis_text *axis,
                                unsigned *said, const char *what, dap_error *err)
{
  const size_t at = scan->at;
  for (const axis_option *o = options; o->bit; o++) {
    if (o->phrase ? !dap_scan_phrase(scan, o->phrase) : !dap_scan_is_number(scan)) continue;
    if (*said & (o->bit | o->excludes))
      return dap_scan_fail(scan, at, DAP_ERR_ARG, err, "'%s' says again what was said before",
                           o->phrase ? o->phrase : "block size");
    *said |= o->bit;
    return o->read ? o->read(scan, axis, err) : DAP_OK;
  }
  return dap_scan_expected(scan, what, err);
}

static dap_status read_options(dap_scan *scan, const axis_option options[], dap_axis_text *axis,
                               unsigned *said, const char *what, dap_error *err)
{
  if (!dap_scan_sign(scan, '(')) return DAP_OK;
  do {
    DAP_TRY(choose_option(scan, options, axis, said, what, err));
  } while (dap_scan_sign(scan, ','));
  return dap_scan_sign(scan, ')') ? DAP_OK : dap_scan_expected(scan, "',' or ')'", err);
}

/* Reads one number for both ends, or two. */
static dap_status read_ends(dap_scan *scan, int64_t width[2], dap_error *err)
{
  DAP_TRY(dap_scan_number(scan, &width[0], err));
  width[1] = width[0];
  return dap_scan_is_number(scan) ? dap_scan_number(scan, &width[1], err) : DAP_OK;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static dap_status take_lengths(const dap_scan *scan, size_t at, size_t first, dap_axis_text *axis,
                               dap_error *err)
{
  const size_t count = scan->count - first;
  if (count == 0) return dap_scan_fail(scan, at, DAP_ERR_ARG, err, "there are no lengths in the list");
  axis->implied = count < INT_MAX ? (int)count : INT_MAX;
  axis->dist.kind = DAP_DIST_LENGTHS;
  axis->dist.lengths = scan->number + first;
  return DAP_OK;
}

static dap_status read_lengths(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  const size_t at = scan->at;
  size_t first;
  DAP_TRY(dap_scan_numbers(scan, &first, err));
  return take_lengths(scan, at, first, axis, err);
}

static dap_status read_halo(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  axis->has_halos = true;
  DAP_TRY(dap_scan_numbers(scan, &axis->halos, err));
  axis->halo_count = scan->count - axis->halos;
  return DAP_OK;
}

static dap_status read_outer(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  axis->has_halos = true;
  return read_ends(scan, axis->outer, err);
}

static dap_status read_boundary(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  return read_ends(scan, axis->dist.boundary, err);
}

/* Makes "wraps" widths at both ends. */
static dap_status settle_wraps(const dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  const int64_t *halos = scan->number + axis->halos;
  if (axis->halo_count < 1)
    return dap_scan_fail(scan, axis->at, DAP_ERR_ARG, err, "'wraps' needs a halo of one width, and has none");
  for (size_t i = 1; i < axis->halo_count; i++)
    if (halos[i] != halos[0])
      return dap_scan_fail(scan, axis->at, DAP_ERR_ARG, err,
                           "'wraps' needs a halo of one width, and %" PRId64 " differs from %" PRId64,
                           halos[i], halos[0]);
  axis->outer[0] = axis->outer[1] = halos[0];
  return DAP_OK;
}

/* Checks that the axis can have a halo that wraps round. Functions that make the axis check the rest. */
static dap_status check_outer(const dap_scan *scan, const dap_axis_text *axis, dap_error *err)
{
  const int64_t *outer = axis->outer, *boundary = axis->dist.boundary;
  if (outer[0] == 0 && outer[1] == 0) return DAP_OK;
  if (!axis->dist.periodic)
    return dap_scan_fail(scan, axis->at, DAP_ERR_DIM, err,
                         "the halo wraps round, but the axis is not periodic");
  if (boundary[0] || boundary[1])
    return dap_scan_fail(scan, axis->at, DAP_ERR_DIM, err,
                         "the halo wraps round, which leaves no edge for boundary (%" PRId64 ", %" PRId64 ")",
                         boundary[0], boundary[1]);
  return DAP_OK;
}

static dap_status read_block(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  static const axis_option options[] = {
      {"ceil", CEIL, LENGTHS, NULL},   {"lengths", LENGTHS, CEIL, read_lengths},
      {"halo", HALO, 0, read_halo},    {"outer halo", OUTER, WRAPS, read_outer},
      {"wraps", WRAPS, OUTER, NULL},   {"boundary", BOUNDARY, 0, read_boundary},
      {"periodic", PERIODIC, 0, NULL}, {0}};
  unsigned said = 0;
  const size_t at = scan->at;
  if (scan->text[at] == '[') {
    size_t first;
    said = LENGTHS;
    DAP_TRY(dap_scan_list(scan, false, &first, err));
    DAP_TRY(take_lengths(scan, at, first, axis, err));
  }
  DAP_TRY(read_options(scan, options, axis, &said,
                       "ceil, lengths, halo, outer halo, wraps, boundary or periodic", err));
  if (said & CEIL) axis->dist.kind = DAP_DIST_CEIL;
  axis->dist.periodic = said & PERIODIC;
  if (said & WRAPS) DAP_TRY(settle_wraps(scan, axis, err));
  return check_outer(scan, axis, err);
}

/* ---- cyclic and unstructured ------------------------------------------------------------------------ */

static dap_status read_block_size(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  return dap_scan_number(scan, &axis->dist.block_size, err);
}

static dap_status read_first(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  const size_t at = scan->at;
  int64_t first;
  DAP_TRY(dap_scan_number(scan, &first, err));
  if (first >= DAP_PARSE_PROCS)
    return dap_scan_fail(scan, at, DAP_ERR_DIM, err, "first owner %" PRId64 " exceeds all grids", first);
  axis->dist.first_owner = (int)first;
  return DAP_OK;
}

static dap_status read_cyclic(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  static const axis_option options[] = {
      {NULL, BLOCK_SIZE, 0, read_block_size}, {"first", FIRST, 0, read_first}, {0}};
  unsigned said = 0;
  axis->dist.block_size = 1;
  return read_options(scan, options, axis, &said, "a block size or 'first'", err);
}

/* Allocates the lists that follow, one for each process, after counting them. */
static dap_status allocate_lists(const dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  size_t most = 1; /* the list that begins here */
  for (const char *c = scan->text + scan->at + 1; *c && *c != '('; c++) most += *c == '[';
  axis->lengths = calloc(most, sizeof *axis->lengths);
  axis->lists = calloc(most, sizeof *axis->lists);
  axis->is_owned = calloc(most, sizeof *axis->is_owned);
  DAP_REQUIRE(axis->lengths && axis->lists && axis->is_owned, err, DAP_ERR_NOMEM, "no memory for %zu lists",
              most);
  return DAP_OK;
}

static dap_status read_lists(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  static const axis_option options[] = {{"one to one", ONE_TO_ONE, 0, NULL}, {0}};
  unsigned said = 0;
  if (scan->text[scan->at] != '[') return dap_scan_expected(scan, "the list of a process's indices", err);
  DAP_TRY(allocate_lists(scan, axis, err));
  while (scan->text[scan->at] == '[' && axis->implied < DAP_PARSE_PROCS) {
    size_t first;
    DAP_TRY(dap_scan_list(scan, true, &first, err));
    axis->lists[axis->implied] = scan->number + first;
    axis->is_owned[axis->implied] = scan->is_owned + first;
    axis->lengths[axis->implied++] = (int64_t)(scan->count - first);
    for (size_t i = first; i < scan->count; i++) axis->has_ghosts = axis->has_ghosts || !scan->is_owned[i];
  }
  axis->dist.lengths = axis->lengths;
  axis->dist.indices = axis->lists;
  axis->dist.is_owned = axis->has_ghosts ? axis->is_owned : NULL;
  DAP_TRY(read_options(scan, options, axis, &said, "'one to one'", err));
  axis->dist.one_to_one = said & ONE_TO_ONE;
  return DAP_OK;
}

/* ---- any axis ---------------------------------------------------------------------------------------- */

dap_status dap_parse_axis(dap_scan *scan, dap_axis_text *axis, dap_error *err)
{
  static const struct {
    const char *letter, *word;
    dap_dist_kind kind;
    int procs;                                                               /* 0: any number */
    dap_status (*read)(dap_scan *scan, dap_axis_text *axis, dap_error *err); /* NULL: nothing follows */
  } kinds[] = {{"b", "block", DAP_DIST_EVEN, 0, read_block},
               {"c", "cyclic", DAP_DIST_CYCLIC, 0, read_cyclic},
               {"u", "unstructured", DAP_DIST_UNSTRUCTURED, 0, read_lists},
               {"r", "replicated", DAP_DIST_REPLICATED, 0, NULL},
               {"p", "partial", DAP_DIST_PARTIAL, 0, NULL},
               {"n", "local", DAP_DIST_EVEN, 1, NULL}};
  axis->at = scan->at;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (!dap_scan_phrase(scan, kinds[i].letter) && !dap_scan_phrase(scan, kinds[i].word)) continue;
    axis->dist.kind = kinds[i].kind;
    axis->implied = kinds[i].procs;
    return kinds[i].read ? kinds[i].read(scan, axis, err) : DAP_OK;
  }
  return dap_scan_expected(scan, "b, c, u, r, p or n", err);
}

void dap_axis_text_end(dap_axis_text *axis)
{
  free(axis->lengths);
  free(axis->lists);
  free(axis->is_owned);
  *axis = (dap_axis_text){0};
}

/* Sets the widths of halos at each interface, which a dap_dist cannot have. */
static dap_status widen(const dap_scan *scan, int k, const dap_axis_text *axis, dap_map *map, dap_error *err)
{
  const size_t interfaces = (size_t)axis->dist.procs - 1;
  const bool is_one = axis->halo_count <= 1;
  DAP_REQUIRE(is_one || axis->halo_count == interfaces, err, DAP_ERR_DIM,
              "dim %d: %zu halo widths, but %zu interfaces between %d processes", k, axis->halo_count,
              interfaces, axis->dist.procs);
  return dap_block_widen(k, map, axis->halo_count ? scan->number + axis->halos : NULL, is_one, axis->outer,
                         err);
}

dap_status dap_axis_text_map(const dap_scan *scan, int k, const dap_axis_text *axis, dap_map *map,
                             dap_error *err)
{
  dap_error error = {0};
  dap_status s = dap_map_create(k, &axis->dist, map, &error);
  if (!s && axis->has_halos) s = widen(scan, k, axis, map, &error);
  return s ? dap_scan_place(axis->at, s, &error, err) : DAP_OK;
}
