/* An array as a vector without a grid: get and restore. */
#include "vector_impl.h"

#include <stdlib.h>

typedef struct dap_petsc_vector_state dap_state;

/* ---- moving --------------------------------------------------------------------------------------- */

/* The array that is worked on, as one end of a plan. */
static dap_side array_side(const dap_state *state)
{
  return (dap_side){.layout = state->layout, .strides = state->work.array.strides};
}

/* Plans all that get and restore move. Collective. */
static dap_status plan_moves(dap_state *state, dap_error *err)
{
  const dap_side array = array_side(state);
  const int64_t itemsize = (int64_t)sizeof(PetscScalar);
  const dap_plan_options fill = {.fill_halos = true};
  const bool reads = state->access & DAP_READ, writes = state->access & DAP_WRITE;
  if (state->entries != DAP_ENTRIES_MOVED)
    return writes && dap_has_halo(state->layout)
               ? dap_plan_create_halo(state->comm, &array, itemsize, NULL, &state->out, err)
               : DAP_OK;
  if (reads) DAP_TRY(dap_plan_create(state->comm, &array, &state->target, itemsize, NULL, &state->in, err));
  return writes ? dap_plan_create(state->comm, &state->target, &array, itemsize, &fill, &state->out, err)
                : DAP_OK;
}

/* The vector's memory while a plan works on it. Giving it back marks the vector as changed if it was written to. */
static PetscErrorCode borrow(Vec vec, bool write, PetscScalar **memory)
{
  if (write) PetscCall(VecGetArray(vec, memory));
  if (!write) PetscCall(VecGetArrayRead(vec, (const PetscScalar **)memory));
  return 0;
}

static PetscErrorCode give_back(Vec vec, bool write, PetscScalar **memory)
{
  if (write) PetscCall(VecRestoreArray(vec, memory));
  if (!write) PetscCall(VecRestoreArrayRead(vec, (const PetscScalar **)memory));
  return 0;
}

/* Runs the plan between array and vector, `in` or out. Collective. */
static dap_status move(const dap_state *state, bool in, int64_t *moved, dap_error *err)
{
  dap_plan *plan = in ? state->in : state->out;
  PetscScalar *memory = NULL;
  dap_catch caught;
  if (!plan) return DAP_OK;
  if (state->entries != DAP_ENTRIES_MOVED)
    return dap_agree(state->comm, dap_plan_run(plan, state->work.array.data, state->work.array.data, err),
                     err);
  dap_catch_begin(&caught);
  const dap_status lent =
      dap_catch_end(&caught, borrow(state->vec, in, &memory), "borrowing the vector's memory", err);
  dap_status s = dap_agree(state->comm, lent, err);
  if (!s) {
    s = dap_plan_run(plan, in ? state->work.array.data : memory, in ? (void *)memory : state->work.array.data,
                     err);
    const dap_plan_stats stats = dap_plan_stats_get(plan);
    *moved += stats.bytes_local + stats.bytes_sent;
  }
  dap_catch_begin(&caught);
  const PetscErrorCode code = lent ? 0 : give_back(state->vec, in, &memory);
  const dap_status given = dap_catch_end(&caught, code, "giving the vector's memory back", s ? NULL : err);
  return dap_agree(state->comm, s ? s : given, err);
}

/* What was left in a copy goes back to the caller's buffer. */
static dap_status turn_back(const dap_state *state, int64_t *moved, dap_error *err)
{
  if (!(state->access & DAP_WRITE)) return DAP_OK;
  *moved += dap_work_bytes(&state->work);
  return dap_agree(state->comm, dap_work_give(&state->work, err), err);
}

/* ---- get and restore ------------------------------------------------------------------------------ */

static dap_status lock(dap_state *state, dap_error *err)
{
  dap_catch caught;
  dap_catch_begin(&caught);
  const PetscErrorCode code = VecLockReadPush(state->vec);
  state->locked = code == 0;
  return dap_catch_end(&caught, code, "locking the vector", err);
}

static dap_status make_vector(MPI_Comm comm, dap_state *state, dap_petsc_vector *vector, dap_error *err)
{
  DAP_TRY(dap_vector_decide(state, vector, err));
  if (!vector->shared) DAP_TRY(dap_agree(comm, dap_vector_lay(state, err), err));
  DAP_TRY(dap_petsc_start(comm, err));
  DAP_TRY(dap_vector_make(comm, state, err));
  DAP_TRY(plan_moves(state, err));
  DAP_TRY(move(state, true, &vector->moved_bytes, err));
  dap_plan_destroy(&state->in);
  vector->moved_bytes += dap_work_bytes(&state->work);
  return state->access == DAP_READ ? dap_agree(comm, lock(state, err), err) : DAP_OK;
}

dap_status dap_petsc_vector_get(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                                dap_access access, const dap_petsc_vector_options *options,
                                dap_petsc_vector *vector, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  if (vector) *vector = (dap_petsc_vector){0};
  DAP_REQUIRE(comm != MPI_COMM_NULL, err, DAP_ERR_ARG, "comm is MPI_COMM_NULL");

  dap_state *state = calloc(1, sizeof *state);
  dap_status s = state ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a vector");
  if (state) state->comm = MPI_COMM_NULL;
  if (!s && !vector) s = dap_fail(err, DAP_ERR_ARG, "vector is NULL");
  if (!s) s = dap_vector_fill(state, comm, layout, array, access, options, err);
  s = dap_agree(comm, s, err);
  if (!s) s = dap_agree(comm, dap_petsc_comm(comm, &state->comm, err), err);
  if (!s) s = dap_agree(comm, dap_vector_check_same(state, err), err);
  if (!s) s = make_vector(comm, state, vector, err);
  if (s) {
    if (state) (void)dap_vector_destroy(state, NULL);
    if (vector) *vector = (dap_petsc_vector){0};
    return s;
  }
  vector->vec = state->vec;
  vector->ao = state->ao;
  vector->state = state;
  return DAP_OK;
}

static dap_status take_back(const dap_state *state, int64_t *moved, dap_error *err)
{
  DAP_TRY(dap_petsc_is_there(state->comm, err));
  DAP_TRY(move(state, false, moved, err));
  return turn_back(state, moved, err);
}

dap_status dap_petsc_vector_restore(dap_petsc_vector *vector, dap_error *err)
{
  if (!vector || !vector->state) return DAP_OK;
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  const dap_status s = take_back(vector->state, &vector->moved_bytes, err);
  const dap_status ended = dap_vector_destroy(vector->state, s ? NULL : err);
  vector->vec = NULL;
  vector->ao = NULL;
  vector->state = NULL;
  return s ? s : ended;
}
