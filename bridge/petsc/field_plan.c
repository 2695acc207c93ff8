/* Plans the moves between the array and the vectors of a field. Each moves a range of elements of one to a
 * range of the other, or within the array. */
#include "field_impl.h"

static const dap_ghosted_box *box_of(const dap_view *view, int target)
{
  const dap_field_form *form = view->form;
  return target == DAP_VIEW_ARRAY ? &form->array : &form->grid.vectors[target];
}

/* Returns the points, with `edges` also the boundary padding around them. */
static dap_box_range points_of(const dap_ghosted_box *box, bool edges)
{
  dap_box_range r = dap_box_whole(box);
  for (int k = 0; k < box->ndim; k++)
    for (int side = 0; side < 2; side++) {
      const int64_t cut = box->axis[k].margin[side] - (edges ? dap_box_edge(box, k, side) : 0);
      if (side == 0) r.start[k] += cut;
      r.shape[k] -= cut;
    }
  return r;
}

dap_view_end dap_field_end(const dap_view *view, int target, const dap_box_range *r)
{
  return (dap_view_end){.target = target,
                        .offset = dap_box_layout_offset(box_of(view, target)),
                        .side.part = {.start = r->start, .shape = r->shape}};
}

/* Plans to copy points, with `edges` also boundary padding, and with `fill` all ghost points that are
 * elements. */
static dap_status copy(dap_view *view, dap_view_phase phase, int from, int to, bool edges, bool fill,
                       dap_error *err)
{
  const dap_box_range what = points_of(box_of(view, from), edges), where = points_of(box_of(view, to), edges);
  const dap_view_move m = {
      .from = dap_field_end(view, from, &what), .to = dap_field_end(view, to, &where), .fill_halos = fill};
  return dap_view_plan(view, phase, &m, err);
}

/* Plans to copy only the boundary padding, which is ghost points of the local vector. */
static dap_status copy_edges(dap_view *view, dap_error *err)
{
  const dap_ghosted_box *local = box_of(view, DAP_FIELD_LOCAL), *array = box_of(view, DAP_VIEW_ARRAY);
  for (int k = 0; k < local->grid_ndim; k++)
    for (int side = 0; side < 2; side++) {
      const int64_t width = dap_box_edge(local, k, side);
      const dap_box_range what = dap_box_narrow(points_of(local, true), k, side, 0, width);
      const dap_box_range where = dap_box_narrow(points_of(array, true), k, side, 0, width);
      const dap_view_move m = {.from = dap_field_end(view, DAP_FIELD_LOCAL, &what),
                               .to = dap_field_end(view, DAP_VIEW_ARRAY, &where)};
      if (width > 0) DAP_TRY(dap_view_plan(view, DAP_VIEW_OUT, &m, err));
    }
  return DAP_OK;
}

static bool is_replicated(const dap_layout *layout)
{
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    const dap_axis axis = dap_layout_axis(layout, k);
    if (axis.replicated && axis.procs > 1) return true;
  }
  return false;
}

static dap_status update(dap_view *view, dap_error *err)
{
  const dap_view_move halo = {.to = {.target = DAP_VIEW_ARRAY}, .is_halo_update = true};
  return dap_view_plan(view, DAP_VIEW_HALO, &halo, err);
}

/* Plans to fill the array's stripped padding from the other end of the grid, and then the usual update. It
 * goes axis by axis, so corners come from corners that are renewed already. An array with copies is updated
 * first, because a move reads any of the copies, and they may differ. */
static dap_status wrap(dap_view *view, dap_error *err)
{
  const dap_ghosted_box *array = box_of(view, DAP_VIEW_ARRAY);
  if (!dap_box_has_stripped(array)) return DAP_OK;
  if (is_replicated(view->layout)) DAP_TRY(update(view, err));
  for (int k = 0; k < array->grid_ndim; k++)
    for (int side = 0; side < 2; side++) {
      dap_box_range padding, points;
      if (!dap_box_stripped_range(array, k, side, &padding, &points)) continue;
      const dap_view_move m = {.from = dap_field_end(view, DAP_VIEW_ARRAY, &points),
                               .to = dap_field_end(view, DAP_VIEW_ARRAY, &padding)};
      DAP_TRY(dap_view_plan(view, DAP_VIEW_HALO, &m, err));
    }
  return update(view, err);
}

/* Points finally come from the global vector, and padding outside the grid from the local one. */
dap_status dap_field_plan(dap_view *view, dap_error *err)
{
  const dap_view_target *local = &view->targets[DAP_FIELD_LOCAL], *global = &view->targets[DAP_FIELD_GLOBAL];
  const bool moves_local = local->wanted && !local->shared, moves_global = global->wanted && !global->shared;
  const int array = DAP_VIEW_ARRAY;
  if (view->access & DAP_READ && moves_local)
    DAP_TRY(copy(view, DAP_VIEW_IN, array, DAP_FIELD_LOCAL, true, true, err));
  if (view->access & DAP_READ && moves_global)
    DAP_TRY(copy(view, DAP_VIEW_IN, array, DAP_FIELD_GLOBAL, false, false, err));
  if (!(view->access & DAP_WRITE)) return DAP_OK;
  if (moves_local && global->wanted)
    DAP_TRY(copy_edges(view, err));
  else if (moves_local)
    DAP_TRY(copy(view, DAP_VIEW_OUT, DAP_FIELD_LOCAL, array, true, false, err));
  if (moves_global) DAP_TRY(copy(view, DAP_VIEW_OUT, DAP_FIELD_GLOBAL, array, false, false, err));
  return wrap(view, err);
}
