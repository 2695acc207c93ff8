/* Finds the stretches of an axis that have one owner, and writes what processes own and hold of it. */
#include "text_impl.h"

#include <inttypes.h>

enum {
  LISTED = 8, /* processes whose ranges are written */
  RANGES = 4  /* ranges of each */
};

int64_t dap_stretch_end(const dap_map *map, int64_t global, int *coord)
{
  int64_t local;
  *coord = 0;
  if (map->axis.procs == 1) return map->axis.size;
  if (!map->ops->locate(map, global, coord, &local)) *coord = -1;
  if (!map->ops->run_after) return global + 1;
  const dap_run run = map->ops->run(map, *coord, map->ops->run_after(map, *coord, global));
  return run.global + run.length;
}

dap_ruler dap_ruler_of(const dap_map *map)
{
  dap_ruler r = {.size = map->axis.size};
  for (int64_t global = 0; global < r.size && !r.cut;) {
    int coord;
    const int64_t end = dap_stretch_end(map, global, &coord);
    const bool begins = r.count == 0 || r.at[r.count - 1].coord != coord;
    r.cut = begins && r.count == DAP_RULER_SHOWN;
    if (begins) r.at[r.count] = (dap_stretch){global, coord};
    if (begins && !r.cut) r.count++;
    global = end;
  }
  return r;
}

/* ---- ranges ---------------------------------------------------------------------------------------- */

/* Finds the next run of elements that lists hold, with ghosts, in the order of the buffer. */
static bool next_held(const dap_map *map, int coord, dap_run *run)
{
  const int64_t held = map->ops->extent(map, coord), local = run->local + run->length;
  if (local >= held) return false;
  *run = (dap_run){map->ops->globalize(map, coord, local), local, 1};
  while (local + run->length < held &&
         map->ops->globalize(map, coord, local + run->length) == run->global + run->length)
    run->length++;
  return true;
}

static void add_range(dap_text *text, const char *before, int64_t begin, int64_t end)
{
  dap_text_add(text, "%s%" PRId64 ":%" PRId64, before, begin, end);
}

void dap_ruler_add_owned(dap_text *text, const dap_map *map, int coord)
{
  dap_run run = {0};
  int count = 0;
  while (count <= 2 && dap_map_next_run(map, coord, &run)) {
    if (count < 2) add_range(text, count ? "," : "", run.global, run.global + run.length);
    count++;
  }
  if (count <= 2) return;
  dap_text_add(text, ",...");
  if (!map->ops->run_count) return;
  const dap_run last = map->ops->run(map, coord, map->ops->run_count(map, coord) - 1);
  add_range(text, ",", last.global, last.global + last.length);
}

/* Adds the range of the process at `coord`. If padding wraps round, it begins below 0 or ends behind size. */
static void add_held(dap_text *text, const dap_map *map, int coord)
{
  if (map->bounds) {
    add_range(text, " ", map->bounds[coord] - map->halo[coord][0],
              map->bounds[coord + 1] + map->halo[coord][1]);
    return;
  }
  if (!dap_map_knows(map, coord)) {
    dap_text_add(text, " ?");
    return;
  }
  dap_run run = {0};
  int count = 0;
  for (; count < RANGES && next_held(map, coord, &run); count++)
    add_range(text, count ? "," : " ", run.global, run.global + run.length);
  if (count == 0) dap_text_add(text, " none");
  if (count == RANGES && next_held(map, coord, &run)) dap_text_add(text, ",...");
}

void dap_ruler_add_note(dap_text *text, const dap_map *map, int axis)
{
  const int procs = map->axis.procs;
  if (dap_map_is_whole(map)) {
    if (procs > 1)
      dap_text_add(text, "axis %d: %s\n", axis,
                   map->axis.partial ? "an addend of each element on each process" : "all on each process");
    return;
  }
  if (dap_map_is_all_owned(map)) return;
  dap_text_add(text, map->lists ? "axis %d, with ghosts:" : "axis %d, with padding:", axis);
  for (int c = 0; c < procs && c < LISTED; c++) add_held(text, map, c);
  dap_text_add(text, procs > LISTED ? " ...\n" : "\n");
}
