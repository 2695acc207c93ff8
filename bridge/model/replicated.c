/* Computes axes without lists that every process has completely. On a replicated axis all have the same
 * elements.
 *
 * On a partial axis each has addends, and an element is their sum. The first coordinate is the owner. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- queries ---------------------------------------------------------------------------------- */

static int64_t owned(const dap_map *map, int coord)
{
  return coord == 0 ? map->axis.size : 0;
}

static int64_t extent(const dap_map *map, int coord)
{
  (void)coord;
  return map->axis.size;
}

static int64_t run_count(const dap_map *map, int coord)
{
  return owned(map, coord) > 0;
}

static dap_run run(const dap_map *map, int coord, int64_t index)
{
  (void)coord, (void)index;
  return (dap_run){0, 0, map->axis.size};
}

static int64_t run_after(const dap_map *map, int coord, int64_t global)
{
  return global < map->axis.size ? 0 : run_count(map, coord);
}

static bool locate(const dap_map *map, int64_t global, int *coord, int64_t *local)
{
  (void)map;
  *coord = 0;
  *local = global;
  return true;
}

static int64_t globalize(const dap_map *map, int coord, int64_t local)
{
  (void)map, (void)coord;
  return local;
}

static bool is_owned(const dap_map *map, int coord, int64_t local)
{
  (void)map, (void)local;
  return coord == 0;
}

/* ---- export --------------------------------------------------------------------------------------- */

/* Finds the list 0, 1, ..., size - 1, and makes it on the first call. If several threads make it at the same
 * time, all use that of the first one to finish. */
static dap_status find_list(const dap_map *map, int axis, dap_packed *list, dap_error *err)
{
  dap_map *same = (dap_map *)map; /* the list does not change what the map says */
  const int64_t size = map->axis.size;
  void *there = atomic_load(&same->identity);
  DAP_REQUIRE(dap_packed_create(there ? 0 : size, size, list), err, DAP_ERR_NOMEM,
              "axis %d: no memory for %" PRId64 " indices", axis, size);
  for (int64_t i = 0; i < size && !there; i++) dap_packed_set(list, i, i);
  if (there || !atomic_compare_exchange_strong(&same->identity, &there, list->data)) {
    dap_packed_release(list);
    list->data = there;
  }
  return DAP_OK;
}

/* Exports a replicated axis as 'u'. */
static dap_status export(const dap_map *map, const dap_dialect *dialect, int axis, int coord, dap_dim *dim,
                         dap_error *err)
{
  dap_packed list;
  (void)dialect, (void)coord;
  DAP_REQUIRE(!map->axis.partial, err, DAP_ERR_UNSUPPORTED,
              "axis %d: the protocol cannot say that a process has an addend of each element (partial)",
              axis);
  DAP_TRY(find_list(map, axis, &list, err));
  dim->index_count = map->axis.size;
  dim->indices = list.data;
  dim->indices_dtype = dap_packed_dtype(&list);
  return DAP_OK;
}

#define WHOLE_AXIS                                                                                           \
  .dist_type = 'u', .owned = owned, .extent = extent, .locate = locate, .globalize = globalize,              \
  .is_owned = is_owned, .export = export, .run_count = run_count, .run = run, .run_after = run_after

const dap_dist_ops dap_replicated_ops = {.name = "replicated", WHOLE_AXIS};
const dap_dist_ops dap_partial_ops = {.name = "partial", WHOLE_AXIS};
