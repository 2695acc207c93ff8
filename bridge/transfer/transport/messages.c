/* Carries chunks by MPI messages. A channel has some slots at both ends, each with its own request. Messages
 * of one exchange between two processes cannot overtake each other, so the i-th sent is the i-th received. */
#include "transport_impl.h"

#include <string.h>

/* A slot has room for either message, because it has whole lines. */
enum { FAULT_BYTES = 8, OTHER_FAULT_BYTES = 16 };

static int slot_of(const dap_channel *channel, int64_t chunk)
{
  return (int)(chunk % channel->slots);
}

static char *slot(const dap_channel *channel, int64_t chunk)
{
  return channel->base + slot_of(channel, chunk) * channel->slot_bytes;
}

/* Posts the receive of one more chunk, if there is one. */
static dap_status post_receive(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  if (channel->state.posted == channel->state.chunks) return DAP_OK;
  const int64_t chunk = channel->state.posted++;
  const int bytes = (int)dap_larger(channel->chunk_bytes, OTHER_FAULT_BYTES);
  return dap_mpi_check(MPI_Irecv(slot(channel, chunk), bytes, MPI_BYTE, channel->rank,
                                 plan->tags.first + channel->exchange->tag, plan->tags.comm,
                                 &channel->requests[slot_of(channel, chunk)]),
                       "MPI_Irecv", err);
}

dap_status dap_messages_start(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  for (int i = 0; i < channel->slots && !channel->is_send; i++) DAP_TRY(post_receive(plan, channel, err));
  return DAP_OK;
}

/* Whether the next chunk's slot is free, or has been received. */
static dap_status test(dap_channel *channel, bool *over, dap_error *err)
{
  MPI_Request *request = &channel->requests[slot_of(channel, channel->state.moved)];
  MPI_Status status;
  int flag = 0, bytes = 0;
  *over = *request == MPI_REQUEST_NULL;
  if (*over) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Test(request, &flag, &status), "MPI_Test", err));
  *over = flag;
  if (!flag || channel->is_send || channel->state.moved > 0) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count", err));
  channel->state.is_refused = bytes != dap_chunk_bytes(channel);
  return DAP_OK;
}

static dap_status next_slot(dap_channel *channel, char **at, dap_error *err)
{
  bool over = false;
  DAP_TRY(test(channel, &over, err));
  *at = over ? slot(channel, channel->state.moved) : NULL;
  return DAP_OK;
}

static dap_status send(const dap_plan *plan, dap_channel *channel, int64_t bytes, dap_error *err)
{
  const int64_t chunk = channel->state.moved;
  return dap_mpi_check(MPI_Isend(slot(channel, chunk), (int)bytes, MPI_BYTE, channel->rank,
                                 plan->tags.first + channel->exchange->tag, plan->tags.comm,
                                 &channel->requests[slot_of(channel, chunk)]),
                       "MPI_Isend", err);
}

/* The fault is one number, in a message of another size than the chunk's. Empty messages follow, so that all
 * receives that are posted complete. Then the channel is over at both ends. */
dap_status dap_messages_refuse(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  const int64_t chunks = dap_smaller(channel->slots, channel->state.chunks);
  int64_t bytes = dap_chunk_bytes(channel) == FAULT_BYTES ? OTHER_FAULT_BYTES : FAULT_BYTES;
  memcpy(slot(channel, 0), &plan->fault, sizeof plan->fault);
  for (; channel->state.moved < chunks; channel->state.moved++, bytes = 0)
    DAP_TRY(send(plan, channel, bytes, err));
  dap_channel_stop(channel);
  return DAP_OK;
}

int64_t dap_messages_fault(const dap_channel *channel)
{
  int64_t fault;
  memcpy(&fault, slot(channel, 0), sizeof fault);
  return fault;
}

dap_status dap_messages_test_all(const dap_channel *channel, bool *over, dap_error *err)
{
  int flag = 0;
  DAP_TRY(dap_mpi_check(MPI_Testall(channel->slots, channel->requests, &flag, MPI_STATUSES_IGNORE),
                        "MPI_Testall", err));
  *over = flag;
  return DAP_OK;
}

bool dap_messages_abandon(MPI_Request *request, bool is_send)
{
  int over = 1;
  if (*request == MPI_REQUEST_NULL) return true;
  if (!is_send) (void)MPI_Cancel(request);
  const int code =
      is_send ? MPI_Test(request, &over, MPI_STATUS_IGNORE) : MPI_Wait(request, MPI_STATUS_IGNORE);
  if (*request != MPI_REQUEST_NULL) (void)MPI_Request_free(request);
  return code == MPI_SUCCESS && over;
}

const dap_transport_ops dap_transport_messages = {
    .name = "MPI messages", .slot = next_slot, .send = send, .taken = post_receive};
