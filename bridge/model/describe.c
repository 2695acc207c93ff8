/* A layout in words. */
#include "model_impl.h"

#include <inttypes.h>

enum { SHOWN = 8 /* processes listed one by one */ };

static void add_owned(dap_text *text, const dap_map *map)
{
  const int shown = map->axis.procs <= SHOWN ? map->axis.procs : SHOWN;
  for (int c = 0; c < shown; c++) dap_text_add(text, "%s%" PRId64, c ? " " : "", map->ops->owned(map, c));
  if (shown < map->axis.procs) dap_text_add(text, " ...");
}

/* The halo width between each two neighbours; one number when they are all equal. */
static void add_halo(dap_text *text, const dap_map *map)
{
  const int interfaces = map->axis.procs - 1;
  bool any = false, uniform = true;
  for (int c = 0; c < interfaces; c++) {
    any = any || map->halo[c][1] > 0;
    uniform = uniform && map->halo[c][1] == map->halo[0][1];
  }
  if (!any) return;
  dap_text_add(text, ", halo");
  const int shown = uniform ? 1 : interfaces <= SHOWN ? interfaces : SHOWN;
  for (int c = 0; c < shown; c++) dap_text_add(text, " %" PRId64, map->halo[c][1]);
  if (!uniform && shown < interfaces) dap_text_add(text, " ...");
}

static void add_axis(dap_text *text, int k, const dap_map *map)
{
  const dap_axis *axis = &map->axis;
  dap_text_add(text, "dim %d: %s, %" PRId64 " over %d process%s", k,
               axis->dist_type == 'b' ? "block" : "cyclic", axis->size, axis->procs,
               axis->procs == 1 ? "" : "es");
  if (axis->dist_type == 'c') dap_text_add(text, ", blocks of %" PRId64, axis->block_size);
  if (axis->first_owner) dap_text_add(text, ", the first on %d", axis->first_owner);
  dap_text_add(text, ", owned ");
  add_owned(text, map);
  if (map->halo) add_halo(text, map);
  if (axis->boundary[0] || axis->boundary[1])
    dap_text_add(text, ", boundary %" PRId64 " %" PRId64, axis->boundary[0], axis->boundary[1]);
  if (axis->periodic) dap_text_add(text, ", periodic");
  dap_text_add(text, "\n");
}

size_t dap_layout_describe(const dap_layout *layout, char *out, size_t capacity)
{
  dap_text text = dap_text_start(out, capacity);
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(&text, "%s%" PRId64, k ? " x " : "array of ", layout->maps[k].axis.size);
  if (layout->ndim == 0) dap_text_add(&text, "scalar");
  for (int k = 0; k < layout->ndim; k++)
    dap_text_add(&text, "%s%d", k ? " x " : " on a process grid of ", layout->maps[k].axis.procs);
  dap_text_add(&text, "\n");
  for (int k = 0; k < layout->ndim; k++) add_axis(&text, k, &layout->maps[k]);
  return text.length;
}
