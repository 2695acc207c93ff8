/* Takes a part of a distributed array in place: a range of some axes, in another order, at one index of the
 * others. The processes that own that index have the part. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* A part with all defaults filled in. */
typedef struct choice {
  const dap_layout *layout; /* the whole */
  int ndim;
  bool same_ranks;             /* all processes are in the part, by their own ranks */
  int axes[DAP_MAX_NDIM];      /* [ndim] axis of the whole; -1: a new one */
  bool is_kept[DAP_MAX_NDIM];  /* [layout->ndim] */
  int64_t start[DAP_MAX_NDIM]; /* [layout->ndim] */
  int64_t stop[DAP_MAX_NDIM];  /* [layout->ndim] of axes kept */
} choice;

/* ---- arguments ------------------------------------------------------------------------------------ */

static dap_status take_axes(const dap_part *part, choice *c, dap_error *err)
{
  int used[DAP_MAX_NDIM];
  const int ndim = c->layout->ndim;
  c->ndim = part->axes ? part->naxes : ndim;
  c->same_ranks = !part->axes;
  DAP_REQUIRE(part->naxes >= 0 && part->naxes <= DAP_MAX_NDIM, err, DAP_ERR_ARG,
              "part: naxes %d is outside 0 .. %d", part->naxes, DAP_MAX_NDIM);
  DAP_REQUIRE(part->axes || part->naxes == 0, err, DAP_ERR_ARG, "part: naxes is %d, and axes is NULL",
              part->naxes);
  for (int j = 0; j < c->ndim; j++) {
    const int axis = c->axes[j] = part->axes ? part->axes[j] : j;
    DAP_REQUIRE(axis >= -1 && axis < ndim, err, DAP_ERR_ARG, "axes[%d] = %d is outside -1 .. %d", j, axis,
                ndim - 1);
    if (axis < 0) continue;
    DAP_REQUIRE(!c->is_kept[axis], err, DAP_ERR_ARG, "axes[%d] = %d is axes[%d] too", j, axis, used[axis]);
    c->is_kept[axis] = true;
    used[axis] = j;
  }
  return DAP_OK;
}

static dap_status take_ranges(const dap_part *part, choice *c, dap_error *err)
{
  for (int k = 0; k < c->layout->ndim; k++) {
    const int64_t size = c->layout->maps[k].axis.size, start = part->start ? part->start[k] : 0;
    c->start[k] = start;
    DAP_REQUIRE(c->is_kept[k] || (start >= 0 && start < size), err, DAP_ERR_ARG,
                "axis %d: index %" PRId64 " of the part is outside 0 .. size - 1 = %" PRId64, k, start,
                size - 1);
    if (!c->is_kept[k]) continue;
    DAP_REQUIRE(start >= 0 && start <= size, err, DAP_ERR_ARG,
                "axis %d: start %" PRId64 " of the part is outside 0 .. size = %" PRId64, k, start, size);
    const int64_t extent = part->shape ? part->shape[k] : size - start;
    DAP_REQUIRE(extent >= 0 && extent <= size - start, err, DAP_ERR_ARG,
                "axis %d: extent %" PRId64 " of the part from start %" PRId64
                " on is not in 0 .. size = %" PRId64,
                k, extent, start, size);
    c->stop[k] = start + extent;
  }
  return DAP_OK;
}

/* Checks that no partial axis is left out, because a process's addends are not elements of the array. */
static dap_status check_addends(const choice *c, dap_error *err)
{
  for (int k = 0; k < c->layout->ndim; k++) {
    const dap_axis *axis = &c->layout->maps[k].axis;
    DAP_REQUIRE(
        c->is_kept[k] || !axis->partial || axis->procs == 1, err, DAP_ERR_UNSUPPORTED,
        "axis %d is partial: one process's addends are not a part of the array; a plan can add them up", k);
  }
  return DAP_OK;
}

static dap_status choose(const dap_layout *layout, const dap_part *part, choice *c, dap_error *err)
{
  *c = (choice){.layout = layout};
  DAP_TRY(dap_layout_check(layout, err));
  DAP_REQUIRE(part, err, DAP_ERR_ARG, "part must not be NULL");
  DAP_TRY(take_axes(part, c, err));
  DAP_TRY(check_addends(c, err));
  return take_ranges(part, c, err);
}

dap_status dap_part_check(const dap_layout *layout, const dap_part *part, dap_error *err)
{
  choice unused;
  return choose(layout, part, &unused, err);
}

/* ---- the layout ----------------------------------------------------------------------------------- */

/* Makes axis j of the part. With `coords` of the whole, it makes what the process there needs, and its
 * window. */
static dap_status make_axis(const choice *c, int j, const int coords[], dap_positions *window, dap_map *map,
                            dap_error *err)
{
  const dap_dist single = dap_dist_local(1);
  const int axis = c->axes[j];
  *window = (dap_positions){0, 1};
  if (axis < 0) return dap_map_create(j, &single, map, err);
  const dap_range range = {axis, &c->layout->maps[axis], c->start[axis], c->stop[axis]};
  return coords ? dap_part_axis_at(&range, coords[axis], window, map, err) : dap_part_axis(&range, map, err);
}

static dap_status make_layout(const choice *c, const int coords[], dap_positions windows[], dap_layout **part,
                              dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  for (int j = 0; j < c->ndim && !s; j++) s = make_axis(c, j, coords, &windows[j], &maps[j], err);
  s = dap_layout_from_maps(s, c->ndim, maps, part, err);
  if (!s && c->same_ranks && c->layout->ranks) s = dap_layout_set_ranks(*part, c->layout->ranks, err);
  if (s) dap_layout_destroy(part);
  return s;
}

/* Sets the coordinates of the processes that own the index, along axes that are left out. */
static dap_status find_owners(const choice *c, int coords[], dap_error *err)
{
  int64_t unused;
  for (int k = 0; k < c->layout->ndim; k++) {
    const dap_map *map = &c->layout->maps[k];
    if (c->is_kept[k]) continue;
    DAP_REQUIRE(map->ops->locate(map, c->start[k], &coords[k], &unused), err, DAP_ERR_REMOTE,
                "axis %d: only another process knows who owns index %" PRId64, k, c->start[k]);
  }
  return DAP_OK;
}

static void list_ranks(const choice *c, const dap_layout *part, int coords[], int ranks[])
{
  int at[DAP_MAX_NDIM];
  for (int i = 0; ranks && i < part->nprocs; i++) {
    dap_layout_coords(part, i, at);
    for (int j = 0; j < c->ndim; j++)
      if (c->axes[j] >= 0) coords[c->axes[j]] = at[j];
    ranks[i] = dap_layout_rank(c->layout, coords);
  }
}

dap_status dap_layout_part(const dap_layout *layout, const dap_part *part, dap_layout **layout_of_part,
                           int ranks[], dap_error *err)
{
  DAP_REQUIRE(layout_of_part, err, DAP_ERR_ARG, "layout_of_part must not be NULL");
  *layout_of_part = NULL;
  choice c;
  int coords[DAP_MAX_NDIM];
  dap_positions unused[DAP_MAX_NDIM];
  DAP_TRY(choose(layout, part, &c, err));
  DAP_TRY(find_owners(&c, coords, err));
  DAP_TRY(make_layout(&c, NULL, unused, layout_of_part, err));
  list_ranks(&c, *layout_of_part, coords, ranks);
  return DAP_OK;
}

/* ---- the array of one process --------------------------------------------------------------------- */

/* Finds the position of the part's index, if the process at `coord` owns it; else -1. If this process does
 * not keep that slice of the directory, its own list is enough. */
static dap_status find_own(const choice *c, int axis, int coord, int64_t *local, dap_error *err)
{
  const dap_map *map = &c->layout->maps[axis];
  const int64_t index = c->start[axis];
  int owner = -1;
  *local = -1;
  if (map->ops->locate(map, index, &owner, local)) {
    if (owner != coord) *local = -1;
    return DAP_OK;
  }
  if (!dap_map_knows(map, coord)) return dap_fail_remote(axis, coord, err);
  for (int64_t i = 0; i < map->ops->extent(map, coord) && *local < 0; i++)
    if (map->ops->is_owned(map, coord, i) && map->ops->globalize(map, coord, i) == index) *local = i;
  return DAP_OK;
}

static dap_status fail_far(int axis, int64_t stride, dap_error *err)
{
  return dap_fail(err, DAP_ERR_RANGE, "axis %d: the buffer, with stride %" PRId64 ", exceeds 2^63 - 1 bytes",
                  axis, stride);
}

/* Finds the bytes from the buffer's first element to the index of the axes left out, and whether it is
 * *here. */
static dap_status find_offset(const choice *c, const int coords[], const dap_array *whole, int64_t *offset,
                              bool *here, dap_error *err)
{
  const bool is_empty = dap_array_count(whole) == 0; /* then strides say nothing */
  int64_t local, skipped;
  *offset = 0;
  *here = true;
  for (int k = 0; k < c->layout->ndim && *here; k++) {
    if (c->is_kept[k]) continue;
    DAP_TRY(find_own(c, k, coords[k], &local, err));
    *here = local >= 0;
    if (!*here || is_empty) continue;
    if (!dap_multiply(whole->strides[k], local, &skipped) || !dap_add(*offset, skipped, offset))
      return fail_far(k, whole->strides[k], err);
  }
  return DAP_OK;
}

/* Makes *array show the windows, from `offset` on, of the whole buffer. New axes keep strides of C order. An
 * empty array keeps the address of the whole, because its strides mean nothing. */
static dap_status look_through(const choice *c, const dap_positions windows[], const dap_array *whole,
                               int64_t offset, dap_array *array, dap_error *err)
{
  const bool is_empty = dap_array_count(array) == 0;
  int64_t skipped;
  for (int j = 0; j < c->ndim; j++) {
    if (c->axes[j] < 0) continue;
    const int64_t stride = whole->strides[c->axes[j]];
    const dap_positions w = is_empty ? (dap_positions){0, 1} : windows[j];
    if (!dap_multiply(stride, w.step, &array->strides[j]) || !dap_multiply(stride, w.first, &skipped) ||
        !dap_add(offset, skipped, &offset))
      return fail_far(c->axes[j], stride, err);
  }
  array->data = is_empty || !whole->data ? whole->data : (char *)whole->data + offset;
  array->readonly = whole->readonly;
  array->swapped = whole->swapped;
  return DAP_OK;
}

/* Returns the rank in the part of the process at `coords` of the whole. It has the index of the axes left
 * out. */
static int rank_in(const choice *c, const int coords[], const dap_layout *part)
{
  int at[DAP_MAX_NDIM];
  for (int j = 0; j < c->ndim; j++) at[j] = c->axes[j] < 0 ? 0 : coords[c->axes[j]];
  return dap_layout_rank(part, at);
}

/* Makes the part of the process at `coords`. If the index of the axes left out is not `here`, it makes no
 * array, but has the errors of processes that make one. */
static dap_status make_array(const choice *c, const int coords[], const dap_array *whole, bool here,
                             int64_t offset, dap_array *array, dap_error *err)
{
  dap_layout *layout = NULL;
  dap_positions windows[DAP_MAX_NDIM] = {{0}};
  DAP_TRY(make_layout(c, coords, windows, &layout, err));
  const int rank = rank_in(c, coords, layout);
  dap_status s = here ? dap_array_init(array, layout, rank, whole->dtype, DAP_ORDER_C, whole->data, err)
                      : dap_array_describe(array, layout, rank, NULL, err);
  if (!s && here) s = look_through(c, windows, whole, offset, array, err);
  if (s || !here) dap_array_release(array);
  dap_layout_destroy(&layout);
  return s;
}

dap_status dap_array_part(dap_darray whole, int rank, const dap_part *part, dap_array *array, dap_error *err)
{
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array must not be NULL");
  *array = (dap_array){0};
  choice c;
  int coords[DAP_MAX_NDIM];
  int64_t offset;
  bool here;
  DAP_TRY(choose(whole.layout, part, &c, err));
  DAP_TRY(dap_array_find(whole, rank, coords, err));
  DAP_TRY(find_offset(&c, coords, whole.local, &offset, &here, err));
  return make_array(&c, coords, whole.local, here, offset, array, err);
}
