/* Cyclic and block-cyclic distribution, 'c': blocks dealt round robin, the first to any process.
 *
 * Process c lies at distance d = (c - first_owner) mod P from the owner of block 0 and holds the blocks
 * d, d + P, d + 2 P, ... one behind the other (ScaLAPACK Users' Guide, "The two-dimensional block-cyclic
 * distribution"; first_owner is its RSRC or CSRC). */
#include "model_impl.h"

#include <inttypes.h>

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Elements at `distance` from the first owner: whole rounds, then one more whole block for those before
 * the last block, which is what is left of it (ScaLAPACK TOOLS/numroc.f). */
int64_t dap_numroc(int64_t size, int64_t block_size, int64_t distance, int64_t procs)
{
  const int64_t blocks = size / block_size, rest = size % block_size;
  const int64_t rounds = blocks / procs, extra = blocks % procs;
  return rounds * block_size + (distance < extra ? block_size : distance == extra ? rest : 0);
}

/* The count of the protocol documents' num_owned_indices_from_cyclic, which gives the last, partial
 * block to process 0 always. Only used to explain a buffer of that wrong extent. */
static int64_t faulty_count(int64_t size, int64_t block_size, int64_t rank, int64_t procs)
{
  const int64_t blocks = size / block_size, last = blocks - 1 - rank;
  const int64_t mine = last >= 0 ? last / procs + 1 : 0;
  return mine * block_size + (rank == 0 ? size % block_size : 0);
}

/* ---- one dictionary --------------------------------------------------------------------------- */

static bool is_empty(const dap_dim *dim)
{
  return dim->start >= dim->size;
}

/* Coordinate that owns block 0, told by a process that owns something. */
static int64_t first_owner_of(const dap_dim *dim)
{
  const int64_t distance = dim->start / dim->block_size;
  return (dim->proc_grid_rank - distance + dim->proc_grid_size) % dim->proc_grid_size;
}

static dap_status check(int axis, const dap_dim *dim, int64_t extent, dap_error *err)
{
  const int64_t size = dim->size, procs = dim->proc_grid_size, bs = dim->block_size;
  DAP_REQUIRE(dim->start != DAP_ABSENT, err, DAP_ERR_DIM, "dim %d: required key start is absent", axis);
  DAP_REQUIRE(dim->start >= 0, err, DAP_ERR_DIM, "dim %d: start %" PRId64 " is negative", axis, dim->start);
  DAP_REQUIRE(bs >= 1, err, DAP_ERR_DIM, "dim %d: block_size %" PRId64 " is less than 1", axis, bs);
  if (!is_empty(dim)) {
    DAP_REQUIRE(dim->start % bs == 0, err, DAP_ERR_DIM,
                "dim %d: start %" PRId64 " is no multiple of block_size %" PRId64, axis, dim->start, bs);
    DAP_REQUIRE(dim->start / bs < procs, err, DAP_ERR_DIM,
                "dim %d: start %" PRId64 " lies behind the first round of %" PRId64 " blocks of %" PRId64,
                axis, dim->start, procs, bs);
  }
  const int64_t count = is_empty(dim) ? 0 : dap_numroc(size, bs, dim->start / bs, procs);
  DAP_REQUIRE(
      extent == count || extent != faulty_count(size, bs, dim->proc_grid_rank, procs), err, DAP_ERR_BUFFER,
      "dim %d: the buffer's extent %" PRId64 " is what the protocol document's num_owned_indices counts, "
      "which gives the last partial block to process 0; the process owns %" PRId64,
      axis, extent, count);
  DAP_REQUIRE(extent == count, err, DAP_ERR_BUFFER,
              "dim %d: the buffer's extent %" PRId64 " differs from the %" PRId64 " elements owned", axis,
              extent, count);
  return DAP_OK;
}

/* ---- the whole axis --------------------------------------------------------------------------- */

static int64_t distance_of(const dap_map *map, int coord)
{
  const int distance = coord - map->axis.first_owner;
  return distance < 0 ? distance + map->axis.procs : distance;
}

static int64_t owned(const dap_map *map, int coord)
{
  return dap_numroc(map->axis.size, map->axis.block_size, distance_of(map, coord), map->axis.procs);
}

static void describe_axis(dap_map *map, int64_t block_size, int first_owner)
{
  map->ops = &dap_cyclic_ops;
  map->axis.dist_type = 'c';
  map->axis.block_size = block_size;
  map->axis.first_owner = first_owner;
}

static dap_status assemble(int axis, const dap_dim dims[], dap_map *map, dap_error *err)
{
  int teller = -1;
  for (int c = 0; c < map->axis.procs; c++) {
    if (is_empty(&dims[c])) continue;
    if (teller < 0) teller = c;
    DAP_REQUIRE(first_owner_of(&dims[c]) == first_owner_of(&dims[teller]), err, DAP_ERR_LAYOUT,
                "dim %d: start %" PRId64 " of proc_grid_rank %d and start %" PRId64
                " of proc_grid_rank %d put block 0 on different processes",
                axis, dims[c].start, c, dims[teller].start, teller);
  }
  describe_axis(map, dims[0].block_size, teller < 0 ? 0 : (int)first_owner_of(&dims[teller]));
  for (int c = 0; c < map->axis.procs; c++)
    DAP_REQUIRE(!is_empty(&dims[c]) || owned(map, c) == 0, err, DAP_ERR_LAYOUT,
                "dim %d: start %" PRId64 " of proc_grid_rank %d says that it is empty, but %" PRId64
                " elements fall to it",
                axis, dims[c].start, c, owned(map, c));
  return DAP_OK;
}

dap_status dap_cyclic_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err)
{
  DAP_REQUIRE(dist->block_size >= 1, err, DAP_ERR_DIM, "dim %d: block_size %" PRId64 " is less than 1", axis,
              dist->block_size);
  DAP_REQUIRE(dist->first_owner >= 0 && dist->first_owner < dist->procs, err, DAP_ERR_DIM,
              "dim %d: first_owner %d is outside 0 .. procs - 1 = %d", axis, dist->first_owner,
              dist->procs - 1);
  /* Nothing dealt has no first owner: 0, as when it is read back from dictionaries. */
  describe_axis(map, dist->block_size, dist->size > 0 ? dist->first_owner : 0);
  return DAP_OK;
}

/* ---- questions -------------------------------------------------------------------------------- */

static int64_t run_count(const dap_map *map, int coord)
{
  const int64_t bs = map->axis.block_size, distance = distance_of(map, coord);
  const int64_t blocks = map->axis.size / bs + (map->axis.size % bs > 0);
  return blocks > distance ? (blocks - 1 - distance) / map->axis.procs + 1 : 0;
}

static dap_run run(const dap_map *map, int coord, int64_t index)
{
  const int64_t bs = map->axis.block_size;
  const int64_t global = (distance_of(map, coord) + index * map->axis.procs) * bs;
  return (dap_run){global, index * bs, smaller(bs, map->axis.size - global)};
}

/* Block b = global / bs ends behind `global`; the first of the process' blocks d + k P that is not
 * before it. */
static int64_t run_after(const dap_map *map, int coord, int64_t global)
{
  const int64_t procs = map->axis.procs, count = run_count(map, coord);
  const int64_t ahead = global / map->axis.block_size - distance_of(map, coord);
  return smaller(count, ahead <= 0 ? 0 : (ahead - 1) / procs + 1);
}

static void locate(const dap_map *map, int64_t global, int *coord, int64_t *local)
{
  const int64_t bs = map->axis.block_size, procs = map->axis.procs, block = global / bs;
  *coord = (int)((block % procs + map->axis.first_owner) % procs);
  *local = block / procs * bs + global % bs;
}

static int64_t globalize(const dap_map *map, int coord, int64_t local)
{
  const int64_t bs = map->axis.block_size;
  return (distance_of(map, coord) + local / bs * map->axis.procs) * bs + local % bs;
}

static void export(const dap_map *map, int coord, dap_dim *dim)
{
  dim->start = run_count(map, coord) > 0 ? run(map, coord, 0).global : map->axis.size;
  dim->block_size = map->axis.block_size;
}

const dap_dist_ops dap_cyclic_ops = {
    .dist_type = 'c',
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
