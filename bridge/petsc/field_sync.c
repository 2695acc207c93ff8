/* A live field's array and vectors brought to the same state. */
#include "petsc_impl.h"

typedef struct dap_petsc_state dap_state;

/* ---- before and after --------------------------------------------------------------------------------- */

static dap_status check_access(const dap_petsc_field *field, dap_access needed, dap_error *err)
{
  DAP_REQUIRE(field && field->state, err, DAP_ERR_ARG, "the field is %s", field ? "no live view" : "NULL");
  DAP_REQUIRE(field->state->access & needed, err, DAP_ERR_ARG, "the field was not got with %s",
              needed == DAP_READ ? "DAP_READ" : "DAP_WRITE");
  return DAP_OK;
}

/* The buffer behind a vector was written to, which PETSc does not see by itself. */
static PetscErrorCode note_change(const dap_state *state)
{
  if (state->local && state->kit->shared_local) PetscCall(dap_vec_changed(state->local));
  return state->global && state->kit->shared_global ? dap_vec_changed(state->global) : 0;
}

static PetscErrorCode lock(const dap_state *state, bool on)
{
  const Vec vectors[] = {state->local, state->global};
  for (int i = 0; state->locked && i < 2; i++) {
    if (!vectors[i]) continue;
    if (on) PetscCall(VecLockReadPush(vectors[i]));
    if (!on) PetscCall(VecLockReadPop(vectors[i]));
  }
  return 0;
}

/* Not with locked vectors. */
static dap_status mark(const dap_state *state, dap_status before, dap_error *err)
{
  dap_catch caught;
  dap_catch_begin(&caught);
  const PetscErrorCode code = note_change(state);
  const dap_status s = dap_catch_end(&caught, code, "marking the vectors as changed", before ? NULL : err);
  return before ? before : s;
}

/* The same, agreed. */
static dap_status note(const dap_state *state, dap_status before, dap_error *err)
{
  return dap_agree(state->kit->comm, mark(state, before, err), err);
}

/* Begins a call: is there anything to work on? Not agreed: reductions would be a good part of a small halo update. */
static dap_status check_there(const dap_state *state, dap_error *err)
{
  return state->kit ? dap_petsc_is_here(err) : DAP_OK;
}

/* Ends a call: processes without a part agree, too. */
static dap_status settle(const dap_state *state, dap_status s, dap_error *err)
{
  return state->all == MPI_COMM_NULL || !dap_petsc_has_mpi() ? s : dap_agree(state->all, s, err);
}

/* What the caller has written since goes into the copy that is worked on. Agreed, where there is any. */
static dap_status renew(dap_state *state, int64_t *moved, dap_error *err)
{
  if (state->kit->shared_local || state->kit->shared_global) return DAP_OK;
  *moved += dap_work_bytes(&state->work);
  return dap_agree(state->kit->comm, dap_work_renew(&state->work, err), err);
}

/* ---- the three ---------------------------------------------------------------------------------------- */

static dap_status load(dap_state *state, int64_t *moved, dap_error *err)
{
  dap_catch caught;
  DAP_TRY(renew(state, moved, err));
  dap_catch_begin(&caught);
  dap_status s = dap_catch_end(&caught, lock(state, false), "unlocking the vectors", err);
  s = dap_agree(state->kit->comm, s, err);
  if (!s) s = dap_field_in(state, moved, err);
  s = note(state, s, err);
  dap_catch_begin(&caught);
  const dap_status locked = dap_catch_end(&caught, lock(state, true), "locking the vectors", s ? NULL : err);
  return dap_agree(state->kit->comm, s ? s : locked, err);
}

dap_status dap_petsc_field_load(dap_petsc_field *field, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  DAP_TRY(check_access(field, DAP_READ, err));
  dap_state *state = field->state;
  dap_status s = check_there(state, err);
  if (!s && state->kit) s = load(state, &field->moved_bytes, err);
  return settle(state, s, err);
}

dap_status dap_petsc_field_store(dap_petsc_field *field, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  DAP_TRY(check_access(field, DAP_WRITE, err));
  dap_state *state = field->state;
  dap_status s = check_there(state, err);
  if (!s && state->kit) s = note(state, dap_field_out(state, &field->moved_bytes, err), err);
  return settle(state, s, err);
}

dap_status dap_petsc_field_halo(dap_petsc_field *field, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  DAP_TRY(check_access(field, DAP_WRITE, err));
  dap_state *state = field->state;
  int64_t not_counted = 0;
  dap_status s = check_there(state, err);
  if (!s && state->kit) s = renew(state, &not_counted, err);
  if (!s && state->kit) s = mark(state, dap_field_pad(state, err), err);
  return settle(state, s, err);
}
