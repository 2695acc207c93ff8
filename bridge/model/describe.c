/* Writes a layout in words: a line for each axis, one line in all, or the short text that parse.c reads. */
#include <dapbridge/parse.h>

#include "lists_impl.h"

#include <inttypes.h>
#include <limits.h>

enum { SHOWN = 8 /* numbers of a list, except in the short text */ };

/* ---- numbers of an axis -------------------------------------------------------------------------- */

/* Returns a number that belongs to process `index` of an axis, or to interface `index` of neighbours. */
typedef int64_t (*figure)(const dap_map *map, int index);

static int64_t held(const dap_map *map, int coord)
{
  return map->ops->extent(map, coord);
}

static int64_t owned(const dap_map *map, int coord)
{
  return map->ops->owned(map, coord);
}

static int64_t halo(const dap_map *map, int interface)
{
  return map->halo[interface][1];
}

/* Returns whether the first `count` figures are all `value`. */
static bool are_all(const dap_map *map, int count, figure of, int64_t value)
{
  for (int i = 0; i < count; i++)
    if (of(map, i) != value) return false;
  return true;
}

/* Writes " N" for each of the first `count` figures, and " ..." instead of those behind the first `most`. */
static void add_figures(dap_text *text, const dap_map *map, int count, int most, figure of)
{
  for (int i = 0; i < count && i < most; i++) dap_text_add(text, " %" PRId64, of(map, i));
  if (count > most) dap_text_add(text, " ...");
}

/* ---- options of an axis -------------------------------------------------------------------------- */

/* Writes what stands before the next option: *before, which then becomes ", ". */
static void add_separator(dap_text *text, const char **before)
{
  dap_text_add(text, "%s", *before);
  *before = ", ";
}

/* Closes the parenthesis that "(" as the first `before` has opened, if there were options. */
static void add_closed(dap_text *text, const char *before)
{
  if (*before != '(') dap_text_add(text, ")");
}

/* Writes "halo N N ...", with one number if all are equal, and "outer halo N N" if padding wraps round. */
static void add_halo(dap_text *text, const char **before, const dap_map *map, int most)
{
  const int interfaces = map->axis.procs - 1;
  if (!are_all(map, interfaces, halo, 0)) {
    add_separator(text, before);
    dap_text_add(text, "halo");
    const bool is_one = are_all(map, interfaces, halo, halo(map, 0));
    add_figures(text, map, is_one ? 1 : interfaces, most, halo);
  }
  const int64_t outer[2] = {map->halo[0][0], map->halo[interfaces][1]};
  if (outer[0] == 0 && outer[1] == 0) return;
  add_separator(text, before);
  dap_text_add(text, "outer halo %" PRId64 " %" PRId64, outer[0], outer[1]);
}

static void add_edges(dap_text *text, const char **before, const dap_axis *axis)
{
  if (axis->boundary[0] || axis->boundary[1]) {
    add_separator(text, before);
    dap_text_add(text, "boundary %" PRId64 " %" PRId64, axis->boundary[0], axis->boundary[1]);
  }
  if (axis->periodic) {
    add_separator(text, before);
    dap_text_add(text, "periodic");
  }
}

/* ---- sizes, processes and ranks ------------------------------------------------------------------ */

static void add_sizes(dap_text *text, const dap_layout *layout, const char *between)
{
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(text, "%s%" PRId64, k ? between : "", layout->maps[k].axis.size);
}

static void add_procs(dap_text *text, const dap_layout *layout, const char *between)
{
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(text, "%s%d", k ? between : "", layout->maps[k].axis.procs);
}

/* Writes `before` and the first `most` ranks, unless the order is row-major. */
static void add_ranks(dap_text *text, const char *before, const dap_layout *layout, int most)
{
  if (!layout->ranks) return;
  dap_text_add(text, "%s", before);
  for (int i = 0; i < layout->nprocs && i < most; i++) dap_text_add(text, " %d", layout->ranks[i]);
  if (layout->nprocs > most) dap_text_add(text, " ...");
}

/* ---- one line for each axis ---------------------------------------------------------------------- */

/* Adds the properties of the lists of a 'u' axis; and the processes whose lists are known here, unless all
 * are. */
static void add_lists(dap_text *text, const dap_map *map)
{
  const int procs = map->axis.procs;
  if (map->axis.one_to_one) dap_text_add(text, ", one to one");
  if (!dap_map_is_all_owned(map))
    dap_text_add(text, map->axis.owners_given ? ", owners as given" : ", the lowest owns an index");
  int known = 0;
  for (int c = 0; c < procs; c++) known += dap_map_knows(map, c);
  if (known == procs) return;
  dap_text_add(text, known ? ", indices known only of" : ", indices not known");
  int listed = 0;
  for (int c = 0; c < procs && listed < SHOWN; c++)
    if (dap_map_knows(map, c)) dap_text_add(text, listed++ ? " %d" : " process %d", c);
  if (listed < known) dap_text_add(text, " ...");
}

static void add_axis_line(dap_text *text, int k, const dap_map *map)
{
  const dap_axis *axis = &map->axis;
  const int procs = axis->procs;
  dap_text_add(text, "axis %d: %s, %" PRId64 " over %d process%s", k, map->ops->name, axis->size, procs,
               procs == 1 ? "" : "es");
  if (axis->dist_type == 'c') dap_text_add(text, ", blocks of %" PRId64, axis->block_size);
  if (axis->first_owner) dap_text_add(text, ", the first on %d", axis->first_owner);
  if (dap_map_is_whole(map)) {
    dap_text_add(text, axis->partial ? ", an addend of each element on each\n" : ", all on each\n");
    return;
  }
  if (map->lists && !dap_map_is_all_owned(map)) {
    dap_text_add(text, ", held");
    add_figures(text, map, procs, SHOWN, held);
  }
  dap_text_add(text, ", owned");
  add_figures(text, map, procs, SHOWN, owned);
  const char *before = ", ";
  if (map->halo) add_halo(text, &before, map, SHOWN);
  add_edges(text, &before, axis);
  if (map->lists) add_lists(text, map);
  dap_text_add(text, "\n");
}

size_t dap_layout_describe(const dap_layout *layout, char *out, size_t capacity)
{
  dap_text text = dap_text_start(out, capacity);
  dap_text_add(&text, layout->ndim ? "array of " : "scalar");
  add_sizes(&text, layout, " x ");
  dap_text_add(&text, "%s", layout->ndim ? " on a process grid of " : "");
  add_procs(&text, layout, " x ");
  add_ranks(&text, ", ranks in the order", layout, SHOWN);
  dap_text_add(&text, "\n");
  for (int k = 0; k < layout->ndim; k++) add_axis_line(&text, k, &layout->maps[k]);
  return text.length;
}

/* ---- one line ------------------------------------------------------------------------------------ */

/* Writes lengths as an option, or in the short text as "[N,N]", which comes before the options. */
static void add_block(dap_text *text, const dap_map *map, bool is_short)
{
  const int procs = map->axis.procs, most = is_short ? INT_MAX : SHOWN;
  const char *before = "(";
  const dap_dist_kind cut = dap_block_cut(map);
  if (cut == DAP_DIST_LENGTHS && is_short) {
    for (int c = 0; c < procs; c++) dap_text_add(text, c ? ",%" PRId64 : "[%" PRId64, owned(map, c));
    dap_text_add(text, "]");
  } else if (cut != DAP_DIST_EVEN) {
    add_separator(text, &before);
    dap_text_add(text, cut == DAP_DIST_CEIL ? "ceil" : "lengths");
    if (cut == DAP_DIST_LENGTHS) add_figures(text, map, procs, most, owned);
  }
  add_halo(text, &before, map, most);
  add_edges(text, &before, &map->axis);
  add_closed(text, before);
}

static void add_cyclic(dap_text *text, const dap_axis *axis, bool is_short)
{
  const char *before = "(";
  if (axis->block_size != 1 || !is_short) {
    add_separator(text, &before);
    dap_text_add(text, "%" PRId64, axis->block_size);
  }
  if (axis->first_owner != 0) {
    add_separator(text, &before);
    dap_text_add(text, "first %d", axis->first_owner);
  }
  add_closed(text, before);
}

static const char *kind_of_lists(const dap_map *map)
{
  if (map->axis.one_to_one) return "(one to one)";
  if (dap_map_is_all_owned(map)) return "";
  if (map->axis.owners_given) return "(ghosts)";
  return are_all(map, map->axis.procs, held, map->axis.size) ? "(full copies)" : "(duplicates)";
}

/* Owners are written where they were given. Otherwise readers find that the first process is the owner. */
static void add_list(dap_text *text, const dap_map *map, int coord)
{
  const bool is_said = map->axis.owners_given;
  if (!dap_map_knows(map, coord)) {
    dap_text_add(text, "[?]");
    return;
  }
  dap_text_add(text, "[");
  for (int64_t i = 0; i < map->lists->held[coord]; i++)
    dap_text_add(text, "%s%s%" PRId64, i ? "," : "", is_said && !dap_lists_is_owned(map, coord, i) ? "~" : "",
                 dap_packed_get(&map->lists->list[coord].indices, i));
  dap_text_add(text, "]");
}

static void add_axis(dap_text *text, const dap_map *map, bool is_short)
{
  dap_text_add(text, "%.*s", is_short ? 1 : INT_MAX, map->ops->name);
  if (map->bounds) add_block(text, map, is_short);
  if (map->axis.dist_type == 'c') add_cyclic(text, &map->axis, is_short);
  for (int c = 0; map->lists && is_short && c < map->axis.procs; c++) add_list(text, map, c);
  if (map->lists && (map->axis.one_to_one || !is_short)) dap_text_add(text, "%s", kind_of_lists(map));
}

/* Writes "SIZES over PROCS: AXIS, AXIS; ranks R R ...", or the short text of parse.h. Both leave out what is
 * usual: an even cut, no padding, first owner 0, ranks in row-major order. Only the short text is
 * complete. */
static size_t write_line(const dap_layout *layout, bool is_short, char *out, size_t capacity)
{
  const char *between = is_short ? "x" : " x ", *on = is_short ? " on " : " over ";
  dap_text text = dap_text_start(out, capacity);
  dap_text_add(&text, "%s", layout->ndim ? "" : "scalar");
  add_sizes(&text, layout, between);
  dap_text_add(&text, "%s", layout->ndim ? on : "");
  add_procs(&text, layout, between);
  for (int k = 0; k < layout->ndim; k++) {
    dap_text_add(&text, k ? ", " : ": ");
    add_axis(&text, &layout->maps[k], is_short);
  }
  add_ranks(&text, "; ranks", layout, is_short ? INT_MAX : SHOWN);
  return text.length;
}

size_t dap_layout_summary(const dap_layout *layout, char *out, size_t capacity)
{
  return write_line(layout, false, out, capacity);
}

size_t dap_layout_format(const dap_layout *layout, char *out, size_t capacity)
{
  return write_line(layout, true, out, capacity);
}
