/* Chunks as MPI messages: a channel has some slots at both ends, each with its own request. Messages of one
 * exchange between two processes cannot overtake each other, so the i-th sent is the i-th received. */
#include "transport_impl.h"

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
  return dap_mpi_check(MPI_Irecv(slot(channel, chunk), (int)channel->chunk_bytes, MPI_BYTE, channel->rank,
                                 plan->tags.first + channel->exchange->tag, plan->tags.comm,
                                 &channel->requests[slot_of(channel, chunk)]),
                       "MPI_Irecv", err);
}

static dap_status start(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  for (int i = 0; i < channel->slots && !channel->is_send; i++) DAP_TRY(post_receive(plan, channel, err));
  return DAP_OK;
}

dap_status dap_messages_test(const dap_channel *channel, bool *over, bool *is_empty, dap_error *err)
{
  MPI_Request *request = &channel->requests[slot_of(channel, channel->state.moved)];
  MPI_Status status;
  int flag = 0, bytes = 0;
  *over = *request == MPI_REQUEST_NULL;
  *is_empty = false;
  if (*over) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Test(request, &flag, &status), "MPI_Test", err));
  *over = flag;
  if (!flag || channel->is_send) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count", err));
  *is_empty = bytes == 0;
  return DAP_OK;
}

static dap_status room(dap_channel *channel, char **at, dap_error *err)
{
  bool over = false, is_empty = false;
  DAP_TRY(dap_messages_test(channel, &over, &is_empty, err));
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

static dap_status arrived(dap_channel *channel, const char **at, dap_error *err)
{
  bool over = false, is_empty = false;
  DAP_TRY(dap_messages_test(channel, &over, &is_empty, err));
  *at = over ? slot(channel, channel->state.moved) : NULL;
  return DAP_OK;
}

static dap_status taken(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  return post_receive(plan, channel, err);
}

dap_status dap_messages_test_all(const dap_channel *channel, bool *over, dap_error *err)
{
  int flag = 0;
  DAP_TRY(dap_mpi_check(MPI_Testall(channel->slots, channel->requests, &flag, MPI_STATUSES_IGNORE),
                        "MPI_Testall", err));
  *over = flag;
  return DAP_OK;
}

bool dap_messages_abandon(dap_channel *channel)
{
  bool over = true;
  for (int i = 0; i < channel->slots; i++) {
    int flag = 0;
    MPI_Request *request = &channel->requests[i];
    if (!channel->is_send && *request != MPI_REQUEST_NULL) (void)MPI_Cancel(request);
    const int code =
        channel->is_send ? MPI_Test(request, &flag, MPI_STATUS_IGNORE) : MPI_Wait(request, MPI_STATUS_IGNORE);
    over = over && code == MPI_SUCCESS && (flag || !channel->is_send);
    if (*request != MPI_REQUEST_NULL) (void)MPI_Request_free(request);
  }
  return over;
}

const dap_transport_ops dap_transport_messages = {
    .name = "MPI messages", .start = start, .room = room, .send = send, .arrived = arrived, .taken = taken};
