/* Contiguous distribution, 'b': each process owns one range of any length. Communication padding lies towards
 * neighbours, and boundary padding at the outer edges of the grid. */
#include "model_impl.h"

#include <inttypes.h>

static int64_t owned(const dap_map *map, int coord)
{
  return map->bounds[coord + 1] - map->bounds[coord];
}

static int64_t extent(const dap_map *map, int coord)
{
  return owned(map, coord) + map->halo[coord][0] + map->halo[coord][1];
}

static int64_t run_count(const dap_map *map, int coord)
{
  return owned(map, coord) > 0;
}

static dap_run run(const dap_map *map, int coord, int64_t index)
{
  (void)index;
  return (dap_run){map->bounds[coord], map->halo[coord][0], owned(map, coord)};
}

static int64_t run_after(const dap_map *map, int coord, int64_t global)
{
  return owned(map, coord) > 0 && global >= map->bounds[coord + 1];
}

/* Finds the first process whose range ends behind `global`. */
static bool locate(const dap_map *map, int64_t global, int *coord, int64_t *local)
{
  int low = 0, high = map->axis.procs - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (map->bounds[middle + 1] > global)
      high = middle;
    else
      low = middle + 1;
  }
  *coord = low;
  *local = global - map->bounds[low] + map->halo[low][0];
  return true;
}

static int64_t globalize(const dap_map *map, int coord, int64_t local)
{
  const int64_t size = map->axis.size, global = map->bounds[coord] - map->halo[coord][0] + local;
  if (global < 0) return global + size;
  return global < size ? global : global - size;
}

static bool is_owned(const dap_map *map, int coord, int64_t local)
{
  const int64_t first = map->halo[coord][0];
  return local >= first && local < first + owned(map, coord);
}

static dap_status export(const dap_map *map, const dap_dialect *dialect, int axis, int coord, dap_dim *dim,
                         dap_error *err)
{
  const int last = map->axis.procs - 1;
  const int64_t *halo = map->halo[coord], *boundary = map->axis.boundary;
  const bool wraps = map->halo[0][0] > 0 || map->halo[last][1] > 0;
  DAP_RULE(9, !wraps || dialect->periodic_wraps, err, DAP_ERR_UNSUPPORTED,
           "dim %d: protocol %s cannot say that the padding (%" PRId64 ", %" PRId64 ") wraps round", axis,
           dialect->versions, map->halo[0][0], map->halo[last][1]);
  DAP_RULE(9, !map->axis.periodic || (boundary[0] == 0 && boundary[1] == 0) || !dialect->periodic_wraps, err,
           DAP_ERR_UNSUPPORTED,
           "dim %d: protocol %s cannot say that a periodic dimension owns its boundary padding (%" PRId64
           ", %" PRId64 ")",
           axis, dialect->versions, boundary[0], boundary[1]);
  const bool inside = dialect->padding_inside;
  dim->start = map->bounds[coord] - (inside ? halo[0] : 0);
  dim->stop = map->bounds[coord + 1] + (inside ? halo[1] : 0);
  dim->padding[0] = coord == 0 ? halo[0] + boundary[0] : halo[0];
  dim->padding[1] = coord == last ? halo[1] + boundary[1] : halo[1];
  dim->periodic = map->axis.periodic;
  return DAP_OK;
}

const dap_dist_ops dap_block_ops = {
    .dist_type = 'b',
    .name = "block",
    .required = dap_block_required,
    .checks = dap_block_checks,
    .assemble = dap_block_assemble,
    .owned = owned,
    .extent = extent,
    .locate = locate,
    .globalize = globalize,
    .is_owned = is_owned,
    .export = export,
    .run_count = run_count,
    .run = run,
    .run_after = run_after,
};
