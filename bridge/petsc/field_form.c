/* Makes the form that fields of one kind on one DMDA share, before PETSc is called: the grid, and the boxes
 * of its vectors. */
#include "field_impl.h"

/* Gives a new DMDA the array's own ranges if PETSc takes them, else even ones. */
static dap_status choose_points(dap_view *view, dap_layout **points, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  dap_field_form *form = view->form;
  dap_grid *grid = &form->grid;
  grid->is_even = dap_share_ranges(&form->array, grid->width, NULL) != DAP_OK;
  if (!grid->is_even) return dap_points_of_array(&form->array, points, err);
  if (!o->order) grid->order = DAP_ORDER_C;
  return dap_points_even(&form->array, grid->width, view->nprocs, points, err);
}

/* Not collective; the same on every process. */
static dap_status lay_boxes(dap_view *view, const dap_layout *points, dap_error *err)
{
  dap_field_form *form = view->form;
  dap_grid *grid = &form->grid;
  for (int t = 0; t < DAP_FIELD_VECTORS; t++)
    DAP_TRY(dap_box_of_dmda(&form->array, points, t == DAP_FIELD_LOCAL ? grid->width : 0, grid->order,
                            view->member, &grid->vectors[t], err));
  return DAP_OK;
}

dap_status dap_field_prepare(dap_view *view, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  dap_field_form *form = view->form;
  dap_layout *points = NULL;
  dap_status s = dap_box_init(view->layout, o, view->member, view->local.strides, &form->array, err);
  if (!s && !dap_field_dm_is_agreed(view))
    s = dap_fail(err, DAP_ERR_ARG, "options: dm is given on some processes: not the same on all");
  DAP_TRY(dap_agree(view->comm, s, err));
  const bool is_given = dap_field_dm_is_given(view);
  form->grid.order = dap_field_order(view);
  if (is_given) s = dap_user_dmda_inspect(view, &points, err);
  if (!s) s = dap_grid_set_width(view, err);
  if (!s && !is_given) s = choose_points(view, &points, err);
  if (!s) s = lay_boxes(view, points, err);
  dap_layout_destroy(&points);
  return s;
}

dap_status dap_field_lay(dap_view *view, int target, dap_error *err)
{
  const dap_field_form *form = view->form;
  const dap_ghosted_box *box = &form->grid.vectors[target];
  return dap_view_lay(view, target, dap_layout_retain(box->layout), view->ranks, DAP_ORDER_C, box->strides,
                      err);
}

/* Without a part of the field there was no DMDA on this process. */
bool dap_field_is_over(const void *form)
{
  const dap_dm_memo *memo = ((const dap_field_form *)form)->memo;
  return !memo || memo->is_over;
}

void dap_field_release(void *form)
{
  dap_field_form *f = form;
  dap_dm_forget(f->memo);
  dap_box_release(&f->array);
  for (int t = 0; t < DAP_FIELD_VECTORS; t++) dap_box_release(&f->grid.vectors[t]);
}
