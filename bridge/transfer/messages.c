/* The transport: one buffer a direction, persistent requests of bounded length. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

static dap_status allocate(dap_direction *direction, int64_t message_bytes, dap_error *err)
{
  int64_t requests = 0;
  for (int i = 0; i < direction->peer_count; i++) {
    dap_peer *peer = &direction->peers[i];
    const int64_t parts = (peer->bytes - 1) / message_bytes + 1;
    DAP_REQUIRE(requests + parts <= INT_MAX, err, DAP_ERR_RANGE,
                "the plan needs more than %d messages of %" PRId64 " bytes", INT_MAX, message_bytes);
    peer->first_request = (int)requests;
    peer->request_count = (int)parts;
    requests += parts;
  }
  if (requests == 0) return DAP_OK;
  direction->requests = malloc((size_t)requests * sizeof *direction->requests);
  direction->buffer = aligned_alloc(64, (size_t)direction->bytes_buffer);
  DAP_REQUIRE(direction->requests && direction->buffer, err, DAP_ERR_NOMEM,
              "no memory for %" PRId64 " bytes of messages", direction->bytes_buffer);
  for (int64_t i = 0; i < requests; i++) direction->requests[i] = MPI_REQUEST_NULL;
  direction->request_count = (int)requests;
  return DAP_OK;
}

static dap_status init_requests(MPI_Comm comm, int tag, int64_t message_bytes, bool sends,
                                dap_direction *direction, dap_error *err)
{
  for (int i = 0; i < direction->peer_count; i++) {
    const dap_peer *peer = &direction->peers[i];
    for (int part = 0; part < peer->request_count; part++) {
      const int64_t begin = part * message_bytes;
      const int64_t left = peer->bytes - begin;
      const int count = (int)(left < message_bytes ? left : message_bytes); /* message_bytes <= INT_MAX */
      char *at = direction->buffer + peer->offset + begin;
      MPI_Request *request = &direction->requests[peer->first_request + part];
      DAP_TRY(sends ? dap_mpi_check(MPI_Send_init(at, count, MPI_BYTE, peer->rank, tag, comm, request),
                                    "MPI_Send_init", err)
                    : dap_mpi_check(MPI_Recv_init(at, count, MPI_BYTE, peer->rank, tag, comm, request),
                                    "MPI_Recv_init", err));
    }
  }
  return DAP_OK;
}

dap_status dap_messages_create(MPI_Comm comm, int tag, int64_t message_bytes, dap_exchange *exchange,
                               dap_error *err)
{
  DAP_TRY(allocate(&exchange->send, message_bytes, err));
  DAP_TRY(allocate(&exchange->receive, message_bytes, err));
  DAP_TRY(init_requests(comm, tag, message_bytes, true, &exchange->send, err));
  return init_requests(comm, tag, message_bytes, false, &exchange->receive, err);
}

static void release_direction(dap_direction *direction)
{
  for (int i = 0; i < direction->request_count; i++)
    if (direction->requests[i] != MPI_REQUEST_NULL) (void)MPI_Request_free(&direction->requests[i]);
  free(direction->requests);
  free(direction->buffer);
}

void dap_messages_release(dap_exchange *exchange)
{
  release_direction(&exchange->send);
  release_direction(&exchange->receive);
}
