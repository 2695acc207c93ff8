/* Carries chunks as pieces of MPI messages in two phases. The second phase sends pieces of others from where
 * the first has received them, so nothing is copied between. All messages have one tag, because two processes
 * have messages of one phase for each other: of the first if they are in different columns. */
#include "two_phase_impl.h"

#include <stdlib.h>

/* The sender's slot is always free, because the run before has ended. */
static dap_status next_slot(dap_channel *channel, char **at, dap_error *err)
{
  (void)err;
  *at = channel->is_send || channel->message->request == MPI_REQUEST_NULL ? channel->base : NULL;
  return DAP_OK;
}

static dap_status send_bytes(const dap_plan *plan, dap_two_phase_message *message, dap_error *err)
{
  const dap_exchange *exchange = &plan->schedule.exchanges[0];
  const bool is_typed = message->type != MPI_DATATYPE_NULL;
  return dap_mpi_check(MPI_Isend(plan->buffer + message->at, is_typed ? 1 : (int)message->bytes,
                                 is_typed ? message->type : MPI_BYTE, message->rank,
                                 plan->tags.first + exchange->tag, plan->tags.comm, &message->request),
                       "MPI_Isend", err);
}

/* Sends the message once the last of its pieces is packed. */
static dap_status send(const dap_plan *plan, dap_channel *channel, int64_t bytes, dap_error *err)
{
  dap_two_phase_message *message = channel->message;
  (void)bytes;
  return message && --message->left == 0 ? send_bytes(plan, message, err) : DAP_OK;
}

const dap_transport_ops dap_transport_two_phase = {
    .name = "MPI messages in two phases", .slot = next_slot, .send = send};

static dap_status receive_all(const dap_plan *plan, dap_two_phase_kind kind, dap_error *err)
{
  const dap_exchange *exchange = &plan->schedule.exchanges[0];
  for (int i = 0; i < plan->two_phase->counts[kind]; i++) {
    dap_two_phase_message *message = &plan->two_phase->messages[kind][i];
    DAP_TRY(dap_mpi_check(MPI_Irecv(plan->buffer + message->at, (int)message->bytes, MPI_BYTE, message->rank,
                                    plan->tags.first + exchange->tag, plan->tags.comm, &message->request),
                          "MPI_Irecv", err));
  }
  return DAP_OK;
}

dap_status dap_two_phase_start(const dap_plan *plan, dap_error *err)
{
  dap_two_phase *two_phase = plan->two_phase;
  two_phase->has_forwarded = false;
  for (int i = 0; i < two_phase->counts[DAP_TWO_PHASE_TO_ROW]; i++) {
    dap_two_phase_message *message = &two_phase->messages[DAP_TWO_PHASE_TO_ROW][i];
    message->left = message->pieces;
  }
  DAP_TRY(receive_all(plan, DAP_TWO_PHASE_FROM_ROW, err));
  return receive_all(plan, DAP_TWO_PHASE_FROM_COLUMN, err);
}

static dap_status test_all(const dap_two_phase *two_phase, dap_two_phase_kind kind, int64_t *moved,
                           int64_t *left, dap_error *err)
{
  for (int i = 0; i < two_phase->counts[kind]; i++) {
    MPI_Request *request = &two_phase->messages[kind][i].request;
    int over = 1;
    if (*request == MPI_REQUEST_NULL) continue;
    DAP_TRY(dap_mpi_check(MPI_Test(request, &over, MPI_STATUS_IGNORE), "MPI_Test", err));
    *moved += over;
    *left += !over;
  }
  return DAP_OK;
}

/* Sends to the column. The first receiver is behind this process, so that not all begin with the same one. */
static dap_status forward(const dap_plan *plan, dap_error *err)
{
  dap_two_phase *two_phase = plan->two_phase;
  dap_two_phase_message *messages = two_phase->messages[DAP_TWO_PHASE_TO_COLUMN];
  const int count = two_phase->counts[DAP_TWO_PHASE_TO_COLUMN];
  int first = 0;
  while (first < count && messages[first].rank < plan->rank) first++;
  for (int i = 0; i < count; i++) DAP_TRY(send_bytes(plan, &messages[(first + i) % count], err));
  two_phase->has_forwarded = true;
  return DAP_OK;
}

dap_status dap_two_phase_progress(const dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err)
{
  const dap_two_phase *two_phase = plan->two_phase;
  int64_t missing = 0;
  DAP_TRY(test_all(two_phase, DAP_TWO_PHASE_FROM_ROW, moved, &missing, err));
  if (missing == 0 && !two_phase->has_forwarded) {
    DAP_TRY(forward(plan, err));
    ++*moved;
  }
  *left += missing;
  DAP_TRY(test_all(two_phase, DAP_TWO_PHASE_FROM_COLUMN, moved, left, err));
  DAP_TRY(test_all(two_phase, DAP_TWO_PHASE_TO_ROW, moved, left, err));
  return test_all(two_phase, DAP_TWO_PHASE_TO_COLUMN, moved, left, err);
}

dap_status dap_two_phase_finish(dap_plan *plan, dap_error *err)
{
  int64_t left = 1;
  for (dap_wait wait = dap_failure_wait(plan); left > 0 && plan->first_fault >= 0;) {
    int64_t moved = left = 0;
    DAP_TRY(dap_two_phase_progress(plan, &moved, &left, err));
    if (moved > 0)
      wait = dap_failure_wait(plan);
    else if (left > 0)
      DAP_TRY(dap_failure_wait_step(plan, -1, &wait, err));
  }
  return DAP_OK;
}

int64_t dap_two_phase_memory(const dap_two_phase *two_phase)
{
  return two_phase ? (int64_t)sizeof *two_phase + two_phase->capacity * (int64_t)sizeof(dap_two_phase_message)
                   : 0;
}

bool dap_two_phase_release(dap_plan *plan)
{
  dap_two_phase *two_phase = plan->two_phase;
  const bool has_mpi = dap_mpi_is_running();
  bool over = true;
  plan->two_phase = NULL;
  for (int kind = 0; two_phase && kind < DAP_TWO_PHASE_KINDS; kind++)
    for (int i = 0; has_mpi && i < two_phase->counts[kind]; i++) {
      dap_two_phase_message *message = &two_phase->messages[kind][i];
      const bool is_send = kind == DAP_TWO_PHASE_TO_ROW || kind == DAP_TWO_PHASE_TO_COLUMN;
      over = dap_messages_abandon(&message->request, is_send) && over;
      if (message->type != MPI_DATATYPE_NULL) (void)MPI_Type_free(&message->type);
    }
  if (two_phase) free(two_phase->messages[0]);
  free(two_phase);
  return over;
}
