/* The axes of the caller's array that a field is of: a layout of their own, and a window of the buffer. */
#include "petsc_impl.h"

#include <stdlib.h>

typedef struct dap_petsc_state dap_state;

/* Where this process' buffer has the index along an axis that is left out. It owns it. */
static int64_t position_of(const dap_layout *layout, int k, int coord, int64_t index)
{
  for (dap_run run = {0}; dap_layout_next_run(layout, k, coord, &run);)
    if (index >= run.global && index < run.global + run.length) return run.local + index - run.global;
  return 0;
}

/* The window of a member's buffer that is the section, without dictionaries, which no protocol may have for it. */
static void cut_window(dap_state *state, const dap_layout *layout, const dap_array *array, int rank)
{
  const dap_petsc_field_options *o = &state->options;
  int coords[DAP_MAX_NDIM] = {0}, at[DAP_MAX_NDIM] = {0};
  bool picked[DAP_MAX_NDIM] = {false};
  dap_layout_coords(layout, rank, coords);
  dap_layout_coords(state->layout, state->rank, at);
  dap_array *window = &state->section;
  *window = *array;
  window->release = NULL;
  window->ndim = window->dim_count = o->part.naxes;
  for (int j = 0; j < o->part.naxes; j++) {
    const int k = o->part.axes[j];
    window->shape[j] = dap_layout_extent(state->layout, j, at[j]);
    window->strides[j] = k < 0 ? dap_dtype_size(array->dtype) : array->strides[k];
    if (k >= 0) picked[k] = true;
  }
  for (int k = 0; k < array->ndim && dap_array_count(array) > 0; k++)
    if (!picked[k])
      window->data =
          (char *)window->data +
          array->strides[k] * position_of(layout, k, coords[k], o->part.start ? o->part.start[k] : 0);
}

/* The axes that are asked for, on the processes that have the index along the others. */
dap_status dap_state_section(dap_state *state, const dap_layout *layout, const dap_array *array, int rank,
                             dap_error *err)
{
  const dap_petsc_field_options *o = &state->options;
  const int nprocs = dap_layout_nprocs(layout);
  int *ranks = malloc((size_t)nprocs * sizeof *ranks);
  DAP_REQUIRE(ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", nprocs);
  int64_t start[DAP_MAX_NDIM] = {0}; /* along the axes that are kept it does not count */
  for (int k = 0; k < dap_layout_ndim(layout) && o->part.start; k++) start[k] = o->part.start[k];
  for (int j = 0; j < o->part.naxes; j++)
    if (o->part.axes[j] >= 0 && o->part.axes[j] < dap_layout_ndim(layout)) start[o->part.axes[j]] = 0;
  const dap_part part = {.naxes = o->part.naxes, .axes = o->part.axes, .start = start};
  dap_status s = dap_layout_part(layout, &part, &state->layout, ranks, err);
  state->is_apart = !s && dap_layout_nprocs(state->layout) < nprocs;
  for (int i = 0; !s && i < dap_layout_nprocs(state->layout); i++) {
    if (ranks[i] != i) state->is_apart = true;
    if (ranks[i] != rank) continue;
    state->is_member = true;
    state->rank = i;
  }
  free(ranks);
  DAP_TRY(s);
  if (state->is_member) cut_window(state, layout, array, rank);
  return DAP_OK;
}
