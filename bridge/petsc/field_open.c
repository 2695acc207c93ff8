/* A field's objects: its DMDA and vectors, and their memory. */
#include "field_impl.h"

/* ---- open ------------------------------------------------------------------------------------------- */

/* The caller's DMDA, or a new one: on the caller's communicator, on which PETSc keeps what it knows of it,
 * if that will do. Collective; agreed. */
static dap_status take_dm(dap_view *view, dap_error *err)
{
  const dap_field_form *form = view->form;
  dap_field_state *state = view->state;
  dap_status s = DAP_OK;
  if (dap_field_dm_is_given(view)) {
    state->dm = dap_field_own_dm(view);
    if (state->dm) (void)PetscObjectReference((PetscObject)state->dm);
    return DAP_OK;
  }
  if (view->member >= 0)
    s = dap_dm_create(view->is_apart ? view->part : view->caller, &form->grid, &state->dm, err);
  return dap_agree(view->comm, s, err);
}

/* The global vector first: nothing fails on a process alone before the last collective step. */
static PetscErrorCode make_vectors(const dap_view *view)
{
  dap_field_form *form = view->form;
  const dap_field_state *state = view->state;
  const dap_view_target *local = &view->targets[DAP_FIELD_LOCAL], *global = &view->targets[DAP_FIELD_GLOBAL];
  char *elements = view->local.data, *points = elements ? elements + dap_box_offset(&form->array) : NULL;
  if (global->wanted)
    PetscCall(
        dap_vec_global(state->dm, global->shared, points, &dap_view_vec_of(view, DAP_FIELD_GLOBAL)->vec));
  if (local->wanted)
    PetscCall(
        dap_vec_local(state->dm, local->shared, elements, &dap_view_vec_of(view, DAP_FIELD_LOCAL)->vec));
  for (int t = 0; t < DAP_FIELD_VECTORS; t++) {
    dap_view_vec_of(view, t)->is_readonly = view->access == DAP_READ;
    PetscCall(dap_view_vec_lock(dap_view_vec_of(view, t)));
  }
  return dap_dm_remember(state->dm, form->grid.order, &form->memo);
}

dap_status dap_field_open(dap_view *view, dap_error *err)
{
  DAP_TRY(take_dm(view, err));
  if (view->member < 0) return DAP_OK;
  return DAP_CATCH(make_vectors(view), "making the vectors", err);
}

/* ---- close ------------------------------------------------------------------------------------------ */

/* Goes on after an error, so that all are destroyed. */
static PetscErrorCode destroy(dap_field_state *state)
{
  PetscErrorCode first = 0;
  for (int t = 0; t <= DAP_FIELD_VECTORS; t++) {
    const PetscErrorCode code =
        t < DAP_FIELD_VECTORS ? dap_view_vec_destroy(&state->vectors[t]) : DMDestroy(&state->dm);
    if (!first) first = code;
  }
  return first;
}

dap_status dap_field_close(dap_view *view, dap_error *err)
{
  dap_field_state *state = view->state;
  return state->dm ? DAP_CATCH(destroy(state), "destroying the vectors", err) : DAP_OK;
}
