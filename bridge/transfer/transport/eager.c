/* Sends eager chunks: they are packed into the node's slots when a run begins, before it is known whether all
 * buffers are in order, and which channels are direct. The receiver finds them once it has heard that the
 * sender has begun, so it waits once, not twice. */
#include "transport_impl.h"

bool dap_eager_may(const dap_channel *channel)
{
  return channel->is_send && channel->transport == DAP_TRANSPORT_STAGED;
}

/* Whether the channel's only chunk is sent eagerly. Longer channels are well under way while others wait. A
 * channel is likely to be direct if it was so in the last run, or if others see this process's sources. */
static bool is_eager(const dap_plan *plan, const dap_channel *channel)
{
  const dap_node_window *window = &plan->window;
  return dap_eager_may(channel) && (plan->schedule.transports & DAP_TRANSPORT_STAGED) &&
         channel->chunks == 1 && !channel->was_direct &&
         !dap_node_window_control(window, window->node->rank)->is_shared[window->run % 2][true];
}

static void start(const dap_plan *plan, dap_channel *channel)
{
  bool sent;
  if (!dap_eager_may(channel)) return;
  dap_slots_begin(channel);
  dap_channel_start(channel, &channel->tile, channel->chunks);
  if (plan->fault == DAP_FAULT_NONE && is_eager(plan, channel))
    (void)dap_chunk_send(plan, channel, &sent, NULL); /* slots do not fail */
}

void dap_eager_start(const dap_plan *plan)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    dap_direction *send = &plan->schedule.exchanges[x].send;
    const int first = dap_direction_first(send, plan->rank);
    for (int i = 0; i < send->count; i++) start(plan, &send->channels[(first + i) % send->count]);
  }
}

/* No receiver sees a chunk that is taken back. It does not read the ring's count in this run, because it
 * learns the same before. In a later run it reads the count after it has read (acquire) that the sender has
 * begun. The sender says so (release) after it has written the lower count. */
void dap_eager_take_back(dap_channel *channel)
{
  if (!dap_eager_may(channel)) return;
  for (; channel->state.moved > 0; channel->state.moved--) dap_slots_take_back(channel);
}
