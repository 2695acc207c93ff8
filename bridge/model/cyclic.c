/* Computes cyclic and block-cyclic distributions, 'c'. Blocks are dealt round robin, the first to any
 * process. Source: ScaLAPACK Users' Guide, "The two-dimensional block-cyclic distribution", where first_owner
 * is RSRC or CSRC. */
#include "model_impl.h"

#include <inttypes.h>

/* Each process has a block of each whole round. Processes before the owner of the last block have one more,
 * and that owner has the rest (ScaLAPACK TOOLS/numroc.f). */
int64_t dap_numroc(int64_t size, int64_t block_size, int64_t distance, int64_t procs)
{
  const int64_t blocks = size / block_size, rest = size % block_size;
  const int64_t rounds = blocks / procs, extra = blocks % procs;
  return rounds * block_size + (distance < extra ? block_size : distance == extra ? rest : 0);
}

/* Counts as num_owned_indices_from_cyclic in the protocol's documents, which always gives the last, partial
 * block to process 0. The count explains a buffer of that wrong extent. */
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

/* Returns the coordinate that owns block 0, by the dictionary of a process that owns something. */
static int64_t first_owner_of(const dap_dim *dim)
{
  const int64_t distance = dim->start / dim->block_size;
  return (dim->proc_grid_rank - distance + dim->proc_grid_size) % dim->proc_grid_size;
}

static dap_status start_begins_a_block(const dap_case *c, dap_error *err)
{
  const int64_t start = c->dim->start, bs = c->dim->block_size;
  DAP_RULE(14, is_empty(c->dim) || start % bs == 0, err, DAP_ERR_DIM,
           "axis %d: start %" PRId64 " is not a multiple of block_size %" PRId64, c->axis, start, bs);
  return DAP_OK;
}

static dap_status start_is_in_first_round(const dap_case *c, dap_error *err)
{
  const int64_t start = c->dim->start, bs = c->dim->block_size, procs = c->dim->proc_grid_size;
  DAP_RULE(14, is_empty(c->dim) || start / bs < procs, err, DAP_ERR_DIM,
           "axis %d: start %" PRId64 " lies behind the first round of %" PRId64 " blocks of %" PRId64,
           c->axis, start, procs, bs);
  return DAP_OK;
}

static dap_status extent_fits(const dap_case *c, dap_error *err)
{
  const int64_t size = c->dim->size, procs = c->dim->proc_grid_size, bs = c->dim->block_size;
  const int64_t count = is_empty(c->dim) ? 0 : dap_numroc(size, bs, c->dim->start / bs, procs);
  if (c->extent == DAP_ABSENT || c->extent == count) return DAP_OK;
  DAP_RULE(15, is_empty(c->dim) || c->extent != faulty_count(size, bs, c->dim->proc_grid_rank, procs), err,
           DAP_ERR_BUFFER,
           "axis %d: the buffer's extent %" PRId64
           " is what the protocol document's num_owned_indices counts, "
           "which gives the last partial block to process 0; the process owns %" PRId64,
           c->axis, c->extent, count);
  return dap_fail_rule(err, 4, DAP_ERR_BUFFER,
                       "axis %d: the buffer's extent %" PRId64 " differs from the %" PRId64 " elements owned",
                       c->axis, c->extent, count);
}

static const dap_required required[] = {
    {"start", offsetof(dap_dim, start), 0, 14}, {"block_size", offsetof(dap_dim, block_size), 1, 13}, {0}};

static const dap_check checks[] = {
    {2, start_begins_a_block}, {2, start_is_in_first_round}, {3, extent_fits}, {0}};

/* ---- the whole axis --------------------------------------------------------------------------- */

/* Returns the distance d of a process from the owner of block 0. Its buffer holds the blocks d, d + P,
 * d + 2 P, ... in this order. */
static int64_t distance_of(const dap_map *map, int coord)
{
  const int distance = coord - map->axis.first_owner;
  return distance < 0 ? distance + map->axis.procs : distance;
}

static int64_t owned(const dap_map *map, int coord)
{
  return dap_numroc(map->axis.size, map->axis.block_size, distance_of(map, coord), map->axis.procs);
}

static void set_blocks(dap_map *map, int64_t block_size, int first_owner)
{
  map->axis.block_size = block_size;
  map->axis.first_owner = first_owner;
}

/* Checks that all dictionaries of owners put block 0 on the same process, *owner. It is 0 if nothing is
 * owned. */
static dap_status find_owner(int axis, const dap_dim dims[], int procs, int *owner, dap_error *err)
{
  int first = -1;
  *owner = 0;
  for (int c = 0; c < procs; c++) {
    if (is_empty(&dims[c])) continue;
    if (first < 0) {
      first = c;
      *owner = (int)first_owner_of(&dims[c]);
    }
    DAP_RULE(14, first_owner_of(&dims[c]) == *owner, err, DAP_ERR_LAYOUT,
             "axis %d: start %" PRId64 " of proc_grid_rank %d and start %" PRId64
             " of proc_grid_rank %d put block 0 on different processes",
             axis, dims[c].start, c, dims[first].start, first);
  }
  return DAP_OK;
}

/* Checks that processes whose dictionaries are empty own nothing. */
static dap_status check_empty(int axis, const dap_dim dims[], const dap_map *map, dap_error *err)
{
  for (int c = 0; c < map->axis.procs; c++)
    DAP_RULE(14, !is_empty(&dims[c]) || owned(map, c) == 0, err, DAP_ERR_LAYOUT,
             "axis %d: start %" PRId64 " of proc_grid_rank %d says that it is empty, but %" PRId64
             " elements fall to it",
             axis, dims[c].start, c, owned(map, c));
  return DAP_OK;
}

static bool assemble(const dap_dialect *dialect, int axis, const dap_dim dims[], dap_map *map,
                     dap_findings *findings)
{
  int owner;
  dap_error error = {0};
  (void)dialect;
  dap_status s = find_owner(axis, dims, map->axis.procs, &owner, &error);
  set_blocks(map, dims[0].block_size, owner);
  if (!s) s = check_empty(axis, dims, map, &error);
  return dap_found(findings, s, &error);
}

static dap_status create(int axis, const dap_dist *dist, dap_map *map, dap_error *err)
{
  DAP_REQUIRE(dist->block_size >= 1, err, DAP_ERR_DIM, "axis %d: block_size %" PRId64 " is less than 1", axis,
              dist->block_size);
  DAP_REQUIRE(dist->first_owner >= 0 && dist->first_owner < dist->procs, err, DAP_ERR_DIM,
              "axis %d: first_owner %d is outside 0 .. procs - 1 = %d", axis, dist->first_owner,
              dist->procs - 1);
  /* Dictionaries of an empty axis give first_owner 0. */
  set_blocks(map, dist->block_size, dist->size > 0 ? dist->first_owner : 0);
  return DAP_OK;
}

/* ---- queries ---------------------------------------------------------------------------------- */

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
  return (dap_run){global, index * bs, dap_smaller(bs, map->axis.size - global)};
}

/* Block b = global / bs ends behind `global`. Returns the k of the first of the process's blocks d + k P that
 * is not before it. */
static int64_t run_after(const dap_map *map, int coord, int64_t global)
{
  const int64_t procs = map->axis.procs, count = run_count(map, coord);
  const int64_t ahead = global / map->axis.block_size - distance_of(map, coord);
  return dap_smaller(count, ahead <= 0 ? 0 : (ahead - 1) / procs + 1);
}

static bool locate(const dap_map *map, int64_t global, int *coord, int64_t *local)
{
  const int64_t bs = map->axis.block_size, procs = map->axis.procs, block = global / bs;
  *coord = (int)((block % procs + map->axis.first_owner) % procs);
  *local = block / procs * bs + global % bs;
  return true;
}

static int64_t globalize(const dap_map *map, int coord, int64_t local)
{
  const int64_t bs = map->axis.block_size;
  return (distance_of(map, coord) + local / bs * map->axis.procs) * bs + local % bs;
}

static bool is_owned(const dap_map *map, int coord, int64_t local)
{
  (void)map, (void)coord, (void)local;
  return true;
}

static dap_status export(const dap_map *map, const dap_dialect *dialect, int axis, int coord, dap_dim *dim,
                         dap_error *err)
{
  (void)dialect, (void)axis, (void)err;
  dim->start = run_count(map, coord) > 0 ? run(map, coord, 0).global : map->axis.size;
  dim->block_size = map->axis.block_size;
  return DAP_OK;
}

const dap_dist_ops dap_cyclic_ops = {
    .dist_type = 'c',
    .name = "cyclic",
    .required = required,
    .checks = checks,
    .create = create,
    .assemble = assemble,
    .owned = owned,
    .extent = owned,
    .locate = locate,
    .globalize = globalize,
    .is_owned = is_owned,
    .export = export,
    .run_count = run_count,
    .run = run,
    .run_after = run_after,
};
