/* Makes and ends a field's objects: its DMDA and vectors. */
#include "field_impl.h"

/* Takes the caller's DMDA, or makes one. Collective; agreed. */
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
  if (view->member >= 0) s = dap_dm_create(dap_petsc_comm(view), &form->grid, &state->dm, err);
  return dap_agree(view->comm, s, err);
}

/* The global vector comes first, so that nothing fails on a single process before the last collective
 * step. */
static PetscErrorCode make_vectors(const dap_view *view)
{
  dap_field_form *form = view->form;
  const dap_field_state *state = view->state;
  char *elements = view->local.data, *points = elements ? elements + dap_box_offset(&form->array) : NULL;
  for (int t = DAP_FIELD_VECTORS - 1; t >= 0; t--) {
    dap_view_vec *v = dap_view_vec_of(view, t);
    const bool is_local = t == DAP_FIELD_LOCAL, is_shared = view->targets[t].shared;
    v->is_readonly = view->access == DAP_READ;
    if (!view->targets[t].wanted) continue;
    PetscCall(dap_vec_of_dm(state->dm, is_local, is_shared, is_local ? elements : points, &v->vec));
    PetscCall(dap_view_vec_lock(v));
  }
  return dap_dm_remember(state->dm, form->grid.order, &form->memo);
}

dap_status dap_field_open(dap_view *view, dap_error *err)
{
  DAP_TRY(take_dm(view, err));
  if (view->member < 0) return DAP_OK;
  return DAP_CATCH(make_vectors(view), "making the vectors", err);
}

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
