/* Decides whether a vector's entries can be the elements in the array's buffer. */
#include "vector_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* Votes. */
enum {
  IN_RANGES = 1,   /* the elements of this process are one range, in process order */
  OWNERS_GIVEN = 2 /* dap_vector_owners_given() */
};

/* ---- what is the same on every process -------------------------------------------------------------- */

/* Block 0 of a cyclic axis may lie on any process. If each process has one block, the order begins there. */
int dap_vector_position(const dap_layout *layout, int axis, int coord)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  return (coord - a.first_owner + a.procs) % a.procs;
}

/* Finds the only axis that may be distributed, because no slower one has more than one element. If none is
 * distributed, it is the slowest with more than one element. */
static dap_status find_axis(const dap_layout *layout, dap_order order, int *axis, dap_error *why)
{
  const int ndim = dap_layout_ndim(layout);
  int slower = -1;
  *axis = -1;
  for (int i = 0; i < ndim; i++) {
    const int k = order == DAP_ORDER_C ? i : ndim - 1 - i;
    if (dap_layout_procs(layout, k) > 1) {
      DAP_REQUIRE(*axis < 0, why, DAP_ERR_SHARE,
                  "axes %d and %d are both distributed; a vector has one range per process", *axis, k);
      DAP_REQUIRE(
          slower < 0, why, DAP_ERR_SHARE,
          "axis %d is distributed, but axis %d is slower in %c order: a process's entries are not a range", k,
          slower, (char)order);
      *axis = k;
    }
    if (slower < 0 && dap_layout_size(layout, k) > 1) slower = k;
  }
  if (*axis < 0) *axis = slower;
  return DAP_OK;
}

static int64_t entries_of_index(const dap_layout *layout, int axis)
{
  const int64_t size = axis < 0 ? 0 : dap_layout_size(layout, axis);
  return size > 0 ? dap_layout_count(layout) / size : 0;
}

static dap_status check_blocks(const dap_layout *layout, int axis, int64_t block_size, dap_error *why)
{
  const int64_t all = dap_layout_count(layout);
  for (int c = 0; axis >= 0 && all > 0 && c < dap_layout_procs(layout, axis); c++) {
    const int64_t count = dap_layout_owned(layout, axis, c) * (all / dap_layout_size(layout, axis));
    DAP_REQUIRE(count % block_size == 0, why, DAP_ERR_SHARE,
                "axis %d: proc_grid_rank %d has %" PRId64 " elements, not a multiple of block size %" PRId64,
                axis, c, count, block_size);
  }
  return DAP_OK;
}

/* ---- what only this process can tell ----------------------------------------------------------------- */

/* Checks that the elements of this process follow those of the processes before, and lie in order. Unknown
 * indices fail. */
static dap_status check_range(const dap_layout *layout, int k, int coord, dap_error *why)
{
  const int position = dap_vector_position(layout, k, coord);
  int64_t next = 0, local = -1, left = dap_layout_owned(layout, k, coord);
  bool follows = true;
  for (int c = 0; c < dap_layout_procs(layout, k); c++)
    if (dap_vector_position(layout, k, c) < position) next += dap_layout_owned(layout, k, c);
  for (dap_run run = {0}; follows && dap_layout_next_run(layout, k, coord, &run);) {
    follows = run.global == next && (local < 0 || run.local == local);
    next += run.length;
    local = run.local + run.length;
    left -= run.length;
  }
  DAP_REQUIRE(follows && left == 0, why, DAP_ERR_SHARE,
              "axis %d is %s, and the elements of a process are not one range in process order", k,
              dap_petsc_axis_kind(dap_layout_axis(layout, k)));
  return DAP_OK;
}

/* Checks all axes except one (-1: all). */
static dap_status check_ranges(const dap_view *view, int but, dap_error *why)
{
  for (int k = 0; k < dap_layout_ndim(view->layout) && view->member >= 0; k++)
    if (k != but) DAP_TRY(check_range(view->layout, k, dap_petsc_coord(view, k), why));
  return DAP_OK;
}

bool dap_vector_owners_given(const dap_view *view)
{
  bool given = false;
  for (int k = 0; k < dap_layout_ndim(view->layout); k++)
    given = given || dap_layout_axis(view->layout, k).owners_given;
  return given;
}

uint64_t dap_vector_vote(const dap_view *view)
{
  const uint64_t given = dap_vector_owners_given(view) ? OWNERS_GIVEN : 0;
  return given | (check_ranges(view, -1, NULL) ? 0 : IN_RANGES);
}

bool dap_vector_knows(const dap_view *view)
{
  bool knows = true;
  for (int k = 0; k < dap_layout_ndim(view->layout) && view->member >= 0; k++)
    knows = knows && dap_layout_knows(view->layout, k, dap_petsc_coord(view, k));
  return knows;
}

static dap_status check_known(const dap_view *view, int axis, dap_error *why)
{
  DAP_REQUIRE(dap_vector_knows(view), why, DAP_ERR_SHARE,
              "axis %d: the indices of this process are not known to it", axis);
  return DAP_OK;
}

/* ---- ghosts ------------------------------------------------------------------------------------------ */

static bool has_ghosts(const dap_view *view, int axis)
{
  int64_t held = 0;
  const dap_layout *layout = view->layout;
  if (axis < 0 || dap_layout_axis(layout, axis).dist_type != 'u' || dap_layout_procs(layout, axis) == 1)
    return false;
  for (int c = 0; c < dap_layout_procs(layout, axis); c++) held += dap_layout_extent(layout, axis, c);
  return held > dap_layout_size(layout, axis) || view->votes & OWNERS_GIVEN;
}

/* Returns whether all processes have all of the axis, and one owns it. */
static bool is_replicated(const dap_layout *layout, int axis)
{
  const int64_t size = dap_layout_size(layout, axis);
  bool one_owns = false;
  for (int c = 0; c < dap_layout_procs(layout, axis); c++) {
    if (dap_layout_extent(layout, axis, c) < size) return false;
    one_owns = one_owns || dap_layout_owned(layout, axis, c) == size;
  }
  return one_owns && size > 0;
}

/* Checks that ghosts are whole blocks, and come last. */
static dap_status check_ghosts(const dap_view *view, int axis, int64_t inner, dap_error *why)
{
  const dap_layout *layout = view->layout;
  const int64_t block_size = dap_vector_block_size(view);
  const int coord = dap_petsc_coord(view, axis);
  DAP_REQUIRE(!is_replicated(layout, axis), why, DAP_ERR_SHARE,
              "axis %d is replicated, and one process would have all entries of the vector", axis);
  DAP_REQUIRE(inner % block_size == 0, why, DAP_ERR_SHARE,
              "axis %d has ghosts of %" PRId64 " entries each, not a multiple of block size %" PRId64, axis,
              inner, block_size);
  DAP_TRY(check_known(view, axis, why));
  int64_t next = 0;
  for (dap_run run = {0}; view->member >= 0 && dap_layout_next_run(layout, axis, coord, &run);
       next += run.length)
    DAP_REQUIRE(run.local == next, why, DAP_ERR_SHARE,
                "axis %d: a process owns position %" PRId64
                " of its list, but has a ghost at position %" PRId64 "; ghosts must follow the owned part",
                axis, run.local, next);
  return DAP_OK;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Checks the owned part of the buffer, with ghosts. Sets the form's count, held and offset. */
static dap_status check_buffer(const dap_view *view, dap_error *why)
{
  dap_vector_form *form = view->form;
  const dap_array *array = &view->local;
  int64_t lengths[DAP_MAX_NDIM] = {0}, halo[2];
  form->offset = 0;
  form->count = form->held = view->member >= 0 && dap_layout_count(view->layout) > 0;
  for (int k = 0; k < array->ndim && form->held > 0; k++) {
    const int coord = dap_petsc_coord(view, k);
    const int64_t owned = dap_layout_owned(view->layout, k, coord);
    const bool with_ghosts = form->is_ghosted && k == form->axis;
    lengths[k] = with_ghosts ? dap_layout_extent(view->layout, k, coord) : owned;
    dap_layout_halo(view->layout, k, coord, halo);
    form->count *= owned;
    form->held *= lengths[k];
    form->offset += halo[0] * array->strides[k];
  }
  if (form->held == 0) return DAP_OK;
  const dap_memory_block block = {(char *)array->data + form->offset, array->ndim, 0, lengths,
                                  array->strides};
  return dap_share_memory(form->is_ghosted ? "the lists are" : "the owned elements are", &block,
                          dap_vector_order(view), why);
}

/* ---- the predicate ----------------------------------------------------------------------------------- */

/* Returns whether entries may be in the order of the lists: if natural order is neither asked for nor there
 * anyway. */
static bool may_be_list(const dap_view *view, int axis)
{
  const dap_petsc_vector_options *o = view->options;
  return axis >= 0 && !o->natural && !(view->votes & IN_RANGES) &&
         dap_layout_axis(view->layout, axis).dist_type == 'u';
}

static const char *reason_of(const dap_vector_form *form)
{
  if (form->is_ghosted) return "each list is contiguous, owned elements first, ghosts behind them";
  if (form->is_list) return "the elements of each list are contiguous";
  return "the owned part of the buffer is contiguous, one range per process";
}

dap_status dap_vector_share(dap_view *view, int target, char reason[], dap_error *why)
{
  dap_vector_form *form = view->form;
  (void)target;
  DAP_TRY(find_axis(view->layout, dap_vector_order(view), &form->axis, why));
  DAP_TRY(check_blocks(view->layout, form->axis, dap_vector_block_size(view), why));
  form->inner = entries_of_index(view->layout, form->axis);
  form->is_list = may_be_list(view, form->axis);
  form->is_ghosted = has_ghosts(view, form->axis);
  if (form->is_ghosted) DAP_TRY(check_ghosts(view, form->axis, form->inner, why));
  if (form->is_list) DAP_TRY(check_known(view, form->axis, why));
  DAP_TRY(check_ranges(view, form->is_list ? form->axis : -1, why)); /* a list may be in any order */
  (void)snprintf(reason, DAP_ERROR_TEXT, "%s", reason_of(form));
  return check_buffer(view, why);
}
