/* Writes a layout in words: one line for each axis, or one line in all.
 *
 * The one line is "SIZES over PROCS: AXIS, AXIS; ranks R R ..." with AXIS one of
 *     block(ceil | lengths N N ..., halo N ..., outer halo N N, boundary N N, periodic)
 *     cyclic(BLOCK_SIZE, first C)
 *     unstructured(one to one | full copies | duplicates | ghosts)
 *     replicated
 *     partial
 * It leaves out usual properties: an even cut, no padding, first owner 0, each index held once, ranks in
 * row-major order. Long lists end in "...". parse.c can read texts without "..." and unstructured axes. */
#include "words_impl.h"

#include <inttypes.h>

enum { SHOWN = 8 /* numbers of a list */ };

static int64_t held(const dap_map *map, int coord)
{
  return map->ops->extent(map, coord);
}

/* ---- one line for each axis ----------------------------------------------------------------------- */

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

static void add_axis(dap_text *text, int k, const dap_map *map)
{
  const dap_axis *axis = &map->axis;
  const int procs = axis->procs;
  dap_text_add(text, "dim %d: %s, %" PRId64 " over %d process%s", k, map->ops->name, axis->size, procs,
               procs == 1 ? "" : "es");
  if (axis->dist_type == 'c') dap_text_add(text, ", blocks of %" PRId64, axis->block_size);
  if (axis->first_owner) dap_text_add(text, ", the first on %d", axis->first_owner);
  if (dap_map_is_whole(map)) {
    dap_text_add(text, axis->partial ? ", an addend of each element on each\n" : ", all on each\n");
    return;
  }
  if (map->lists && !dap_map_is_all_owned(map)) {
    dap_text_add(text, ", held");
    dap_words_add_figures(text, map, procs, SHOWN, held);
  }
  dap_text_add(text, ", owned");
  dap_words_add_figures(text, map, procs, SHOWN, dap_figure_owned);
  const char *before = ", ";
  if (map->halo) dap_words_add_halo(text, &before, map, SHOWN);
  dap_words_add_edges(text, &before, axis);
  if (map->lists) add_lists(text, map);
  dap_text_add(text, "\n");
}

size_t dap_layout_describe(const dap_layout *layout, char *out, size_t capacity)
{
  dap_text text = dap_text_start(out, capacity);
  dap_text_add(&text, layout->ndim ? "array of " : "scalar");
  dap_words_add_sizes(&text, layout, " x ");
  dap_text_add(&text, "%s", layout->ndim ? " on a process grid of " : "");
  dap_words_add_procs(&text, layout, " x ");
  dap_words_add_ranks(&text, ", ranks in the order", layout, SHOWN);
  dap_text_add(&text, "\n");
  for (int k = 0; k < layout->ndim; k++) add_axis(&text, k, &layout->maps[k]);
  return text.length;
}

/* ---- one line ------------------------------------------------------------------------------------- */

static void sum_up_block(dap_text *text, const dap_map *map)
{
  const char *before = "(";
  dap_text_add(text, "block");
  const dap_dist_kind cut = dap_block_cut(map);
  if (cut != DAP_DIST_EVEN) {
    dap_words_add_separator(text, &before);
    dap_text_add(text, cut == DAP_DIST_CEIL ? "ceil" : "lengths");
    if (cut == DAP_DIST_LENGTHS) dap_words_add_figures(text, map, map->axis.procs, SHOWN, dap_figure_owned);
  }
  dap_words_add_halo(text, &before, map, SHOWN);
  dap_words_add_edges(text, &before, &map->axis);
  dap_words_add_closed(text, before);
}

static void sum_up_lists(dap_text *text, const dap_map *map)
{
  const bool copies = dap_figure_is(map, map->axis.procs, held, map->axis.size);
  const char *what = map->axis.one_to_one        ? "(one to one)"
                     : dap_map_is_all_owned(map) ? ""
                     : map->axis.owners_given    ? "(ghosts)"
                     : copies                    ? "(full copies)"
                                                 : "(duplicates)";
  dap_text_add(text, "unstructured%s", what);
}

static void sum_up(dap_text *text, const dap_map *map)
{
  if (dap_map_is_whole(map)) {
    dap_text_add(text, "%s", map->ops->name);
  } else if (map->lists) {
    sum_up_lists(text, map);
  } else if (map->bounds) {
    sum_up_block(text, map);
  } else {
    dap_text_add(text, "cyclic(%" PRId64, map->axis.block_size);
    if (map->axis.first_owner) dap_text_add(text, ", first %d", map->axis.first_owner);
    dap_text_add(text, ")");
  }
}

size_t dap_layout_summary(const dap_layout *layout, char *out, size_t capacity)
{
  static const dap_words words = {.between = " x ", .on = " over ", .most_ranks = SHOWN, .add_axis = sum_up};
  return dap_words_write(&words, layout, out, capacity);
}
