/* Writes a layout as the short text that parse.c reads. The grammar is in parse.h. */
#include <dapbridge/parse.h>

#include "lists_impl.h"
#include "words_impl.h"

#include <inttypes.h>
#include <limits.h>

static void add_block(dap_text *text, const dap_map *map)
{
  const dap_axis *axis = &map->axis;
  const dap_dist_kind cut = dap_block_cut(map);
  const char *before = "(";
  dap_text_add(text, "b");
  for (int c = 0; c < axis->procs && cut == DAP_DIST_LENGTHS; c++)
    dap_text_add(text, c ? ",%" PRId64 : "[%" PRId64, dap_figure_owned(map, c));
  if (cut == DAP_DIST_LENGTHS) dap_text_add(text, "]");
  if (cut == DAP_DIST_CEIL) {
    dap_words_add_separator(text, &before);
    dap_text_add(text, "ceil");
  }
  dap_words_add_halo(text, &before, map, INT_MAX);
  dap_words_add_edges(text, &before, axis);
  dap_words_add_closed(text, before);
}

static void add_cyclic(dap_text *text, const dap_axis *axis)
{
  const char *before = "(";
  dap_text_add(text, "c");
  if (axis->block_size != 1) {
    dap_words_add_separator(text, &before);
    dap_text_add(text, "%" PRId64, axis->block_size);
  }
  if (axis->first_owner != 0) {
    dap_words_add_separator(text, &before);
    dap_text_add(text, "first %d", axis->first_owner);
  }
  dap_words_add_closed(text, before);
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

static void add_axis(dap_text *text, const dap_map *map)
{
  if (dap_map_is_whole(map)) {
    dap_text_add(text, map->axis.replicated ? "r" : "p");
  } else if (map->lists) {
    dap_text_add(text, "u");
    for (int c = 0; c < map->axis.procs; c++) add_list(text, map, c);
    if (map->axis.one_to_one) dap_text_add(text, "(one to one)");
  } else if (map->bounds) {
    add_block(text, map);
  } else {
    add_cyclic(text, &map->axis);
  }
}

size_t dap_layout_format(const dap_layout *layout, char *out, size_t capacity)
{
  static const dap_words words = {.between = "x", .on = " on ", .most_ranks = INT_MAX, .add_axis = add_axis};
  return dap_words_write(&words, layout, out, capacity);
}
