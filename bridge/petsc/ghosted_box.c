/* Describes a distributed array's buffer, and the vectors of a DMDA for it, as boxes: points with ghosts
 * around them. */
#include "field_impl.h"

#include <inttypes.h>
#include <stdio.h>

void dap_box_release(dap_ghosted_box *box)
{
  dap_layout_destroy(&box->layout);
  *box = (dap_ghosted_box){0};
}

/* ---- points and ghosts of a process -------------------------------------------------------------------- */

static bool is_end(const dap_ghosted_box *box, int axis, int coord, int side)
{
  return coord == (side == 0 ? 0 : box->axis[axis].procs - 1);
}

int64_t dap_box_points(const dap_ghosted_box *box, int axis, int coord)
{
  int64_t points = dap_layout_owned(box->layout, axis, coord);
  for (int side = 0; side < 2; side++)
    if (is_end(box, axis, coord, side)) points -= box->axis[axis].margin[side];
  return points;
}

/* DMDA puts ghosts of its width on both sides of each interface between processes, and at the ends of the
 * axis unless the boundary is none (src/dm/impls/da/da1.c: Xs, Xe). */
int64_t dap_box_ghosts(const dap_ghosted_box *box, int axis, int coord, int side)
{
  const dap_box_axis *a = &box->axis[axis];
  const bool outside = is_end(box, axis, coord, side);
  int64_t halo[2];
  if (!box->is_array && (axis >= box->grid_ndim || (outside && a->outer == DM_BOUNDARY_NONE))) return 0;
  if (!box->is_array) return box->width;
  dap_layout_halo(box->layout, axis, coord, halo);
  return halo[side] + (outside ? a->margin[side] : 0);
}

/* ---- the array's box ---------------------------------------------------------------------------- */

/* Turns boundary padding into ghost points: that of periodic axes if they are stripped, that of others with
 * DM_BOUNDARY_GHOSTED. Other padding stays points. */
static dap_status put_outside(int k, const dap_axis *from, const dap_petsc_field_options *options,
                              dap_ghosted_box *box, dap_error *err)
{
  dap_box_axis *axis = &box->axis[k];
  const bool padded = from->boundary[0] > 0 || from->boundary[1] > 0;
  const bool strip = from->periodic && options->strip_periodic;
  const bool ghosted = !from->periodic && padded && options->boundary == DM_BOUNDARY_GHOSTED;
  axis->outer = from->periodic ? DM_BOUNDARY_PERIODIC : ghosted ? DM_BOUNDARY_GHOSTED : DM_BOUNDARY_NONE;
  for (int side = 0; side < 2 && (strip || ghosted); side++) {
    axis->margin[side] = from->boundary[side];
    axis->size -= from->boundary[side];
  }
  const int64_t low = dap_box_ghosts(box, k, 0, 0), high = dap_box_ghosts(box, k, axis->procs - 1, 1);
  DAP_REQUIRE(axis->outer != DM_BOUNDARY_PERIODIC || (low <= axis->size && high <= axis->size), err,
              DAP_ERR_UNSUPPORTED,
              "axis %d: its outer padding (%" PRId64 ", %" PRId64 ") is wider than the period, %" PRId64
              " points",
              k, low, high, axis->size);
  return DAP_OK;
}

/* A 'u' axis counts as scattered, because other processes' indices may not be known here, and lists may have
 * more elements than are owned. */
static void take_axis(const dap_layout *layout, int k, dap_box_axis *axis)
{
  const dap_axis from = dap_layout_axis(layout, k);
  *axis = (dap_box_axis){.procs = from.procs, .size = from.size};
  if (from.dist_type == 'u') axis->scattered = dap_petsc_axis_kind(from);
  if (from.dist_type == 'c' && dap_layout_ranges(layout, k, NULL, NULL)) axis->scattered = "cyclic";
}

static dap_status check_dof(int k, const dap_ghosted_box *box, dap_error *err)
{
  const dap_box_axis *axis = &box->axis[k];
  const bool is_padded = dap_box_ghosts(box, k, 0, 0) > 0 || dap_box_ghosts(box, k, 0, 1) > 0;
  DAP_REQUIRE(axis->procs == 1 && !is_padded, err, DAP_ERR_UNSUPPORTED,
              "axis %d: degrees of freedom must lie on one process without padding, not on %d", k,
              axis->procs);
  DAP_REQUIRE(axis->size >= 1, err, DAP_ERR_UNSUPPORTED, "axis %d: no degrees of freedom", k);
  return DAP_OK;
}

dap_status dap_box_init(const dap_layout *layout, const dap_petsc_field_options *options, int member,
                        const int64_t strides[], dap_ghosted_box *box, dap_error *err)
{
  const int ndim = dap_layout_ndim(layout), grid_ndim = ndim - options->dof_axes;
  char folded[64] = "";
  if (options->dof_axes > 0)
    (void)snprintf(folded, sizeof folded, ", of which the last %d are degrees of freedom", options->dof_axes);
  DAP_REQUIRE(
      grid_ndim >= 1 && grid_ndim <= DAP_GRID_MAX, err, DAP_ERR_UNSUPPORTED,
      "a DMDA has 1 to 3 axes, but the array has %d%s%s", ndim, folded,
      grid_ndim > DAP_GRID_MAX
          ? "; options.part can fix others at an index, options.dof_axes make the last degrees of freedom"
          : "");
  *box = (dap_ghosted_box){
      .ndim = ndim, .grid_ndim = grid_ndim, .is_array = true, .layout = dap_layout_retain(layout)};
  dap_layout_coords(layout, member < 0 ? 0 : member, box->coords);
  for (int k = 0; k < ndim; k++) {
    const dap_axis from = dap_layout_axis(layout, k);
    box->strides[k] = strides[k];
    take_axis(layout, k, &box->axis[k]);
    DAP_TRY(k < grid_ndim ? put_outside(k, &from, options, box, err) : check_dof(k, box, err));
  }
  return DAP_OK;
}

/* ---- boxes of a DMDA's vectors ------------------------------------------------------------------------- */

dap_status dap_box_of_dmda(const dap_ghosted_box *from, const dap_layout *points, int64_t width,
                           dap_order order, int member, dap_ghosted_box *box, dap_error *err)
{
  const int ndim = from->ndim, grid_ndim = from->grid_ndim;
  dap_surrounding ghosts = {.grid_ndim = grid_ndim, .width = width};
  *box = (dap_ghosted_box){.ndim = ndim, .grid_ndim = grid_ndim, .width = width};
  dap_layout_coords(points, member < 0 ? 0 : member, box->coords);
  for (int k = 0; k < ndim; k++) {
    const dap_box_axis *its = &from->axis[k];
    box->axis[k] =
        (dap_box_axis){.procs = dap_layout_procs(points, k), .size = its->size, .outer = its->outer};
    for (int side = 0; side < 2 && width > 0; side++)
      ghosts.margin[k][side] = box->axis[k].margin[side] = dap_box_edge(from, k, side);
  }
  DAP_TRY(dap_petsc_layout_surround(points, &ghosts, &box->layout, err));
  int64_t stride = (int64_t)sizeof(PetscScalar);
  for (int i = 0; i < ndim; i++) {
    const int k = dap_faster_axis(ndim, ndim - grid_ndim, order, i);
    box->strides[k] = stride;
    stride *= dap_box_extent(box, k);
  }
  return DAP_OK;
}

/* ---- questions ---------------------------------------------------------------------------------- */

int64_t dap_box_width(const dap_ghosted_box *box)
{
  int64_t widest = 0;
  for (int k = 0; k < box->grid_ndim; k++)
    for (int c = 0; c < box->axis[k].procs; c++)
      for (int side = 0; side < 2; side++) {
        const int64_t width = dap_box_ghosts(box, k, c, side);
        if (width > widest) widest = width;
      }
  return widest;
}

int64_t dap_box_dof(const dap_ghosted_box *box)
{
  int64_t dof = 1;
  for (int k = box->grid_ndim; k < box->ndim; k++) dof *= box->axis[k].size;
  return dof;
}

int64_t dap_box_extent(const dap_ghosted_box *box, int axis)
{
  const int c = box->coords[axis];
  return dap_box_ghosts(box, axis, c, 0) + dap_box_points(box, axis, c) + dap_box_ghosts(box, axis, c, 1);
}

int64_t dap_box_offset(const dap_ghosted_box *box)
{
  int64_t offset = 0;
  for (int k = 0; k < box->ndim; k++) offset += box->strides[k] * dap_box_ghosts(box, k, box->coords[k], 0);
  return offset;
}

/* Ghost points outside the grid are not elements if the array has no padding for them. */
int64_t dap_box_layout_offset(const dap_ghosted_box *box)
{
  int64_t offset = dap_box_offset(box), halo[2];
  for (int k = 0; k < box->ndim; k++) {
    dap_layout_halo(box->layout, k, box->coords[k], halo);
    offset -= box->strides[k] * (halo[0] + (box->coords[k] == 0 ? box->axis[k].margin[0] : 0));
  }
  return offset;
}

int64_t dap_box_edge(const dap_ghosted_box *box, int axis, int side)
{
  const dap_box_axis *a = &box->axis[axis];
  return a->outer == DM_BOUNDARY_GHOSTED ? a->margin[side] : 0;
}

int64_t dap_box_stripped(const dap_ghosted_box *box, int axis, int side)
{
  const dap_box_axis *a = &box->axis[axis];
  return a->outer == DM_BOUNDARY_PERIODIC ? a->margin[side] : 0;
}

bool dap_box_has_stripped(const dap_ghosted_box *box)
{
  for (int k = 0; k < box->grid_ndim; k++)
    if (dap_box_stripped(box, k, 0) > 0 || dap_box_stripped(box, k, 1) > 0) return true;
  return false;
}

dap_box_range dap_box_whole(const dap_ghosted_box *box)
{
  dap_box_range r = {{0}, {0}};
  for (int k = 0; k < box->ndim; k++) r.shape[k] = dap_layout_size(box->layout, k);
  return r;
}

dap_box_range dap_box_narrow(dap_box_range r, int axis, int side, int64_t skip, int64_t length)
{
  r.start[axis] += side == 0 ? skip : r.shape[axis] - skip - length;
  r.shape[axis] = length;
  return r;
}

bool dap_box_stripped_range(const dap_ghosted_box *array, int axis, int side, dap_box_range *padding,
                            dap_box_range *points)
{
  const int64_t width = dap_box_stripped(array, axis, side), skip = dap_box_stripped(array, axis, 1 - side);
  *padding = dap_box_narrow(dap_box_whole(array), axis, side, 0, width);
  *points = dap_box_narrow(dap_box_whole(array), axis, 1 - side, skip, width);
  return width > 0;
}

/* DMSetUp() demands as many points as processes along each axis, and a stencil no wider than any range that
 * has a neighbour. A range can be its own neighbour across a period. A 1-D grid without a stencil is free
 * from the first demand. With one it has the second even on one process. Source: src/dm/impls/da/da1.c,
 * da2.c, da3.c. */
bool dap_ranges_fit(const dap_ghosted_box *array, int axis, int procs, int64_t shortest, int64_t width)
{
  const dap_box_axis *a = &array->axis[axis];
  const bool line = array->grid_ndim == 1;
  if (a->size < procs && !(line && width == 0)) return false;
  const bool has_neighbour = procs > 1 || a->outer == DM_BOUNDARY_PERIODIC || (line && a->size > 1);
  return shortest >= width || !has_neighbour;
}
