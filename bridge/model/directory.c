/* Keeps the directory of a 'u' axis, or a slice of it: the owner of each global index, and its position
 * there. Unless owners are given, the lowest coordinate that holds an index owns it. Each coordinate keeps a
 * slice of the distributed directory. */
#include "lists_impl.h"

#include <inttypes.h>

static int64_t longest(const dap_map *map)
{
  int64_t most = 0;
  for (int c = 0; c < map->axis.procs; c++) most = dap_larger(most, map->lists->held[c]);
  return most;
}

dap_status dap_directory_create(int axis, const dap_map *map, int64_t first, int64_t count,
                                dap_directory *directory, dap_error *err)
{
  directory->first = first;
  directory->count = count;
  directory->twice = INT64_MAX;
  DAP_REQUIRE(dap_packed_create(count, map->axis.procs, &directory->owner) &&
                  dap_packed_create(count, longest(map), &directory->position),
              err, DAP_ERR_NOMEM, "axis %d: no memory for the owners of %" PRId64 " indices", axis, count);
  return DAP_OK;
}

void dap_directory_release(dap_directory *directory)
{
  dap_packed_release(&directory->owner);
  dap_packed_release(&directory->position);
}

void dap_directory_claim(dap_map *map, int64_t global, int coord, int64_t position)
{
  dap_directory *d = &map->lists->directory;
  const int64_t i = global - d->first, other = dap_packed_get(&d->owner, i) - 1;
  if (other >= 0 && other != coord) d->twice = dap_smaller(d->twice, global);
  if (other >= 0 && other <= coord) return;
  dap_packed_set(&d->owner, i, coord + 1);
  dap_packed_set(&d->position, i, position);
}

int64_t dap_directory_gap(const dap_map *map)
{
  const dap_directory *d = &map->lists->directory;
  for (int64_t i = 0; i < d->count; i++)
    if (dap_packed_get(&d->owner, i) == 0) return d->first + i;
  return INT64_MAX;
}

dap_status dap_directory_verdict(int axis, const dap_map *map, int64_t gap, int64_t twice, int owner,
                                 dap_error *err)
{
  const bool given = map->axis.owners_given;
  DAP_RULE(17, gap == INT64_MAX, err, DAP_ERR_LAYOUT,
           "axis %d: index %" PRId64 " of size %" PRId64 " is %s by no process", axis, gap, map->axis.size,
           given ? "owned" : "held");
  DAP_REQUIRE(twice == INT64_MAX || !given, err, DAP_ERR_LAYOUT,
              "axis %d: index %" PRId64 " is owned by proc_grid_rank %d and others", axis, twice, owner);
  DAP_RULE(18, twice == INT64_MAX || !map->axis.one_to_one, err, DAP_ERR_LAYOUT,
           "axis %d: index %" PRId64 " is held by proc_grid_rank %d and others, but one_to_one is True", axis,
           twice, owner);
  return DAP_OK;
}

/* Slices have ceil(size / procs) indices until none are left. */
int64_t dap_directory_slice(const dap_map *map)
{
  const int64_t procs = map->axis.procs;
  return map->axis.size / procs + (map->axis.size % procs > 0);
}

int dap_directory_host(const dap_map *map, int64_t global)
{
  return (int)(global / dap_directory_slice(map));
}
