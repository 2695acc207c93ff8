/* Makes the boxes of a DMDA's vectors for the array's box. */
#include "field_impl.h"

#include <stdlib.h>

/* DMDA puts `width` ghosts on both sides of each interface between processes, and at the ends of the axis
 * unless the boundary is none (src/dm/impls/da/da1.c: Xs, Xe). */
static void surround(dap_box_axis *axis, int64_t width)
{
  const int64_t outside = axis->outer == DM_BOUNDARY_NONE ? 0 : width;
  for (int c = 0; c < axis->procs; c++) {
    axis->ghosts[c][0] = c > 0 ? width : outside;
    axis->ghosts[c][1] = c < axis->procs - 1 ? width : outside;
  }
}

static dap_status like_axis(const dap_ghosted_box *from, int k, int procs, const int64_t points[],
                            int64_t width, dap_box_axis *axis, dap_error *err)
{
  const dap_box_axis *its = &from->axis[k];
  DAP_TRY(dap_box_axis_init(axis, procs, err));
  axis->size = its->size;
  axis->outer = its->outer;
  for (int c = 0; c < procs; c++) axis->points[c] = points[c];
  if (width > 0) surround(axis, width);
  for (int side = 0; side < 2 && width > 0; side++) axis->margin[side] = dap_box_edge(from, k, side);
  return DAP_OK;
}

static void pack_strides(dap_ghosted_box *box, dap_order order)
{
  int64_t stride = (int64_t)sizeof(PetscScalar);
  for (int i = 0; i < box->ndim; i++) {
    const int k = dap_faster_axis(box->ndim, box->ndim - box->grid_ndim, order, i);
    box->strides[k] = stride;
    stride *= dap_box_extent(box, k);
  }
}

/* Lays out one axis: the points with the margins, and ghosts of `width` that repeat the neighbours' points,
 * also across the period. The caller frees dist->lengths, even after an error. */
static dap_status lay_axis(const dap_box_axis *axis, int64_t width, dap_dist *dist, dap_error *err)
{
  int64_t *lengths = calloc((size_t)axis->procs, sizeof *lengths);
  const bool wraps = width > 0 && axis->outer == DM_BOUNDARY_PERIODIC;
  *dist = (dap_dist){.kind = DAP_DIST_LENGTHS,
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

static dap_status lay(dap_ghosted_box *box, int64_t width, const int ranks[], dap_error *err)
{
  dap_dist dist[DAP_MAX_NDIM] = {{0}};
  dap_layout *plain = NULL;
  dap_status s = DAP_OK;
  for (int k = 0; k < box->ndim && !s; k++)
    s = lay_axis(&box->axis[k], k < box->grid_ndim ? width : 0, &dist[k], err);
  if (!s) s = dap_layout_create(box->ndim, dist, &plain, err);
  for (int k = 0; k < DAP_MAX_NDIM; k++) free((void *)dist[k].lengths);
  if (s || !ranks) {
    box->layout = plain;
    return s;
  }
  s = dap_layout_reorder(plain, ranks, &box->layout, err);
  dap_layout_destroy(&plain);
  return s;
}

/* Returns the place of process `rank` among all, row-major by the array's axes. */
static int place_of(const dap_ownership *ownership, int rank)
{
  int place = 0;
  while (ownership->ranks && ownership->ranks[place] != rank) place++;
  return ownership->ranks ? place : rank;
}

dap_status dap_box_of_dmda(const dap_ghosted_box *from, const dap_ownership *ownership, int64_t width,
                           dap_order order, int member, dap_ghosted_box *box, dap_error *err)
{
  *box = (dap_ghosted_box){.ndim = from->ndim, .grid_ndim = from->grid_ndim};
  dap_status s = DAP_OK;
  for (int k = from->ndim - 1, place = place_of(ownership, member < 0 ? 0 : member); k >= 0 && !s; k--) {
    const bool is_dof = k >= from->grid_ndim;
    const int procs = is_dof ? 1 : ownership->procs[k];
    const int64_t *points = is_dof ? from->axis[k].points : ownership->points[k];
    s = like_axis(from, k, procs, points, is_dof ? 0 : width, &box->axis[k], err);
    box->coords[k] = place % procs;
    place /= procs;
  }
  if (!s) pack_strides(box, order);
  if (!s) s = lay(box, width, ownership->ranks, err);
  if (s) dap_box_release(box);
  return s;
}
