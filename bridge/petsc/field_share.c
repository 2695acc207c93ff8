/* Decides whether a vector of a field can be the array's buffer. */
#include "field_impl.h"

#include <inttypes.h>
#include <stdio.h>

dap_status dap_share_ranges(const dap_ghosted_box *array, int64_t width, dap_error *why)
{
  for (int k = 0; k < array->ndim; k++) { /* degrees of freedom can be scattered as well */
    const dap_box_axis *a = &array->axis[k];
    DAP_REQUIRE(!a->scattered, why, DAP_ERR_SHARE, "axis %d is %s; a DMDA has one range per process", k,
                a->scattered);
    for (int c = 0; c < a->procs && k < array->grid_ndim; c++)
      DAP_REQUIRE(dap_ranges_fit(array, k, a->procs, dap_box_points(array, k, c), width), why, DAP_ERR_SHARE,
                  "axis %d: proc_grid_rank %d has %" PRId64 " of %" PRId64
                  " points, too few for a DMDA with stencil width %" PRId64,
                  k, c, dap_box_points(array, k, c), a->size, width);
  }
  return DAP_OK;
}

/* Checks that the DMDA, whose global vector has the box `global`, has the array's ranges. */
static dap_status check_ownership(const dap_ghosted_box *array, const dap_ghosted_box *global, dap_error *why)
{
  for (int k = 0; k < array->ndim; k++) {
    const dap_box_axis *a = &array->axis[k], *its = &global->axis[k];
    DAP_REQUIRE(!a->scattered, why, DAP_ERR_SHARE, "axis %d is %s; a DMDA has one range per process", k,
                a->scattered);
    DAP_REQUIRE(a->procs == its->procs, why, DAP_ERR_SHARE,
                "axis %d is spread over %d processes, the DMDA's points over %d", k, a->procs, its->procs);
    for (int c = 0; c < a->procs; c++) {
      const int64_t has = dap_box_points(array, k, c), wants = dap_box_points(global, k, c);
      DAP_REQUIRE(has == wants, why, DAP_ERR_SHARE,
                  "axis %d: proc_grid_rank %d has %" PRId64 " points, in the DMDA %" PRId64, k, c, has,
                  wants);
    }
  }
  for (int place = 0; place < dap_layout_nprocs(array->layout); place++) {
    const int has = dap_rank_at(array->layout, place), wants = dap_rank_at(global->layout, place);
    DAP_REQUIRE(has == wants, why, DAP_ERR_SHARE, "rank %d has the points that the DMDA has on rank %d", has,
                wants);
  }
  return DAP_OK;
}

/* Checks that the array's padding is as wide as the ghost points of the local vector. */
static dap_status check_ghosts(const dap_ghosted_box *array, const dap_ghosted_box *local, dap_error *why)
{
  for (int k = 0; k < array->grid_ndim; k++)
    for (int c = 0; c < array->axis[k].procs; c++)
      for (int side = 0; side < 2; side++) {
        const int64_t has = dap_box_ghosts(array, k, c, side), wants = dap_box_ghosts(local, k, c, side);
        DAP_REQUIRE(has == wants, why, DAP_ERR_SHARE,
                    "axis %d: proc_grid_rank %d has padding %" PRId64
                    " at its %s end, the DMDA's local vector %" PRId64 " ghost points",
                    k, c, has, side == 0 ? "low" : "high", wants);
      }
  return DAP_OK;
}

/* Checks what only this process knows: whether its buffer, or its own part of that, is contiguous. */
static dap_status check_buffer(const dap_view *view, int target, dap_error *why)
{
  const dap_field_form *form = view->form;
  const dap_ghosted_box *array = &form->array;
  const bool is_local = target == DAP_FIELD_LOCAL;
  int64_t extents[DAP_MAX_NDIM] = {0};
  if (view->member < 0) return DAP_OK;
  for (int k = 0; k < array->ndim; k++)
    extents[k] = is_local ? dap_box_extent(array, k) : dap_box_points(array, k, array->coords[k]);
  const dap_memory_block block = {view->local.data, array->ndim, array->ndim - array->grid_ndim, extents,
                                  array->strides};
  return dap_share_memory(is_local ? "the buffer is" : "the owned elements are", &block, form->grid.order,
                          why);
}

dap_status dap_field_share(dap_view *view, int target, char reason[], dap_error *why)
{
  const dap_field_form *form = view->form;
  const dap_grid *grid = &form->grid;
  DAP_TRY(dap_field_dm_is_given(view) ? check_ownership(&form->array, &grid->vectors[DAP_FIELD_GLOBAL], why)
                                      : dap_share_ranges(&form->array, grid->width, why));
  if (target == DAP_FIELD_GLOBAL) {
    (void)snprintf(reason, DAP_ERROR_TEXT, "the owned part of the buffer is contiguous");
  } else {
    DAP_TRY(check_ghosts(&form->array, &grid->vectors[DAP_FIELD_LOCAL], why));
    (void)snprintf(reason, DAP_ERROR_TEXT,
                   "the buffer is contiguous, its padding %" PRId64 " ghost points wide", grid->width);
  }
  return check_buffer(view, target, why);
}
