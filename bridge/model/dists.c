/* The table of distributions, and the making of an axis. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>

dap_dist dap_dist_even(int64_t size, int procs)
{
  return (dap_dist){.cut = DAP_CUT_EVEN, .procs = procs, .size = size};
}

dap_dist dap_dist_padded(int64_t size, int procs, int64_t halo)
{
  return (dap_dist){.cut = DAP_CUT_EVEN, .procs = procs, .size = size, .halo = halo};
}

dap_dist dap_dist_cyclic(int64_t size, int procs, int64_t block_size)
{
  return (dap_dist){.cut = DAP_CUT_CYCLIC, .procs = procs, .size = size, .block_size = block_size};
}

static const dap_dist_ops *const table[] = {&dap_block_ops, &dap_cyclic_ops};

const dap_dist_ops *dap_dist_ops_find(char dist_type)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i]->dist_type == dist_type) return table[i];
  return NULL;
}

dap_status dap_map_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err)
{
  static dap_status (*const create[])(int, const dap_dist *, dap_map *, dap_error *) = {
      [DAP_CUT_EVEN] = dap_block_create,
      [DAP_CUT_CEIL] = dap_block_create,
      [DAP_CUT_LENGTHS] = dap_block_create,
      [DAP_CUT_CYCLIC] = dap_cyclic_create,
  };
  *map = (dap_map){0};
  const unsigned cut = (unsigned)dist->cut;
  DAP_REQUIRE(cut < sizeof create / sizeof create[0], err, DAP_ERR_DIM, "dim %d: %u is no dap_cut", axis,
              cut);
  DAP_REQUIRE(dist->size >= 0, err, DAP_ERR_DIM, "dim %d: size %" PRId64 " is negative", axis, dist->size);
  DAP_REQUIRE(dist->procs >= 1, err, DAP_ERR_DIM, "dim %d: procs %d is less than 1", axis, dist->procs);
  map->axis.size = dist->size;
  map->axis.procs = dist->procs;
  return create[cut](axis, dist, map, err);
}

void dap_map_release(dap_map *map)
{
  free(map->bounds);
  free(map->halo);
  *map = (dap_map){0};
}
