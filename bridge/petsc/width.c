/* Sets the stencils of a field's DMDA, and checks that PETSc can count its points. */
#include "field_impl.h"

#include <inttypes.h>

/* Returns whether some process has a neighbour. Then the array's halos tell the width. */
static bool shows_width(const dap_ghosted_box *array)
{
  for (int k = 0; k < array->grid_ndim; k++)
    if (array->axis[k].procs > 1 || array->axis[k].outer != DM_BOUNDARY_NONE) return true;
  return false;
}

/* Returns the array's own width, or 1 if nothing shows it. It is 0 if the first axis has no points, for which
 * PETSc refuses a wider stencil. */
static int64_t usual_width(const dap_ghosted_box *array)
{
  const int64_t width = dap_box_width(array);
  if (width > 0 || shows_width(array)) return width;
  return dap_ranges_fit(array, 0, 1, array->axis[0].size, 1) ? 1 : 0;
}

static dap_status check_edges(const dap_ghosted_box *array, int64_t width, dap_error *err)
{
  for (int k = 0; k < array->grid_ndim; k++)
    for (int side = 0; side < 2; side++)
      DAP_REQUIRE(dap_box_edge(array, k, side) <= width, err, DAP_ERR_UNSUPPORTED,
                  "axis %d: boundary padding %" PRId64
                  " does not fit into the DMDA's ghost points, of stencil width %" PRId64,
                  k, dap_box_edge(array, k, side), width);
  return DAP_OK;
}

/* PETSc counts points, and the entries of each vector, in PetscInt. Bytes are counted in 64 bits. */
static dap_status check_range(const dap_ghosted_box *array, int64_t width, dap_error *err)
{
  const int64_t bytes = INT64_MAX / (int64_t)sizeof(PetscScalar), most = PETSC_MAX_INT;
  const int64_t limit = bytes < most ? bytes : most;
  DAP_REQUIRE(width <= PETSC_MAX_INT / 2, err, DAP_ERR_RANGE,
              "ghost points at both ends of stencil width %" PRId64 " exceed PetscInt", width);
  int64_t count = 1;
  for (int k = 0; k < array->ndim; k++) {
    const dap_box_axis *a = &array->axis[k];
    const bool surrounded = k < array->grid_ndim && a->outer != DM_BOUNDARY_NONE;
    const int64_t ghosts = surrounded ? 2 * width : 0;
    DAP_REQUIRE(a->size <= limit - 2 * width && (count == 0 || a->size + ghosts <= limit / count), err,
                DAP_ERR_RANGE,
                "the array has too many points: at most %" PRId64
                " entries, ghost points included, fit PetscInt and 64-bit sizes",
                limit);
    count *= a->size + ghosts;
  }
  return DAP_OK;
}

/* Sets the stencil of matrices, whose entries stand for points that have ghosts. */
static dap_status set_matrix(const dap_petsc_field_options *o, dap_grid *grid, dap_error *err)
{
  const dap_stencil s = {o->matrix_width > 0 ? o->matrix_width : grid->width, o->star || o->matrix_star};
  DAP_REQUIRE(s.width <= grid->width, err, DAP_ERR_ARG,
              "options: matrix_width %" PRId64 " exceeds the stencil width %" PRId64
              ": the matrix would name points that are not ghost points",
              s.width, grid->width);
  if (s.width != grid->width || s.star != grid->star) grid->matrix = s;
  return DAP_OK;
}

dap_status dap_grid_set_width(const dap_view *view, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  dap_field_form *form = view->form;
  dap_grid *grid = &form->grid;
  if (!dap_field_dm_is_given(view)) {
    grid->width = o->width > 0 ? o->width : usual_width(&form->array);
    grid->star = o->star;
    DAP_TRY(set_matrix(o, grid, err));
  }
  DAP_TRY(check_edges(&form->array, grid->width, err));
  return check_range(&form->array, grid->width, err);
}
