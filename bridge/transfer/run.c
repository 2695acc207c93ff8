/* Plans under way: begin packs and posts, end waits and unpacks. Nothing is allocated or decided here.
 *
 * One thing can still be wrong, a NULL buffer. The process that has one sends its messages unpacked, so
 * that nobody waits for it, and an agreement that travels with the messages tells everybody before any
 * destination is written. */
#include "transfer_impl.h"

#include <limits.h>

/* ---- between buffers and messages ------------------------------------------------------------- */

/* Strides of a message: elements packed in the plan's order. */
static void message_strides(const dap_plan *plan, const dap_direction *direction, const dap_peer *peer,
                            int64_t strides[])
{
  int64_t step = plan->itemsize;
  for (int i = plan->ndim - 1; i >= 0; i--) {
    strides[i] = step;
    step *= direction->with[plan->order[i]][peer->coords[plan->order[i]]].elements;
  }
}

static dap_copy copy_with(const dap_plan *plan, const dap_direction *direction, const dap_peer *peer)
{
  dap_copy copy = {.ndim = plan->ndim, .itemsize = plan->itemsize};
  for (int i = 0; i < plan->ndim; i++) {
    const int k = plan->order[i];
    copy.axes[i] = &direction->with[k][peer->coords[k]];
    copy.from_strides[i] = plan->from_strides[k];
    copy.to_strides[i] = plan->to_strides[k];
  }
  return copy;
}

static void pack(const dap_plan *plan, const dap_direction *send, const dap_peer *peer)
{
  dap_copy copy = copy_with(plan, send, peer);
  message_strides(plan, send, peer, copy.to_strides);
  dap_copy_run(&copy, plan->source, send->buffer + peer->offset);
}

static void unpack(const dap_plan *plan, const dap_direction *receive, const dap_peer *peer)
{
  dap_copy copy = copy_with(plan, receive, peer);
  message_strides(plan, receive, peer, copy.from_strides);
  dap_copy_run(&copy, receive->buffer + peer->offset, plan->destination);
}

static void copy_own(const dap_plan *plan, const dap_exchange *exchange)
{
  if (!exchange->has_own) return;
  dap_copy copy = {.ndim = plan->ndim, .itemsize = plan->itemsize};
  for (int i = 0; i < plan->ndim; i++) {
    const int k = plan->order[i];
    copy.axes[i] = &exchange->own[k];
    copy.from_strides[i] = plan->from_strides[k];
    copy.to_strides[i] = plan->to_strides[k];
  }
  dap_copy_run(&copy, plan->source, plan->destination);
}

/* ---- begin ------------------------------------------------------------------------------------ */

enum { FAULT_NONE = INT_MAX };

/* A fault as one number that MIN orders by rank: 2 * rank for the source, 2 * rank + 1 for the
 * destination. */
static int find_fault(const dap_plan *plan)
{
  if (plan->holds_from && !plan->source) return 2 * plan->rank;
  if (plan->holds_to && !plan->destination) return 2 * plan->rank + 1;
  return FAULT_NONE;
}

static dap_status start_all(const dap_direction *direction, dap_error *err)
{
  if (direction->request_count == 0) return DAP_OK;
  return dap_mpi_check(MPI_Startall(direction->request_count, direction->requests), "MPI_Startall", err);
}

static dap_status send_all(const dap_plan *plan, const dap_direction *send, dap_error *err)
{
  for (int i = 0; i < send->peer_count; i++) {
    const dap_peer *peer = &send->peers[i];
    if (plan->source) pack(plan, send, peer);
    DAP_TRY(dap_mpi_check(MPI_Startall(peer->request_count, send->requests + peer->first_request),
                          "MPI_Startall", err));
  }
  return DAP_OK;
}

dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_REQUIRE(plan, err, DAP_ERR_ARG, "plan must not be NULL");
  DAP_REQUIRE(!plan->under_way, err, DAP_ERR_ARG, "the plan has been begun and not been ended");
  plan->under_way = true;
  plan->source = from;
  plan->destination = to;
  plan->fault = plan->first_fault = find_fault(plan);
  for (int i = 0; i < plan->exchange_count; i++) DAP_TRY(start_all(&plan->exchanges[i].receive, err));
  if (plan->nprocs > 1)
    DAP_TRY(dap_mpi_check(
        MPI_Iallreduce(&plan->fault, &plan->first_fault, 1, MPI_INT, MPI_MIN, plan->comm, &plan->agreement),
        "MPI_Iallreduce", err));
  for (int i = 0; i < plan->exchange_count; i++) DAP_TRY(send_all(plan, &plan->exchanges[i].send, err));
  return DAP_OK;
}

/* ---- end -------------------------------------------------------------------------------------- */

static dap_status wait_for(int count, MPI_Request requests[], dap_error *err)
{
  if (count == 0) return DAP_OK;
  return dap_mpi_check(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), "MPI_Waitall", err);
}

static dap_status receive_all(const dap_plan *plan, const dap_direction *receive, bool write, dap_error *err)
{
  for (int i = 0; i < receive->peer_count; i++) {
    const dap_peer *peer = &receive->peers[i];
    DAP_TRY(wait_for(peer->request_count, receive->requests + peer->first_request, err));
    if (write) unpack(plan, receive, peer);
  }
  return DAP_OK;
}

static dap_status finish(dap_plan *plan, dap_error *err)
{
  DAP_TRY(dap_mpi_check(MPI_Wait(&plan->agreement, MPI_STATUS_IGNORE), "MPI_Wait", err));
  const bool write = plan->first_fault == FAULT_NONE;
  for (int i = 0; i < plan->exchange_count && write; i++) copy_own(plan, &plan->exchanges[i]);
  for (int i = 0; i < plan->exchange_count; i++)
    DAP_TRY(receive_all(plan, &plan->exchanges[i].receive, write, err));
  for (int i = 0; i < plan->exchange_count; i++) {
    dap_direction *send = &plan->exchanges[i].send;
    DAP_TRY(wait_for(send->request_count, send->requests, err));
  }
  return DAP_OK;
}

dap_status dap_plan_end(dap_plan *plan, dap_error *err)
{
  DAP_REQUIRE(plan, err, DAP_ERR_ARG, "plan must not be NULL");
  DAP_REQUIRE(plan->under_way, err, DAP_ERR_ARG, "the plan has not been begun");
  const dap_status s = finish(plan, err);
  plan->under_way = false;
  if (s || plan->first_fault == FAULT_NONE) return s;
  const int rank = plan->first_fault / 2;
  (void)dap_fail(err, DAP_ERR_ARG, "rank %d: the %s buffer is NULL, but this process has elements in it",
                 rank, plan->first_fault % 2 ? "destination" : "source");
  if (err) err->rank = rank;
  return DAP_ERR_ARG;
}

dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_TRY(dap_plan_begin(plan, from, to, err));
  return dap_plan_end(plan, err);
}
