/* The one place that decides whether a vector's entries can be the elements in the array's buffer. */
#include "vector_impl.h"

#include <inttypes.h>
#include <stdio.h>

enum { IN_RANGES = 1 /* a vote: the elements of this process are one range, in process order */ };

/* ---- what is the same on every process -------------------------------------------------------------- */

/* In a cyclic axis block 0 may begin anywhere; where each process has one block, that is where the order
 * begins. */
int dap_vector_position(const dap_layout *layout, int axis, int coord)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  return (coord - a.first_owner + a.procs) % a.procs;
}

static dap_status check_copies(const dap_layout *layout, dap_error *why)
{
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    int64_t held = 0;
    for (int c = 0; c < dap_layout_procs(layout, k); c++) held += dap_layout_extent(layout, k, c);
    DAP_REQUIRE(dap_layout_axis(layout, k).dist_type != 'u' || held == dap_layout_size(layout, k), why,
                DAP_ERR_SHARE,
                "dim %d: the lists have %" PRId64 " entries for %" PRId64 " elements; a vector has each once",
                k, held, dap_layout_size(layout, k));
  }
  return DAP_OK;
}

/* The one axis that may be distributed: no slower one has more than one element. */
static dap_status find_axis(const dap_layout *layout, dap_order order, int *axis, dap_error *why)
{
  const int ndim = dap_layout_ndim(layout);
  int slower = -1;
  *axis = -1;
  for (int i = 0; i < ndim; i++) {
    const int k = order == DAP_ORDER_C ? i : ndim - 1 - i;
    if (dap_layout_procs(layout, k) > 1) {
      DAP_REQUIRE(*axis < 0, why, DAP_ERR_SHARE,
                  "dims %d and %d are both distributed; a vector has one range a process", *axis, k);
      DAP_REQUIRE(slower < 0, why, DAP_ERR_SHARE,
                  "dim %d is distributed, but dim %d is slower in %c order: a process's entries are no range",
                  k, slower, (char)order);
      *axis = k;
    }
    if (slower < 0 && dap_layout_size(layout, k) > 1) slower = k;
  }
  return DAP_OK;
}

static dap_status check_blocks(const dap_layout *layout, int axis, int64_t block_size, dap_error *why)
{
  const int64_t all = dap_layout_count(layout);
  for (int c = 0; axis >= 0 && all > 0 && c < dap_layout_procs(layout, axis); c++) {
    const int64_t count = dap_layout_owned(layout, axis, c) * (all / dap_layout_size(layout, axis));
    DAP_REQUIRE(count % block_size == 0, why, DAP_ERR_SHARE,
                "dim %d: proc_grid_rank %d has %" PRId64 " elements, no whole blocks of size %" PRId64, axis,
                c, count, block_size);
  }
  return DAP_OK;
}

/* ---- what only this process can tell ----------------------------------------------------------------- */

static const char *kind(const dap_layout *layout, int k)
{
  switch (dap_layout_axis(layout, k).dist_type) {
  case 'u':
    return "unstructured";
  case 'c':
    return "cyclic";
  default:
    return "in blocks";
  }
}

/* The elements here are those that follow the ones of the processes before, in order, and lie so. Indices
 * that are not known here are none. */
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
              "dim %d is %s, and the elements of a process are not one range in process order", k,
              kind(layout, k));
  return DAP_OK;
}

static dap_status check_ranges(const dap_view *view, dap_error *why)
{
  int coords[DAP_MAX_NDIM] = {0};
  if (view->member < 0) return DAP_OK;
  dap_layout_coords(view->layout, view->member, coords);
  for (int k = 0; k < dap_layout_ndim(view->layout); k++)
    DAP_TRY(check_range(view->layout, k, coords[k], why));
  return DAP_OK;
}

uint64_t dap_vector_vote(const dap_view *view)
{
  return check_ranges(view, NULL) ? 0 : IN_RANGES;
}

bool dap_vector_knows(const dap_view *view)
{
  int coords[DAP_MAX_NDIM] = {0};
  bool knows = true;
  if (view->member < 0) return true;
  dap_layout_coords(view->layout, view->member, coords);
  for (int k = 0; k < dap_layout_ndim(view->layout); k++)
    knows = knows && dap_layout_knows(view->layout, k, coords[k]);
  return knows;
}

/* A list needs no order, but has to be known. */
static dap_status check_list(const dap_view *view, dap_error *why)
{
  DAP_REQUIRE(dap_vector_knows(view), why, DAP_ERR_SHARE,
              "dim 0: the indices of this process are not known to it");
  return DAP_OK;
}

/* The owned part of the buffer; sets the form's count and offset. */
static dap_status check_buffer(const dap_view *view, dap_error *why)
{
  dap_vector_form *form = view->form;
  const dap_array *array = &view->local;
  int64_t owned[DAP_MAX_NDIM] = {0}, halo[2];
  int coords[DAP_MAX_NDIM] = {0};
  form->offset = 0;
  form->count = view->member >= 0 && dap_layout_count(view->layout) > 0;
  if (view->member >= 0) dap_layout_coords(view->layout, view->member, coords);
  for (int k = 0; k < array->ndim && form->count > 0; k++) {
    owned[k] = dap_layout_owned(view->layout, k, coords[k]);
    dap_layout_halo(view->layout, k, coords[k], halo);
    form->count *= owned[k];
    form->offset += halo[0] * array->strides[k];
  }
  if (form->count == 0) return DAP_OK;
  return dap_share_memory("the owned elements are", array->ndim, 0, owned, array->strides,
                          (char *)array->data + form->offset, dap_vector_order(view), why);
}

/* ---- the predicate ----------------------------------------------------------------------------------- */

/* A list serves where natural order is not asked for, and is not there anyway. */
static bool may_be_list(const dap_view *view)
{
  const dap_petsc_vector_options *o = view->options;
  return dap_layout_ndim(view->layout) == 1 && !o->natural && !(view->votes & IN_RANGES) &&
         dap_layout_axis(view->layout, 0).dist_type == 'u';
}

dap_status dap_vector_share(dap_view *view, int target, char reason[], dap_error *why)
{
  dap_vector_form *form = view->form;
  (void)target;
  DAP_TRY(check_copies(view->layout, why));
  DAP_TRY(find_axis(view->layout, dap_vector_order(view), &form->axis, why));
  DAP_TRY(check_blocks(view->layout, form->axis, dap_vector_block_size(view), why));
  form->is_list = may_be_list(view);
  if (form->is_list) form->axis = 0;
  DAP_TRY(form->is_list ? check_list(view, why) : check_ranges(view, why));
  (void)snprintf(reason, DAP_ERROR_TEXT, "%s",
                 form->is_list ? "the elements of each list are contiguous"
                               : "the owned part of the buffer is contiguous, one range a process");
  return check_buffer(view, why);
}
