/* Chunks as pieces of MPI messages in two phases. Pieces are packed where the first phase sends them from,
 * and the second sends others' from where the first has received them, so nothing is copied between.
 *
 * Two processes have messages of one phase for each other only: of the first if they are in different
 * columns, else of the second. So all have one tag. */
#include "relay_impl.h"

#include <stdlib.h>

/* ---- pieces ------------------------------------------------------------------------------------------- */

static dap_status start(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  (void)plan;
  (void)channel;
  (void)err;
  return DAP_OK;
}

/* The run before is over, so there is. */
static dap_status room(dap_channel *channel, char **at, dap_error *err)
{
  (void)err;
  *at = channel->base;
  return DAP_OK;
}

static dap_status send_bytes(const dap_plan *plan, dap_relay_message *message, dap_error *err)
{
  const dap_exchange *exchange = &plan->schedule.exchanges[0];
  const bool is_typed = message->type != MPI_DATATYPE_NULL;
  return dap_mpi_check(MPI_Isend(plan->buffer + message->at, is_typed ? 1 : (int)message->bytes,
                                 is_typed ? message->type : MPI_BYTE, message->rank,
                                 plan->tags.first + exchange->tag, plan->tags.comm, &message->request),
                       "MPI_Isend", err);
}

/* With the last of its pieces the message goes. */
static dap_status send(const dap_plan *plan, dap_channel *channel, int64_t bytes, dap_error *err)
{
  dap_relay_message *message = channel->message;
  (void)bytes;
  return message && --message->left == 0 ? send_bytes(plan, message, err) : DAP_OK;
}

static dap_status arrived(dap_channel *channel, const char **at, dap_error *err)
{
  (void)err;
  *at = channel->message->request == MPI_REQUEST_NULL ? channel->base : NULL;
  return DAP_OK;
}

static dap_status taken(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  return start(plan, channel, err);
}

const dap_transport_ops dap_transport_relay = {.name = "MPI messages in two phases",
                                               .start = start,
                                               .room = room,
                                               .send = send,
                                               .arrived = arrived,
                                               .taken = taken};

/* ---- a run -------------------------------------------------------------------------------------------- */

static dap_status receive_all(const dap_plan *plan, dap_relay_kind kind, dap_error *err)
{
  const dap_exchange *exchange = &plan->schedule.exchanges[0];
  for (int i = 0; i < plan->relay->counts[kind]; i++) {
    dap_relay_message *message = &plan->relay->messages[kind][i];
    DAP_TRY(dap_mpi_check(MPI_Irecv(plan->buffer + message->at, (int)message->bytes, MPI_BYTE, message->rank,
                                    plan->tags.first + exchange->tag, plan->tags.comm, &message->request),
                          "MPI_Irecv", err));
  }
  return DAP_OK;
}

dap_status dap_relay_start(const dap_plan *plan, dap_error *err)
{
  dap_relay *relay = plan->relay;
  relay->is_handed_on = false;
  for (int i = 0; i < relay->counts[DAP_RELAY_TO_ROW]; i++) {
    dap_relay_message *message = &relay->messages[DAP_RELAY_TO_ROW][i];
    message->left = message->pieces;
  }
  DAP_TRY(receive_all(plan, DAP_RELAY_FROM_ROW, err));
  return receive_all(plan, DAP_RELAY_FROM_COLUMN, err);
}

static dap_status test_all(const dap_relay *relay, dap_relay_kind kind, int64_t *moved, int64_t *left,
                           dap_error *err)
{
  for (int i = 0; i < relay->counts[kind]; i++) {
    MPI_Request *request = &relay->messages[kind][i].request;
    int over = 1;
    if (*request == MPI_REQUEST_NULL) continue;
    DAP_TRY(dap_mpi_check(MPI_Test(request, &over, MPI_STATUS_IGNORE), "MPI_Test", err));
    *moved += over;
    *left += !over;
  }
  return DAP_OK;
}

/* The first one is behind this process: not all begin with the same receiver. */
static dap_status hand_on(const dap_plan *plan, dap_error *err)
{
  dap_relay *relay = plan->relay;
  dap_relay_message *messages = relay->messages[DAP_RELAY_TO_COLUMN];
  const int count = relay->counts[DAP_RELAY_TO_COLUMN];
  int first = 0;
  while (first < count && messages[first].rank < plan->rank) first++;
  for (int i = 0; i < count; i++) DAP_TRY(send_bytes(plan, &messages[(first + i) % count], err));
  relay->is_handed_on = true;
  return DAP_OK;
}

dap_status dap_relay_go_on(const dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err)
{
  const dap_relay *relay = plan->relay;
  int64_t missing = 0;
  DAP_TRY(test_all(relay, DAP_RELAY_FROM_ROW, moved, &missing, err));
  if (missing == 0 && !relay->is_handed_on) {
    DAP_TRY(hand_on(plan, err));
    ++*moved;
  }
  *left += missing;
  DAP_TRY(test_all(relay, DAP_RELAY_FROM_COLUMN, moved, left, err));
  DAP_TRY(test_all(relay, DAP_RELAY_TO_ROW, moved, left, err));
  return test_all(relay, DAP_RELAY_TO_COLUMN, moved, left, err);
}

dap_status dap_relay_finish(dap_plan *plan, dap_error *err)
{
  int64_t left = 1;
  for (dap_wait wait = dap_failure_wait(plan); left > 0 && plan->first_fault >= 0;) {
    int64_t moved = left = 0;
    DAP_TRY(dap_relay_go_on(plan, &moved, &left, err));
    if (moved > 0)
      wait = dap_failure_wait(plan);
    else if (left > 0)
      DAP_TRY(dap_failure_wait_step(plan, -1, &wait, err));
  }
  return DAP_OK;
}

/* ---- freed and counted -------------------------------------------------------------------------------- */

int64_t dap_relay_memory(const dap_relay *relay)
{
  return relay ? (int64_t)sizeof *relay + relay->capacity * (int64_t)sizeof(dap_relay_message) : 0;
}

/* Of a message under way when MPI failed: whether it is over. */
static bool abandon(MPI_Request *request, bool is_send)
{
  int over = 1;
  if (*request == MPI_REQUEST_NULL) return true;
  if (!is_send) (void)MPI_Cancel(request);
  const int code =
      is_send ? MPI_Test(request, &over, MPI_STATUS_IGNORE) : MPI_Wait(request, MPI_STATUS_IGNORE);
  if (*request != MPI_REQUEST_NULL) (void)MPI_Request_free(request);
  return code == MPI_SUCCESS && over;
}

bool dap_relay_release(dap_plan *plan)
{
  dap_relay *relay = plan->relay;
  const bool has_mpi = dap_mpi_is_running();
  bool over = true;
  plan->relay = NULL;
  for (int kind = 0; relay && kind < DAP_RELAY_KINDS; kind++)
    for (int i = 0; has_mpi && i < relay->counts[kind]; i++) {
      dap_relay_message *message = &relay->messages[kind][i];
      const bool is_send = kind == DAP_RELAY_TO_ROW || kind == DAP_RELAY_TO_COLUMN;
      over = abandon(&message->request, is_send) && over;
      if (message->type != MPI_DATATYPE_NULL) (void)MPI_Type_free(&message->type);
    }
  if (relay) free(relay->messages[0]);
  free(relay);
  return over;
}
