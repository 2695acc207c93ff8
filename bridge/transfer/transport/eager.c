/* Chunks that go ahead: packed into the node's slots when a run begins, before it is known whether all
 * buffers are in order, and which channels are direct. So the receiver finds them when it has heard that all
 * have begun, and waits once, not twice.
 *
 * Where one was packed for nothing, as some buffer is at fault or the channel turns out to be direct, the
 * sender takes it back: it alone writes the ring's count. The receiver does not look at the count in such a
 * run, as it comes to know the same before it looks. Nor does it see what was taken back in a later run: it
 * looks after it has read (acquire) that the sender has begun that run, and the sender has said so (release)
 * after it wrote the lower count; and of one variable nobody reads what is older than what he knows. */
#include "transport_impl.h"

bool dap_eager_may(const dap_channel *channel)
{
  return channel->is_send && channel->transport == DAP_TRANSPORT_STAGED;
}

/* What is one chunk; longer channels are well under way while others wait. Not what is likely to be direct,
 * as it was in the last run, or as others see this process's sources. */
static bool goes_ahead(const dap_plan *plan, const dap_channel *channel)
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
  if (plan->fault == DAP_FAULT_NONE && goes_ahead(plan, channel))
    (void)dap_chunk_send(plan, channel, &sent, NULL); /* slots do not fail */
}

/* The first channel is one to a process behind this one: not all begin with the same receiver. */
void dap_eager_start(const dap_plan *plan)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    dap_direction *send = &plan->schedule.exchanges[x].send;
    int first = 0;
    while (first < send->count && send->channels[first].rank < plan->rank) first++;
    for (int i = 0; i < send->count; i++) start(plan, &send->channels[(first + i) % send->count]);
  }
}

void dap_eager_take_back(dap_channel *channel)
{
  if (!dap_eager_may(channel)) return;
  for (; channel->state.moved > 0; channel->state.moved--) dap_slots_take_back(channel);
}

void dap_eager_take_back_all(const dap_plan *plan)
{
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    dap_eager_take_back(channel);
}
