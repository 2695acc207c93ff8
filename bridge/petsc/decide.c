/* Share or move: what the processes decide together before PETSc is asked for anything. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct dap_petsc_state dap_state;

const char dap_not_wanted[] = "not wanted";

dap_status dap_find_order(MPI_Comm comm, const dap_ghosted_box *array, const void *data, dap_order wanted,
                          dap_order *order, dap_error *err)
{
  const int here[2] = {wanted ? wanted == DAP_ORDER_C : !dap_share_whole(array, data, DAP_ORDER_C, NULL),
                       wanted ? wanted == DAP_ORDER_F : !dap_share_whole(array, data, DAP_ORDER_F, NULL)};
  int everywhere[2] = {0, 0};
  DAP_TRY(dap_petsc_mpi(MPI_Allreduce(here, everywhere, 2, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err));
  *order = everywhere[1] && !everywhere[0] ? DAP_ORDER_F : DAP_ORDER_C;
  return DAP_OK;
}

/* Whose ranges the DMDA has: those it was given with, else the array's own if PETSc takes them, else even ones; and
 * *why says why not the array's. Not collective; the same on every process. */
static dap_status choose_ownership(dap_kit *kit, const dap_ownership *given, dap_order wanted,
                                   dap_ownership *ownership, dap_error *why, dap_error *err)
{
  dap_grid *grid = &kit->grid;
  if (given) {
    grid->own_ranges = dap_share_ownership(&kit->array, given, why) == DAP_OK;
    return DAP_OK;
  }
  grid->own_ranges = dap_share_ranges(&kit->array, grid->width, why) == DAP_OK;
  if (grid->own_ranges) return dap_ownership_of_array(&kit->array, ownership, err);
  if (!wanted) grid->order = DAP_ORDER_C;
  return dap_ownership_even(&kit->array, grid->width, dap_layout_nprocs(kit->array.layout), ownership, err);
}

/* The boxes of the DMDA's vectors. Not collective; the same on every process. */
static dap_status lay_grid(dap_kit *kit, const dap_ownership *given, dap_order wanted, dap_error *why,
                           dap_error *err)
{
  dap_ownership own = {0};
  dap_grid *grid = &kit->grid;
  int rank = 0;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_rank(kit->comm, &rank), "MPI_Comm_rank", err));
  dap_status s = choose_ownership(kit, given, wanted, &own, why, err);
  const dap_ownership *ownership = given ? given : &own;
  if (!s) s = dap_box_of_dmda(&kit->array, ownership, grid->width, grid->order, rank, &grid->local, err);
  if (!s) s = dap_box_of_dmda(&kit->array, ownership, 0, grid->order, rank, &grid->global, err);
  dap_ownership_release(&own);
  return s;
}

/* What of it only this process can tell. */
static dap_status ask_here(const dap_state *state, const dap_kit *kit, bool local, dap_error *why)
{
  const void *data = state->work.array.data;
  DAP_TRY(dap_work_shares(&state->work, why));
  return local ? dap_share_whole(&kit->array, data, kit->grid.order, why)
               : dap_share_points(&kit->array, data, kit->grid.order, why);
}

/* The predicate for one vector: DAP_OK or DAP_ERR_SHARE with the first condition that fails. */
static dap_status ask(const dap_state *state, const dap_kit *kit, bool local, const dap_error *ranges,
                      dap_error *why)
{
  if (!kit->grid.own_ranges) *why = *ranges;
  if (!kit->grid.own_ranges) return DAP_ERR_SHARE;
  if (local) DAP_TRY(dap_share_ghosts(&kit->array, &kit->grid.local, why));
  return dap_agree(kit->comm, ask_here(state, kit, local, why), why);
}

/* The predicate, and what the caller makes of it. */
static dap_status decide(const dap_state *state, const dap_kit *kit, bool local, const dap_error *ranges,
                         bool *shared, char reason[DAP_ERROR_TEXT], dap_error *err)
{
  const dap_sharing sharing = state->options.sharing;
  const bool wanted = state->options.vectors & (local ? DAP_PETSC_LOCAL : DAP_PETSC_GLOBAL);
  dap_error why = {.rank = -1};
  *shared = false;
  if (!wanted || sharing == DAP_SHARE_NEVER) {
    (void)snprintf(reason, DAP_ERROR_TEXT, "%s", wanted ? "a copy was asked for" : dap_not_wanted);
    return DAP_OK;
  }
  const dap_status s = ask(state, kit, local, ranges, &why);
  if (s)
    (void)snprintf(reason, DAP_ERROR_TEXT, "%s", why.text);
  else if (local)
    (void)snprintf(reason, DAP_ERROR_TEXT,
                   "the buffer is contiguous, its padding %" PRId64 " ghost points wide", kit->grid.width);
  else
    (void)snprintf(reason, DAP_ERROR_TEXT, "the owned part of the buffer is contiguous");
  *shared = s == DAP_OK;
  if (*shared || (s == DAP_ERR_SHARE && sharing == DAP_SHARE_IF_POSSIBLE)) return DAP_OK;
  (void)dap_fail(err, s, "the %s vector cannot share the buffer: %.400s", local ? "local" : "global",
                 why.text);
  if (err) err->rank = why.rank < 0 ? 0 : why.rank;
  return s;
}

dap_status dap_decide(const dap_state *state, const dap_ownership *given, dap_kit *kit, dap_error *err)
{
  dap_error ranges = {.rank = -1};
  const dap_order wanted = state->options.order;
  const void *data = state->work.array.data;
  if (!given) {
    const dap_status s = dap_find_order(kit->comm, &kit->array, data, wanted, &kit->grid.order, err);
    DAP_TRY(dap_agree(kit->comm, s, err));
  }
  DAP_TRY(dap_agree(kit->comm, lay_grid(kit, given, wanted, &ranges, err), err));
  DAP_TRY(decide(state, kit, true, &ranges, &kit->shared_local, kit->reason_local, err));
  return decide(state, kit, false, &ranges, &kit->shared_global, kit->reason_global, err);
}
