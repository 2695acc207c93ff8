/* Makes layouts and answers questions about them. Axes and indices count from 1, as dimensions do; ranks and
 * coordinates count from 0, as in MPI and BLACS. A question about something that does not exist is answered
 * by -1. */
#include "fortran_impl.h"

#include <dapbridge/comm.h>

#include <inttypes.h>
#include <stdlib.h>

static bool end(void *object)
{
  dap_f_layout *layout = object;
  dap_layout_destroy(&layout->layout);
  return true;
}

static size_t describe(const void *object, char *text, size_t capacity)
{
  return dap_layout_describe(((const dap_f_layout *)object)->layout, text, capacity);
}

const dap_f_kind dap_f_layout_kind = {"layout", sizeof(dap_f_layout), end, describe, NULL};

const dap_layout *dap_f_layout_of(const dap_f_layout *layout)
{
  return layout ? layout->layout : NULL;
}

dap_status dap_f_layout_put(void **variable, dap_layout *layout, dap_error *err)
{
  dap_f_layout *object = dap_f_new(&dap_f_layout_kind, err);
  if (!object) {
    dap_layout_destroy(&layout);
    return DAP_ERR_NOMEM;
  }
  object->layout = layout;
  dap_f_put(variable, object);
  return DAP_OK;
}

/* ---- made ------------------------------------------------------------------------------------- */

/* A distribution as the module passes it: `indices` of a list for each process, one after the other. */
typedef struct dap_f_dist {
  dap_dist dist;
  const int64_t *indices; /* [sum of dist.lengths], from 1; NULL: none */
} dap_f_dist;

/* Index lists as dap_layout_create() wants them, in one piece of memory. */
typedef struct lists {
  const int64_t **starts; /* [procs] */
  int64_t *indices;
} lists;

static dap_status check_list(int axis, const char *name, int64_t has, int64_t needed, const char *what,
                             dap_error *err)
{
  if (has < 0 || has >= needed) return DAP_OK;
  return dap_fail(err, DAP_ERR_ARG, "axis %d: %s has %" PRId64 " elements, %s needs %" PRId64, axis, name,
                  has, what, needed);
}

/* counts: the elements of lengths, owned and indices; -1: not given. */
static dap_status check_lists(int axis, const dap_dist *dist, const int64_t counts[3], dap_error *err)
{
  dap_status status = check_list(axis, "lengths", counts[0], dist->procs, "procs", err);
  if (!status) status = check_list(axis, "owned", counts[1], dist->procs, "procs", err);
  int64_t left = counts[2];
  for (int p = 0; p < dist->procs && counts[0] >= 0 && counts[2] >= 0 && !status; p++) {
    if (dist->lengths[p] > left)
      status = dap_fail(err, DAP_ERR_ARG, "axis %d: indices has %" PRId64 " elements, lengths add up to more",
                        axis, counts[2]);
    left -= dist->lengths[p];
  }
  return status;
}

static dap_status make_lists(dap_f_dist *from, lists *made, dap_error *err)
{
  int64_t count = 0;
  for (int p = 0; p < from->dist.procs; p++) count += from->dist.lengths[p];
  made->starts = calloc((size_t)from->dist.procs, sizeof *made->starts);
  made->indices = calloc((size_t)count + 1, sizeof *made->indices);
  if (!made->starts || !made->indices) return dap_fail(err, DAP_ERR_NOMEM, "no memory for lists of indices");
  for (int64_t i = 0; i < count; i++) made->indices[i] = from->indices[i] - 1;
  const int64_t *at = made->indices;
  for (int p = 0; p < from->dist.procs; p++) {
    made->starts[p] = at;
    at += from->dist.lengths[p];
  }
  from->dist.indices = made->starts;
  return DAP_OK;
}

dap_status dap_f_layout_create(int ndim, dap_f_dist from[], const int64_t counts[][3], void **variable,
                               dap_error *err)
{
  dap_dist dists[DAP_MAX_NDIM] = {0};
  lists made[DAP_MAX_NDIM] = {0};
  dap_layout *layout = NULL;
  dap_status status = DAP_OK;
  for (int k = 0; k < ndim && k < DAP_MAX_NDIM && !status; k++) {
    status = check_lists(k, &from[k].dist, counts[k], err);
    if (from[k].indices && from[k].dist.lengths && !status) status = make_lists(&from[k], &made[k], err);
    dists[k] = from[k].dist;
  }
  dap_f_put(variable, NULL);
  if (!status) status = dap_layout_create(ndim, dists, &layout, err);
  if (!status) status = dap_f_layout_put(variable, layout, err);
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    free((void *)made[k].starts);
    free(made[k].indices);
  }
  return status;
}

/* Changes procs, periodic and wraps of each. */
dap_status dap_f_grid_from_cart(const MPI_Fint *comm, int ndim, dap_f_dist from[], dap_error *err)
{
  dap_dist dists[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < ndim && k < DAP_MAX_NDIM; k++) dists[k] = from[k].dist;
  const dap_status status = dap_grid_from_cart(dap_f_comm(comm), ndim, dists, err);
  for (int k = 0; k < ndim && k < DAP_MAX_NDIM; k++) from[k].dist = dists[k];
  return status;
}

dap_status dap_f_layout_reorder(const dap_f_layout *object, int nranks, const int ranks[], void **variable,
                                dap_error *err)
{
  const dap_layout *layout = dap_f_layout_of(object);
  dap_layout *reordered = NULL;
  dap_status status = dap_layout_check(layout, err);
  if (!status && nranks != dap_layout_nprocs(layout))
    status = dap_fail(err, DAP_ERR_ARG, "%d ranks are given, the layout has %d", nranks,
                      dap_layout_nprocs(layout));
  if (!status) status = dap_layout_reorder(layout, ranks, &reordered, err);
  if (!status) return dap_f_layout_put(variable, reordered, err);
  dap_f_put(variable, NULL);
  return status;
}

/* ---- asked ------------------------------------------------------------------------------------ */

static bool has_axis(const dap_layout *layout, int axis)
{
  return layout && axis >= 1 && axis <= dap_layout_ndim(layout);
}

static bool has_coord(const dap_layout *layout, int axis, int coord)
{
  return has_axis(layout, axis) && coord >= 0 && coord < dap_layout_procs(layout, axis - 1);
}

int dap_f_layout_ndim(const dap_f_layout *object)
{
  return object ? dap_layout_ndim(object->layout) : -1;
}

int dap_f_layout_nprocs(const dap_f_layout *object)
{
  return object ? dap_layout_nprocs(object->layout) : -1;
}

int64_t dap_f_layout_size(const dap_f_layout *object, int axis)
{
  const dap_layout *layout = dap_f_layout_of(object);
  return has_axis(layout, axis) ? dap_layout_size(layout, axis - 1) : -1;
}

int dap_f_layout_procs(const dap_f_layout *object, int axis)
{
  const dap_layout *layout = dap_f_layout_of(object);
  return has_axis(layout, axis) ? dap_layout_procs(layout, axis - 1) : -1;
}

int64_t dap_f_layout_owned(const dap_f_layout *object, int axis, int coord)
{
  const dap_layout *layout = dap_f_layout_of(object);
  return has_coord(layout, axis, coord) ? dap_layout_owned(layout, axis - 1, coord) : -1;
}

int64_t dap_f_layout_extent(const dap_f_layout *object, int axis, int coord)
{
  const dap_layout *layout = dap_f_layout_of(object);
  return has_coord(layout, axis, coord) ? dap_layout_extent(layout, axis - 1, coord) : -1;
}

void dap_f_layout_halo(const dap_f_layout *object, int axis, int coord, int64_t width[2])
{
  const dap_layout *layout = dap_f_layout_of(object);
  width[0] = width[1] = -1;
  if (has_coord(layout, axis, coord)) dap_layout_halo(layout, axis - 1, coord, width);
}

void dap_f_layout_coords(const dap_f_layout *object, int rank, int coords[])
{
  const dap_layout *layout = dap_f_layout_of(object);
  for (int k = 0; layout && k < dap_layout_ndim(layout); k++) coords[k] = -1;
  if (layout && rank >= 0 && rank < dap_layout_nprocs(layout)) dap_layout_coords(layout, rank, coords);
}

int dap_f_layout_rank(const dap_f_layout *object, int ncoords, const int coords[])
{
  const dap_layout *layout = dap_f_layout_of(object);
  if (!layout || ncoords != dap_layout_ndim(layout)) return -1;
  for (int k = 0; k < ncoords; k++)
    if (!has_coord(layout, k + 1, coords[k])) return -1;
  return dap_layout_rank(layout, coords);
}

bool dap_f_layout_is_equal(const dap_f_layout *a, const dap_f_layout *b)
{
  return a && b && dap_layout_is_equal(a->layout, b->layout);
}

dap_status dap_f_layout_locate(const dap_f_layout *object, const int64_t global[], int *rank, int64_t local[],
                               dap_error *err)
{
  const dap_layout *layout = dap_f_layout_of(object);
  int64_t at[DAP_MAX_NDIM] = {0};
  const int ndim = layout ? dap_layout_ndim(layout) : 0;
  for (int k = 0; k < ndim; k++) at[k] = global[k] - 1;
  const dap_status status = dap_layout_locate(layout, at, rank, local, err);
  for (int k = 0; k < ndim && !status; k++) local[k]++;
  return status;
}

dap_status dap_f_layout_globalize(const dap_f_layout *object, int rank, const int64_t local[],
                                  int64_t global[], bool *owned, dap_error *err)
{
  const dap_layout *layout = dap_f_layout_of(object);
  int64_t at[DAP_MAX_NDIM] = {0};
  const int ndim = layout ? dap_layout_ndim(layout) : 0;
  for (int k = 0; k < ndim; k++) at[k] = local[k] - 1;
  const dap_status status = dap_layout_globalize(layout, rank, at, global, owned, err);
  for (int k = 0; k < ndim && !status; k++) global[k]++;
  return status;
}
