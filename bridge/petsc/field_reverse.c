/* Adds stripped padding, which repeats the other end of a periodic grid, to the points there. Reverse halo
 * updates leave it alone, because it consists of elements of the layout. */
#include "field_impl.h"

#include <string.h>

/* Whether an axis has ghosts, or copies along a replicated axis, which all processes except the first
 * have. */
static bool has_ghosts(const dap_layout *layout, int k)
{
  if (dap_layout_axis(layout, k).dist_type != 'u') return false;
  for (int c = 0; c < dap_layout_procs(layout, k); c++)
    if (dap_layout_extent(layout, k, c) > dap_layout_owned(layout, k, c)) return true;
  return false;
}

static dap_status check(const dap_view *view, dap_combine combine, dap_error *err)
{
  DAP_REQUIRE(combine != DAP_COMBINE_MAX && combine != DAP_COMBINE_MIN, err, DAP_ERR_UNSUPPORTED,
              "stripped padding can be added to the other end of the grid, but not combined otherwise");
  for (int k = 0; k < dap_layout_ndim(view->layout); k++)
    DAP_REQUIRE(
        !has_ghosts(view->layout, k), err, DAP_ERR_UNSUPPORTED,
        "dim %d is replicated or has ghosts, beside which stripped padding of another dim cannot be added",
        k);
  return DAP_OK;
}

bool dap_field_is_usable(const dap_view *view, const void *form)
{
  const dap_field_form *f = form;
  (void)view;
  for (int i = 0; i < 2 * DAP_GRID_MAX; i++)
    if (f->unwrap[i] && dap_plan_is_broken(f->unwrap[i])) return false;
  return true;
}

static dap_side side_of(const dap_view *view, const dap_box_range *r)
{
  return (dap_side){.layout = view->layout,
                    .ranks = view->ranks,
                    .strides = view->local.strides,
                    .dtype = view->dtype,
                    .swapped = view->local.swapped,
                    .part = {.start = r->start, .shape = r->shape}};
}

static dap_status plan_one(dap_view *view, int k, int side, dap_error *err)
{
  static const double one[] = {1, 0};
  dap_field_form *form = view->form;
  dap_plan **made = &form->unwrap[2 * k + side];
  dap_box_range padding, points;
  if (*made || !dap_box_stripped_range(&form->array, k, side, &padding, &points)) return DAP_OK;
  const dap_side from = side_of(view, &padding), to = side_of(view, &points);
  const dap_plan_options options = {.beta = one};
  return dap_plan_create(view->comm, &from, &to, 0, &options, made, err);
}

dap_status dap_field_plan_unwrap(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err)
{
  const dap_field_form *form = view->form;
  (void)padding;
  if (!dap_box_has_stripped(&form->array)) return DAP_OK;
  DAP_TRY(dap_agree(view->comm, check(view, combine, err), err));
  for (int i = 0; i < 2 * form->array.grid_ndim; i++) DAP_TRY(plan_one(view, i / 2, i % 2, err));
  return DAP_OK;
}

/* Runs the plans from the last axis to the first, the reverse of filling. So values in corners reach the
 * corners on the other side by way of the edges. Goes on after an error, so that no process waits for this
 * one. */
static dap_status run_all(dap_view *view, dap_error *err)
{
  const dap_field_form *form = view->form;
  dap_status first = DAP_OK;
  for (int i = 2 * form->array.grid_ndim - 1; i >= 0; i--) {
    if (!form->unwrap[i]) continue;
    const dap_status s =
        dap_plan_run(form->unwrap[i], view->local.data, view->local.data, first ? NULL : err);
    if (!first) first = s;
  }
  return first;
}

/* Clears positions [first, first + count) of this process's buffer. */
static void clear(const dap_view *view, int axis, const int64_t first[], const int64_t count[], char *at)
{
  if (axis == view->local.ndim) {
    memset(at, 0, (size_t)dap_dtype_size(view->dtype));
    return;
  }
  for (int64_t i = 0; i < count[axis]; i++)
    clear(view, axis + 1, first, count, at + (first[axis] + i) * view->local.strides[axis]);
}

/* Clears the stripped padding at an end. The outermost processes have all of it. */
static void clear_end(const dap_view *view, int k, int side)
{
  const dap_ghosted_box *array = &((const dap_field_form *)view->form)->array;
  const int64_t width = dap_box_stripped(array, k, side);
  int64_t first[DAP_MAX_NDIM] = {0}, count[DAP_MAX_NDIM];
  const bool is_here = view->local.data && array->coords[k] == (side == 0 ? 0 : array->axis[k].procs - 1);
  if (width == 0 || !is_here) return;
  for (int j = 0; j < array->ndim; j++) count[j] = view->local.shape[j];
  first[k] = side == 0 ? 0 : count[k] - width;
  count[k] = width;
  clear(view, 0, first, count, view->local.data);
}

static dap_status notify_targets(dap_view *view, dap_status first, dap_error *err)
{
  for (int t = 0; t < DAP_FIELD_VECTORS; t++) {
    if (!view->targets[t].shared) continue;
    const dap_status s = dap_view_vec_changed(view, t, first ? NULL : err);
    if (!first) first = s;
  }
  return first;
}

dap_status dap_field_unwrap(dap_view *view, dap_padding padding, dap_error *err)
{
  const dap_field_form *form = view->form;
  if (!dap_box_has_stripped(&form->array)) return DAP_OK;
  dap_status s = run_all(view, err);
  for (int i = 0; i < 2 * form->array.grid_ndim && padding == DAP_PADDING_CLEAR && !s; i++)
    clear_end(view, i / 2, i % 2);
  return notify_targets(view, s, err);
}
