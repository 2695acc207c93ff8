/* Contiguous distribution, 'b': one range a process, of any lengths, with communication padding
 * towards the neighbours and boundary padding at the outer edges of the grid.
 *
 * Protocol 0.10: a dictionary's [start, stop) includes the communication padding; boundary padding is
 * owned by the edge process and counted in size. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* ---- one dictionary --------------------------------------------------------------------------- */

static bool is_low_edge(const dap_dim *dim)
{
  return dim->proc_grid_rank == 0;
}

static bool is_high_edge(const dap_dim *dim)
{
  return dim->proc_grid_rank == dim->proc_grid_size - 1;
}

static int64_t owned_start(const dap_dim *dim)
{
  return dim->start + (is_low_edge(dim) ? 0 : dim->padding[0]);
}

static int64_t owned_stop(const dap_dim *dim)
{
  return dim->stop - (is_high_edge(dim) ? 0 : dim->padding[1]);
}

static dap_status check(int axis, const dap_dim *dim, int64_t extent, dap_error *err)
{
  DAP_REQUIRE(dim->start != DAP_ABSENT, err, DAP_ERR_DIM, "dim %d: required key start is absent", axis);
  DAP_REQUIRE(dim->stop != DAP_ABSENT, err, DAP_ERR_DIM, "dim %d: required key stop is absent", axis);
  DAP_REQUIRE(dim->start >= 0, err, DAP_ERR_DIM, "dim %d: start %" PRId64 " is negative", axis, dim->start);
  DAP_REQUIRE(dim->stop >= dim->start, err, DAP_ERR_DIM,
              "dim %d: stop %" PRId64 " is less than start %" PRId64, axis, dim->stop, dim->start);
  DAP_REQUIRE(dim->stop <= dim->size, err, DAP_ERR_DIM, "dim %d: stop %" PRId64 " exceeds size %" PRId64,
              axis, dim->stop, dim->size);
  const int64_t range = dim->stop - dim->start;
  for (int side = 0; side < 2; side++) {
    const int64_t width = dim->padding[side];
    DAP_REQUIRE(width >= 0, err, DAP_ERR_DIM, "dim %d: padding[%d] %" PRId64 " is negative", axis, side,
                width);
    DAP_REQUIRE(width <= range, err, DAP_ERR_DIM,
                "dim %d: padding[%d] %" PRId64 " exceeds stop - start = %" PRId64, axis, side, width, range);
  }
  const int64_t low = dim->padding[0], high = dim->padding[1];
  DAP_REQUIRE(low <= range - high, err, DAP_ERR_DIM,
              "dim %d: padding (%" PRId64 ", %" PRId64 ") exceeds stop - start = %" PRId64, axis, low, high,
              range);
  const int64_t outside = (is_low_edge(dim) ? 0 : low) + (is_high_edge(dim) ? 0 : high);
  DAP_REQUIRE(extent == range || outside == 0 || extent != range + outside, err, DAP_ERR_BUFFER,
              "dim %d: the buffer's extent %" PRId64 " is stop - start = %" PRId64 " plus the communication "
              "padding; in protocol 0.10 start and stop include it",
              axis, extent, range);
  DAP_REQUIRE(extent == range, err, DAP_ERR_BUFFER,
              "dim %d: the buffer's extent %" PRId64 " differs from stop - start = %" PRId64, axis, extent,
              range);
  return DAP_OK;
}

/* ---- the whole axis --------------------------------------------------------------------------- */

static int64_t owned(const dap_map *map, int coord)
{
  return map->bounds[coord + 1] - map->bounds[coord];
}

static dap_status allocate(int axis, dap_map *map, dap_error *err)
{
  const size_t procs = (size_t)map->axis.procs;
  map->ops = &dap_block_ops;
  map->axis.dist_type = 'b';
  map->bounds = calloc(procs + 1, sizeof *map->bounds);
  map->halo = calloc(procs, sizeof *map->halo);
  DAP_REQUIRE(map->bounds && map->halo, err, DAP_ERR_NOMEM, "dim %d: no memory for %zu processes", axis,
              procs);
  return DAP_OK;
}

/* Widths that no neighbour or edge process can hold. `status` tells dictionaries from a dap_dist. */
static dap_status check_widths(int axis, const dap_map *map, dap_status status, dap_error *err)
{
  const int last = map->axis.procs - 1;
  for (int c = 0; c < last; c++) {
    const int64_t right = map->halo[c][1], left = map->halo[c + 1][0];
    DAP_REQUIRE(right == left, err, status,
                "dim %d: padding[1] %" PRId64 " of proc_grid_rank %d differs from padding[0] %" PRId64
                " of its neighbour %d",
                axis, right, c, left, c + 1);
    const int64_t owners = smaller(owned(map, c), owned(map, c + 1));
    DAP_REQUIRE(right <= owners, err, status,
                "dim %d: communication padding %" PRId64
                " between proc_grid_ranks %d and %d exceeds the %" PRId64 " elements that one of them owns",
                axis, right, c, c + 1, owners);
  }
  const int64_t *width = map->axis.boundary;
  for (int side = 0; side < 2; side++) {
    const int edge = side == 0 ? 0 : last;
    const int64_t room = owned(map, edge) - (last == 0 && side == 1 ? width[0] : 0);
    DAP_REQUIRE(width[side] <= room, err, status,
                "dim %d: boundary padding (%" PRId64 ", %" PRId64 ") exceeds the %" PRId64
                " elements that proc_grid_rank %d owns",
                axis, width[0], width[1], owned(map, edge), edge);
  }
  return DAP_OK;
}

/* What distarray's global interface once exported under 0.10: ranges that tile with their padding
 * left out. Worth a hint of its own. */
static bool looks_unpadded(const dap_dim dims[], int procs)
{
  bool padded = false;
  for (int c = 0; c < procs; c++) {
    padded = padded || owned_start(&dims[c]) != dims[c].start || owned_stop(&dims[c]) != dims[c].stop;
    if (c > 0 && dims[c].start != dims[c - 1].stop) return false;
  }
  return padded;
}

/* The owned ranges must follow each other from 0 to size; an empty one may say any position. */
static dap_status tile(int axis, const dap_dim dims[], dap_map *map, dap_error *err)
{
  const int procs = map->axis.procs;
  const char *hint =
      looks_unpadded(dims, procs) ? " (start and stop look like they exclude the communication padding)" : "";
  int64_t end = 0;
  for (int c = 0; c < procs; c++) {
    const int64_t start = owned_start(&dims[c]), stop = owned_stop(&dims[c]);
    DAP_REQUIRE(start >= stop || start <= end, err, DAP_ERR_LAYOUT,
                "dim %d: no process owns %" PRId64 " .. %" PRId64 ", before the start of proc_grid_rank %d%s",
                axis, end, start - 1, c, hint);
    DAP_REQUIRE(start >= stop || start == end, err, DAP_ERR_LAYOUT,
                "dim %d: proc_grid_rank %d owns from %" PRId64 ", which lies before %" PRId64
                ", the end of the one before it%s",
                axis, c, start, end, hint);
    if (stop > start) end = stop;
    map->bounds[c + 1] = end;
  }
  DAP_REQUIRE(end == map->axis.size, err, DAP_ERR_LAYOUT,
              "dim %d: no process owns %" PRId64 " .. %" PRId64 ", the end of size %" PRId64 "%s", axis, end,
              map->axis.size - 1, map->axis.size, hint);
  return DAP_OK;
}

static dap_status assemble(int axis, const dap_dim dims[], dap_map *map, dap_error *err)
{
  DAP_TRY(allocate(axis, map, err));
  const int last = map->axis.procs - 1;
  map->axis.periodic = dims[0].periodic;
  map->axis.boundary[0] = dims[0].padding[0];
  map->axis.boundary[1] = dims[last].padding[1];
  for (int c = 0; c <= last; c++) {
    map->halo[c][0] = c > 0 ? dims[c].padding[0] : 0;
    map->halo[c][1] = c < last ? dims[c].padding[1] : 0;
  }
  DAP_TRY(tile(axis, dims, map, err));
  return check_widths(axis, map, DAP_ERR_LAYOUT, err);
}

/* Elements of process c under a cut. EVEN: the divmod rule, the first `size % procs` get one more.
 * CEIL: HPF's BLOCK, ceil(size / procs) each until nothing is left. */
static int64_t cut_length(const dap_dist *dist, int c, int64_t left)
{
  const int64_t each = dist->size / dist->procs, rest = dist->size % dist->procs;
  if (dist->cut == DAP_CUT_LENGTHS) return dist->lengths[c];
  if (dist->cut == DAP_CUT_CEIL) return smaller(left, each + (rest > 0));
  return each + (c < rest);
}

dap_status dap_block_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err)
{
  DAP_REQUIRE(dist->cut != DAP_CUT_LENGTHS || dist->lengths, err, DAP_ERR_ARG, "dim %d: lengths is NULL",
              axis);
  DAP_REQUIRE(dist->halo >= 0 && dist->boundary[0] >= 0 && dist->boundary[1] >= 0, err, DAP_ERR_DIM,
              "dim %d: halo %" PRId64 " or boundary (%" PRId64 ", %" PRId64 ") is negative", axis, dist->halo,
              dist->boundary[0], dist->boundary[1]);
  DAP_REQUIRE(dist->boundary[0] <= dist->size && dist->boundary[1] <= dist->size, err, DAP_ERR_DIM,
              "dim %d: boundary (%" PRId64 ", %" PRId64 ") exceeds size %" PRId64, axis, dist->boundary[0],
              dist->boundary[1], dist->size);
  DAP_TRY(allocate(axis, map, err));
  map->axis.periodic = dist->periodic;
  const int last = dist->procs - 1;
  for (int c = 0; c <= last; c++) {
    const int64_t left = dist->size - map->bounds[c], length = cut_length(dist, c, left);
    DAP_REQUIRE(length >= 0 && length <= left, err, DAP_ERR_DIM,
                "dim %d: lengths[%d] %" PRId64 " is negative or exceeds the %" PRId64
                " elements left of size %" PRId64,
                axis, c, length, left, dist->size);
    map->bounds[c + 1] = map->bounds[c] + length;
    map->halo[c][0] = c > 0 ? dist->halo : 0;
    map->halo[c][1] = c < last ? dist->halo : 0;
  }
  DAP_REQUIRE(map->bounds[last + 1] == dist->size, err, DAP_ERR_DIM,
              "dim %d: lengths add up to %" PRId64 ", not to size %" PRId64, axis, map->bounds[last + 1],
              dist->size);
  map->axis.boundary[0] = dist->boundary[0];
  map->axis.boundary[1] = dist->boundary[1];
  return check_widths(axis, map, DAP_ERR_DIM, err);
}

/* ---- questions -------------------------------------------------------------------------------- */

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

/* The first process whose range ends behind `global`. */
static void locate(const dap_map *map, int64_t global, int *coord, int64_t *local)
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
}

static int64_t globalize(const dap_map *map, int coord, int64_t local)
{
  const int64_t size = map->axis.size, global = map->bounds[coord] - map->halo[coord][0] + local;
  if (global < 0) return global + size;
  return global < size ? global : global - size;
}

static void export(const dap_map *map, int coord, dap_dim *dim)
{
  const int64_t *halo = map->halo[coord];
  const bool low = coord == 0, high = coord == map->axis.procs - 1;
  dim->start = map->bounds[coord] - halo[0];
  dim->stop = map->bounds[coord + 1] + halo[1];
  dim->padding[0] = low ? map->axis.boundary[0] : halo[0];
  dim->padding[1] = high ? map->axis.boundary[1] : halo[1];
  dim->periodic = map->axis.periodic;
}

const dap_dist_ops dap_block_ops = {
    .dist_type = 'b',
    .check = check,
    .assemble = assemble,
    .owned = owned,
    .run_count = run_count,
    .run = run,
    .run_after = run_after,
    .locate = locate,
    .globalize = globalize,
    .export = export,
};
