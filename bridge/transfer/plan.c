/* Plans: thought out here, run in run.c. */
#include "transfer_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of elements in messages -------------------------------------------------------- */

static int64_t magnitude(int64_t stride)
{
  return stride < 0 ? -stride : stride;
}

/* Axes by falling stride of this process' destination, those of one element first: written in that
 * order, the destination is walked through from low to high addresses. */
static void destination_order(const dap_ends *ends, int order[])
{
  int coords[DAP_MAX_NDIM];
  int64_t step[DAP_MAX_NDIM];
  dap_layout_coords(ends->to, ends->to_process, coords);
  for (int k = 0; k < ends->to->ndim; k++) {
    const bool single = dap_layout_extent(ends->to, k, coords[k]) <= 1;
    step[k] = single ? INT64_MAX : magnitude(ends->to_strides[k]);
    int at = k;
    for (; at > 0 && step[order[at - 1]] < step[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
}

/* Whether process number `process` of a layout has elements in its buffer. */
static bool has_elements(const dap_layout *layout, int process)
{
  if (process < 0) return false;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, process, coords);
  bool has = true;
  for (int k = 0; k < layout->ndim; k++) has = has && dap_layout_extent(layout, k, coords[k]) > 0;
  return has;
}

/* One order for all messages: that of the lowest rank with elements to write. Collective. */
static dap_status agree_order(MPI_Comm comm, const dap_ends *ends, int order[], dap_error *err)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) order[k] = k;
  const bool writes = has_elements(ends->to, ends->to_process);
  if (writes) destination_order(ends, order);
  const int mine = writes ? ends->rank : INT_MAX;
  int first = INT_MAX;
  DAP_TRY(dap_mpi_check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err));
  if (first == INT_MAX) return DAP_OK;
  return dap_mpi_check(MPI_Bcast(order, DAP_MAX_NDIM, MPI_INT, first, comm), "MPI_Bcast", err);
}

/* ---- made ------------------------------------------------------------------------------------- */

static void start_plan(dap_plan *plan, const dap_ends *ends)
{
  plan->ndim = ends->from->ndim;
  plan->from = dap_layout_retain(ends->from);
  plan->to = dap_layout_retain(ends->to);
  memcpy(plan->from_strides, ends->from_strides, sizeof plan->from_strides);
  memcpy(plan->to_strides, ends->to_strides, sizeof plan->to_strides);
  plan->itemsize = ends->itemsize;
  plan->rank = ends->rank;
  plan->holds_from = has_elements(ends->from, ends->from_process);
  plan->holds_to = has_elements(ends->to, ends->to_process);
}

static dap_status meet_listed(dap_plan *plan, const dap_ends *ends, const dap_reach reach[], dap_met met[],
                              dap_error *err)
{
  for (int k = 0; k < plan->ndim; k++)
    if (ends->from->maps[k].lists || ends->to->maps[k].lists)
      DAP_TRY(dap_meet(plan->comm, ends, k, reach[k], &met[k], err));
  return DAP_OK;
}

static dap_status create_exchange(dap_plan *plan, const dap_ends *ends, int tag, const dap_reach reach[],
                                  dap_met met[], dap_error *err)
{
  DAP_TRY(dap_exchange_create(ends, reach, met, &plan->exchanges[tag], err));
  return dap_messages_create(plan->comm, tag, ends->message_bytes, &plan->exchanges[tag], err);
}

/* One product. Collective, as what is listed must be asked for. */
static dap_status add_exchange(dap_plan *plan, const dap_ends *ends, const dap_reach reach[], dap_error *err)
{
  dap_met met[DAP_MAX_NDIM] = {0};
  const int tag = plan->exchange_count++;
  dap_status s = meet_listed(plan, ends, reach, met, err);
  if (!s) s = dap_agree(plan->comm, create_exchange(plan, ends, tag, reach, met, err), err);
  for (int k = 0; k < plan->ndim; k++) dap_met_release(&met[k]);
  return s;
}

/* What else must be equal on all processes, as one word: the products. */
static uint64_t variant_of(int count, int ndim, dap_reach reach[][DAP_MAX_NDIM])
{
  uint64_t hash = dap_hash(0, &count, sizeof count);
  for (int i = 0; i < count; i++) hash = dap_hash(hash, reach[i], (size_t)ndim * sizeof reach[i][0]);
  return hash;
}

static dap_status think(MPI_Comm comm, const dap_ends *ends, int count, dap_reach reach[][DAP_MAX_NDIM],
                        dap_plan *plan, dap_error *err)
{
  DAP_TRY(dap_agree(comm, plan ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a plan"), err));
  plan->agreement = MPI_REQUEST_NULL;
  DAP_TRY(dap_agree(comm, dap_comm_private(comm, &plan->comm, err), err));
  DAP_TRY(dap_agree(comm, agree_order(plan->comm, ends, plan->order, err), err));
  (void)MPI_Comm_size(plan->comm, &plan->nprocs);
  start_plan(plan, ends);
  for (int i = 0; i < count; i++) DAP_TRY(add_exchange(plan, ends, reach[i], err));
  return DAP_OK;
}

dap_status dap_plan_build(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                          const dap_plan_options *options, int count, dap_reach reach[][DAP_MAX_NDIM],
                          dap_plan **plan, dap_error *err)
{
  dap_ends ends;
  dap_status s = plan ? DAP_OK : dap_fail(err, DAP_ERR_ARG, "plan must not be NULL");
  if (!s) s = dap_ends_check(comm, from, to, itemsize, options, &ends, err);
  DAP_TRY(dap_agree(comm, s, err));
  DAP_TRY(dap_ends_compare(comm, &ends, variant_of(count, ends.from->ndim, reach), err));
  dap_plan *made = calloc(1, sizeof *made);
  if (made) made->comm = MPI_COMM_NULL;
  s = think(comm, &ends, count, reach, made, err);
  if (s) dap_plan_destroy(&made);
  *plan = made;
  return s;
}

dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                           const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  dap_reach reach[1][DAP_MAX_NDIM];
  for (int k = 0; k < DAP_MAX_NDIM; k++)
    reach[0][k] = options && options->fill_halos ? DAP_REACH_ALL : DAP_REACH_OWNED;
  return dap_plan_build(comm, from, to, itemsize, options, 1, reach, plan, err);
}

void dap_plan_destroy(dap_plan **plan)
{
  if (!plan || !*plan) return;
  dap_plan *last = *plan;
  *plan = NULL;
  if (last->under_way) (void)dap_plan_end(last, NULL);
  for (int i = 0; i < last->exchange_count; i++) dap_exchange_release(&last->exchanges[i]);
  if (last->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&last->comm);
  dap_layout_destroy(&last->from);
  dap_layout_destroy(&last->to);
  free(last);
}
