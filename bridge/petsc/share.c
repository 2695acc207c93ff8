/* The one place that decides whether PETSc can work in the array's buffer. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdalign.h>

/* What DMSetUp() demands: as many points as processes along each axis, and a stencil no wider than any
 * range that has a neighbour, itself across a period included (src/dm/impls/da/da1.c, da2.c, da3.c; a 1-D
 * grid is relieved of the first without a stencil, and burdened with the second even on one process). */
bool dap_ranges_fit(const dap_ghosted_box *array, int axis, int procs, int64_t shortest, int64_t width)
{
  const dap_box_axis *a = &array->axis[axis];
  const bool line = array->grid_ndim == 1;
  if (a->size < procs && !(line && width == 0)) return false;
  const bool has_neighbour = procs > 1 || a->outer == DM_BOUNDARY_PERIODIC || (line && a->size > 1);
  return shortest >= width || !has_neighbour;
}

dap_status dap_share_ranges(const dap_ghosted_box *array, int64_t width, dap_error *why)
{
  for (int k = 0; k < array->ndim; k++) { /* degrees of freedom may be in an order of their own, too */
    const dap_box_axis *a = &array->axis[k];
    DAP_REQUIRE(!a->scattered, why, DAP_ERR_SHARE, "dim %d is %s; a DMDA has one range a process", k,
                a->scattered);
    for (int c = 0; c < a->procs && k < array->grid_ndim; c++)
      DAP_REQUIRE(dap_ranges_fit(array, k, a->procs, a->points[c], width), why, DAP_ERR_SHARE,
                  "dim %d: proc_grid_rank %d has %" PRId64 " of %" PRId64
                  " points, too few for a DMDA with stencil width %" PRId64,
                  k, c, a->points[c], a->size, width);
  }
  return DAP_OK;
}

dap_status dap_share_ownership(const dap_ghosted_box *array, const dap_ownership *ownership, dap_error *why)
{
  for (int k = 0; k < array->ndim; k++) {
    const dap_box_axis *a = &array->axis[k];
    DAP_REQUIRE(!a->scattered, why, DAP_ERR_SHARE, "dim %d is %s; a DMDA has one range a process", k,
                a->scattered);
    if (k >= array->grid_ndim) continue;
    DAP_REQUIRE(a->procs == ownership->procs[k], why, DAP_ERR_SHARE,
                "dim %d is spread over %d processes, the DMDA's points over %d", k, a->procs,
                ownership->procs[k]);
    for (int c = 0; c < a->procs; c++)
      DAP_REQUIRE(a->points[c] == ownership->points[k][c], why, DAP_ERR_SHARE,
                  "dim %d: proc_grid_rank %d has %" PRId64 " points, in the DMDA %" PRId64, k, c,
                  a->points[c], ownership->points[k][c]);
  }
  for (int place = 0; place < dap_layout_nprocs(array->layout); place++) {
    const int has = dap_rank_at(array->layout, place),
              wants = ownership->ranks ? ownership->ranks[place] : place;
    DAP_REQUIRE(has == wants, why, DAP_ERR_SHARE, "rank %d has the points that the DMDA has on rank %d", has,
                wants);
  }
  return DAP_OK;
}

dap_status dap_share_ghosts(const dap_ghosted_box *array, const dap_ghosted_box *local, dap_error *why)
{
  for (int k = 0; k < array->grid_ndim; k++)
    for (int c = 0; c < array->axis[k].procs; c++)
      for (int side = 0; side < 2; side++) {
        const int64_t has = array->axis[k].ghosts[c][side], wants = local->axis[k].ghosts[c][side];
        DAP_REQUIRE(has == wants, why, DAP_ERR_SHARE,
                    "dim %d: proc_grid_rank %d has padding %" PRId64
                    " at its %s end, the DMDA's local vector %" PRId64 " ghost points",
                    k, c, has, side == 0 ? "low" : "high", wants);
      }
  return DAP_OK;
}

/* True iff `extents` [ndim] elements, `strides` bytes apart, lie in `order` without gaps; else *axis is the
 * first that does not. An extent of 1 has no stride to speak of. */
static bool is_contiguous(int ndim, int inner, const int64_t extents[], const int64_t strides[],
                          dap_order order, int *axis)
{
  for (int k = 0; k < ndim; k++)
    if (extents[k] == 0) return true;
  int64_t stride = (int64_t)sizeof(PetscScalar);
  for (int i = 0; i < ndim; i++) {
    *axis = dap_faster_axis(ndim, inner, order, i);
    if (extents[*axis] > 1 && strides[*axis] != stride) return false;
    stride *= extents[*axis];
  }
  return true;
}

dap_status dap_share_memory(const char *what, int ndim, int inner, const int64_t extents[],
                            const int64_t strides[], const void *data, dap_order order, dap_error *why)
{
  int k = 0;
  DAP_REQUIRE(is_contiguous(ndim, inner, extents, strides, order, &k), why, DAP_ERR_SHARE,
              "dim %d: %s not contiguous in %c order, with %" PRId64 " bytes from one element to the next", k,
              what, (char)order, strides[k]);
  DAP_REQUIRE((uintptr_t)data % alignof(PetscScalar) == 0, why, DAP_ERR_SHARE,
              "the buffer is not aligned to %zu bytes", alignof(PetscScalar));
  return DAP_OK;
}

dap_status dap_share_whole(const dap_ghosted_box *array, const void *data, dap_order order, dap_error *why)
{
  int64_t extents[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < array->ndim; k++) extents[k] = dap_box_extent(array, k);
  return dap_share_memory("the buffer is", array->ndim, array->ndim - array->grid_ndim, extents,
                          array->strides, data, order, why);
}

dap_status dap_share_points(const dap_ghosted_box *array, const void *data, dap_order order, dap_error *why)
{
  int64_t extents[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < array->ndim; k++) extents[k] = array->axis[k].points[array->coords[k]];
  return dap_share_memory("the owned elements are", array->ndim, array->ndim - array->grid_ndim, extents,
                          array->strides, data, order, why);
}
