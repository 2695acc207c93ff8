/* Writes the parts that all texts about a layout have. */
#include "words_impl.h"

#include <inttypes.h>

int64_t dap_figure_owned(const dap_map *map, int coord)
{
  return map->ops->owned(map, coord);
}

static int64_t figure_halo(const dap_map *map, int interface)
{
  return map->halo[interface][1];
}

bool dap_figure_is(const dap_map *map, int count, dap_figure figure, int64_t value)
{
  for (int i = 0; i < count; i++)
    if (figure(map, i) != value) return false;
  return true;
}

void dap_words_add_figures(dap_text *text, const dap_map *map, int count, int most, dap_figure figure)
{
  for (int i = 0; i < count && i < most; i++) dap_text_add(text, " %" PRId64, figure(map, i));
  if (count > most) dap_text_add(text, " ...");
}

void dap_words_add_separator(dap_text *text, const char **before)
{
  dap_text_add(text, "%s", *before);
  *before = ", ";
}

void dap_words_add_closed(dap_text *text, const char *before)
{
  if (*before != '(') dap_text_add(text, ")");
}

void dap_words_add_halo(dap_text *text, const char **before, const dap_map *map, int most)
{
  const int interfaces = map->axis.procs - 1;
  if (!dap_figure_is(map, interfaces, figure_halo, 0)) {
    dap_words_add_separator(text, before);
    dap_text_add(text, "halo");
    const bool uniform = dap_figure_is(map, interfaces, figure_halo, figure_halo(map, 0));
    dap_words_add_figures(text, map, uniform ? 1 : interfaces, most, figure_halo);
  }
  const int64_t outer[2] = {map->halo[0][0], map->halo[interfaces][1]};
  if (outer[0] == 0 && outer[1] == 0) return;
  dap_words_add_separator(text, before);
  dap_text_add(text, "outer halo %" PRId64 " %" PRId64, outer[0], outer[1]);
}

void dap_words_add_edges(dap_text *text, const char **before, const dap_axis *axis)
{
  if (axis->boundary[0] || axis->boundary[1]) {
    dap_words_add_separator(text, before);
    dap_text_add(text, "boundary %" PRId64 " %" PRId64, axis->boundary[0], axis->boundary[1]);
  }
  if (axis->periodic) {
    dap_words_add_separator(text, before);
    dap_text_add(text, "periodic");
  }
}

/* ---- the layout ------------------------------------------------------------------------------------- */

void dap_words_add_sizes(dap_text *text, const dap_layout *layout, const char *between)
{
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(text, "%s%" PRId64, k ? between : "", layout->maps[k].axis.size);
}

void dap_words_add_procs(dap_text *text, const dap_layout *layout, const char *between)
{
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(text, "%s%d", k ? between : "", layout->maps[k].axis.procs);
}

void dap_words_add_ranks(dap_text *text, const char *before, const dap_layout *layout, int most)
{
  if (!layout->ranks) return;
  dap_text_add(text, "%s", before);
  for (int i = 0; i < layout->nprocs && i < most; i++) dap_text_add(text, " %d", layout->ranks[i]);
  if (layout->nprocs > most) dap_text_add(text, " ...");
}

size_t dap_words_write(const dap_words *words, const dap_layout *layout, char *out, size_t capacity)
{
  dap_text text = dap_text_start(out, capacity);
  dap_text_add(&text, "%s", layout->ndim ? "" : "scalar");
  dap_words_add_sizes(&text, layout, words->between);
  dap_text_add(&text, "%s", layout->ndim ? words->on : "");
  dap_words_add_procs(&text, layout, words->between);
  for (int k = 0; k < layout->ndim; k++) {
    dap_text_add(&text, k ? ", " : ": ");
    words->add_axis(&text, &layout->maps[k]);
  }
  dap_words_add_ranks(&text, "; ranks", layout, words->most_ranks);
  return text.length;
}
