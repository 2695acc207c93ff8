/* A part of a distributed array in place: the layout of a[lo:hi, ...], and the windows of local buffers in which
 * its elements are. One axis at a time, as everywhere. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* A range of one axis. */
typedef struct cut {
  int axis;
  const dap_map *map; /* of the whole */
  int64_t lo, hi;
} cut;

/* The positions in a local buffer that are in the part: first, first + step, ... */
typedef struct window {
  int64_t first, step;
} window;

static bool is_full(const cut *c)
{
  return c->lo == 0 && c->hi == c->map->axis.size;
}

/* ---- contiguous results -------------------------------------------------------------------------- */

/* The first stretch of the range that a process owns, for axes whose runs ascend; length 0: there is none. */
static dap_run first_run(const cut *c, int coord)
{
  const dap_map *map = c->map;
  const int64_t index = map->ops->run_after(map, coord, c->lo);
  if (index == map->ops->run_count(map, coord)) return (dap_run){0};
  const dap_run whole = map->ops->run(map, coord, index);
  const int64_t start = dap_larger(whole.global, c->lo);
  const int64_t stop = dap_smaller(whole.global + whole.length, c->hi);
  return stop <= start ? (dap_run){0} : (dap_run){start, whole.local + start - whole.global, stop - start};
}

/* For axes on which no process has more than one stretch of the range. */
static dap_status cut_ranges(const cut *c, dap_map *part, dap_error *err)
{
  const int procs = c->map->axis.procs;
  int64_t *lengths = malloc((size_t)procs * sizeof *lengths);
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "dim %d: no memory for %d processes", c->axis, procs);
  for (int p = 0; p < procs; p++) lengths[p] = first_run(c, p).length;
  const dap_dist dist = {.cut = DAP_CUT_LENGTHS, .procs = procs, .size = c->hi - c->lo, .lengths = lengths};
  const dap_status s = dap_map_create(c->axis, &dist, part, err);
  free(lengths);
  return s;
}

/* What is left of the padding: between neighbours what both still own, at the outer edges what lies in the
 * range. Nothing wraps round any more, as elements are missing there. */
static dap_status cut_block(const cut *c, dap_map *part, dap_error *err)
{
  DAP_TRY(cut_ranges(c, part, err));
  const dap_map *map = c->map;
  for (int p = 0; p + 1 < map->axis.procs; p++) {
    const int64_t both = dap_smaller(part->ops->owned(part, p), part->ops->owned(part, p + 1));
    part->halo[p][1] = dap_smaller(map->halo[p][1], both);
    part->halo[p + 1][0] = dap_smaller(map->halo[p + 1][0], both);
  }
  const int64_t low_end = dap_smaller(map->axis.boundary[0], c->hi);
  const int64_t high_start = dap_larger(map->axis.size - map->axis.boundary[1], c->lo);
  part->axis.boundary[0] = dap_larger(low_end - c->lo, 0);
  part->axis.boundary[1] = dap_larger(c->hi - high_start, 0);
  return DAP_OK;
}

/* ---- cyclic ---------------------------------------------------------------------------------------- */

/* Blocks of one size again, or ranges that ascend with the coordinate. A range that begins inside a block has a
 * first block shorter than bs; it may only stand where no block of bs follows. */
static dap_status cut_cyclic(const cut *c, dap_map *part, dap_error *err)
{
  const dap_axis *axis = &c->map->axis;
  const int64_t bs = axis->block_size, procs = axis->procs, lo = c->lo, hi = c->hi;
  const int64_t first = lo / bs,
                behind = hi > lo ? (hi - 1) / bs - first : 0; /* blocks touched after the first */
  const int64_t owner = (first % procs + axis->first_owner) % procs;
  const int64_t shorter = bs - lo % bs;
  dap_dist dist = dap_dist_cyclic(hi - lo, axis->procs, bs);
  dist.first_owner = (int)owner;
  if (procs == 1 || shorter == bs || behind == 0) return dap_map_create(c->axis, &dist, part, err);
  if (behind < procs - owner) return cut_ranges(c, part, err);
  dist.block_size = shorter;
  if (hi - lo - shorter <= shorter) return dap_map_create(c->axis, &dist, part, err);
  return dap_fail(err, DAP_ERR_SHARE,
                  "dim %d: index %" PRId64 " lies inside a block of %" PRId64
                  ", and the slice goes on to %" PRId64 ": its first block, of %" PRId64
                  ", would be shorter than the next",
                  c->axis, lo, bs, hi, shorter);
}

/* ---- unstructured ---------------------------------------------------------------------------------- */

/* The positions of the range in the list of one coordinate: *count, and if there are any, *w. */
static dap_status find_window(const cut *c, int coord, window *w, int64_t *count, dap_error *err)
{
  if (!dap_map_knows(c->map, coord)) return dap_fail_remote(c->axis, coord, err);
  int64_t last = 0;
  *w = (window){0, 1};
  *count = 0;
  for (int64_t i = 0; i < c->map->ops->extent(c->map, coord); i++) {
    const int64_t global = c->map->ops->globalize(c->map, coord, i);
    if (global < c->lo || global >= c->hi) continue;
    if (*count == 0) w->first = i;
    if (*count == 1) w->step = i - w->first;
    DAP_REQUIRE(*count < 2 || i - last == w->step, err, DAP_ERR_SHARE,
                "dim %d: proc_grid_rank %d has indices of the slice %" PRId64 " .. %" PRId64
                " at positions %" PRId64 ", %" PRId64 " and %" PRId64
                " of its buffer, which are not at equal distances",
                c->axis, coord, c->lo, c->hi - 1, last - w->step, last, i);
    last = i;
    ++*count;
  }
  return DAP_OK;
}

/* The list of one coordinate in the part; the caller frees it, also after an error. */
static dap_status take_list(const cut *c, int coord, window *w, int64_t **list, int64_t *count,
                            dap_error *err)
{
  DAP_TRY(find_window(c, coord, w, count, err));
  *list = calloc((size_t)*count + 1, sizeof **list);
  DAP_REQUIRE(*list, err, DAP_ERR_NOMEM, "dim %d: no memory for %" PRId64 " indices", c->axis, *count);
  for (int64_t i = 0; i < *count; i++)
    (*list)[i] = c->map->ops->globalize(c->map, coord, w->first + i * w->step) - c->lo;
  return DAP_OK;
}

static dap_status cut_all_lists(const cut *c, dap_map *part, dap_error *err)
{
  const dap_axis *axis = &c->map->axis;
  const size_t procs = (size_t)axis->procs;
  int64_t *counts = calloc(procs, sizeof *counts), **lists = calloc(procs, sizeof *lists);
  dap_status s = DAP_OK;
  if (!counts || !lists)
    s = dap_fail(err, DAP_ERR_NOMEM, "dim %d: no memory for %zu processes", c->axis, procs);
  window unused;
  for (int p = 0; p < axis->procs && !s; p++) s = take_list(c, p, &unused, &lists[p], &counts[p], err);
  if (!s) {
    dap_dist dist = dap_dist_unstructured(c->hi - c->lo, axis->procs, counts, (const int64_t *const *)lists);
    dist.one_to_one = axis->one_to_one;
    s = dap_map_create(c->axis, &dist, part, err);
  }
  for (size_t p = 0; lists && p < procs; p++) free(lists[p]);
  free(lists);
  free(counts);
  return s;
}

/* A map that knows one list, which is all that the dictionaries of its process need. */
static dap_status cut_own_list(const cut *c, int coord, window *w, dap_map *part, dap_error *err)
{
  const dap_axis *axis = &c->map->axis;
  int64_t *list = NULL, count = 0;
  dap_status s = take_list(c, coord, w, &list, &count, err);
  const dap_dim dim = {.dist_type = 'u',
                       .indices_dtype = DAP_I8,
                       .size = c->hi - c->lo,
                       .index_count = count,
                       .indices = list};
  part->axis.size = dim.size;
  part->axis.procs = axis->procs;
  if (!s) s = dap_lists_start(c->axis, axis->one_to_one, part, err);
  if (!s) s = dap_lists_set(c->axis, part, coord, &dim, err);
  free(list);
  return s;
}

/* ---- one axis -------------------------------------------------------------------------------------- */

static dap_status cut_axis(const cut *c, dap_map *part, dap_error *err)
{
  if (is_full(c)) return dap_map_copy(c->map, part, err);
  if (c->map->lists) return cut_all_lists(c, part, err);
  return c->map->bounds ? cut_block(c, part, err) : cut_cyclic(c, part, err);
}

/* The same for the process at one coordinate, with its window. */
static dap_status cut_axis_at(const cut *c, int coord, window *w, dap_map *part, dap_error *err)
{
  if (c->map->lists) return cut_own_list(c, coord, w, part, err);
  DAP_TRY(cut_axis(c, part, err));
  *w = (window){first_run(c, coord).local - (part->halo ? part->halo[coord][0] : 0), 1};
  return DAP_OK;
}

/* ---- all axes -------------------------------------------------------------------------------------- */

static dap_status check_ranges(const dap_layout *layout, const int64_t lo[], const int64_t hi[],
                               dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  DAP_REQUIRE((lo && hi) || layout->ndim == 0, err, DAP_ERR_ARG, "lo and hi must not be NULL");
  for (int k = 0; k < layout->ndim; k++)
    DAP_REQUIRE(lo[k] >= 0 && lo[k] <= hi[k] && hi[k] <= layout->maps[k].axis.size, err, DAP_ERR_ARG,
                "dim %d: the range from lo %" PRId64 " to hi %" PRId64 " is not in 0 .. size = %" PRId64, k,
                lo[k], hi[k], layout->maps[k].axis.size);
  return DAP_OK;
}

/* With `coords`, what the process there needs, and its windows; with NULL, everything. */
static dap_status slice(const dap_layout *layout, const int64_t lo[], const int64_t hi[], const int coords[],
                        window windows[], dap_layout **part, dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  for (int k = 0; k < layout->ndim && !s; k++) {
    const cut c = {k, &layout->maps[k], lo[k], hi[k]};
    s = coords ? cut_axis_at(&c, coords[k], &windows[k], &maps[k], err) : cut_axis(&c, &maps[k], err);
  }
  if (s)
    for (int k = 0; k < layout->ndim; k++) dap_map_release(&maps[k]);
  if (!s) s = dap_layout_from_maps(layout->ndim, maps, part, err);
  if (!s && layout->ranks) s = dap_layout_set_ranks(*part, layout->ranks, err);
  if (s) dap_layout_destroy(part);
  return s;
}

dap_status dap_layout_slice(const dap_layout *layout, const int64_t lo[], const int64_t hi[],
                            dap_layout **part, dap_error *err)
{
  DAP_REQUIRE(part, err, DAP_ERR_ARG, "part must not be NULL");
  *part = NULL;
  DAP_TRY(check_ranges(layout, lo, hi, err));
  return slice(layout, lo, hi, NULL, NULL, part, err);
}

/* ---- the array of one process ----------------------------------------------------------------------- */

/* Puts the windows in place of the buffer that *part was made with. Without elements nothing is stepped over,
 * whatever the strides say. */
static dap_status look_through(const window windows[], const dap_array *whole, dap_array *part,
                               dap_error *err)
{
  const bool is_empty = dap_array_count(part) == 0;
  int64_t offset = 0, skipped;
  for (int k = 0; k < part->ndim; k++) {
    const int64_t stride = whole->strides[k];
    const window w = is_empty ? (window){0, 1} : windows[k];
    DAP_REQUIRE(dap_multiply(stride, w.step, &part->strides[k]) && dap_multiply(stride, w.first, &skipped) &&
                    dap_add(offset, skipped, &offset),
                err, DAP_ERR_RANGE, "dim %d: the buffer, with stride %" PRId64 ", exceeds 2^63 - 1 bytes", k,
                stride);
  }
  part->data = is_empty ? whole->data : (char *)whole->data + offset;
  part->readonly = whole->readonly;
  part->swapped = whole->swapped;
  return DAP_OK;
}

dap_status dap_array_slice(const dap_array *whole, const dap_layout *layout, int rank, const int64_t lo[],
                           const int64_t hi[], dap_array *part, dap_error *err)
{
  DAP_REQUIRE(part, err, DAP_ERR_ARG, "part must not be NULL");
  *part = (dap_array){0};
  int coords[DAP_MAX_NDIM];
  window windows[DAP_MAX_NDIM] = {0};
  DAP_TRY(check_ranges(layout, lo, hi, err));
  DAP_TRY(dap_array_find(whole, layout, rank, coords, err));
  dap_layout *own = NULL;
  DAP_TRY(slice(layout, lo, hi, coords, windows, &own, err));
  dap_status s = dap_array_init(part, own, rank, whole->dtype, DAP_ORDER_C, whole->data, err);
  if (!s) s = look_through(windows, whole, part, err);
  if (s) dap_array_release(part);
  dap_layout_destroy(&own);
  return s;
}
