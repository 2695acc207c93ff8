/* Layouts: made, counted, asked. */
#include "model_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- made and counted ------------------------------------------------------------------------- */

static void release_maps(int ndim, dap_map maps[])
{
  for (int k = 0; k < ndim; k++) dap_map_release(&maps[k]);
}

static dap_status count_up(int ndim, const dap_map maps[], dap_layout *layout, dap_error *err)
{
  int64_t nprocs = 1, count = 1;
  for (int k = 0; k < ndim; k++)
    if (maps[k].axis.size == 0) count = 0;
  for (int k = 0; k < ndim; k++) {
    DAP_REQUIRE(dap_multiply(nprocs, maps[k].axis.procs, &nprocs) && nprocs <= INT_MAX, err, DAP_ERR_RANGE,
                "dim %d: the process grid exceeds %d processes", k, INT_MAX);
    DAP_REQUIRE(count == 0 || dap_multiply(count, maps[k].axis.size, &count), err, DAP_ERR_RANGE,
                "dim %d: the array exceeds 2^63 - 1 elements", k);
  }
  layout->nprocs = (int)nprocs;
  layout->count = count;
  return DAP_OK;
}

dap_status dap_layout_from_maps(int ndim, dap_map maps[], dap_layout **layout, dap_error *err)
{
  dap_layout *made = calloc(1, sizeof *made);
  const dap_status s =
      made ? count_up(ndim, maps, made, err) : dap_fail(err, DAP_ERR_NOMEM, "no memory for a layout");
  if (s) {
    release_maps(ndim, maps);
    free(made);
    return s;
  }
  atomic_init(&made->references, 1);
  made->ndim = ndim;
  memcpy(made->maps, maps, (size_t)ndim * sizeof *maps);
  *layout = made;
  return DAP_OK;
}

dap_status dap_layout_create(int ndim, const dap_dist dists[], dap_layout **layout, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  *layout = NULL;
  DAP_REQUIRE(ndim >= 0 && ndim <= DAP_MAX_NDIM, err, DAP_ERR_ARG, "ndim %d is outside 0 .. %d", ndim,
              DAP_MAX_NDIM);
  DAP_REQUIRE(dists || ndim == 0, err, DAP_ERR_ARG, "dists must not be NULL");
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  for (int k = 0; k < ndim && !s; k++) s = dap_map_create(k, &dists[k], &maps[k], err);
  if (s) release_maps(ndim, maps);
  return s ? s : dap_layout_from_maps(ndim, maps, layout, err);
}

/* dims[k] holds the normal dictionaries of axis k, [proc_grid_size] by coordinate; each has passed
 * dap_dim_check(), and size, dist_type, proc_grid_size, block_size and periodic are equal along the axis. */
dap_status dap_layout_from_dims(int ndim, const dap_dim *const dims[], dap_layout **layout, dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  for (int k = 0; k < ndim && !s; k++) {
    maps[k].axis.size = dims[k][0].size;
    maps[k].axis.procs = (int)dims[k][0].proc_grid_size;
    s = dap_dist_ops_find(dims[k][0].dist_type)->assemble(k, dims[k], &maps[k], err);
  }
  if (s) release_maps(ndim, maps);
  return s ? s : dap_layout_from_maps(ndim, maps, layout, err);
}

dap_layout *dap_layout_retain(const dap_layout *layout)
{
  dap_layout *same = (dap_layout *)layout; /* counting does not change what the layout says */
  if (same) atomic_fetch_add(&same->references, 1);
  return same;
}

void dap_layout_destroy(dap_layout **layout)
{
  if (!layout || !*layout) return;
  dap_layout *last = *layout;
  *layout = NULL;
  if (atomic_fetch_sub(&last->references, 1) > 1) return;
  release_maps(last->ndim, last->maps);
  free(last);
}

/* ---- asked ------------------------------------------------------------------------------------ */

int dap_layout_ndim(const dap_layout *layout)
{
  return layout->ndim;
}

int64_t dap_layout_size(const dap_layout *layout, int axis)
{
  return layout->maps[axis].axis.size;
}

int dap_layout_procs(const dap_layout *layout, int axis)
{
  return layout->maps[axis].axis.procs;
}

int64_t dap_layout_count(const dap_layout *layout)
{
  return layout->count;
}

int dap_layout_nprocs(const dap_layout *layout)
{
  return layout->nprocs;
}

dap_axis dap_layout_axis(const dap_layout *layout, int axis)
{
  return layout->maps[axis].axis;
}

void dap_layout_coords(const dap_layout *layout, int rank, int coords[])
{
  for (int k = layout->ndim - 1; k >= 0; k--) {
    coords[k] = rank % layout->maps[k].axis.procs;
    rank /= layout->maps[k].axis.procs;
  }
}

int dap_layout_rank(const dap_layout *layout, const int coords[])
{
  int rank = 0;
  for (int k = 0; k < layout->ndim; k++) rank = rank * layout->maps[k].axis.procs + coords[k];
  return rank;
}

int64_t dap_layout_run_count(const dap_layout *layout, int axis, int coord)
{
  const dap_map *map = &layout->maps[axis];
  return map->ops->run_count(map, coord);
}

dap_run dap_layout_run(const dap_layout *layout, int axis, int coord, int64_t index)
{
  const dap_map *map = &layout->maps[axis];
  return map->ops->run(map, coord, index);
}

int64_t dap_layout_owned(const dap_layout *layout, int axis, int coord)
{
  const dap_map *map = &layout->maps[axis];
  return map->ops->owned(map, coord);
}

void dap_layout_halo(const dap_layout *layout, int axis, int coord, int64_t width[2])
{
  const dap_map *map = &layout->maps[axis];
  width[0] = map->halo ? map->halo[coord][0] : 0;
  width[1] = map->halo ? map->halo[coord][1] : 0;
}

int64_t dap_layout_extent(const dap_layout *layout, int axis, int coord)
{
  int64_t halo[2];
  dap_layout_halo(layout, axis, coord, halo);
  return dap_layout_owned(layout, axis, coord) + halo[0] + halo[1];
}

dap_dim dap_layout_dim(const dap_layout *layout, int axis, int coord)
{
  const dap_map *map = &layout->maps[axis];
  dap_dim dim = {.dist_type = map->axis.dist_type,
                 .size = map->axis.size,
                 .proc_grid_size = map->axis.procs,
                 .proc_grid_rank = coord,
                 .block_size = DAP_ABSENT};
  map->ops->export(map, coord, &dim);
  return dim;
}
