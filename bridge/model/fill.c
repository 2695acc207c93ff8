/* Finds the stretches of a destination buffer that a transfer fills along one axis, in the buffer's order:
 * owned runs, communication padding, or both. Global indices are those of the elements to be fetched. */
#include "model_impl.h"

/* The parts of a buffer that are in a region: the low halo, the owned elements, the high halo. */
static const bool is_in[][3] = {[DAP_REGION_OWNED] = {false, true, false},
                                [DAP_REGION_HALO] = {true, false, true},
                                [DAP_REGION_ALL] = {true, true, true},
                                [DAP_REGION_LOW] = {true, false, false},
                                [DAP_REGION_HIGH] = {false, false, true}};

/* Finds the parts of a contiguous process's buffer that are in the region. Parts of length 0 do not count. */
static int block_parts(const dap_map *map, int coord, dap_region region, dap_run parts[3])
{
  const int64_t *halo = map->halo[coord];
  const int64_t owned = map->ops->owned(map, coord);
  const int64_t lengths[3] = {halo[0], owned, halo[1]};
  const int64_t locals[3] = {0, halo[0], halo[0] + owned};
  int count = 0;
  for (int i = 0; i < 3; i++)
    if (is_in[region][i] && lengths[i] > 0)
      parts[count++] = (dap_run){map->ops->globalize(map, coord, locals[i]), locals[i], lengths[i]};
  return count;
}

/* Returns whether `coord` fills the region with an axis that all processes have as a whole. The first one
 * owns it, and the others hold copies. */
static bool is_whole_in(const dap_map *map, int coord, dap_region region)
{
  const bool is_ghost = coord > 0;
  return map->axis.size > 0 &&
         (region == DAP_REGION_ALL || region == (is_ghost ? DAP_REGION_HALO : DAP_REGION_OWNED));
}

int64_t dap_map_fill_count(const dap_map *map, int coord, dap_region region)
{
  dap_run parts[3];
  if (dap_map_is_whole(map)) return is_whole_in(map, coord, region);
  if (map->halo) return block_parts(map, coord, region, parts);
  return is_in[region][1] ? map->ops->run_count(map, coord) : 0;
}

dap_run dap_map_fill(const dap_map *map, int coord, dap_region region, int64_t index)
{
  dap_run parts[3];
  if (dap_map_is_whole(map)) return (dap_run){0, 0, map->axis.size};
  if (!map->halo) return map->ops->run(map, coord, index);
  block_parts(map, coord, region, parts);
  return parts[index];
}
