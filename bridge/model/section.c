/* A section of a distributed array in place: some axes in another order, the others at one index each. The maps
 * stay as they are; what is left is on the processes that own the index. */
#include "model_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Where the axes of a section are in the whole, and of the whole in the section. */
typedef struct choice {
  const dap_layout *layout; /* the whole */
  int ndim;
  const int *axes;      /* [ndim] as the caller gave them */
  const int64_t *index; /* [layout->ndim] as the caller gave it; NULL: all 0 */
  int at[DAP_MAX_NDIM]; /* [layout->ndim] axis of the section; -1: left out */
} choice;

/* ---- arguments ------------------------------------------------------------------------------------ */

static int64_t index_of(const choice *c, int axis)
{
  return c->index ? c->index[axis] : 0;
}

static dap_status check_axes(choice *c, dap_error *err)
{
  for (int k = 0; k < c->layout->ndim; k++) c->at[k] = -1;
  for (int j = 0; j < c->ndim; j++) {
    const int axis = c->axes[j];
    DAP_REQUIRE(axis >= -1 && axis < c->layout->ndim, err, DAP_ERR_ARG, "axes[%d] = %d is outside -1 .. %d",
                j, axis, c->layout->ndim - 1);
    if (axis < 0) continue;
    DAP_REQUIRE(c->at[axis] < 0, err, DAP_ERR_ARG, "axes[%d] = %d is axes[%d] too", j, axis, c->at[axis]);
    c->at[axis] = j;
  }
  return DAP_OK;
}

static dap_status check_index(const choice *c, dap_error *err)
{
  for (int k = 0; k < c->layout->ndim; k++) {
    const int64_t index = index_of(c, k), size = c->layout->maps[k].axis.size;
    DAP_REQUIRE(c->at[k] >= 0 || (index >= 0 && index < size), err, DAP_ERR_ARG,
                "dim %d: index %" PRId64 " of the section is outside 0 .. size - 1 = %" PRId64, k, index,
                size - 1);
  }
  return DAP_OK;
}

static dap_status choose(const dap_layout *layout, int ndim, const int axes[], const int64_t index[],
                         choice *c, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  DAP_REQUIRE(ndim >= 0 && ndim <= DAP_MAX_NDIM, err, DAP_ERR_ARG, "ndim %d is outside 0 .. %d", ndim,
              DAP_MAX_NDIM);
  DAP_REQUIRE(axes || ndim == 0, err, DAP_ERR_ARG, "axes must not be NULL");
  *c = (choice){.layout = layout, .ndim = ndim, .axes = axes, .index = index};
  DAP_TRY(check_axes(c, err));
  return check_index(c, err);
}

/* ---- the layout ----------------------------------------------------------------------------------- */

static dap_status make_axis(const choice *c, int j, dap_map *map, dap_error *err)
{
  const dap_dist single = dap_dist_even(1, 1);
  return c->axes[j] < 0 ? dap_map_create(j, &single, map, err)
                        : dap_map_copy(&c->layout->maps[c->axes[j]], map, err);
}

static dap_status make_layout(const choice *c, dap_layout **section, dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  for (int j = 0; j < c->ndim && !s; j++) s = make_axis(c, j, &maps[j], err);
  if (!s) return dap_layout_from_maps(c->ndim, maps, section, err);
  for (int j = 0; j < c->ndim; j++) dap_map_release(&maps[j]);
  return s;
}

/* Coordinates in the whole of the processes that own the index; those of named axes are left alone. */
static dap_status find_owners(const choice *c, int coords[], dap_error *err)
{
  int64_t unused;
  for (int k = 0; k < c->layout->ndim; k++) {
    const dap_map *map = &c->layout->maps[k];
    if (c->at[k] >= 0) continue;
    DAP_REQUIRE(map->ops->locate(map, index_of(c, k), &coords[k], &unused), err, DAP_ERR_REMOTE,
                "dim %d: only another process knows who owns index %" PRId64, k, index_of(c, k));
  }
  return DAP_OK;
}

static void list_ranks(const choice *c, const dap_layout *section, int coords[], int ranks[])
{
  int at[DAP_MAX_NDIM];
  for (int i = 0; i < section->nprocs; i++) {
    dap_layout_coords(section, i, at);
    for (int j = 0; j < c->ndim; j++)
      if (c->axes[j] >= 0) coords[c->axes[j]] = at[j];
    ranks[i] = dap_layout_rank(c->layout, coords);
  }
}

dap_status dap_layout_section(const dap_layout *layout, int ndim, const int axes[], const int64_t index[],
                              dap_layout **section, int ranks[], dap_error *err)
{
  DAP_REQUIRE(section, err, DAP_ERR_ARG, "section must not be NULL");
  *section = NULL;
  DAP_REQUIRE(ranks, err, DAP_ERR_ARG, "ranks must not be NULL");
  choice c;
  int coords[DAP_MAX_NDIM];
  DAP_TRY(choose(layout, ndim, axes, index, &c, err));
  DAP_TRY(find_owners(&c, coords, err));
  DAP_TRY(make_layout(&c, section, err));
  list_ranks(&c, *section, coords, ranks);
  return DAP_OK;
}

/* ---- the array of one process --------------------------------------------------------------------- */

/* The position of an index that the process at `coord` owns; -1: it does not. Where this process does not keep
 * the table of owners, its own list is enough to tell. */
static dap_status find_own(const choice *c, int axis, int coord, int64_t *local, dap_error *err)
{
  const dap_map *map = &c->layout->maps[axis];
  const int64_t index = index_of(c, axis);
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

/* How far the index of the axes left out is from the buffer's first element. *here: this process has it. */
static dap_status find_offset(const choice *c, const int coords[], const dap_array *whole, int64_t *offset,
                              bool *here, dap_error *err)
{
  const bool is_empty = dap_array_count(whole) == 0; /* then strides say nothing */
  int64_t local, skipped;
  *offset = 0;
  *here = true;
  for (int k = 0; k < c->layout->ndim && *here; k++) {
    if (c->at[k] >= 0) continue;
    DAP_TRY(find_own(c, k, coords[k], &local, err));
    *here = local >= 0;
    if (!*here || is_empty) continue;
    DAP_REQUIRE(dap_multiply(whole->strides[k], local, &skipped) && dap_add(*offset, skipped, offset), err,
                DAP_ERR_RANGE, "dim %d: the buffer, with stride %" PRId64 ", exceeds 2^63 - 1 bytes", k,
                whole->strides[k]);
  }
  return DAP_OK;
}

/* Dictionaries for the process at `coords` of the whole, and in place of the buffer they were made with a
 * window of the whole's. New axes keep a stride as in C order. */
static dap_status make_array(const choice *c, const int coords[], const dap_array *whole, int64_t offset,
                             dap_array *section, dap_error *err)
{
  dap_layout *layout = NULL;
  int at[DAP_MAX_NDIM];
  DAP_TRY(make_layout(c, &layout, err));
  for (int j = 0; j < c->ndim; j++) at[j] = c->axes[j] < 0 ? 0 : coords[c->axes[j]];
  const dap_status s = dap_array_init(section, layout, dap_layout_rank(layout, at), whole->dtype, DAP_ORDER_C,
                                      whole->data, err);
  dap_layout_destroy(&layout);
  DAP_TRY(s);
  for (int j = 0; j < c->ndim; j++)
    if (c->axes[j] >= 0) section->strides[j] = whole->strides[c->axes[j]];
  section->data = offset ? (char *)whole->data + offset : whole->data;
  section->readonly = whole->readonly;
  section->swapped = whole->swapped;
  return DAP_OK;
}

dap_status dap_array_section(const dap_array *whole, const dap_layout *layout, int rank, int ndim,
                             const int axes[], const int64_t index[], dap_array *section, dap_error *err)
{
  DAP_REQUIRE(section, err, DAP_ERR_ARG, "section must not be NULL");
  *section = (dap_array){0};
  choice c;
  int coords[DAP_MAX_NDIM];
  int64_t offset;
  bool here;
  DAP_TRY(choose(layout, ndim, axes, index, &c, err));
  DAP_TRY(dap_array_find(whole, layout, rank, coords, err));
  DAP_TRY(find_offset(&c, coords, whole, &offset, &here, err));
  return here ? make_array(&c, coords, whole, offset, section, err) : DAP_OK;
}
