/* An array as a DMDA with vectors: get and restore. */
#include "petsc_impl.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct dap_petsc_state dap_state;

/* ---- what is made --------------------------------------------------------------------------------- */

/* And a reference to the DMDA, if it was given. */
static PetscErrorCode make_vectors(dap_state *state)
{
  const dap_kit *kit = state->kit;
  if (!state->dm) {
    PetscCall(PetscObjectReference((PetscObject)state->options.dm));
    state->dm = state->options.dm;
  }
  char *points = state->work.array.data;
  if (points) points += dap_box_offset(&kit->array);
  if (state->options.vectors & DAP_PETSC_GLOBAL)
    PetscCall(dap_vec_global(state->dm, kit->shared_global, points, &state->global));
  if (state->options.vectors & DAP_PETSC_LOCAL)
    PetscCall(dap_vec_local(state->dm, kit->shared_local, state->work.array.data, &state->local));
  return 0;
}

static PetscErrorCode lock_vectors(dap_state *state)
{
  state->locked = true;
  if (state->global) PetscCall(VecLockReadPush(state->global));
  if (state->local) PetscCall(VecLockReadPush(state->local));
  return 0;
}

/* The vectors, with the array's elements. Collective on the processes that have a part; agreed. */
static dap_status fill_vectors(dap_state *state, int64_t *moved, dap_error *err)
{
  MPI_Comm comm = state->kit->comm;
  dap_catch caught;
  dap_catch_begin(&caught);
  const PetscErrorCode code = make_vectors(state);
  DAP_TRY(dap_agree(comm, dap_catch_end(&caught, code, "making the vectors", err), err));
  DAP_TRY(dap_field_in(state, moved, err));
  *moved += dap_work_bytes(&state->work);
  if (state->access != DAP_READ) return DAP_OK;
  dap_catch_begin(&caught);
  const PetscErrorCode locked = lock_vectors(state);
  return dap_agree(comm, dap_catch_end(&caught, locked, "locking the vectors", err), err);
}

/* ---- whose it is ---------------------------------------------------------------------------------- */

/* Takes the kit that the DMDA keeps for the view, if every process finds it. */
static bool take_kept(MPI_Comm comm, dap_state *state, bool is_fit)
{
  const dap_vote vote = !is_fit || !state->is_apart ? DAP_VOTE_ALL
                        : state->is_member          ? DAP_VOTE_SOME
                                                    : DAP_VOTE_NONE;
  dap_kit *kit = is_fit && state->is_member ? dap_kit_find(state) : NULL;
  bool all = false;
  if (dap_kit_meet(comm, kit, vote, is_fit ? state->choice : 0, &all, NULL) || !all) return false;
  if (!kit) return true;
  kit->users++;
  state->kit = kit;
  return true;
}

/* On the processes that have a part of the section, in its order. */
static dap_status create_apart(MPI_Comm comm, dap_state *state, dap_error *err)
{
  MPI_Comm part = MPI_COMM_NULL;
  DAP_TRY(dap_petsc_start(comm, err));
  const int color = state->is_member ? 0 : MPI_UNDEFINED;
  const int code = MPI_Comm_split(state->all, color, state->rank, &part);
  DAP_TRY(dap_agree(comm, dap_petsc_mpi(code, "MPI_Comm_split", err), err));
  dap_status s = DAP_OK;
  if (state->is_member) s = dap_kit_create(part, state, &state->kit, &state->dm, err);
  if (part != MPI_COMM_NULL) (void)MPI_Comm_free(&part);
  return dap_agree(comm, s, err);
}

static dap_status create(MPI_Comm comm, dap_state *state, dap_error *err)
{
  if (state->is_apart) return create_apart(comm, state, err);
  return dap_kit_create(comm, state, &state->kit, &state->dm, err);
}

/* The view's DMDA and plans: kept ones, or new ones. Collective on `comm`; agreed. */
static dap_status find_or_create(MPI_Comm comm, dap_state *state, dap_status before, const dap_layout *layout,
                                 const dap_petsc_field_options *options, dap_error *err)
{
  const bool kept = take_kept(comm, state, before == DAP_OK);
  if (!kept) DAP_TRY(dap_agree(comm, before, err));
  if (!kept) DAP_TRY(dap_state_check_same(state, comm, layout, options, err));
  if (state->is_apart) DAP_TRY(dap_agree(comm, dap_petsc_comm(comm, &state->all, err), err));
  return kept ? DAP_OK : create(comm, state, err);
}

/* ---- get and restore ------------------------------------------------------------------------------ */

static void hand_over(const dap_state *state, dap_petsc_field *field)
{
  const dap_kit *kit = state->kit;
  field->dm = state->dm;
  field->global = state->global;
  field->local = state->local;
  field->shared_global = kit && kit->shared_global;
  field->shared_local = kit && kit->shared_local;
  const char *none = "this process has no part of it";
  (void)snprintf(field->reason_global, sizeof field->reason_global, "%s", kit ? kit->reason_global : none);
  (void)snprintf(field->reason_local, sizeof field->reason_local, "%s", kit ? kit->reason_local : none);
}

dap_status dap_petsc_field_get(MPI_Comm comm, dap_darray array, dap_access access,
                               const dap_petsc_field_options *options, dap_petsc_field *field, dap_error *err)
{
  const dap_layout *layout = array.layout;
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  if (field) *field = (dap_petsc_field){0};
  DAP_REQUIRE(comm != MPI_COMM_NULL, err, DAP_ERR_ARG, "comm is MPI_COMM_NULL");

  dap_state *state = calloc(1, sizeof *state);
  dap_status s = state ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a field");
  if (state) state->all = MPI_COMM_NULL;
  if (!s && !field) s = dap_fail(err, DAP_ERR_ARG, "field is NULL");
  if (!s) s = dap_state_fill(state, comm, layout, array.local, access, options, err);
  s = find_or_create(comm, state, s, layout, options, err);
  if (!s && state->kit) s = fill_vectors(state, &field->moved_bytes, err);
  if (state && state->all != MPI_COMM_NULL) s = dap_agree(comm, s, err);
  if (s) {
    if (state) (void)dap_state_destroy(state, NULL);
    if (field) *field = (dap_petsc_field){0};
    return s;
  }
  hand_over(state, field);
  field->state = state;
  return DAP_OK;
}

dap_status dap_petsc_field_restore(dap_petsc_field *field, dap_error *err)
{
  if (!field || !field->state) return DAP_OK;
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  dap_state *state = field->state;
  dap_status s = state->kit ? dap_petsc_is_there(state->kit->comm, err) : DAP_OK;
  if (!s && state->kit) s = dap_field_out(state, &field->moved_bytes, err);
  if (state->all != MPI_COMM_NULL && dap_petsc_has_mpi()) s = dap_agree(state->all, s, err);
  const dap_status ended = dap_state_destroy(state, s ? NULL : err);
  field->dm = NULL;
  field->global = field->local = NULL;
  field->state = NULL;
  return s ? s : ended;
}
