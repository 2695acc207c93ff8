/* Finds the stretches of an axis that have one owner, that are boundary padding, or that others than the
 * owner hold. */
#include "picture_impl.h"
#include "text_impl.h"

#include <stdlib.h>

/* ---- owners --------------------------------------------------------------------------------------- */

int dap_picture_owner(const dap_layout *layout, int axis, int64_t index)
{
  const dap_map *map = &layout->maps[axis];
  int coord;
  int64_t local;
  if (map->ops->locate(map, index, &coord, &local)) return coord;
  for (int c = 0; c < map->axis.procs; c++)
    for (dap_run run = {0}; dap_map_next_run(map, c, &run);)
      if (index >= run.global && index < run.global + run.length) return c;
  return -1;
}

/* Joins the stretch with the last one, if that ends there and has the same coordinate; else adds it. */
static dap_status list_add(dap_picture_list *list, dap_picture_stretch stretch, dap_error *err)
{
  dap_picture_stretch *last = list->count > 0 ? &list->at[list->count - 1] : NULL;
  if (last && last->end == stretch.begin && last->coord == stretch.coord) {
    last->end = stretch.end;
    return DAP_OK;
  }
  if (list->count == list->capacity) {
    const int capacity = 2 * list->capacity + 8;
    dap_picture_stretch *at = realloc(list->at, (size_t)capacity * sizeof *at);
    DAP_REQUIRE(at, err, DAP_ERR_NOMEM, "no memory for a picture");
    list->at = at;
    list->capacity = capacity;
  }
  list->at[list->count++] = stretch;
  return DAP_OK;
}

/* Goes from owner to owner. If blocks are dealt in turns, it stops after a whole number of rounds. */
static dap_status walk(const dap_map *map, dap_picture_axis *a, dap_error *err)
{
  const int procs = map->axis.procs;
  const bool has_rounds = map->axis.dist_type == 'c' && procs < DAP_PICTURE_ROUNDS;
  const int most = has_rounds ? DAP_PICTURE_ROUNDS - DAP_PICTURE_ROUNDS % procs : DAP_PICTURE_BLOCKS;
  a->shown = 0;
  while (a->shown < a->size && a->owned.count < most) {
    dap_picture_stretch owned = {.begin = a->shown};
    owned.end = a->shown = dap_stretch_end(map, owned.begin, &owned.coord);
    DAP_TRY(list_add(&a->owned, owned, err));
  }
  return DAP_OK;
}

static int by_begin(const void *left, const void *right)
{
  const int64_t a = ((const dap_picture_stretch *)left)->begin,
                b = ((const dap_picture_stretch *)right)->begin;
  return (a > b) - (a < b);
}

/* Adds a stretch. If it leaves a gap, it first adds the gap as a stretch without a known owner. */
static dap_status add(dap_picture_list *list, dap_picture_stretch stretch, dap_error *err)
{
  const int64_t end = list->count > 0 ? list->at[list->count - 1].end : 0;
  if (stretch.begin > end) DAP_TRY(list_add(list, (dap_picture_stretch){end, stretch.begin, -1}, err));
  return stretch.begin < stretch.end ? list_add(list, stretch, err) : DAP_OK;
}

/* Collects all known runs in ascending order, and keeps those that are drawn. */
static dap_status collect(const dap_map *map, dap_picture_axis *a, dap_error *err)
{
  dap_picture_list runs = {0};
  dap_status s = DAP_OK;
  for (int c = 0; c < map->axis.procs; c++)
    for (dap_run run = {0}; !s && dap_map_next_run(map, c, &run);)
      s = list_add(&runs, (dap_picture_stretch){run.global, run.global + run.length, c}, err);
  if (runs.count > 0) qsort(runs.at, (size_t)runs.count, sizeof *runs.at, by_begin);
  for (int i = 0; !s && i < runs.count && a->owned.count <= DAP_PICTURE_BLOCKS; i++)
    s = add(&a->owned, runs.at[i], err);
  if (!s) s = add(&a->owned, (dap_picture_stretch){a->size, a->size, 0}, err);
  free(runs.at);
  if (a->owned.count > DAP_PICTURE_BLOCKS) a->owned.count = DAP_PICTURE_BLOCKS;
  if (a->owned.count > 0) a->shown = a->owned.at[a->owned.count - 1].end;
  return s;
}

/* ---- padding and copies --------------------------------------------------------------------------- */

/* Padding towards neighbours lies beside the owned range. At the outer edges it wraps round, and is drawn
 * beyond them. */
static dap_status pad_blocks(const dap_map *map, dap_picture_axis *a, dap_error *err)
{
  for (int c = 0; c < map->axis.procs; c++) {
    const int64_t *width = map->halo[c];
    dap_run run = {0};
    if (!dap_map_next_run(map, c, &run)) continue;
    const int64_t end = run.global + run.length;
    if (run.global - width[0] < 0) a->begin = -width[0];
    if (end + width[1] > a->size && a->shown == a->size) a->end = a->size + width[1];
    const dap_picture_stretch beside[] = {{run.global - width[0], run.global, 0}, {end, end + width[1], 0}};
    for (int i = 0; i < 2; i++)
      if (beside[i].begin < beside[i].end && beside[i].begin < a->shown)
        DAP_TRY(list_add(&a->copied, beside[i], err));
  }
  return DAP_OK;
}

static void flag_copies(const dap_map *map, int coord, int64_t shown, unsigned char flags[])
{
  for (int64_t i = 0; i < map->ops->extent(map, coord); i++) {
    const int64_t index = map->ops->globalize(map, coord, i);
    if (index < shown && !map->ops->is_owned(map, coord, i)) flags[index] = 1;
  }
}

static dap_status pad_lists(const dap_map *map, dap_picture_axis *a, dap_error *err)
{
  unsigned char *flags = calloc((size_t)a->shown + 1, 1);
  DAP_REQUIRE(flags, err, DAP_ERR_NOMEM, "no memory for a picture");
  dap_status s = DAP_OK;
  for (int c = 0; c < map->axis.procs; c++)
    if (dap_map_knows(map, c)) flag_copies(map, c, a->shown, flags);
  for (int64_t i = 0; !s && i < a->shown; i++)
    if (flags[i]) s = list_add(&a->copied, (dap_picture_stretch){i, i + 1, 0}, err);
  free(flags);
  return s;
}

static dap_status add_padding(const dap_map *map, dap_picture_axis *a, dap_error *err)
{
  const dap_axis *of = &map->axis;
  const dap_picture_stretch edges[] = {{0, of->boundary[0], 0}, {of->size - of->boundary[1], of->size, 0}};
  for (int i = 0; i < 2; i++)
    if (edges[i].begin < edges[i].end && edges[i].end <= a->shown)
      DAP_TRY(list_add(&a->boundary, edges[i], err));
  if (map->lists) return pad_lists(map, a, err);
  return map->halo ? pad_blocks(map, a, err) : DAP_OK;
}

/* ---- the axis ------------------------------------------------------------------------------------- */

dap_status dap_picture_axis_init(const dap_layout *layout, int axis, dap_picture_axis *a, dap_error *err)
{
  const dap_map *map = &layout->maps[axis];
  const bool is_whole = dap_map_is_whole(map);
  *a = (dap_picture_axis){.axis = axis, .size = map->axis.size, .every = is_whole ? map->axis.procs : 0};
  a->shown = a->size;
  DAP_TRY(map->lists && map->axis.procs > 1 ? collect(map, a, err) : walk(map, a, err));
  a->end = a->shown;
  return is_whole ? DAP_OK : add_padding(map, a, err);
}

dap_status dap_picture_axis_single(dap_picture_axis *a, dap_error *err)
{
  *a = (dap_picture_axis){.axis = -1, .size = 1, .shown = 1, .end = 1};
  return list_add(&a->owned, (dap_picture_stretch){0, 1, 0}, err);
}

void dap_picture_axis_release(dap_picture_axis *a)
{
  free(a->owned.at);
  free(a->copied.at);
  free(a->boundary.at);
  *a = (dap_picture_axis){0};
}
