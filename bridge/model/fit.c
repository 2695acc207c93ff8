/* Finds out how libraries of solvers can take an axis as it lies: by one ScaLAPACK block size, or by PETSc's
 * ownership ranges. */
#include "model_impl.h"

#include <inttypes.h>

/* Finds the block size of contiguous lengths. They are blocks of one size iff the processes that own
 * something are adjacent, all but the last of them own the same number, and the last one owns no more. */
static dap_status fit_lengths(const dap_map *map, int axis, dap_blocks *blocks, dap_error *err)
{
  int last = -1; /* the last process so far that owns something */
  int64_t before = 0;
  for (int c = 0; c < map->axis.procs; c++) {
    const int64_t owned = map->ops->owned(map, c);
    if (owned == 0) continue;
    if (last < 0) {
      *blocks = (dap_blocks){.size = owned, .least = owned, .source = c};
    } else {
      DAP_REQUIRE(last == c - 1, err, DAP_ERR_SHARE,
                  "axis %d: process %d owns nothing, between processes that own elements", axis, c - 1);
      DAP_REQUIRE(before == blocks->size, err, DAP_ERR_SHARE,
                  "axis %d: blocks differ in size: process %d owns %" PRId64 ", process %d owns %" PRId64
                  " and is not the last",
                  axis, blocks->source, blocks->size, last, before);
      DAP_REQUIRE(owned <= blocks->size, err, DAP_ERR_SHARE,
                  "axis %d: blocks differ in size: process %d owns %" PRId64 ", process %d owns %" PRId64,
                  axis, blocks->source, blocks->size, c, owned);
    }
    last = c;
    before = owned;
  }
  if (last == blocks->source) blocks->size = 0; /* with one owner, any larger size is right */
  return DAP_OK;
}

dap_status dap_layout_blocks(const dap_layout *layout, int axis, dap_blocks *blocks, dap_error *err)
{
  DAP_REQUIRE(layout && blocks, err, DAP_ERR_ARG, "layout and blocks must not be NULL");
  DAP_TRY(dap_layout_check_axis(layout, axis, err));
  const dap_map *map = &layout->maps[axis];
  const dap_axis *a = &map->axis;
  *blocks = (dap_blocks){.size = 0, .least = 1, .source = -1};
  DAP_REQUIRE(a->dist_type != 'u', err, DAP_ERR_SHARE, "axis %d: %s, and ScaLAPACK needs blocks", axis,
              map->ops->name);
  if (a->size == 0 || a->procs == 1) return DAP_OK;
  if (a->dist_type == 'b') return fit_lengths(map, axis, blocks, err);
  const bool one_owner = a->size <= a->block_size;
  *blocks = (dap_blocks){.size = one_owner ? 0 : a->block_size,
                         .least = one_owner ? a->size : a->block_size,
                         .source = a->first_owner};
  return DAP_OK;
}

/* Fails because a process owns element `run` where its range needs `end`. */
static dap_status fail_ranges(const dap_map *map, int axis, int coord, int64_t run, int64_t end,
                              dap_error *why)
{
  const dap_axis *a = &map->axis;
  if (a->dist_type == 'c' && a->size > a->procs * a->block_size)
    return dap_fail(why, DAP_ERR_SHARE, "axis %d: cyclic: process %d owns more than one range", axis,
                    a->first_owner);
  return dap_fail(why, DAP_ERR_SHARE,
                  "axis %d: %s: process %d owns element %" PRId64 " where its range needs element %" PRId64,
                  axis, map->ops->name, coord, run, end);
}

dap_status dap_layout_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  DAP_TRY(dap_layout_check_axis(layout, axis, err));
  const dap_map *map = &layout->maps[axis];
  int64_t end = 0;
  for (int c = 0; c < map->axis.procs; c++) {
    if (ranges) ranges[c] = end;
    if (!dap_map_knows(map, c)) return dap_fail_remote(axis, c, err);
    for (dap_run run = {0}; dap_map_next_run(map, c, &run);) {
      if (run.global != end) return fail_ranges(map, axis, c, run.global, end, err);
      end += run.length;
    }
  }
  if (ranges) ranges[map->axis.procs] = end;
  return DAP_OK;
}
