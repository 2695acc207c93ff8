/* Makes the map of a range [lo, hi) of one axis, and finds the positions of its elements in local buffers. */
#include "lists_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_full(const dap_range *r)
{
  return r->lo == 0 && r->hi == r->map->axis.size;
}

/* ---- contiguous results -------------------------------------------------------------------------- */

/* Returns the first stretch of the range that a process owns, on an axis whose runs ascend. Length 0: there
 * is none. */
static dap_run first_run(const dap_range *r, int coord)
{
  const dap_map *map = r->map;
  const int64_t index = map->ops->run_after(map, coord, r->lo);
  if (index == map->ops->run_count(map, coord)) return (dap_run){0};
  const dap_run whole = map->ops->run(map, coord, index);
  const int64_t start = dap_larger(whole.global, r->lo);
  const int64_t stop = dap_smaller(whole.global + whole.length, r->hi);
  return stop <= start ? (dap_run){0} : (dap_run){start, whole.local + start - whole.global, stop - start};
}

/* Makes a contiguous axis, if no process has more than one stretch of the range. */
static dap_status make_ranges(const dap_range *r, dap_map *part, dap_error *err)
{
  const int procs = r->map->axis.procs;
  dap_map_start(&dap_block_ops, r->hi - r->lo, procs, part);
  DAP_TRY(dap_block_allocate(r->axis, part, err));
  for (int p = 0; p < procs; p++) part->bounds[p + 1] = part->bounds[p] + first_run(r, p).length;
  return DAP_OK;
}

/* Cuts the padding to the range. Between neighbours it keeps as many elements as both still own, and at the
 * outer edges those within the range. Padding no longer wraps round, because elements are missing there. */
static dap_status make_block(const dap_range *r, dap_map *part, dap_error *err)
{
  DAP_TRY(make_ranges(r, part, err));
  const dap_map *map = r->map;
  for (int p = 0; p + 1 < map->axis.procs; p++) {
    const int64_t both = dap_smaller(part->ops->owned(part, p), part->ops->owned(part, p + 1));
    part->halo[p][1] = dap_smaller(map->halo[p][1], both);
    part->halo[p + 1][0] = dap_smaller(map->halo[p + 1][0], both);
  }
  const int64_t low_end = dap_smaller(map->axis.boundary[0], r->hi);
  const int64_t high_start = dap_larger(map->axis.size - map->axis.boundary[1], r->lo);
  part->axis.boundary[0] = dap_larger(low_end - r->lo, 0);
  part->axis.boundary[1] = dap_larger(r->hi - high_start, 0);
  return DAP_OK;
}

/* ---- cyclic ---------------------------------------------------------------------------------------- */

/* Makes blocks of one size, or ranges that ascend with the coordinate. If the range begins inside a block,
 * its first block is shorter, and no full block may follow it. */
static dap_status make_cyclic(const dap_range *r, dap_map *part, dap_error *err)
{
  const dap_axis *axis = &r->map->axis;
  const int64_t bs = axis->block_size, procs = axis->procs, lo = r->lo, hi = r->hi;
  const int64_t first = lo / bs, behind = hi > lo ? (hi - 1) / bs - first : 0; /* blocks after the first */
  const int64_t owner = (first % procs + axis->first_owner) % procs;
  const int64_t shorter = bs - lo % bs;
  dap_dist dist = dap_dist_cyclic(hi - lo, axis->procs, bs);
  dist.first_owner = (int)owner;
  if (procs == 1 || shorter == bs || behind == 0) return dap_map_create(r->axis, &dist, part, err);
  if (behind < procs - owner) return make_ranges(r, part, err);
  dist.block_size = shorter;
  if (hi - lo - shorter <= shorter) return dap_map_create(r->axis, &dist, part, err);
  return dap_fail(err, DAP_ERR_SHARE,
                  "axis %d: index %" PRId64 " lies inside a block of %" PRId64
                  ", and the part goes on to %" PRId64 ": its first block, of %" PRId64
                  ", would be shorter than the next",
                  r->axis, lo, bs, hi, shorter);
}

/* ---- unstructured ---------------------------------------------------------------------------------- */

/* Finds *count, the number of positions of the range in the list of one coordinate, and where they are. */
static dap_status find_window(const dap_range *r, int coord, dap_positions *w, int64_t *count, dap_error *err)
{
  if (!dap_map_knows(r->map, coord)) return dap_fail_remote(r->axis, coord, err);
  int64_t last = 0;
  *w = (dap_positions){0, 1};
  *count = 0;
  for (int64_t i = 0; i < r->map->ops->extent(r->map, coord); i++) {
    const int64_t global = r->map->ops->globalize(r->map, coord, i);
    if (global < r->lo || global >= r->hi) continue;
    if (*count == 0) w->first = i;
    if (*count == 1) w->step = i - w->first;
    DAP_REQUIRE(*count < 2 || i - last == w->step, err, DAP_ERR_SHARE,
                "axis %d: proc_grid_rank %d has indices of the part %" PRId64 " .. %" PRId64
                " at positions %" PRId64 ", %" PRId64 " and %" PRId64
                " of its buffer, which are not at equal distances",
                r->axis, coord, r->lo, r->hi - 1, last - w->step, last, i);
    last = i;
    ++*count;
  }
  return DAP_OK;
}

/* Checks that every process's elements lie at equal distances, with the same answer on all. All processes
 * know whether all lists are in order, so that any range is a stretch of each. */
static dap_status check_distances(const dap_range *r, dap_error *err)
{
  dap_positions unused;
  int64_t count;
  bool knows_all = true;
  if (r->map->lists->in_order) return DAP_OK;
  for (int p = 0; p < r->map->axis.procs; p++) knows_all = knows_all && dap_map_knows(r->map, p);
  DAP_REQUIRE(knows_all, err, DAP_ERR_SHARE,
              "axis %d: some process's indices neither ascend nor descend, so that those of the part %" PRId64
              " .. %" PRId64 " need not lie at equal distances in its buffer; a plan can move them",
              r->axis, r->lo, r->hi - 1);
  for (int p = 0; p < r->map->axis.procs; p++) DAP_TRY(find_window(r, p, &unused, &count, err));
  return DAP_OK;
}

/* Gives the part the list of one coordinate, with the positions of its elements in the whole. */
static dap_status take_list(const dap_range *r, int coord, dap_positions *w, dap_map *part, dap_error *err)
{
  int64_t count;
  DAP_TRY(find_window(r, coord, w, &count, err));
  int64_t *list = calloc((size_t)count + 1, sizeof *list);
  DAP_REQUIRE(list, err, DAP_ERR_NOMEM, "axis %d: no memory for %" PRId64 " indices", r->axis, count);
  for (int64_t i = 0; i < count; i++)
    list[i] = r->map->ops->globalize(r->map, coord, w->first + i * w->step) - r->lo;
  const dap_dim dim = {.indices_dtype = DAP_I8, .index_count = count, .indices = list};
  const dap_status s = dap_lists_set(r->axis, part, coord, &dim, err);
  free(list);
  return s;
}

/* Gives the part the owners of one coordinate's list. */
static dap_status take_owned(const dap_range *r, int coord, dap_positions w, dap_map *part, dap_error *err)
{
  DAP_TRY(dap_lists_disown(r->axis, part, coord, err));
  for (int64_t i = 0; i < part->lists->held[coord]; i++)
    if (dap_lists_is_owned(r->map, coord, w.first + i * w.step)) dap_lists_own(part, coord, i);
  return DAP_OK;
}

static dap_status start_lists(const dap_range *r, dap_map *part, dap_error *err)
{
  dap_map_start(r->map->ops, r->hi - r->lo, r->map->axis.procs, part);
  part->axis.owners_given = r->map->axis.owners_given;
  return dap_lists_start(r->axis, r->map->axis.one_to_one, part, err);
}

static dap_status make_lists(const dap_range *r, dap_map *part, dap_error *err)
{
  dap_positions w;
  DAP_TRY(start_lists(r, part, err));
  for (int p = 0; p < part->axis.procs; p++) {
    DAP_TRY(take_list(r, p, &w, part, err));
    if (part->axis.owners_given) DAP_TRY(take_owned(r, p, w, part, err));
  }
  return dap_unstructured_settle(r->axis, part, err);
}

/* Makes a map that has one list, because the dictionaries of its process need no other. */
static dap_status make_own_list(const dap_range *r, int coord, dap_positions *w, dap_map *part,
                                dap_error *err)
{
  if (!is_full(r)) DAP_TRY(check_distances(r, err));
  DAP_TRY(start_lists(r, part, err));
  return take_list(r, coord, w, part, err);
}

/* ---- one axis -------------------------------------------------------------------------------------- */

dap_status dap_part_axis(const dap_range *r, dap_map *part, dap_error *err)
{
  if (is_full(r)) return dap_map_copy(r->axis, r->map, part, err);
  if (r->map->lists) return make_lists(r, part, err);
  if (r->map->bounds) return make_block(r, part, err);
  if (r->map->axis.dist_type == 'c') return make_cyclic(r, part, err);
  dap_map_start(r->map->ops, r->hi - r->lo, r->map->axis.procs, part);
  return DAP_OK;
}

dap_status dap_part_axis_at(const dap_range *r, int coord, dap_positions *w, dap_map *part, dap_error *err)
{
  if (r->map->lists) return make_own_list(r, coord, w, part, err);
  DAP_TRY(dap_part_axis(r, part, err));
  *w = (dap_positions){r->lo, 1};
  if (dap_map_is_whole(r->map)) return DAP_OK;
  *w = (dap_positions){first_run(r, coord).local - (part->halo ? part->halo[coord][0] : 0), 1};
  return DAP_OK;
}
