/* An array as a DMDA with vectors: get and restore. */
#include "petsc_impl.h"

#include <stdlib.h>

typedef struct dap_petsc_state dap_state;

static bool wants(const dap_state *state, unsigned vector)
{
  return (state->options.vectors & vector) != 0;
}

/* ---- what is made --------------------------------------------------------------------------------- */

static PetscErrorCode make_vectors(dap_state *state, const dap_petsc_field *field)
{
  char *points = state->work.array.data;
  if (points) points += dap_frame_offset(&state->array);
  if (wants(state, DAP_PETSC_GLOBAL))
    PetscCall(dap_vec_global(state->dm, field->shared_global, points, &state->global));
  if (wants(state, DAP_PETSC_LOCAL))
    PetscCall(dap_vec_local(state->dm, field->shared_local, state->work.array.data, &state->local));
  return 0;
}

static PetscErrorCode lock_vectors(dap_state *state)
{
  state->locked = true;
  if (state->global) PetscCall(VecLockReadPush(state->global));
  if (state->local) PetscCall(VecLockReadPush(state->local));
  return 0;
}

/* Plans all that get and restore move. */
static dap_status plan_moves(dap_state *state, const dap_petsc_field *field, dap_error *err)
{
  const dap_end array = {&state->array, DAP_MEMORY_ARRAY};
  const dap_end local = {&state->grid.local, DAP_MEMORY_LOCAL};
  const dap_end global = {&state->grid.global, DAP_MEMORY_GLOBAL};
  const bool copy_local = state->local && !field->shared_local;
  const bool copy_global = state->global && !field->shared_global;
  if (state->access & DAP_READ && copy_local)
    DAP_TRY(dap_steps_copy(&state->in, state->comm, &array, &local, DAP_EXTENT_GHOSTS, err));
  if (state->access & DAP_READ && copy_global)
    DAP_TRY(dap_steps_copy(&state->in, state->comm, &array, &global, DAP_EXTENT_POINTS, err));
  if (!(state->access & DAP_WRITE)) return DAP_OK;
  if (copy_local && state->global)
    DAP_TRY(dap_steps_edges(&state->out, state->comm, &local, &array, err));
  else if (copy_local)
    DAP_TRY(dap_steps_copy(&state->out, state->comm, &local, &array, DAP_EXTENT_EDGES, err));
  if (copy_global) DAP_TRY(dap_steps_copy(&state->out, state->comm, &global, &array, DAP_EXTENT_POINTS, err));
  DAP_TRY(dap_steps_wrap(&state->out, state->comm, &array, err));
  return dap_steps_halo(&state->out, state->comm, &array, err);
}

/* ---- moving --------------------------------------------------------------------------------------- */

/* The memory of the vectors while a plan works on it. Giving it back marks the vectors as changed if they
 * are written. */
static PetscErrorCode borrow(const dap_state *state, bool write, void *memory[DAP_MEMORY_COUNT])
{
  const Vec vectors[DAP_MEMORY_COUNT] = {
      [DAP_MEMORY_LOCAL] = state->local, [DAP_MEMORY_GLOBAL] = state->global};
  memory[DAP_MEMORY_ARRAY] = state->work.array.data;
  for (int i = 0; i < DAP_MEMORY_COUNT; i++) {
    if (!vectors[i]) continue;
    if (write) PetscCall(VecGetArray(vectors[i], (PetscScalar **)&memory[i]));
    if (!write) PetscCall(VecGetArrayRead(vectors[i], (const PetscScalar **)&memory[i]));
  }
  return 0;
}

static PetscErrorCode give_back(const dap_state *state, bool write, void *memory[DAP_MEMORY_COUNT])
{
  const Vec vectors[DAP_MEMORY_COUNT] = {
      [DAP_MEMORY_LOCAL] = state->local, [DAP_MEMORY_GLOBAL] = state->global};
  for (int i = 0; i < DAP_MEMORY_COUNT; i++) {
    if (!memory[i] || !vectors[i]) continue;
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
  dap_catch caught;
  dap_catch_begin(&caught);
  dap_status s = dap_catch_end(&caught, borrow(state, write, memory), "borrowing a vector's memory", err);
  s = dap_agree(state->comm, s, err);
  if (!s) s = dap_steps_run(steps, memory, moved, err);
  dap_catch_begin(&caught);
  const PetscErrorCode code = give_back(state, write, memory);
  const dap_status given = dap_catch_end(&caught, code, "giving a vector's memory back", s ? NULL : err);
  return dap_agree(state->comm, s ? s : given, err);
}

/* What the plans left in a copy goes back to the caller's buffer. */
static dap_status turn_back(const dap_state *state, int64_t *moved, dap_error *err)
{
  if (!(state->access & DAP_WRITE)) return DAP_OK;
  *moved += dap_work_bytes(&state->work);
  return dap_agree(state->comm, dap_work_give(&state->work, err), err);
}

/* ---- get and restore ------------------------------------------------------------------------------ */

static dap_status make_field(MPI_Comm comm, dap_state *state, dap_petsc_field *field, dap_error *err)
{
  dap_catch caught;
  DAP_TRY(dap_decide(state, field, err));
  DAP_TRY(dap_petsc_start(comm, err));
  DAP_TRY(dap_dm_create(comm, &state->grid, &state->dm, err));
  dap_catch_begin(&caught);
  PetscErrorCode code = make_vectors(state, field);
  dap_status s = dap_catch_end(&caught, code, "making the vectors", err);
  DAP_TRY(dap_agree(state->comm, s, err));
  DAP_TRY(plan_moves(state, field, err));
  DAP_TRY(move(state, &state->in, true, &field->moved_bytes, err));
  dap_steps_release(&state->in);
  field->moved_bytes += dap_work_bytes(&state->work);
  if (state->access != DAP_READ) return DAP_OK;
  dap_catch_begin(&caught);
  code = lock_vectors(state);
  s = dap_catch_end(&caught, code, "locking the vectors", err);
  return dap_agree(state->comm, s, err);
}

dap_status dap_petsc_field_get(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                               dap_access access, const dap_petsc_options *options, dap_petsc_field *field,
                               dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  if (field) *field = (dap_petsc_field){0};
  DAP_REQUIRE(comm != MPI_COMM_NULL, err, DAP_ERR_ARG, "comm is MPI_COMM_NULL");

  dap_state *state = calloc(1, sizeof *state);
  dap_status s = state ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a field");
  if (state) state->comm = MPI_COMM_NULL;
  if (!s && !field) s = dap_fail(err, DAP_ERR_ARG, "field is NULL");
  if (!s) s = dap_state_fill(state, comm, layout, array, access, options, err);
  s = dap_agree(comm, s, err);
  if (!s) s = dap_agree(comm, dap_petsc_comm(comm, &state->comm, err), err);
  if (!s) s = dap_agree(comm, dap_check_same(state, err), err);
  if (!s) s = make_field(comm, state, field, err);
  if (s) {
    if (state) (void)dap_state_destroy(state, NULL);
    if (field) *field = (dap_petsc_field){0};
    return s;
  }
  field->dm = state->dm;
  field->global = state->global;
  field->local = state->local;
  field->state = state;
  return DAP_OK;
}

dap_status dap_petsc_field_restore(dap_petsc_field *field, dap_error *err)
{
  if (!field || !field->state) return DAP_OK;
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  dap_state *state = field->state;
  dap_status s = dap_petsc_is_there(state->comm, err);
  if (!s) s = move(state, &state->out, false, &field->moved_bytes, err);
  if (!s) s = turn_back(state, &field->moved_bytes, err);
  const dap_status ended = dap_state_destroy(state, s ? NULL : err);
  field->dm = NULL;
  field->global = field->local = NULL;
  field->state = NULL;
  return s ? s : ended;
}
