/* Between the array and the vectors, as the plans of the kit say. */
#include "petsc_impl.h"

typedef struct dap_petsc_state dap_state;

/* ---- the vectors' memory ------------------------------------------------------------------------------ */

/* While a plan works on it. Giving it back marks the vectors as changed if they are written; also those without an
 * entry here, whose memory is NULL: or else norms would be known here and asked for by the others. */
static PetscErrorCode borrow(const dap_state *state, bool write, void *memory[DAP_MEMORY_COUNT],
                             bool lent[DAP_MEMORY_COUNT])
{
  const Vec vectors[DAP_MEMORY_COUNT] = {
      [DAP_MEMORY_LOCAL] = state->local, [DAP_MEMORY_GLOBAL] = state->global};
  memory[DAP_MEMORY_ARRAY] = state->work.array.data;
  for (int i = 0; i < DAP_MEMORY_COUNT; i++) {
    if (!vectors[i]) continue;
    if (write) PetscCall(VecGetArray(vectors[i], (PetscScalar **)&memory[i]));
    if (!write) PetscCall(VecGetArrayRead(vectors[i], (const PetscScalar **)&memory[i]));
    lent[i] = true;
  }
  return 0;
}

static PetscErrorCode give_back(const dap_state *state, bool write, void *memory[DAP_MEMORY_COUNT],
                                const bool lent[DAP_MEMORY_COUNT])
{
  const Vec vectors[DAP_MEMORY_COUNT] = {
      [DAP_MEMORY_LOCAL] = state->local, [DAP_MEMORY_GLOBAL] = state->global};
  for (int i = 0; i < DAP_MEMORY_COUNT; i++) {
    if (!lent[i]) continue;
    if (write) PetscCall(VecRestoreArray(vectors[i], (PetscScalar **)&memory[i]));
    if (!write) PetscCall(VecRestoreArrayRead(vectors[i], (const PetscScalar **)&memory[i]));
  }
  return 0;
}

/* Runs plans that write to the vectors, or read from them. Collective. */
static dap_status move(const dap_state *state, const dap_steps *steps, bool write, int64_t *moved,
                       dap_error *err)
{
  if (steps->count == 0) return DAP_OK;
  void *memory[DAP_MEMORY_COUNT] = {NULL};
  bool lent[DAP_MEMORY_COUNT] = {false};
  dap_catch caught;
  dap_catch_begin(&caught);
  dap_status s =
      dap_catch_end(&caught, borrow(state, write, memory, lent), "borrowing a vector's memory", err);
  s = dap_agree(state->kit->comm, s, err);
  if (!s) s = dap_steps_run(steps, memory, moved, err);
  dap_catch_begin(&caught);
  const PetscErrorCode code = give_back(state, write, memory, lent);
  const dap_status given = dap_catch_end(&caught, code, "giving a vector's memory back", s ? NULL : err);
  return dap_agree(state->kit->comm, s ? s : given, err);
}

/* ---- the array ---------------------------------------------------------------------------------------- */

/* What was left in a copy goes back to the caller's buffer. Where a vector shares the buffer no process has a copy. */
static dap_status turn_back(const dap_state *state, dap_status before, int64_t *moved, dap_error *err)
{
  dap_status s = before;
  if (!s && !state->kit->shared_local && !state->kit->shared_global) {
    *moved += dap_work_bytes(&state->work);
    s = dap_work_give(&state->work, err);
  }
  return dap_agree(state->kit->comm, s, err);
}

static dap_status pad(const dap_state *state, dap_error *err)
{
  int64_t not_counted = 0;
  void *const memory[DAP_MEMORY_COUNT] = {[DAP_MEMORY_ARRAY] = state->work.array.data};
  return dap_steps_run(&state->kit->pad, memory, &not_counted, err);
}

/* Boundary ghost points that no vector has are left as the caller has them by now, not as an old copy does. */
static dap_status renew_edges(dap_state *state, int64_t *moved, dap_error *err)
{
  const dap_ghosted_box *array = &state->kit->array;
  bool has_edges = false;
  for (int k = 0; k < array->grid_ndim; k++)
    has_edges = has_edges || dap_box_edge(array, k, 0) > 0 || dap_box_edge(array, k, 1) > 0;
  if (!has_edges || state->options.vectors & DAP_PETSC_LOCAL) return DAP_OK;
  *moved += dap_work_bytes(&state->work);
  return dap_agree(state->kit->comm, dap_work_renew(&state->work, err), err);
}

dap_status dap_field_in(dap_state *state, int64_t *moved, dap_error *err)
{
  return move(state, &state->kit->in, true, moved, err);
}

dap_status dap_field_out(dap_state *state, int64_t *moved, dap_error *err)
{
  if (!(state->access & DAP_WRITE)) return DAP_OK;
  DAP_TRY(renew_edges(state, moved, err));
  DAP_TRY(move(state, &state->kit->out, false, moved, err));
  return turn_back(state, pad(state, err), moved, err);
}

dap_status dap_field_pad(dap_state *state, dap_error *err)
{
  int64_t not_counted = 0;
  const dap_status s = pad(state, err);
  if (state->kit->shared_local || state->kit->shared_global) return s;
  return turn_back(state, s, &not_counted, err);
}
