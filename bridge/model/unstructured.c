/* Computes unstructured distributions, 'u', where each process lists the global indices in its buffer. If
 * several hold an index, the lowest of their coordinates owns it, unless owners are given. The others hold
 * ghosts. */
#include "lists_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- one dictionary --------------------------------------------------------------------------- */

static dap_status indices_are_integers(const dap_case *c, dap_error *err)
{
  return dap_dim_check_indices(c->axis, c->dim, err);
}

static dap_status indices_lie_inside(const dap_case *c, dap_error *err)
{
  for (int64_t i = 0; i < c->dim->index_count; i++) {
    const int64_t index = dap_dim_index(c->dim, i);
    DAP_RULE(17, index < INT64_MAX, err, DAP_ERR_DIM, "axis %d: indices[%" PRId64 "] is 2^63 - 1 or more",
             c->axis, i);
    DAP_RULE(17, index >= 0, err, DAP_ERR_DIM, "axis %d: indices[%" PRId64 "] %" PRId64 " is negative",
             c->axis, i, index);
    DAP_RULE(17, index < c->dim->size, err, DAP_ERR_DIM,
             "axis %d: indices[%" PRId64 "] %" PRId64 " is not less than size %" PRId64, c->axis, i, index,
             c->dim->size);
  }
  return DAP_OK;
}

/* Finds the first index that repeats, with one bit for each index of the dimension. Returns false if there is
 * no memory. */
static bool find_twice_by_bits(const dap_dim *dim, int64_t *twice)
{
  unsigned char *seen = calloc((size_t)(dim->size / 8) + 1, 1);
  if (!seen) return false;
  for (int64_t i = 0; i < dim->index_count && *twice < 0; i++) {
    const int64_t index = dap_dim_index(dim, i);
    const unsigned bit = 1U << (index % 8);
    if (seen[index / 8] & bit) *twice = index;
    seen[index / 8] |= (unsigned char)bit;
  }
  free(seen);
  return true;
}

static int ascending(const void *left, const void *right)
{
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* Finds the lowest index that repeats, by sorting: for few indices of a long dimension. Returns false if
 * there is no memory. */
static bool find_twice_by_order(const dap_dim *dim, int64_t *twice)
{
  const int64_t count = dim->index_count;
  int64_t *sorted = malloc((size_t)count * sizeof *sorted);
  if (!sorted) return false;
  for (int64_t i = 0; i < count; i++) sorted[i] = dap_dim_index(dim, i);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  for (int64_t i = 1; i < count && *twice < 0; i++)
    if (sorted[i] == sorted[i - 1]) *twice = sorted[i];
  free(sorted);
  return true;
}

static dap_status indices_differ(const dap_case *c, dap_error *err)
{
  const dap_dim *dim = c->dim;
  int64_t twice = -1;
  if (dim->index_count < 2) return DAP_OK;
  /* Bits take less memory unless the dimension has 64 indices or more for each one here. */
  const bool is_dense = dim->size / 64 <= dim->index_count;
  DAP_REQUIRE(is_dense ? find_twice_by_bits(dim, &twice) : find_twice_by_order(dim, &twice), err,
              DAP_ERR_NOMEM, "axis %d: no memory to check %" PRId64 " indices", c->axis, dim->index_count);
  DAP_RULE(17, twice < 0, err, DAP_ERR_DIM, "axis %d: indices has %" PRId64 " twice", c->axis, twice);
  return DAP_OK;
}

static dap_status extent_fits(const dap_case *c, dap_error *err)
{
  DAP_RULE(4, c->extent == DAP_ABSENT || c->extent == c->dim->index_count, err, DAP_ERR_BUFFER,
           "axis %d: the buffer's extent %" PRId64 " differs from the %" PRId64 " indices", c->axis,
           c->extent, c->dim->index_count);
  return DAP_OK;
}

static const dap_required required[] = {{"indices", offsetof(dap_dim, index_count), INT64_MIN, 0}, {0}};

/* The extent is checked before any index is read. */
static const dap_check checks[] = {
    {1, indices_are_integers}, {1, extent_fits}, {2, indices_lie_inside}, {3, indices_differ}, {0}};

/* ---- the whole axis ---------------------------------------------------------------------------- */

/* Enters the indices that `c` was given. */
static void enter_given(dap_map *map, int c)
{
  const dap_lists *lists = map->lists;
  for (int64_t i = 0; i < lists->held[c]; i++)
    if (dap_lists_is_owned(map, c, i))
      dap_directory_claim(map, dap_packed_get(&lists->list[c].indices, i), c, i);
}

/* Gives each index to the first coordinate that claims it. */
static dap_status enter_lowest(int axis, dap_map *map, int c, bool has_duplicates, dap_error *err)
{
  const dap_lists *lists = map->lists;
  if (has_duplicates) DAP_TRY(dap_lists_disown(axis, map, c, err));
  for (int64_t i = 0; i < lists->held[c]; i++) {
    const int64_t global = dap_packed_get(&lists->list[c].indices, i);
    dap_directory_claim(map, global, c, i);
    if (has_duplicates && dap_packed_get(&lists->directory.owner, global) == c + 1) dap_lists_own(map, c, i);
  }
  return DAP_OK;
}

dap_status dap_unstructured_settle(int axis, dap_map *map, dap_error *err)
{
  dap_lists *lists = map->lists;
  bool has_duplicates = false;
  DAP_TRY(dap_lists_count(axis, map, &has_duplicates, err));
  DAP_TRY(dap_directory_create(axis, map, 0, map->axis.size, &lists->directory, err));
  for (int c = 0; c < map->axis.procs; c++) {
    if (map->axis.owners_given)
      enter_given(map, c);
    else
      DAP_TRY(enter_lowest(axis, map, c, has_duplicates, err));
    lists->digest += dap_list_digest(map, c);
  }
  const int64_t twice = lists->directory.twice;
  const int owner = twice == INT64_MAX ? -1 : (int)dap_packed_get(&lists->directory.owner, twice) - 1;
  return dap_directory_verdict(axis, map, dap_directory_gap(map), twice, owner, err);
}

/* Makes the map of the lists in `dims`. Owners are those of `dist`; if it is NULL, none are given. */
static dap_status put_together(int axis, const dap_dim dims[], const dap_dist *dist, dap_map *map,
                               dap_error *err)
{
  DAP_TRY(dap_lists_start(axis, dims[0].one_to_one, map, err));
  for (int c = 0; c < map->axis.procs; c++) DAP_TRY(dap_lists_set(axis, map, c, &dims[c], err));
  for (int c = 0; dist && (dist->owned || dist->is_owned) && c < map->axis.procs; c++)
    DAP_TRY(dap_lists_give(axis, map, c, dist->owned ? dist->owned[c] : 0,
                           dist->is_owned ? dist->is_owned[c] : NULL, err));
  return dap_unstructured_settle(axis, map, err);
}

static bool assemble(const dap_dialect *dialect, int axis, const dap_dim dims[], dap_map *map,
                     dap_findings *findings)
{
  dap_error error = {0};
  (void)dialect;
  return dap_found(findings, put_together(axis, dims, NULL, map, &error), &error);
}

/* Makes a dictionary of one list, and checks it. */
static dap_status list_of(int axis, const dap_dist *dist, int c, dap_dim *dim, dap_error *err)
{
  DAP_REQUIRE(dist->lengths[c] >= 0 && (dist->indices[c] || dist->lengths[c] == 0), err, DAP_ERR_DIM,
              "axis %d: lengths[%d] %" PRId64 " is negative, or indices[%d] is NULL", axis, c,
              dist->lengths[c], c);
  DAP_REQUIRE(!dist->is_owned || dist->is_owned[c] || dist->lengths[c] == 0, err, DAP_ERR_DIM,
              "axis %d: is_owned[%d] is NULL", axis, c);
  *dim = (dap_dim){.dist_type = 'u',
                   .one_to_one = dist->one_to_one,
                   .indices_dtype = DAP_I8,
                   .size = dist->size,
                   .proc_grid_size = dist->procs,
                   .proc_grid_rank = c,
                   .index_count = dist->lengths[c],
                   .indices = dist->indices[c]};
  const dap_case one = {.axis = axis, .dim = dim, .extent = DAP_ABSENT};
  DAP_TRY(indices_lie_inside(&one, err));
  return indices_differ(&one, err);
}

static dap_status create(int axis, const dap_dist *dist, dap_map *map, dap_error *err)
{
  DAP_REQUIRE(dist->lengths && dist->indices, err, DAP_ERR_ARG, "axis %d: lengths or indices is NULL", axis);
  DAP_REQUIRE(!dist->owned || !dist->is_owned, err, DAP_ERR_ARG, "axis %d: both owned and is_owned are given",
              axis);
  dap_dim *dims = calloc((size_t)dist->procs, sizeof *dims);
  DAP_REQUIRE(dims, err, DAP_ERR_NOMEM, "axis %d: no memory for %d processes", axis, dist->procs);
  dap_status s = DAP_OK;
  for (int c = 0; c < dist->procs && !s; c++) s = list_of(axis, dist, c, &dims[c], err);
  if (!s) s = put_together(axis, dims, dist, map, err);
  if (s == DAP_ERR_LAYOUT) s = DAP_ERR_DIM; /* one caller gave all lists, so no processes disagree */
  free(dims);
  return s;
}

/* ---- queries ---------------------------------------------------------------------------------- */

static int64_t owned(const dap_map *map, int coord)
{
  return map->lists->owned[coord];
}

static int64_t extent(const dap_map *map, int coord)
{
  return map->lists->held[coord];
}

static int64_t globalize(const dap_map *map, int coord, int64_t local)
{
  return dap_packed_get(&map->lists->list[coord].indices, local);
}

static bool next_run(const dap_map *map, int coord, dap_run *next)
{
  const int64_t held = map->lists->held[coord];
  int64_t i = next->local + next->length;
  if (!map->lists->list[coord].is_known) return false;
  while (i < held && !dap_lists_is_owned(map, coord, i)) i++;
  if (i >= held) return false;
  *next = (dap_run){globalize(map, coord, i), i, 1};
  for (i++; i < held && dap_lists_is_owned(map, coord, i); i++) {
    if (globalize(map, coord, i) != next->global + next->length) break;
    next->length++;
  }
  return true;
}

static bool locate(const dap_map *map, int64_t global, int *coord, int64_t *local)
{
  const dap_directory *d = &map->lists->directory;
  const int64_t i = global - d->first;
  if (i < 0 || i >= d->count) return false;
  *coord = (int)dap_packed_get(&d->owner, i) - 1;
  *local = dap_packed_get(&d->position, i);
  return true;
}

/* Exports indices in the layout's own memory and type. */
static dap_status export(const dap_map *map, const dap_dialect *dialect, int axis, int coord, dap_dim *dim,
                         dap_error *err)
{
  const dap_list *list = &map->lists->list[coord];
  DAP_RULE(18, dialect->keys.one_to_one || !map->axis.one_to_one, err, DAP_ERR_UNSUPPORTED,
           "axis %d: protocol %s cannot say that the indices are one to one", axis, dialect->versions);
  if (!list->is_known) return dap_fail_remote(axis, coord, err);
  dim->one_to_one = map->axis.one_to_one;
  dim->index_count = map->lists->held[coord];
  dim->indices = list->indices.data;
  dim->indices_dtype = dap_packed_dtype(&list->indices);
  return DAP_OK;
}

const dap_dist_ops dap_unstructured_ops = {
    .dist_type = 'u',
    .name = "unstructured",
    .required = required,
    .checks = checks,
    .create = create,
    .assemble = assemble,
    .owned = owned,
    .extent = extent,
    .next_run = next_run,
    .locate = locate,
    .globalize = globalize,
    .is_owned = dap_lists_is_owned,
    .export = export,
};
