/* A layout as the short text that parse.c reads; its grammar is in parse.h. */
#include <dapbridge/parse.h>

#include "model_impl.h"

#include <inttypes.h>

typedef int64_t (*figure)(const dap_map *map, int index);

static int64_t owned(const dap_map *map, int coord)
{
  return map->ops->owned(map, coord);
}

static int64_t halo_between(const dap_map *map, int interface)
{
  return map->halo[interface][1];
}

static bool are_all(const dap_map *map, int count, figure of, int64_t value)
{
  for (int i = 0; i < count; i++)
    if (of(map, i) != value) return false;
  return true;
}

/* What stands in parentheses: "(" before the first, ", " before others. */
static void add_option(dap_text *text, bool *is_open)
{
  dap_text_add(text, "%s", *is_open ? ", " : "(");
  *is_open = true;
}

static void add_halo(dap_text *text, const dap_map *map, bool *is_open)
{
  const int last = map->axis.procs - 1;
  const int64_t outer[2] = {map->halo[0][0], map->halo[last][1]};
  if (!are_all(map, last, halo_between, 0)) {
    const int count = are_all(map, last, halo_between, halo_between(map, 0)) ? 1 : last;
    add_option(text, is_open);
    dap_text_add(text, "halo");
    for (int i = 0; i < count; i++) dap_text_add(text, " %" PRId64, halo_between(map, i));
  }
  if (outer[0] == 0 && outer[1] == 0) return;
  add_option(text, is_open);
  dap_text_add(text, "outer halo %" PRId64 " %" PRId64, outer[0], outer[1]);
}

static void add_block(dap_text *text, const dap_map *map)
{
  const dap_axis *axis = &map->axis;
  const dap_dist_kind cut = dap_block_cut(map);
  bool is_open = false;
  dap_text_add(text, "b");
  for (int c = 0; c < axis->procs && cut == DAP_DIST_LENGTHS; c++)
    dap_text_add(text, c ? ",%" PRId64 : "[%" PRId64, owned(map, c));
  if (cut == DAP_DIST_LENGTHS) dap_text_add(text, "]");
  if (cut == DAP_DIST_CEIL) {
    add_option(text, &is_open);
    dap_text_add(text, "ceil");
  }
  add_halo(text, map, &is_open);
  if (axis->boundary[0] || axis->boundary[1]) {
    add_option(text, &is_open);
    dap_text_add(text, "boundary %" PRId64 " %" PRId64, axis->boundary[0], axis->boundary[1]);
  }
  if (axis->periodic) {
    add_option(text, &is_open);
    dap_text_add(text, "periodic");
  }
  if (is_open) dap_text_add(text, ")");
}

static void add_cyclic(dap_text *text, const dap_axis *axis)
{
  bool is_open = false;
  dap_text_add(text, "c");
  if (axis->block_size != 1) {
    add_option(text, &is_open);
    dap_text_add(text, "%" PRId64, axis->block_size);
  }
  if (axis->first_owner != 0) {
    add_option(text, &is_open);
    dap_text_add(text, "first %d", axis->first_owner);
  }
  if (is_open) dap_text_add(text, ")");
}

/* Who owns what is said where it was given; else readers find out that the first one does. */
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
  if (map->axis.replicated || map->axis.partial) {
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
  dap_text text = dap_text_start(out, capacity);
  if (layout->ndim == 0) dap_text_add(&text, "scalar");
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(&text, k ? "x%" PRId64 : "%" PRId64, layout->maps[k].axis.size);
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(&text, k ? "x%d" : " on %d", layout->maps[k].axis.procs);
  for (int k = 0; k < layout->ndim; k++) {
    dap_text_add(&text, k ? ", " : ": ");
    add_axis(&text, &layout->maps[k]);
  }
  if (layout->ranks) dap_text_add(&text, "; ranks");
  for (int i = 0; layout->ranks && i < layout->nprocs; i++) dap_text_add(&text, " %d", layout->ranks[i]);
  return text.length;
}
