/* A distributed buffer as points with ghosts around them: the array's, and those of a DMDA's vectors. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static dap_status allocate(dap_frame_axis *axis, int procs, dap_error *err)
{
  axis->procs = procs;
  axis->points = calloc((size_t)procs, sizeof *axis->points);
  axis->ghosts = calloc((size_t)procs, sizeof *axis->ghosts);
  DAP_REQUIRE(axis->points && axis->ghosts, err, DAP_ERR_NOMEM, "no memory for %d processes", procs);
  return DAP_OK;
}

void dap_frame_release(dap_frame *frame)
{
  for (int k = 0; k < frame->ndim; k++) {
    free(frame->axis[k].points);
    free(frame->axis[k].ghosts);
  }
  *frame = (dap_frame){0};
}

/* ---- of the array ------------------------------------------------------------------------------- */

/* Boundary padding that is ghost points: of periodic axes if they are stripped, of others with
 * DM_BOUNDARY_GHOSTED. What is left of the padding are points like all others. */
static dap_status put_outside(int k, const dap_axis *from, const dap_petsc_options *options,
                              dap_frame_axis *axis, dap_error *err)
{
  const int last = axis->procs - 1;
  const bool padded = from->boundary[0] > 0 || from->boundary[1] > 0;
  const bool strip = from->periodic && options->strip_periodic;
  const bool ghosted = !from->periodic && padded && options->boundary == DM_BOUNDARY_GHOSTED;
  axis->outer = from->periodic ? DM_BOUNDARY_PERIODIC : ghosted ? DM_BOUNDARY_GHOSTED : DM_BOUNDARY_NONE;
  for (int side = 0; side < 2 && (strip || ghosted); side++) {
    const int64_t width = from->boundary[side];
    const int c = side == 0 ? 0 : last;
    axis->points[c] -= width;
    axis->ghosts[c][side] += width;
    axis->size -= width;
    if (ghosted) axis->edge[side] = width;
  }
  DAP_REQUIRE(axis->outer != DM_BOUNDARY_PERIODIC ||
                  (axis->ghosts[0][0] <= axis->size && axis->ghosts[last][1] <= axis->size),
              err, DAP_ERR_UNSUPPORTED,
              "dim %d: its outer padding (%" PRId64 ", %" PRId64 ") is wider than the period, %" PRId64
              " points",
              k, axis->ghosts[0][0], axis->ghosts[last][1], axis->size);
  return DAP_OK;
}

static dap_status take_axis(const dap_layout *layout, int k, dap_frame_axis *axis, dap_error *err)
{
  const dap_axis from = dap_layout_axis(layout, k);
  DAP_TRY(allocate(axis, from.procs, err));
  axis->contiguous = from.dist_type == 'b' || from.procs == 1;
  axis->block_size = from.block_size;
  axis->first_owner = from.first_owner;
  axis->size = from.size;
  for (int c = 0; c < from.procs; c++) {
    axis->points[c] = dap_layout_owned(layout, k, c);
    dap_layout_halo(layout, k, c, axis->ghosts[c]);
  }
  return DAP_OK;
}

static dap_status check_dof(int k, const dap_frame_axis *axis, dap_error *err)
{
  DAP_REQUIRE(
      axis->procs == 1 && axis->ghosts[0][0] == 0 && axis->ghosts[0][1] == 0, err, DAP_ERR_UNSUPPORTED,
      "dim %d: degrees of freedom must lie on one process without padding, not on %d", k, axis->procs);
  DAP_REQUIRE(axis->size >= 1, err, DAP_ERR_UNSUPPORTED, "dim %d: no degrees of freedom", k);
  return DAP_OK;
}

dap_status dap_frame_init(const dap_layout *layout, const dap_petsc_options *options, int rank,
                          const int64_t strides[], dap_frame *frame, dap_error *err)
{
  *frame = (dap_frame){0};
  const int ndim = dap_layout_ndim(layout), grid_ndim = ndim - (options->dof ? 1 : 0);
  DAP_REQUIRE(grid_ndim >= 1 && grid_ndim <= DAP_GRID_MAX, err, DAP_ERR_UNSUPPORTED,
              "an array of %d dimensions%s makes no DMDA, which has one to three%s", ndim,
              options->dof ? ", the last of them degrees of freedom," : "",
              ndim == DAP_GRID_MAX + 1 ? "; with options.dof the last can hold degrees of freedom" : "");
  frame->ndim = ndim;
  frame->grid_ndim = grid_ndim;
  dap_layout_coords(layout, rank, frame->coords);
  dap_status s = DAP_OK;
  for (int k = 0; k < ndim && !s; k++) {
    const dap_axis from = dap_layout_axis(layout, k);
    frame->strides[k] = strides[k];
    s = take_axis(layout, k, &frame->axis[k], err);
    if (!s && k < grid_ndim) s = put_outside(k, &from, options, &frame->axis[k], err);
    if (!s && k >= grid_ndim) s = check_dof(k, &frame->axis[k], err);
  }
  if (s) dap_frame_release(frame);
  return s;
}

/* ---- of a vector -------------------------------------------------------------------------------- */

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

static dap_status like_axis(const dap_frame_axis *from, int procs, bool own_ranges, int64_t width,
                            dap_frame_axis *axis, dap_error *err)
{
  DAP_TRY(allocate(axis, procs, err));
  axis->contiguous = true;
  axis->size = from->size;
  axis->outer = from->outer;
  for (int c = 0; c < procs; c++)
    axis->points[c] = own_ranges ? from->points[c] : from->size / procs + (c < from->size % procs);
  if (width > 0) surround(axis, width);
  for (int side = 0; side < 2; side++) axis->edge[side] = width > 0 ? from->edge[side] : 0;
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

dap_status dap_frame_like(const dap_frame *from, const int procs[], int64_t width, dap_order order, int rank,
                          dap_frame *frame, dap_error *err)
{
  *frame = (dap_frame){.ndim = from->ndim, .grid_ndim = from->grid_ndim};
  dap_status s = DAP_OK;
  for (int k = from->ndim - 1; k >= 0 && !s; k--) {
    const bool is_dof = k >= from->grid_ndim, own_ranges = is_dof || !procs;
    const int p = own_ranges ? from->axis[k].procs : procs[k];
    s = like_axis(&from->axis[k], p, own_ranges, is_dof ? 0 : width, &frame->axis[k], err);
    frame->coords[k] = rank % p;
    rank /= p;
  }
  if (!s) pack_strides(frame, order);
  if (s) dap_frame_release(frame);
  return s;
}

/* ---- questions ---------------------------------------------------------------------------------- */

int64_t dap_frame_width(const dap_frame *frame)
{
  int64_t widest = 0;
  for (int k = 0; k < frame->grid_ndim; k++)
    for (int c = 0; c < frame->axis[k].procs; c++)
      for (int side = 0; side < 2; side++)
        if (frame->axis[k].ghosts[c][side] > widest) widest = frame->axis[k].ghosts[c][side];
  return widest;
}

int64_t dap_frame_extent(const dap_frame *frame, int axis)
{
  const dap_frame_axis *a = &frame->axis[axis];
  const int c = frame->coords[axis];
  return a->ghosts[c][0] + a->points[c] + a->ghosts[c][1];
}

int64_t dap_frame_count(const dap_frame *frame)
{
  int64_t count = 1;
  for (int k = 0; k < frame->ndim; k++) count *= dap_frame_extent(frame, k);
  return count;
}

int64_t dap_frame_offset(const dap_frame *frame)
{
  int64_t offset = 0;
  for (int k = 0; k < frame->ndim; k++)
    offset += frame->strides[k] * frame->axis[k].ghosts[frame->coords[k]][0];
  return offset;
}
