/* Share or move: what the processes decide together before PETSc is asked for anything. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct dap_petsc_state dap_state;

const char dap_not_wanted[] = "not wanted";

/* Layouts or options that differ between processes would hang in what follows. */
dap_status dap_check_same(const dap_state *state, dap_error *err)
{
  static const char *const names[] = {
      "access",       "options: sharing",  "options: vectors",        "options: width", "options: star",
      "options: dof", "options: boundary", "options: strip_periodic", "options: lossy", "the layout"};
  const dap_petsc_options *o = &state->options;
  const uint64_t words[] = {(uint64_t)state->access,
                            (uint64_t)o->sharing,
                            o->vectors,
                            (uint64_t)o->width,
                            o->star,
                            o->dof,
                            (uint64_t)o->boundary,
                            o->strip_periodic,
                            o->lossy,
                            dap_layout_hash(state->array.layout)};
  return dap_agree_words(state->comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}

/* F order where every buffer is contiguous in it, and not every one in C order. */
static dap_status choose_order(dap_state *state, dap_error *err)
{
  const int here[2] = {!dap_share_whole(&state->array, state->work.array.data, DAP_ORDER_C, NULL),
                       !dap_share_whole(&state->array, state->work.array.data, DAP_ORDER_F, NULL)};
  int everywhere[2] = {0, 0};
  DAP_TRY(
      dap_petsc_mpi(MPI_Allreduce(here, everywhere, 2, MPI_INT, MPI_MIN, state->comm), "MPI_Allreduce", err));
  state->grid.order = everywhere[1] && !everywhere[0] ? DAP_ORDER_F : DAP_ORDER_C;
  return DAP_OK;
}

/* The frames of the DMDA's vectors: the array's own ranges if PETSc takes them, else an even grid, and
 * *why says why. Not collective; the same on every process. */
static dap_status lay_grid(dap_state *state, dap_error *why, dap_error *err)
{
  dap_grid *grid = &state->grid;
  int procs[DAP_GRID_MAX] = {0}, rank = 0;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_rank(state->comm, &rank), "MPI_Comm_rank", err));
  grid->width = state->options.width;
  grid->star = state->options.star;
  grid->own_ranges = dap_share_ranges(&state->array, grid->width, why) == DAP_OK;
  if (!grid->own_ranges) {
    grid->order = DAP_ORDER_C;
    DAP_TRY(dap_grid_choose(&state->array, grid->width, dap_layout_nprocs(state->array.layout), procs, err));
  }
  const int *even = grid->own_ranges ? NULL : procs;
  DAP_TRY(dap_frame_like(&state->array, even, grid->width, grid->order, rank, &grid->local, err));
  return dap_frame_like(&state->array, even, 0, grid->order, rank, &grid->global, err);
}

/* What of it only this process can tell. */
static dap_status ask_here(const dap_state *state, bool local, dap_error *why)
{
  DAP_TRY(dap_work_shares(&state->work, why));
  return local ? dap_share_whole(&state->array, state->work.array.data, state->grid.order, why)
               : dap_share_points(&state->array, state->work.array.data, state->grid.order, why);
}

/* The predicate for one vector: DAP_OK or DAP_ERR_SHARE with the first condition that fails. */
static dap_status ask(const dap_state *state, unsigned vector, const dap_error *ranges, dap_error *why)
{
  const dap_grid *grid = &state->grid;
  const bool local = vector == DAP_PETSC_LOCAL;
  if (!grid->own_ranges) *why = *ranges;
  if (!grid->own_ranges) return DAP_ERR_SHARE;
  if (local) DAP_TRY(dap_share_ghosts(&state->array, &grid->local, why));
  return dap_agree(state->comm, ask_here(state, local, why), why);
}

/* The predicate, and what the caller makes of it. */
static dap_status decide(const dap_state *state, unsigned vector, const dap_error *ranges, bool *shared,
                         char reason[DAP_ERROR_TEXT], dap_error *err)
{
  const bool local = vector == DAP_PETSC_LOCAL;
  const dap_sharing sharing = state->options.sharing;
  dap_error why = {.rank = -1};
  *shared = false;
  if (!(state->options.vectors & vector) || sharing == DAP_SHARE_NEVER) {
    const char *text = state->options.vectors & vector ? "a copy was asked for" : dap_not_wanted;
    (void)snprintf(reason, DAP_ERROR_TEXT, "%s", text);
    return DAP_OK;
  }
  const dap_status s = ask(state, vector, ranges, &why);
  if (s)
    (void)snprintf(reason, DAP_ERROR_TEXT, "%s", why.text);
  else if (local)
    (void)snprintf(reason, DAP_ERROR_TEXT,
                   "the buffer is contiguous, its padding %" PRId64 " ghost points wide", state->grid.width);
  else
    (void)snprintf(reason, DAP_ERROR_TEXT, "the owned part of the buffer is contiguous");
  *shared = s == DAP_OK;
  if (*shared || (s == DAP_ERR_SHARE && sharing == DAP_SHARE_IF_POSSIBLE)) return DAP_OK;
  (void)dap_fail(err, s, "the %s vector cannot share the buffer: %.400s", local ? "local" : "global",
                 why.text);
  if (err) err->rank = why.rank < 0 ? 0 : why.rank;
  return s;
}

dap_status dap_decide(dap_state *state, dap_petsc_field *field, dap_error *err)
{
  dap_error ranges = {.rank = -1};
  DAP_TRY(dap_agree(state->comm, choose_order(state, err), err));
  DAP_TRY(dap_agree(state->comm, lay_grid(state, &ranges, err), err));
  DAP_TRY(decide(state, DAP_PETSC_LOCAL, &ranges, &field->shared_local, field->reason_local, err));
  return decide(state, DAP_PETSC_GLOBAL, &ranges, &field->shared_global, field->reason_global, err);
}
