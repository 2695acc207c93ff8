/* The frames of a DMDA's vectors, made after the array's. */
#include "petsc_impl.h"

#include <stdlib.h>

/* DMDA fills each internal interface with `width` ghosts on both sides, and the outer ones where there is
 * something outside (src/dm/impls/da/da1.c: Xs, Xe). */
static void surround(dap_frame_axis *axis, int64_t width)
{
  const int64_t outside = axis->outer == DM_BOUNDARY_NONE ? 0 : width;
  for (int c = 0; c < axis->procs; c++) {
    axis->ghosts[c][0] = c > 0 ? width : outside;
    axis->ghosts[c][1] = c < axis->procs - 1 ? width : outside;
  }
}

static dap_status like_axis(const dap_frame *from, int k, int procs, bool own_ranges, int64_t width,
                            dap_frame_axis *axis, dap_error *err)
{
  const dap_frame_axis *its = &from->axis[k];
  DAP_TRY(dap_frame_axis_init(axis, procs, err));
  axis->size = its->size;
  axis->outer = its->outer;
  for (int c = 0; c < procs; c++)
    axis->points[c] = own_ranges ? its->points[c] : its->size / procs + (c < its->size % procs);
  if (width > 0) surround(axis, width);
  for (int side = 0; side < 2 && width > 0; side++) axis->margin[side] = dap_frame_edge(from, k, side);
  return DAP_OK;
}

static void pack_strides(dap_frame *frame, dap_order order)
{
  int64_t stride = (int64_t)sizeof(PetscScalar);
  for (int i = 0; i < frame->ndim; i++) {
    const int k = order == DAP_ORDER_C ? frame->ndim - 1 - i : i;
    frame->strides[k] = stride;
    stride *= dap_frame_extent(frame, k);
  }
}

/* One axis of the layout: the points, with the margins, and ghosts of `width` that repeat the neighbours' points,
 * across the period too. The caller frees dist->lengths, also after an error. */
static dap_status lay_axis(const dap_frame_axis *axis, int64_t width, dap_dist *dist, dap_error *err)
{
  int64_t *lengths = calloc((size_t)axis->procs, sizeof *lengths);
  const bool wraps = width > 0 && axis->outer == DM_BOUNDARY_PERIODIC;
  *dist = (dap_dist){.cut = DAP_CUT_LENGTHS,
                     .procs = axis->procs,
                     .size = axis->margin[0] + axis->size + axis->margin[1],
                     .lengths = lengths,
                     .halo = width,
                     .periodic = wraps,
                     .wraps = wraps};
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "no memory for %d processes", axis->procs);
  for (int c = 0; c < axis->procs; c++) lengths[c] = axis->points[c];
  lengths[0] += axis->margin[0];
  lengths[axis->procs - 1] += axis->margin[1];
  return DAP_OK;
}

/* Gives the layout the ranks that `like` has at the same places. */
static dap_status seat(const dap_layout *like, dap_layout **layout, dap_error *err)
{
  const int ndim = dap_layout_ndim(like), nprocs = dap_layout_nprocs(like);
  int *ranks = calloc((size_t)nprocs, sizeof *ranks), coords[DAP_MAX_NDIM];
  DAP_REQUIRE(ranks, err, DAP_ERR_NOMEM, "no memory for %d processes", nprocs);
  for (int place = 0; place < nprocs; place++) {
    for (int k = ndim - 1, rest = place; k >= 0; k--) {
      coords[k] = rest % dap_layout_procs(like, k);
      rest /= dap_layout_procs(like, k);
    }
    ranks[place] = dap_layout_rank(like, coords);
  }
  dap_layout *plain = *layout;
  const dap_status s = dap_layout_reorder(plain, ranks, layout, err);
  dap_layout_destroy(&plain);
  free(ranks);
  return s;
}

static dap_status lay(dap_frame *frame, int64_t width, const dap_layout *like, dap_error *err)
{
  dap_dist dist[DAP_GRID_MAX + 1] = {{0}};
  dap_status s = DAP_OK;
  for (int k = 0; k < frame->ndim && !s; k++)
    s = lay_axis(&frame->axis[k], k < frame->grid_ndim ? width : 0, &dist[k], err);
  if (!s) s = dap_layout_create(frame->ndim, dist, &frame->layout, err);
  for (int k = 0; k <= DAP_GRID_MAX; k++) free((void *)dist[k].lengths);
  return s || !like || dap_layout_is_row_major(like) ? s : seat(like, &frame->layout, err);
}

dap_status dap_frame_like(const dap_frame *from, const int procs[], int64_t width, dap_order order, int rank,
                          dap_frame *frame, dap_error *err)
{
  *frame = (dap_frame){.ndim = from->ndim, .grid_ndim = from->grid_ndim};
  dap_status s = DAP_OK;
  for (int k = from->ndim - 1; k >= 0 && !s; k--) {
    const bool is_dof = k >= from->grid_ndim, own_ranges = is_dof || !procs;
    const int p = own_ranges ? from->axis[k].procs : procs[k];
    s = like_axis(from, k, p, own_ranges, is_dof ? 0 : width, &frame->axis[k], err);
    frame->coords[k] = procs ? rank % p : from->coords[k];
    rank /= p;
  }
  if (!s) pack_strides(frame, order);
  if (!s) s = lay(frame, width, procs ? NULL : from->layout, err);
  if (s) dap_frame_release(frame);
  return s;
}
