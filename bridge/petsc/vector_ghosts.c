/* Finds the entries of a shared vector that the ghosts of its processes copy. They are found once for all
 * vectors of a kind, because they are the same in every buffer. */
#include "vector_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* The ghosts of this process along the form's axis, at index 0 of all other axes. */
typedef struct search {
  int64_t count;
  int64_t *global; /* [count][axes] */
  int64_t *local;  /* [count][axes] positions at their owners */
  int *owners;     /* [count] processes of view->layout */
  int64_t *first;  /* [processes along the axis + 1] number of indices that the processes before own */
} search;

/* Lists the ghosts of this process along the axis. Its own elements come first, as dap_vector_share() has
 * checked. */
static dap_status list_ghosts(const dap_view *view, search *s, dap_error *err)
{
  const dap_vector_form *form = view->form;
  const int ndim = dap_layout_ndim(view->layout), axis = form->axis;
  int64_t at[DAP_MAX_NDIM] = {0};
  const int coord = dap_petsc_coord(view, axis);
  if (view->member < 0) return DAP_OK;
  const int64_t owned = dap_layout_owned(view->layout, axis, coord);
  if (form->inner > 0) s->count = dap_layout_extent(view->layout, axis, coord) - owned;
  const size_t words = (size_t)s->count * (size_t)ndim + 1;
  s->global = calloc(words, sizeof *s->global);
  s->local = calloc(words, sizeof *s->local);
  s->owners = calloc(words, sizeof *s->owners);
  s->first = calloc((size_t)dap_layout_procs(view->layout, axis) + 1, sizeof *s->first);
  DAP_REQUIRE(s->global && s->local && s->owners && s->first, err, DAP_ERR_NOMEM,
              "no memory to look up %" PRId64 " ghosts", s->count);
  for (int64_t i = 0; i < s->count; i++) {
    int64_t *global = s->global + i * ndim;
    at[axis] = owned + i;
    DAP_TRY(dap_layout_globalize(view->layout, view->member, at, global, NULL, err));
    for (int k = 0; k < ndim; k++)
      if (k != axis) global[k] = 0;
  }
  return DAP_OK;
}

/* Numbers ghosts as entries: by position in the owned parts, process by process along the axis. */
static dap_status number_ghosts(const dap_view *view, const search *s, dap_error *err)
{
  dap_vector_form *form = view->form;
  const int ndim = dap_layout_ndim(view->layout), axis = form->axis;
  const int64_t blocks = form->inner / dap_vector_block_size(view);
  form->ghost_count = 0;
  form->ghosts = calloc((size_t)(s->count * blocks) + 1, sizeof *form->ghosts);
  DAP_REQUIRE(form->ghosts, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " ghosts", s->count);
  for (int c = 0; c < dap_layout_procs(view->layout, axis); c++)
    s->first[c + 1] = s->first[c] + dap_layout_owned(view->layout, axis, c);
  for (int64_t i = 0; i < s->count; i++) {
    int coords[DAP_MAX_NDIM] = {0};
    dap_layout_coords(view->layout, s->owners[i], coords);
    const int64_t index = s->first[coords[axis]] + s->local[i * ndim + axis];
    for (int64_t j = 0; j < blocks; j++) form->ghosts[form->ghost_count++] = (PetscInt)(index * blocks + j);
  }
  return DAP_OK;
}

static dap_status find_ghosts(const dap_view *view, search *s, dap_error *err)
{
  if (view->member < 0) return DAP_OK;
  DAP_TRY(dap_layout_lookup(view->part, view->layout, s->count, s->global, s->owners, s->local, err));
  return number_ghosts(view, s, err);
}

dap_status dap_vector_plan(dap_view *view, dap_error *err)
{
  const dap_vector_form *form = view->form;
  search s = {0};
  if (!view->targets[0].shared || !form->is_ghosted) return dap_view_plan_usual(view, err);
  dap_status status = dap_agree(view->comm, list_ghosts(view, &s, err), err);
  if (!status) status = dap_agree(view->comm, find_ghosts(view, &s, err), err);
  free(s.global);
  free(s.local);
  free(s.owners);
  free(s.first);
  return status;
}

void dap_vector_release(void *form)
{
  free(((dap_vector_form *)form)->ghosts);
}
