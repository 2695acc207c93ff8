#include "vectors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the map ------------------------------------------------------------------------------------ */

static dap_status compare_shape(const json_t *document, const dap_layout *layout, dap_error *err)
{
  const json_t *shape = json_object_get(document, "global_shape");
  const int ndim = dap_layout_ndim(layout);
  if (json_array_size(shape) != (size_t)ndim)
    return dap_fail(err, DAP_ERR_ARG, "the layout has %d dimensions, global_shape %zu", ndim,
                    json_array_size(shape));
  for (int k = 0; k < ndim; k++) {
    const int64_t want = json_integer_value(json_array_get(shape, (size_t)k));
    if (dap_layout_size(layout, k) != want)
      return dap_fail(err, DAP_ERR_ARG,
                      "dim %d: the layout's size is %" PRId64 ", global_shape says %" PRId64, k,
                      dap_layout_size(layout, k), want);
  }
  return DAP_OK;
}

static bool contains(const json_t *list, int64_t number)
{
  for (size_t i = 0; i < json_array_size(list); i++)
    if (json_integer_value(json_array_get(list, i)) == number) return true;
  return false;
}

/* Positions along one axis; those along the others stay 0. */
static dap_status compare_axis(const json_t *part, const dap_layout *layout, int rank, int axis, int coord,
                               bool is_empty, dap_error *err)
{
  const json_t *available = json_array_get(json_object_get(part, "available"), (size_t)axis);
  const json_t *owned = json_array_get(json_object_get(part, "owned_local"), (size_t)axis);
  const int64_t extent = dap_layout_extent(layout, axis, coord);
  int64_t position[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM], halo[2];
  if ((int64_t)json_array_size(available) != extent)
    return dap_fail(err, DAP_ERR_ARG,
                    "dim %d: the layout's extent is %" PRId64 ", the document lists %zu indices", axis,
                    extent, json_array_size(available));
  dap_layout_halo(layout, axis, coord, halo);
  for (int64_t i = 0; i < extent && !is_empty; i++) {
    const int64_t want = json_integer_value(json_array_get(available, (size_t)i));
    position[axis] = i;
    const dap_status s = dap_layout_globalize(layout, rank, position, global, NULL, err);
    if (s) return s;
    if (global[axis] != want)
      return dap_fail(err, DAP_ERR_ARG,
                      "dim %d: position %" PRId64 " is index %" PRId64 ", the document says %" PRId64, axis,
                      i, global[axis], want);
    const bool is_owned = i >= halo[0] && i < extent - halo[1];
    if (is_owned != contains(owned, i))
      return dap_fail(err, DAP_ERR_ARG,
                      "dim %d: position %" PRId64 " is%s owned, the document says otherwise", axis, i,
                      is_owned ? "" : " not");
  }
  return DAP_OK;
}

dap_status compare_map(const json_t *document, const dap_layout *layout, int rank, dap_error *err)
{
  dap_status s = compare_shape(document, layout, err);
  const json_t *part = json_array_get(json_object_get(document, "ranks"), (size_t)rank);
  if (s || !json_object_get(part, "available")) return s;
  int coords[DAP_MAX_NDIM];
  bool is_empty = false;
  const int ndim = dap_layout_ndim(layout);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < ndim; k++) is_empty = is_empty || dap_layout_extent(layout, k, coords[k]) == 0;
  for (int k = 0; k < ndim && !s; k++) s = compare_axis(part, layout, rank, k, coords[k], is_empty, err);
  return s;
}

/* ---- the elements ------------------------------------------------------------------------------- */

static dap_status whole_layout(const dap_layout *layout, dap_layout **whole, dap_error *err)
{
  dap_dist dists[DAP_MAX_NDIM];
  const int ndim = dap_layout_ndim(layout);
  for (int k = 0; k < ndim; k++) dists[k] = dap_dist_even(dap_layout_size(layout, k), 1);
  return dap_layout_create(ndim, dists, whole, err);
}

static dap_status compare_all(const json_t *document, dap_dtype dtype, int64_t count,
                              const unsigned char *all, dap_error *err)
{
  const size_t size = (size_t)dap_dtype_size(dtype);
  for (int64_t i = 0; i < count; i++) {
    unsigned char want[VECTOR_ELEMENT];
    if (!element_expected(document, dtype, i, want))
      return dap_fail(err, DAP_ERR_LIBRARY, "the document is broken: it does not say element %" PRId64, i);
    if (memcmp(all + (size_t)i * size, want, size) != 0)
      return dap_fail(err, DAP_ERR_BUFFER, "the gathered element %" PRId64 " of %" PRId64 " differs", i,
                      count);
  }
  return DAP_OK;
}

dap_status compare_elements(const json_t *document, MPI_Comm comm, const dap_layout *layout,
                            const dap_array *mine, dap_error *err)
{
  const int root = 0;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int64_t count = dap_layout_count(layout), itemsize = dap_dtype_size(mine->dtype);
  unsigned char *all = rank == root ? malloc((size_t)(count * itemsize) + 1) : NULL;
  dap_layout *whole = NULL;
  dap_plan *plan = NULL;
  dap_status s = whole_layout(layout, &whole, err);
  if (rank == root && !all) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for the whole array");
  if (all) memset(all, 0xEE, (size_t)(count * itemsize) + 1);
  s = dap_agree(comm, s, err);
  if (!s) {
    const dap_side from = {.layout = layout, .strides = mine->strides};
    const dap_side to = {.layout = whole, .ranks = &root};
    s = dap_plan_create(comm, &from, &to, itemsize, NULL, &plan, err);
  }
  if (!s) s = dap_plan_run(plan, mine->data, all, err);
  if (!s && all) s = compare_all(document, mine->dtype, count, all, err);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&whole);
  free(all);
  return s;
}
