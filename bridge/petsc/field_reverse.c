/* Adds stripped padding, which repeats the other end of a periodic grid, to the points there. Reverse halo
 * updates do not touch it, because it consists of elements of the layout. */
#include "field_impl.h"

#include <string.h>

/* Returns whether an axis has ghosts, or copies along a replicated axis, which all processes except the first
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
        "axis %d is replicated or has ghosts, beside which stripped padding of another axis cannot be added",
        k);
  return DAP_OK;
}

static dap_status plan_end(dap_view *view, int k, int side, dap_error *err)
{
  dap_box_range padding, points;
  if (!dap_box_stripped_range(&dap_field_form_of(view)->array, k, side, &padding, &points)) return DAP_OK;
  const dap_view_move m = {.from = dap_field_end(view, DAP_VIEW_ARRAY, &padding),
                           .to = dap_field_end(view, DAP_VIEW_ARRAY, &points),
                           .adds = true};
  return dap_view_plan(view, DAP_VIEW_REVERSE, &m, err);
}

/* Plans run from the last axis to the first, the reverse of filling. So values in corners reach the corners
 * on the other side by way of the edges. */
dap_status dap_field_plan_unwrap(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err)
{
  dap_field_form *form = view->form;
  (void)padding;
  if (!dap_box_has_stripped(&form->array)) return DAP_OK;
  DAP_TRY(dap_agree(view->comm, check(view, combine, err), err));
  for (; form->unwrapped < 2 * form->array.grid_ndim; form->unwrapped++) {
    const int end = 2 * form->array.grid_ndim - 1 - form->unwrapped;
    DAP_TRY(plan_end(view, end / 2, end % 2, err));
  }
  return DAP_OK;
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

dap_status dap_field_clear_stripped(dap_view *view, dap_padding padding, dap_error *err)
{
  const dap_ghosted_box *array = &dap_field_form_of(view)->array;
  (void)err;
  for (int i = 0; i < 2 * array->grid_ndim && padding == DAP_PADDING_CLEAR; i++)
    clear_end(view, i / 2, i % 2);
  return DAP_OK;
}
