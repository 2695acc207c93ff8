#include "vectors.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the shape --------------------------------------------------------------------------------- */

static dap_status compare_shape(const json_t *vector, const dap_layout *layout, dap_error *err)
{
  const json_t *shape = json_object_get(vector, "global_shape");
  const int ndim = dap_layout_ndim(layout);
  if (json_array_size(shape) != (size_t)ndim)
    return dap_fail(err, DAP_ERR_ARG, "the layout has %d dimensions, global_shape %zu", ndim,
                    json_array_size(shape));
  for (int k = 0; k < ndim; k++) {
    const int64_t want = json_integer_value(json_array_get(shape, (size_t)k));
    if (dap_layout_size(layout, k) != want)
      return dap_fail(err, DAP_ERR_ARG,
                      "axis %d: the layout's size is %" PRId64 ", global_shape says %" PRId64, k,
                      dap_layout_size(layout, k), want);
  }
  return DAP_OK;
}

/* ---- one axis of one process ------------------------------------------------------------------- */

/* What the document lists of a process under `key`, along an axis; NULL: nothing. */
static const json_t *list_of(const json_t *vector, int rank, const char *key, int axis)
{
  const json_t *part = json_array_get(json_object_get(vector, "ranks"), (size_t)rank);
  return json_array_get(json_object_get(part, key), (size_t)axis);
}

static bool contains(const json_t *list, int64_t number)
{
  for (size_t i = 0; i < json_array_size(list); i++)
    if (json_integer_value(json_array_get(list, i)) == number) return true;
  return false;
}

/* Documents call all copies of an element owned; along a 'u' axis the library's owner is the lowest
 * coordinate. */
static bool has_lower_holder(const json_t *vector, const dap_layout *layout, int rank, int axis,
                             int64_t global)
{
  int mine[DAP_MAX_NDIM], other[DAP_MAX_NDIM];
  if (dap_layout_axis(layout, axis).dist_type != 'u') return false;
  dap_layout_coords(layout, rank, mine);
  for (int r = 0; r < dap_layout_nprocs(layout); r++) {
    dap_layout_coords(layout, r, other);
    if (other[axis] < mine[axis] && contains(list_of(vector, r, "available", axis), global)) return true;
  }
  return false;
}

/* Which positions the layout's runs cover. NULL: no memory. */
static bool *owned_by_runs(const dap_layout *layout, int axis, int coord)
{
  const int64_t extent = dap_layout_extent(layout, axis, coord);
  bool *owned = calloc((size_t)extent + 1, sizeof *owned);
  for (dap_run run = {0}; owned && dap_layout_next_run(layout, axis, coord, &run);)
    for (int64_t i = 0; i < run.length && run.local + i < extent; i++) owned[run.local + i] = true;
  return owned;
}

/* Positions along one axis; those along the others stay 0. */
static dap_status compare_positions(const json_t *vector, const dap_layout *layout, int rank, int axis,
                                    const bool runs[], dap_error *err)
{
  const json_t *available = list_of(vector, rank, "available", axis);
  const json_t *owned = list_of(vector, rank, "owned_local", axis);
  int64_t position[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM];
  for (int64_t i = 0; i < (int64_t)json_array_size(available); i++) {
    const int64_t want = json_integer_value(json_array_get(available, (size_t)i));
    position[axis] = i;
    const dap_status s = dap_layout_globalize(layout, rank, position, global, NULL, err);
    if (s) return s;
    if (global[axis] != want)
      return dap_fail(err, DAP_ERR_ARG,
                      "axis %d: position %" PRId64 " is index %" PRId64 ", the document says %" PRId64, axis,
                      i, global[axis], want);
    if (runs[i] != (contains(owned, i) && !has_lower_holder(vector, layout, rank, axis, want)))
      return dap_fail(err, DAP_ERR_ARG,
                      "axis %d: position %" PRId64 " is%s owned, the document says otherwise", axis, i,
                      runs[i] ? "" : " not");
  }
  return DAP_OK;
}

static dap_status compare_axis(const json_t *vector, const dap_layout *layout, int rank, int axis, int coord,
                               bool is_empty, dap_error *err)
{
  const json_t *available = list_of(vector, rank, "available", axis);
  const int64_t extent = dap_layout_extent(layout, axis, coord);
  if ((int64_t)json_array_size(available) != extent)
    return dap_fail(err, DAP_ERR_ARG,
                    "axis %d: the layout's extent is %" PRId64 ", the document lists %zu indices", axis,
                    extent, json_array_size(available));
  if (is_empty) return DAP_OK; /* another axis has no position to ask for */
  bool *runs = owned_by_runs(layout, axis, coord);
  const dap_status s = runs ? compare_positions(vector, layout, rank, axis, runs, err)
                            : dap_fail(err, DAP_ERR_NOMEM, "no memory for positions");
  free(runs);
  return s;
}

dap_status map_compare(const json_t *vector, const dap_layout *layout, int rank, dap_error *err)
{
  dap_status s = compare_shape(vector, layout, err);
  const json_t *part = json_array_get(json_object_get(vector, "ranks"), (size_t)rank);
  if (s || !json_object_get(part, "available")) return s;
  int coords[DAP_MAX_NDIM];
  bool is_empty = false;
  const int ndim = dap_layout_ndim(layout);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < ndim; k++) is_empty = is_empty || dap_layout_extent(layout, k, coords[k]) == 0;
  for (int k = 0; k < ndim && !s; k++) s = compare_axis(vector, layout, rank, k, coords[k], is_empty, err);
  return s;
}
