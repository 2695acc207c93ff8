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
  DAP_TRY(dap_petsc_start(view->comm, err));
  if (view->member >= 0)
    s = dap_dm_create(view->is_apart ? view->part : view->caller, &form->grid, &state->dm, err);
  return dap_agree(view->comm, s, err);
}

/* The global vector first: nothing fails on a process alone before the last collective step. */
static PetscErrorCode make_vectors(const dap_view *view)
{
  const dap_field_form *form = view->form;
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
  return dap_dm_set_order(state->dm, form->grid.order);
}

dap_status dap_field_open(dap_view *view, dap_error *err)
{
  DAP_TRY(take_dm(view, err));
  if (view->member < 0) return DAP_OK;
  return DAP_CATCH(make_vectors(view), "making the vectors", err);
}

/* ---- close ------------------------------------------------------------------------------------------ */

/* With its last reference a DMDA takes along what it could be known by again. */
static PetscErrorCode destroy(const dap_view *view)
{
  dap_field_form *form = view->form;
  dap_field_state *state = view->state;
  PetscInt references = 0;
  for (int t = 0; t < DAP_FIELD_VECTORS; t++) PetscCall(dap_view_vec_destroy(dap_view_vec_of(view, t)));
  PetscCall(PetscObjectGetReference((PetscObject)state->dm, &references));
  form->is_over = references == 1;
  return DMDestroy(&state->dm);
}

dap_status dap_field_close(dap_view *view, dap_error *err)
{
  const dap_field_state *state = view->state;
  dap_field_form *form = view->form;
  if (view->member < 0) form->is_over = true; /* as far as is known here */
  if (!state->dm) return DAP_OK;
  return DAP_CATCH(destroy(view), "destroying the vectors", err);
}
