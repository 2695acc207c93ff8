/* Creates layouts, counts references to them, and answers queries. */
#include "lists_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- creation --------------------------------------------------------------------------------- */

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
                "axis %d: the process grid exceeds %d processes", k, INT_MAX);
    DAP_REQUIRE(count == 0 || dap_multiply(count, maps[k].axis.size, &count), err, DAP_ERR_RANGE,
                "axis %d: the array exceeds 2^63 - 1 elements", k);
  }
  layout->nprocs = (int)nprocs;
  layout->count = count;
  return DAP_OK;
}

enum { MAGIC = 0x6c61796f }; /* "layo": marks layouts that are not destroyed */

dap_status dap_layout_check(const dap_layout *layout, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  DAP_REQUIRE(layout->magic == MAGIC, err, DAP_ERR_ARG, "layout is not a layout, or was destroyed");
  return DAP_OK;
}

dap_status dap_layout_from_maps(dap_status s, int ndim, dap_map maps[], dap_layout **layout, dap_error *err)
{
  dap_layout *made = s ? NULL : calloc(1, sizeof *made);
  if (!s && !made) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for a layout");
  if (!s) s = count_up(ndim, maps, made, err);
  if (s) {
    release_maps(ndim, maps);
    free(made);
    return s;
  }
  atomic_init(&made->references, 1);
  made->magic = MAGIC;
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
  return dap_layout_from_maps(s, ndim, maps, layout, err);
}

/* ---- the order of ranks ------------------------------------------------------------------------- */

static bool is_in_order(int count, const int ranks[])
{
  for (int i = 0; i < count; i++)
    if (ranks[i] != i) return false;
  return true;
}

dap_status dap_layout_set_ranks(dap_layout *layout, const int ranks[], dap_error *err)
{
  const size_t count = (size_t)layout->nprocs;
  if (!ranks || is_in_order(layout->nprocs, ranks)) return DAP_OK;
  layout->ranks = malloc(count * sizeof *layout->ranks);
  layout->grid_index = malloc(count * sizeof *layout->grid_index);
  DAP_REQUIRE(layout->ranks && layout->grid_index, err, DAP_ERR_NOMEM, "no memory for the order of %zu ranks",
              count);
  memcpy(layout->ranks, ranks, count * sizeof *ranks);
  for (int i = 0; i < layout->nprocs; i++) layout->grid_index[ranks[i]] = i;
  return DAP_OK;
}

static dap_status check_permutation(int count, const int ranks[], dap_error *err)
{
  bool *seen = calloc((size_t)count, sizeof *seen);
  DAP_REQUIRE(seen, err, DAP_ERR_NOMEM, "no memory to check %d ranks", count);
  int bad = -1;
  for (int i = 0; i < count && bad < 0; i++) {
    if (ranks[i] < 0 || ranks[i] >= count || seen[ranks[i]])
      bad = i;
    else
      seen[ranks[i]] = true;
  }
  free(seen);
  DAP_REQUIRE(bad < 0, err, DAP_ERR_ARG, "ranks[%d] = %d is outside 0 .. %d or named twice", bad, ranks[bad],
              count - 1);
  return DAP_OK;
}

static dap_status copy_maps(const dap_layout *layout, dap_layout **copy, dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  for (int k = 0; k < layout->ndim && !s; k++) s = dap_map_copy(k, &layout->maps[k], &maps[k], err);
  return dap_layout_from_maps(s, layout->ndim, maps, copy, err);
}

dap_status dap_layout_reorder(const dap_layout *layout, const int ranks[], dap_layout **reordered,
                              dap_error *err)
{
  DAP_REQUIRE(reordered, err, DAP_ERR_ARG, "reordered must not be NULL");
  *reordered = NULL;
  DAP_REQUIRE(layout && ranks, err, DAP_ERR_ARG, "layout and ranks must not be NULL");
  DAP_TRY(dap_layout_check(layout, err));
  DAP_TRY(check_permutation(layout->nprocs, ranks, err));
  dap_layout *made = NULL;
  DAP_TRY(copy_maps(layout, &made, err));
  const dap_status s = dap_layout_set_ranks(made, ranks, err);
  if (s) dap_layout_destroy(&made);
  *reordered = made;
  return s;
}

bool dap_layout_is_row_major(const dap_layout *layout)
{
  return layout->ranks == NULL;
}

/* ---- references ---------------------------------------------------------------------------------
 * Threads count in C's default memory order. Release and acquire on the way down would be enough. */

dap_layout *dap_layout_retain(const dap_layout *layout)
{
  dap_layout *same = (dap_layout *)layout; /* a count is not part of the layout */
  if (same) atomic_fetch_add(&same->references, 1);
  return same;
}

void dap_layout_destroy(dap_layout **layout)
{
  if (!layout || !*layout) return;
  dap_layout *last = *layout;
  *layout = NULL;
  if (dap_layout_check(last, NULL)) return;
  if (atomic_fetch_sub(&last->references, 1) > 1) return;
  release_maps(last->ndim, last->maps);
  free(last->ranks);
  free(last->grid_index);
  *(volatile uint32_t *)&last->magic = 0; /* compilers drop other stores before free() */
  free(last);
}

/* ---- queries ---------------------------------------------------------------------------------- */

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
  if (layout->grid_index) rank = layout->grid_index[rank];
  for (int k = layout->ndim - 1; k >= 0; k--) {
    coords[k] = rank % layout->maps[k].axis.procs;
    rank /= layout->maps[k].axis.procs;
  }
}

int dap_layout_rank(const dap_layout *layout, const int coords[])
{
  int rank = 0;
  for (int k = 0; k < layout->ndim; k++) rank = rank * layout->maps[k].axis.procs + coords[k];
  return layout->ranks ? layout->ranks[rank] : rank;
}

bool dap_layout_knows(const dap_layout *layout, int axis, int coord)
{
  return dap_map_knows(&layout->maps[axis], coord);
}

bool dap_layout_next_run(const dap_layout *layout, int axis, int coord, dap_run *run)
{
  return dap_map_next_run(&layout->maps[axis], coord, run);
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
  const dap_map *map = &layout->maps[axis];
  return map->ops->extent(map, coord);
}

bool dap_layout_is_owned(const dap_layout *layout, int axis, int coord, int64_t local)
{
  const dap_map *map = &layout->maps[axis];
  return map->ops->is_owned(map, coord, local);
}

dap_status dap_layout_check_axis(const dap_layout *layout, int axis, dap_error *err)
{
  DAP_TRY(dap_layout_check(layout, err));
  DAP_REQUIRE(axis >= 0 && axis < layout->ndim, err, DAP_ERR_ARG, "axis %d is outside 0 .. %d", axis,
              layout->ndim - 1);
  return DAP_OK;
}

dap_status dap_layout_dim(const dap_layout *layout, const char *version, int axis, int coord, dap_dim *dim,
                          dap_error *err)
{
  DAP_REQUIRE(layout && dim, err, DAP_ERR_ARG, "layout and dim must not be NULL");
  DAP_TRY(dap_layout_check_axis(layout, axis, err));
  DAP_REQUIRE(coord >= 0 && coord < layout->maps[axis].axis.procs, err, DAP_ERR_ARG,
              "axis %d: coordinate %d is outside 0 .. %d", axis, coord, layout->maps[axis].axis.procs - 1);
  const dap_dialect *dialect = dap_dialect_find(version ? version : "0.10.0");
  DAP_RULE(2, dialect, err, DAP_ERR_VERSION, "version '%.32s' is not 0.0.1, 0.9.* or 0.10.*", version);
  const dap_map *map = &layout->maps[axis];
  *dim = (dap_dim){.dist_type = map->axis.dist_type,
                   .size = map->axis.size,
                   .proc_grid_size = map->axis.procs,
                   .proc_grid_rank = coord,
                   .block_size = DAP_ABSENT};
  return map->ops->export(map, dialect, axis, coord, dim, err);
}

static bool keeps_slice(const dap_map *map, int coord)
{
  const dap_directory *d = &map->lists->directory;
  const int64_t size = map->axis.size, slice = dap_directory_slice(map);
  const int64_t first = dap_smaller(coord * slice, size), end = dap_smaller(first + slice, size);
  return first == end || (d->first <= first && end <= d->first + d->count);
}

dap_status dap_layout_check_own(const dap_layout *layout, int rank, dap_error *err)
{
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < layout->ndim; k++) {
    const dap_map *map = &layout->maps[k];
    DAP_REQUIRE(
        !map->lists || (dap_map_knows(map, coords[k]) && keeps_slice(map, coords[k])), err, DAP_ERR_ARG,
        "axis %d: process %d of the layout is at proc_grid_rank %d, but this process assembled it at another",
        k, rank, coords[k]);
  }
  return DAP_OK;
}
