/* Makes the buffers of a plan: slots in the node's memory, slots of messages, and tables of others'
 * buffers. */
#include "relay_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- on the node ------------------------------------------------------------------------------------ */

/* The slots of each channel, one behind the other, and where they are for the receiver to read. */
static void set_offsets(dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  int64_t offset =
      dap_node_window_bytes(plan->schedule.exchange_count, window->node->size, plan->problem.arrays);
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    dap_direction *send = &plan->schedule.exchanges[x].send;
    for (int i = 0; i < send->count; i++) {
      dap_channel *channel = &send->channels[i];
      if (channel->transport != DAP_TRANSPORT_STAGED) continue;
      *dap_node_window_offset(window, window->node->rank, x, channel->node_rank) = offset;
      memset(window->parts[window->node->rank] + offset, 0, sizeof(dap_ring));
      offset += (int64_t)sizeof(dap_ring) + channel->slots * channel->slot_bytes;
    }
  }
}

void dap_buffers_publish(dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  const int64_t bytes =
      dap_node_window_bytes(plan->schedule.exchange_count, window->node->size, plan->problem.arrays);
  memset(window->parts[window->node->rank], 0, (size_t)bytes);
  const dap_problem *problem = &plan->problem;
  dap_buffer_form *form = dap_node_window_form(window, window->node->rank);
  memcpy(form->strides[0], problem->from_strides, sizeof problem->from_strides);
  memcpy(form->strides[1], problem->to_strides, sizeof problem->to_strides);
  form->swapped[0] = problem->from_swapped;
  form->swapped[1] = problem->to_swapped;
  set_offsets(plan);
}

static void set_slots(const dap_plan *plan, int exchange, dap_direction *direction)
{
  const dap_node_window *window = &plan->window;
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    if (channel->transport != DAP_TRANSPORT_STAGED) continue;
    const int sender = channel->is_send ? window->node->rank : channel->node_rank;
    const int receiver = channel->is_send ? channel->node_rank : window->node->rank;
    char *at = window->parts[sender] + *dap_node_window_offset(window, sender, exchange, receiver);
    channel->ring = (dap_ring *)(void *)at;
    channel->base = at + sizeof(dap_ring);
  }
}

void dap_buffers_attach(dap_plan *plan)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    set_slots(plan, x, &plan->schedule.exchanges[x].send);
    set_slots(plan, x, &plan->schedule.exchanges[x].receive);
  }
}

/* ---- messages --------------------------------------------------------------------------------------- */

static dap_status set_messages(dap_plan *plan, dap_direction *direction, int64_t *offset, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    if (channel->transport != DAP_TRANSPORT_MESSAGES) continue;
    channel->base = plan->buffer + *offset;
    *offset += channel->slots * channel->slot_bytes;
    channel->requests = malloc((size_t)channel->slots * sizeof *channel->requests);
    DAP_REQUIRE(channel->requests, err, DAP_ERR_NOMEM, "no memory for %d requests", channel->slots);
    for (int k = 0; k < channel->slots; k++) channel->requests[k] = MPI_REQUEST_NULL;
  }
  return DAP_OK;
}

static dap_status create_messages(dap_plan *plan, dap_error *err)
{
  int64_t offset = 0;
  if (plan->schedule.message_bytes == 0) return DAP_OK;
  plan->buffer = aligned_alloc(64, (size_t)plan->schedule.message_bytes); /* slots are whole lines */
  DAP_REQUIRE(plan->buffer, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " bytes of messages",
              plan->schedule.message_bytes);
  memset(plan->buffer, 0, (size_t)plan->schedule.message_bytes); /* touched once, here */
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    DAP_TRY(set_messages(plan, &plan->schedule.exchanges[x].send, &offset, err));
    DAP_TRY(set_messages(plan, &plan->schedule.exchanges[x].receive, &offset, err));
  }
  return DAP_OK;
}

/* ---- where buffers are ------------------------------------------------------------------------------ */

/* Whether one of its ends may be seen from the other in a run. */
static bool may_be_direct(const dap_plan *plan, const dap_channel *channel)
{
  return (plan->schedule.transports & DAP_TRANSPORT_DIRECT) && channel->transport && channel->node_rank >= 0;
}

static size_t count_others(const dap_plan *plan, const dap_direction *direction)
{
  size_t count = 0;
  for (int i = 0; i < direction->count; i++) count += may_be_direct(plan, &direction->channels[i]);
  return count;
}

/* Returns what is left of the table. */
static char **set_others(const dap_plan *plan, dap_direction *direction, char **table)
{
  for (int i = 0; i < direction->count; i++) {
    if (!may_be_direct(plan, &direction->channels[i])) continue;
    direction->channels[i].others = table;
    table += plan->problem.arrays;
  }
  return table;
}

/* One for all: where this process's arrays are, and those of others. */
static dap_status create_tables(dap_plan *plan, dap_error *err)
{
  const size_t arrays = (size_t)plan->problem.arrays;
  size_t count = 2;
  for (int x = 0; x < plan->schedule.exchange_count; x++)
    count += count_others(plan, &plan->schedule.exchanges[x].send) +
             count_others(plan, &plan->schedule.exchanges[x].receive);
  char **table = calloc(count * arrays, sizeof *table);
  DAP_REQUIRE(table, err, DAP_ERR_NOMEM, "no memory for the buffers of %zu arrays", arrays);
  plan->destinations = table;
  plan->sources = (const char **)(void *)(table + arrays);
  table += 2 * arrays;
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    table = set_others(plan, &plan->schedule.exchanges[x].send, table);
    table = set_others(plan, &plan->schedule.exchanges[x].receive, table);
  }
  return DAP_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

dap_status dap_buffers_create(dap_plan *plan, dap_error *err)
{
  DAP_TRY(create_messages(plan, err));
  return create_tables(plan, err);
}

/* Forgets how the channel was carried. */
static void forget(dap_channel *channel)
{
  channel->requests = NULL;
  channel->others = NULL;
  channel->ring = NULL;
  channel->base = NULL;
  channel->emptied = channel->begun = 0;
  channel->was_direct = channel->is_at_fault = false;
  channel->is_relayed = false;
  channel->message = NULL;
  channel->store_tuner = (dap_store_tuner){0};
  channel->state = (dap_channel_state){0};
}

/* Whether MPI has no more to do with the buffers. */
static bool release_messages(const dap_plan *plan, dap_direction *direction)
{
  bool over = true;
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    if (plan->failure.fault && channel->requests && dap_mpi_is_running())
      over = dap_messages_abandon(channel) && over;
    free(channel->requests);
    forget(channel);
  }
  return over;
}

void dap_buffers_release(dap_plan *plan)
{
  bool over = dap_relay_release(plan);
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    over = release_messages(plan, &plan->schedule.exchanges[x].send) && over;
    over = release_messages(plan, &plan->schedule.exchanges[x].receive) && over;
  }
  if (over) free(plan->buffer); /* else it is MPI's for good */
  free(plan->destinations);     /* and all other tables */
  plan->buffer = NULL;
  plan->destinations = NULL;
  plan->sources = NULL;
}
