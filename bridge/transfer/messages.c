/* Chunks as MPI messages: a flow has some slots at both ends, each with its own request. Messages of one exchange
 * between two processes cannot overtake each other, so the i-th sent is the i-th received. */
#include "transfer_impl.h"

static int slot_of(const dap_flow *flow, int64_t chunk)
{
  return (int)(chunk % flow->slots);
}

static char *slot(const dap_flow *flow, int64_t chunk)
{
  return flow->base + slot_of(flow, chunk) * flow->slot_bytes;
}

/* Posts the receive of one more chunk, if there is one. */
static dap_status post(const dap_plan *plan, dap_flow *flow, dap_error *err)
{
  if (flow->now.posted == flow->now.chunks) return DAP_OK;
  const int64_t chunk = flow->now.posted++;
  return dap_mpi_check(MPI_Irecv(slot(flow, chunk), (int)flow->chunk_bytes, MPI_BYTE, flow->rank,
                                 flow->exchange->tag, plan->comm, &flow->requests[slot_of(flow, chunk)]),
                       "MPI_Irecv", err);
}

static dap_status start(const dap_plan *plan, dap_flow *flow, dap_error *err)
{
  for (int i = 0; i < flow->slots && !flow->is_send; i++) DAP_TRY(post(plan, flow, err));
  return DAP_OK;
}

/* Whether what the next chunk's slot was last used for is over. */
static dap_status test(const dap_flow *flow, bool *over, dap_error *err)
{
  int flag = 0;
  const dap_status s = dap_mpi_check(
      MPI_Test(&flow->requests[slot_of(flow, flow->now.moved)], &flag, MPI_STATUS_IGNORE), "MPI_Test", err);
  *over = flag;
  return s;
}

static dap_status room(dap_flow *flow, char **at, dap_error *err)
{
  bool over = false;
  DAP_TRY(test(flow, &over, err));
  *at = over ? slot(flow, flow->now.moved) : NULL;
  return DAP_OK;
}

static dap_status send(const dap_plan *plan, dap_flow *flow, int64_t bytes, dap_error *err)
{
  const int64_t chunk = flow->now.moved;
  return dap_mpi_check(MPI_Isend(slot(flow, chunk), (int)bytes, MPI_BYTE, flow->rank, flow->exchange->tag,
                                 plan->comm, &flow->requests[slot_of(flow, chunk)]),
                       "MPI_Isend", err);
}

static dap_status arrived(dap_flow *flow, const char **at, dap_error *err)
{
  bool over = false;
  DAP_TRY(test(flow, &over, err));
  *at = over ? slot(flow, flow->now.moved) : NULL;
  return DAP_OK;
}

static dap_status taken(const dap_plan *plan, dap_flow *flow, dap_error *err)
{
  return post(plan, flow, err);
}

static dap_status finish(dap_flow *flow, dap_error *err)
{
  return dap_mpi_check(MPI_Waitall(flow->slots, flow->requests, MPI_STATUSES_IGNORE), "MPI_Waitall", err);
}

const dap_carrier dap_carrier_messages = {.transport = DAP_TRANSPORT_MESSAGES,
                                          .name = "MPI messages",
                                          .start = start,
                                          .room = room,
                                          .send = send,
                                          .arrived = arrived,
                                          .taken = taken,
                                          .finish = finish};
