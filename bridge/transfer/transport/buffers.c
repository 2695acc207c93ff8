/* Makes the buffers of a plan: slots in the node's memory, slots of messages, and tables of others'
 * buffers. */
#include "two_phase_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t dap_buffers_slots_offset(const dap_plan *plan)
{
  return dap_node_window_bytes(plan->schedule.exchange_count, plan->window.node->size, plan->problem.arrays);
}

/* Places the slots of each channel one behind another, and says where they are for the receiver to read. */
static void set_offsets(dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  const int rank = window->node->rank;
  int64_t offset = dap_buffers_slots_offset(plan);
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (channel->transport != DAP_TRANSPORT_STAGED || !channel->is_send) continue;
    *dap_node_window_offset(window, rank, channel->exchange->tag, channel->node_rank) = offset;
    memset(window->parts[rank] + offset, 0, sizeof(dap_ring));
    offset += (int64_t)sizeof(dap_ring) + channel->slots * channel->slot_bytes;
  }
}

void dap_buffers_publish(dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  const dap_problem *problem = &plan->problem;
  memset(window->parts[window->node->rank], 0, (size_t)dap_buffers_slots_offset(plan));
  dap_buffer_form *form = dap_node_window_form(window, window->node->rank);
  memcpy(form->strides[0], problem->from.strides, sizeof problem->from.strides);
  memcpy(form->strides[1], problem->to.strides, sizeof problem->to.strides);
  form->swapped[0] = problem->from.swapped;
  form->swapped[1] = problem->to.swapped;
  set_offsets(plan);
}

void dap_buffers_attach(dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (channel->transport != DAP_TRANSPORT_STAGED) continue;
    const int sender = channel->is_send ? window->node->rank : channel->node_rank;
    const int receiver = channel->is_send ? channel->node_rank : window->node->rank;
    char *at =
        window->parts[sender] + *dap_node_window_offset(window, sender, channel->exchange->tag, receiver);
    channel->ring = (dap_ring *)(void *)at;
    channel->base = at + sizeof(dap_ring);
  }
}

static dap_status create_messages(dap_plan *plan, dap_error *err)
{
  int64_t offset = 0;
  if (plan->schedule.message_bytes == 0) return DAP_OK;
  plan->buffer = aligned_alloc(DAP_LINE, (size_t)plan->schedule.message_bytes); /* slots are whole lines */
  DAP_REQUIRE(plan->buffer, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " bytes of messages",
              plan->schedule.message_bytes);
  memset(plan->buffer, 0, (size_t)plan->schedule.message_bytes); /* touches all pages, once */
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (channel->transport != DAP_TRANSPORT_MESSAGES) continue;
    channel->base = plan->buffer + offset;
    offset += channel->slots * channel->slot_bytes;
    channel->requests = malloc((size_t)channel->slots * sizeof *channel->requests);
    DAP_REQUIRE(channel->requests, err, DAP_ERR_NOMEM, "no memory for %d requests", channel->slots);
    for (int k = 0; k < channel->slots; k++) channel->requests[k] = MPI_REQUEST_NULL;
  }
  return DAP_OK;
}

static bool may_be_direct(const dap_plan *plan, const dap_channel *channel)
{
  return (plan->schedule.transports & DAP_TRANSPORT_DIRECT) && channel->transport && channel->node_rank >= 0;
}

/* Makes one table of all: where this process's arrays are, and those of others. */
static dap_status create_tables(dap_plan *plan, dap_error *err)
{
  const size_t arrays = (size_t)plan->problem.arrays;
  dap_channel *channel = NULL;
  size_t count = 2;
  while ((channel = dap_schedule_next(&plan->schedule, channel))) count += may_be_direct(plan, channel);
  char **table = calloc(count * arrays, sizeof *table);
  DAP_REQUIRE(table, err, DAP_ERR_NOMEM, "no memory for the buffers of %zu arrays", arrays);
  plan->destinations = table;
  plan->sources = (const char **)(void *)(table + arrays);
  table += 2 * arrays;
  while ((channel = dap_schedule_next(&plan->schedule, channel))) {
    if (!may_be_direct(plan, channel)) continue;
    channel->others = table;
    table += arrays;
  }
  return DAP_OK;
}

dap_status dap_buffers_create(dap_plan *plan, dap_error *err)
{
  DAP_TRY(create_messages(plan, err));
  return create_tables(plan, err);
}

static void forget(dap_channel *channel)
{
  channel->requests = NULL;
  channel->others = NULL;
  channel->ring = NULL;
  channel->base = NULL;
  channel->emptied = channel->begun = 0;
  channel->was_direct = channel->is_at_fault = false;
  channel->in_two_phases = false;
  channel->message = NULL;
  channel->store_tuner = (dap_store_tuner){0};
  channel->state = (dap_channel_state){0};
}

void dap_buffers_release(dap_plan *plan)
{
  const bool has_mpi = dap_mpi_is_running();
  bool over = dap_two_phase_release(plan); /* MPI has no more to do with the buffers */
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    for (int k = 0; plan->failure.fault && channel->requests && k < channel->slots && has_mpi; k++)
      over = dap_messages_abandon(&channel->requests[k], channel->is_send) && over;
    free(channel->requests);
    forget(channel);
  }
  if (over) free(plan->buffer); /* otherwise MPI keeps it for good */
  free(plan->destinations);     /* this frees all other tables, too */
  plan->buffer = NULL;
  plan->destinations = NULL;
  plan->sources = NULL;
}
