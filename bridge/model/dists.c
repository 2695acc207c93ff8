/* Finds distributions by name; makes, copies and releases maps of one axis. */
#include "lists_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- usual distributions ------------------------------------------------------------------------- */

dap_dist dap_dist_even(int64_t size, int procs)
{
  return (dap_dist){.kind = DAP_DIST_EVEN, .procs = procs, .size = size};
}

dap_dist dap_dist_padded(int64_t size, int procs, int64_t halo)
{
  return (dap_dist){.kind = DAP_DIST_EVEN, .procs = procs, .size = size, .halo = halo};
}

dap_dist dap_dist_ceil(int64_t size, int procs)
{
  return (dap_dist){.kind = DAP_DIST_CEIL, .procs = procs, .size = size};
}

dap_dist dap_dist_lengths(int64_t size, int procs, const int64_t lengths[])
{
  return (dap_dist){.kind = DAP_DIST_LENGTHS, .procs = procs, .size = size, .lengths = lengths};
}

dap_dist dap_dist_cyclic(int64_t size, int procs, int64_t block_size)
{
  return (dap_dist){.kind = DAP_DIST_CYCLIC, .procs = procs, .size = size, .block_size = block_size};
}

dap_dist dap_dist_unstructured(int64_t size, int procs, const int64_t lengths[],
                               const int64_t *const indices[])
{
  return (dap_dist){
      .kind = DAP_DIST_UNSTRUCTURED, .procs = procs, .size = size, .lengths = lengths, .indices = indices};
}

dap_dist dap_dist_unstructured_ghosted(int64_t size, int procs, const int64_t lengths[],
                                       const int64_t owned[], const int64_t *const indices[])
{
  dap_dist dist = dap_dist_unstructured(size, procs, lengths, indices);
  dist.owned = owned;
  return dist;
}

dap_dist dap_dist_replicated(int64_t size, int procs)
{
  return (dap_dist){.kind = DAP_DIST_REPLICATED, .procs = procs, .size = size};
}

dap_dist dap_dist_partial(int64_t size, int procs)
{
  return (dap_dist){.kind = DAP_DIST_PARTIAL, .procs = procs, .size = size};
}

dap_dist dap_dist_local(int64_t size)
{
  return dap_dist_even(size, 1);
}

/* ---- maps ---------------------------------------------------------------------------------------- */

static const dap_dist_ops *const table[] = {&dap_block_ops, &dap_cyclic_ops, &dap_unstructured_ops};

const dap_dist_ops *dap_dist_ops_find(char dist_type)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i]->dist_type == dist_type) return table[i];
  return NULL;
}

/* Refuses padding, which only contiguous distributions have. */
static dap_status check_no_padding(int axis, const dap_dist *dist, dap_error *err)
{
  DAP_REQUIRE(dist->halo == 0 && !dist->wraps && dist->boundary[0] == 0 && dist->boundary[1] == 0, err,
              DAP_ERR_DIM, "axis %d: halo and boundary need a contiguous distribution", axis);
  DAP_REQUIRE(!dist->periodic, err, DAP_ERR_DIM, "axis %d: periodic needs a contiguous distribution", axis);
  return DAP_OK;
}

void dap_map_start(const dap_dist_ops *ops, int64_t size, int procs, dap_map *map)
{
  *map = (dap_map){.ops = ops,
                   .axis = {.dist_type = ops->dist_type,
                            .replicated = ops == &dap_replicated_ops,
                            .partial = ops == &dap_partial_ops,
                            .size = size,
                            .procs = procs}};
}

dap_status dap_map_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err)
{
  static const dap_dist_ops *const kinds[] = {
      [DAP_DIST_EVEN] = &dap_block_ops,
      [DAP_DIST_CEIL] = &dap_block_ops,
      [DAP_DIST_LENGTHS] = &dap_block_ops,
      [DAP_DIST_CYCLIC] = &dap_cyclic_ops,
      [DAP_DIST_UNSTRUCTURED] = &dap_unstructured_ops,
      [DAP_DIST_REPLICATED] = &dap_replicated_ops,
      [DAP_DIST_PARTIAL] = &dap_partial_ops,
  };
  *map = (dap_map){0};
  const unsigned kind = (unsigned)dist->kind;
  DAP_REQUIRE(kind < sizeof kinds / sizeof kinds[0], err, DAP_ERR_DIM,
              "axis %d: kind %u is not a dap_dist_kind", axis, kind);
  DAP_REQUIRE(dist->size >= 0, err, DAP_ERR_DIM, "axis %d: size %" PRId64 " is negative", axis, dist->size);
  DAP_REQUIRE(dist->procs >= 1, err, DAP_ERR_DIM, "axis %d: procs %d is less than 1", axis, dist->procs);
  const dap_dist_ops *ops = kinds[kind];
  if (ops != &dap_block_ops) DAP_TRY(check_no_padding(axis, dist, err));
  dap_map_start(ops, dist->size, dist->procs, map);
  return ops->create ? ops->create(axis, dist, map, err) : DAP_OK;
}

bool dap_map_assemble(const dap_dialect *dialect, int axis, const dap_dim dims[], dap_map *map,
                      dap_findings *findings)
{
  const dap_dist_ops *ops = dap_dist_ops_find(dims[0].dist_type);
  dap_map_start(ops, dims[0].size, (int)dims[0].proc_grid_size, map);
  return ops->assemble(dialect, axis, dims, map, findings);
}

dap_status dap_map_copy(int axis, const dap_map *map, dap_map *copy, dap_error *err)
{
  const size_t procs = (size_t)map->axis.procs;
  *copy = (dap_map){.axis = map->axis, .ops = map->ops, .lists = map->lists};
  if (map->lists) atomic_fetch_add(&map->lists->references, 1);
  if (!map->bounds) return DAP_OK;
  DAP_TRY(dap_block_allocate(axis, copy, err));
  memcpy(copy->bounds, map->bounds, (procs + 1) * sizeof *copy->bounds);
  memcpy(copy->halo, map->halo, procs * sizeof *copy->halo);
  return DAP_OK;
}

void dap_map_release(dap_map *map)
{
  free(map->bounds);
  free(map->halo);
  free(atomic_load(&map->identity));
  dap_lists_release(map);
  *map = (dap_map){0};
}

bool dap_map_next_run(const dap_map *map, int coord, dap_run *run)
{
  const dap_dist_ops *ops = map->ops;
  if (ops->next_run) return ops->next_run(map, coord, run);
  const int64_t last = run->global + run->length - 1;
  const int64_t index = run->length > 0 ? ops->run_after(map, coord, last) + 1 : 0;
  if (index >= ops->run_count(map, coord)) return false;
  *run = ops->run(map, coord, index);
  return true;
}

bool dap_map_is_all_owned(const dap_map *map)
{
  for (int c = 0; c < map->axis.procs; c++)
    if (map->ops->extent(map, c) != map->ops->owned(map, c)) return false;
  return true;
}

bool dap_map_knows(const dap_map *map, int coord)
{
  return !map->lists || map->lists->list[coord].is_known;
}
