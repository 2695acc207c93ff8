/* The buffers of a plan: slots in the node's memory, and those of messages. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- on the node ------------------------------------------------------------------------------------ */

/* Each sender of slots tells where they are; receivers are told in the order in which flows are sent. */
static dap_status tell_offsets(dap_plan *plan, MPI_Request requests[], dap_error *err)
{
  int64_t offset = dap_station_bytes(plan->move_count);
  int count = 0;
  for (int x = 0; x < plan->exchange_count; x++) {
    dap_exchange *exchange = &plan->exchanges[x];
    for (int i = 0; i < exchange->send.count; i++) {
      dap_flow *flow = &exchange->send.flows[i];
      if (flow->carrier != &dap_carrier_slots) continue;
      flow->offset = offset;
      offset += (int64_t)sizeof(dap_ring) + flow->slots * flow->slot_bytes;
      DAP_TRY(dap_mpi_check(
          MPI_Isend(&flow->offset, 1, MPI_INT64_T, flow->rank, exchange->tag, plan->comm, &requests[count++]),
          "MPI_Isend", err));
    }
    for (int i = 0; i < exchange->receive.count; i++) {
      dap_flow *flow = &exchange->receive.flows[i];
      if (flow->carrier != &dap_carrier_slots) continue;
      DAP_TRY(dap_mpi_check(
          MPI_Irecv(&flow->offset, 1, MPI_INT64_T, flow->rank, exchange->tag, plan->comm, &requests[count++]),
          "MPI_Irecv", err));
    }
  }
  return dap_mpi_check(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), "MPI_Waitall", err);
}

static void set_slots(const dap_plan *plan, dap_direction *direction)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (flow->carrier != &dap_carrier_slots) continue;
    const int sender = flow->is_send ? plan->station.node.rank : flow->place;
    char *at = plan->station.memory.parts[sender] + flow->offset;
    flow->ring = (dap_ring *)(void *)at;
    flow->base = at + sizeof(dap_ring);
  }
}

static int flow_count(const dap_plan *plan)
{
  int count = 0;
  for (int x = 0; x < plan->exchange_count; x++)
    count += plan->exchanges[x].send.count + plan->exchanges[x].receive.count;
  return count;
}

static dap_status set_node(dap_plan *plan, MPI_Request requests[], dap_error *err)
{
  const dap_station *station = &plan->station;
  if (station->memory.size == 0) return DAP_OK;
  for (int m = 0; m < plan->move_count; m++) {
    const dap_ends *ends = &plan->moves[m].ends;
    memcpy(dap_station_strides(station, station->node.rank, m, false), ends->from_strides,
           sizeof ends->from_strides);
    memcpy(dap_station_strides(station, station->node.rank, m, true), ends->to_strides,
           sizeof ends->to_strides);
  }
  dap_fetch_offer(plan);
  DAP_TRY(tell_offsets(plan, requests, err));
  for (int x = 0; x < plan->exchange_count; x++) {
    set_slots(plan, &plan->exchanges[x].send);
    set_slots(plan, &plan->exchanges[x].receive);
    DAP_TRY(dap_fetch_decide(plan, &plan->exchanges[x].receive, err));
  }
  return DAP_OK;
}

/* ---- messages --------------------------------------------------------------------------------------- */

static dap_status set_messages(dap_plan *plan, dap_direction *direction, int64_t *offset, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (flow->carrier != &dap_carrier_messages) continue;
    flow->base = plan->buffer + *offset;
    *offset += flow->slots * flow->slot_bytes;
    flow->requests = malloc((size_t)flow->slots * sizeof *flow->requests);
    DAP_REQUIRE(flow->requests, err, DAP_ERR_NOMEM, "no memory for %d requests", flow->slots);
    for (int k = 0; k < flow->slots; k++) flow->requests[k] = MPI_REQUEST_NULL;
  }
  return DAP_OK;
}

static dap_status set_buffer(dap_plan *plan, dap_error *err)
{
  int64_t offset = 0;
  if (plan->message_bytes == 0) return DAP_OK;
  plan->buffer = aligned_alloc(64, (size_t)plan->message_bytes); /* slots are whole lines */
  DAP_REQUIRE(plan->buffer, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " bytes of messages",
              plan->message_bytes);
  memset(plan->buffer, 0, (size_t)plan->message_bytes); /* touched once, here */
  for (int x = 0; x < plan->exchange_count; x++) {
    DAP_TRY(set_messages(plan, &plan->exchanges[x].send, &offset, err));
    DAP_TRY(set_messages(plan, &plan->exchanges[x].receive, &offset, err));
  }
  return DAP_OK;
}

/* ---- both ------------------------------------------------------------------------------------------- */

dap_status dap_buffers_create(dap_plan *plan, dap_error *err)
{
  MPI_Request *requests = malloc((size_t)(flow_count(plan) + 1) * sizeof *requests);
  dap_status s = requests ? set_buffer(plan, err)
                          : dap_fail(err, DAP_ERR_NOMEM, "no memory for %d requests", flow_count(plan));
  s = dap_agree(plan->comm, s, err);
  if (!s) s = dap_agree(plan->comm, set_node(plan, requests, err), err);
  free(requests);
  return s;
}

void dap_buffers_release(dap_plan *plan)
{
  dap_memory_release(&plan->station.memory);
  free(plan->buffer);
  plan->buffer = NULL;
}
