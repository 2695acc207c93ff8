/* Decides whether a matrix of PETSc's can lie in the array's buffer. */
#include "matrix_impl.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the layout: the same on every process --------------------------------------------------------- */

/* Checks that `axis` is in ranges, one for each process, and that the other axis is whole on each. */
static dap_status check_axis(const dap_layout *layout, int axis, dap_error *why)
{
  const dap_axis along = dap_layout_axis(layout, axis), whole = dap_layout_axis(layout, 1 - axis);
  DAP_REQUIRE(along.dist_type != 'u', why, DAP_ERR_SHARE, "axis %d is %s", axis, dap_petsc_axis_kind(along));
  DAP_REQUIRE(whole.dist_type != 'u', why, DAP_ERR_SHARE, "axis %d is %s", 1 - axis,
              dap_petsc_axis_kind(whole));
  DAP_REQUIRE(whole.procs == 1, why, DAP_ERR_SHARE,
              "axis %d is spread over %d processes; a matrix with ranges of %s has it whole on each",
              1 - axis, whole.procs, axis == 0 ? "rows" : "columns");
  DAP_REQUIRE(!dap_layout_ranges(layout, axis, NULL, NULL), why, DAP_ERR_SHARE,
              "axis %d is cyclic; a matrix of PETSc's has one range per process", axis);
  return DAP_OK;
}

static dap_petsc_form wanted_form(const dap_view *view)
{
  const dap_petsc_matrix_options *o = view->options;
  return o->form;
}

/* Finds the axes that can be the spread one. DAP_ERR_SHARE if none can. */
static dap_status find_axes(const dap_view *view, bool axes[2], dap_error *why)
{
  const bool is_dense = wanted_form(view) == DAP_PETSC_DENSE;
  dap_error columns = {.rank = -1};
  axes[0] = check_axis(view->layout, 0, why) == DAP_OK;
  axes[1] = !is_dense && check_axis(view->layout, 1, &columns) == DAP_OK;
  if (axes[0] || axes[1]) return DAP_OK;
  /* if the columns are spread, their reason tells more */
  if (dap_layout_procs(view->layout, 0) == 1 && !is_dense) *why = columns;
  return DAP_ERR_SHARE;
}

/* ---- the buffer: this process's own ----------------------------------------------------------------- */

static int64_t owned(const dap_view *view, int axis)
{
  return dap_layout_owned(view->layout, axis, dap_petsc_coord(view, axis));
}

/* Returns the elements from one line of contiguous ones to the next, or the length of a single line. */
static int64_t lead_of(const dap_view *view, int inner)
{
  const int64_t length = owned(view, inner), item = (int64_t)sizeof(PetscScalar);
  const int64_t stride = view->local.strides[1 - inner];
  if (owned(view, 1 - inner) > 1 && length > 0) return stride % item == 0 ? stride / item : 0;
  return length > 1 ? length : 1;
}

static void *first_owned(const dap_view *view)
{
  static PetscScalar nothing; /* for a matrix without elements, as PETSc allocates for NULL */
  if (owned(view, 0) == 0 || owned(view, 1) == 0) return &nothing;
  char *data = view->local.data;
  for (int k = 0; k < 2; k++) {
    int64_t halo[2] = {0};
    dap_layout_halo(view->layout, k, dap_petsc_coord(view, k), halo);
    data += halo[0] * view->local.strides[k];
  }
  return data;
}

static dap_status check_buffer(const dap_view *view, int inner, dap_error *why)
{
  const int64_t *strides = view->local.strides;
  const int outer = 1 - inner;
  if (view->member < 0) return DAP_OK;
  const int64_t length = owned(view, inner), lines = owned(view, outer), lead = lead_of(view, inner);
  DAP_REQUIRE(length < 2 || lines == 0 || strides[inner] == (int64_t)sizeof(PetscScalar), why, DAP_ERR_SHARE,
              "axis %d is not contiguous, with %" PRId64 " bytes from one element to the next", inner,
              strides[inner]);
  DAP_REQUIRE(lead >= length && lead > 0, why, DAP_ERR_SHARE,
              "axis %d: %" PRId64 " bytes from one line of %" PRId64
              " elements to the next make no leading dimension",
              outer, strides[outer], length);
  DAP_REQUIRE((uintptr_t)first_owned(view) % alignof(PetscScalar) == 0, why, DAP_ERR_SHARE,
              "the buffer is not aligned to %zu bytes", alignof(PetscScalar));
  /* PETSc multiplies the two, and would fail on this process only. */
  DAP_REQUIRE(lead <= DAP_BLAS_MAX && lines <= DAP_BLAS_MAX && lines <= PETSC_MAX_INT / lead, why,
              DAP_ERR_SHARE, "%" PRId64 " lines with leading dimension %" PRId64 " exceed PetscInt", lines,
              lead);
  return DAP_OK;
}

/* ---- the verdict ------------------------------------------------------------------------------------- */

/* Returns the bits that say that all buffers are contiguous along an axis, and have no gaps. */
static uint64_t contiguous(int inner)
{
  return UINT64_C(1) << inner;
}

static uint64_t gapless(int inner)
{
  return UINT64_C(4) << inner;
}

uint64_t dap_mat_vote(const dap_view *view)
{
  uint64_t votes = 0;
  if (view->member < 0) return UINT64_MAX;
  for (int k = 0; k < 2; k++) {
    const int64_t length = owned(view, k);
    if (check_buffer(view, k, NULL) == DAP_OK) votes |= contiguous(k);
    if (lead_of(view, k) == (length > 0 ? length : 1)) votes |= gapless(k);
  }
  return votes;
}

dap_mat_block dap_mat_block_of(const dap_view *view)
{
  const dap_mat_form *form = view->form;
  dap_mat_block block = {.size = {view->shape[0], view->shape[1]},
                         .axis = form->axis,
                         .inner = form->inner,
                         .in_order = true,
                         .owned = owned(view, form->axis),
                         .lead = lead_of(view, form->inner),
                         .has_gaps = !(view->votes & gapless(form->inner)),
                         .data = first_owned(view)};
  int coords[DAP_MAX_NDIM] = {0};
  for (int c = 0; c < dap_layout_procs(view->layout, form->axis); c++) {
    coords[form->axis] = c;
    if (dap_layout_rank(view->layout, coords) != c) block.in_order = false;
  }
  block.position = dap_petsc_coord(view, form->axis);
  return block;
}

static const char *shared_as(const dap_mat_form *form)
{
  if (form->axis != form->inner)
    return form->axis == 0 ? "a shell: rows are contiguous, and spread in ranges"
                           : "a shell: columns are contiguous, and spread in ranges";
  return form->axis == 0 ? "a MATDENSE: columns are contiguous, rows in ranges"
                         : "a transposed view of a MATDENSE: rows are contiguous, columns in ranges";
}

/* MATDENSE comes first, then its transposed view, then a shell. On one process either axis can be the spread
 * one. */
dap_status dap_mat_share(dap_view *view, int target, char reason[], dap_error *why)
{
  static const dap_mat_form choices[] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
  const bool is_dense = wanted_form(view) == DAP_PETSC_DENSE;
  bool axes[2] = {false, false};
  (void)target;
  DAP_REQUIRE(wanted_form(view) != DAP_PETSC_SCALAPACK, why, DAP_ERR_SHARE, "MATSCALAPACK owns its memory");
  DAP_TRY(find_axes(view, axes, why));
  for (int i = 0; i < (is_dense ? 1 : 4); i++) {
    if (!axes[choices[i].axis] || !(view->votes & contiguous(choices[i].inner))) continue;
    *(dap_mat_form *)view->form = choices[i];
    (void)snprintf(reason, DAP_ERROR_TEXT, "%s", shared_as(&choices[i]));
    return DAP_OK;
  }
  /* the axis with the shorter stride tells the cause best */
  const int64_t *strides = view->local.strides;
  DAP_TRY(check_buffer(view, is_dense || llabs(strides[0]) < llabs(strides[1]) ? 0 : 1, why));
  return dap_fail(why, DAP_ERR_SHARE, "no axis is contiguous on every process");
}
