/* Decides which channels of this node are direct in a run: one end must be in memory that the other
 * process sees, for all arrays. Both ends know the same addresses and decide alike. */
#include "transport_impl.h"

/* Waits until the other end has begun this run. It may have given the run up: it has written so in its memory
 * long before. */
static dap_status await_channel(dap_plan *plan, dap_channel *channel, dap_error *err)
{
  const dap_node_window *window = &plan->window;
  const dap_control *control = dap_node_window_control(window, channel->node_rank);
  if (!dap_node_window_await(window, channel->node_rank, &control->published, plan->wait_seconds))
    return dap_failure_time_out(plan, channel->rank, err);
  /* this is behind the wait, so that the fault is this run's */
  const int64_t fault = atomic_load_explicit(&control->fault[window->run % 2], memory_order_relaxed);
  channel->is_at_fault = fault != DAP_FAULT_NONE;
  plan->first_fault = dap_smaller(plan->first_fault, fault);
  if (plan->wait_seconds > 0) dap_failure_check_process(plan, channel->node_rank);
  return DAP_OK;
}

dap_status dap_direct_await(dap_plan *plan, dap_error *err)
{
  if (plan->window.size == 0) return DAP_OK;
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    if (channel->transport && channel->node_rank >= 0) DAP_TRY(await_channel(plan, channel, err));
  return DAP_OK;
}

/* Refuses a channel that may only be direct, though neither end sees the other's buffers. Both ends do so. */
static void refuse_private(dap_plan *plan, dap_channel *channel)
{
  const int sender = channel->is_send ? plan->rank : channel->rank;
  const int64_t fault =
      dap_fault_of(plan, sender, plan->is_later ? DAP_FAULT_NEXT_PASS : DAP_FAULT_PRIVATE, 0);
  plan->first_fault = dap_smaller(plan->first_fault, fault);
  dap_channel_stop(channel);
}

/* Returns whether one end of a channel sees the other end's sources (of_from) or destinations, of all arrays.
 * If they are this process's, the other end must see them. Otherwise this process must see them, and others[]
 * receives the addresses. */
static bool is_seen(const dap_plan *plan, const dap_self *self, dap_channel *channel, bool of_from)
{
  const dap_node_window *window = &plan->window;
  const bool is_own = channel->is_send == of_from;
  const int holder = is_own ? window->node->rank : channel->node_rank;
  if (!dap_node_window_control(window, holder)->is_shared[window->run % 2][of_from]) return false;
  const dap_buffer_address *addresses = dap_node_window_addresses(window, holder);
  const uint64_t them = window->node->ids[channel->node_rank];
  for (int64_t a = 0; a < plan->problem.arrays; a++) {
    const dap_segment *segment = of_from ? &addresses[a].from : &addresses[a].to;
    if (is_own ? !dap_segment_seen(self, segment, them)
               : !(channel->others[a] = dap_segment_at(self, segment)))
      return false;
  }
  return true;
}

static void decide(const dap_plan *plan, dap_channel *channel)
{
  if (channel->node_rank < 0 || !(plan->schedule.transports & DAP_TRANSPORT_DIRECT)) return;
  /* where there is an order, only the receiver knows whose turn it is */
  const bool may_push = !plan->schedule.is_ordered, prefers_push = may_push && channel->prefers_push;
  const dap_self *self = dap_self_lock(false);
  bool pushes = prefers_push && is_seen(plan, self, channel, false);
  const bool pulls = !pushes && is_seen(plan, self, channel, true);
  if (may_push && !prefers_push && !pulls) pushes = is_seen(plan, self, channel, false);
  dap_self_unlock();
  channel->was_direct = pulls || pushes;
  if (!pulls && !pushes) return;
  dap_eager_take_back(channel);
  dap_channel_start(channel, &channel->direct_tile, pushes == channel->is_send ? channel->direct_chunks : 0);
  channel->state.pulls = !pushes;
  channel->state.pushes = pushes;
}

static dap_status start_channel(dap_plan *plan, dap_channel *channel, dap_error *err)
{
  if (!dap_eager_may(channel))
    dap_channel_start(channel, channel->transport ? &channel->tile : &channel->direct_tile,
                      channel->transport ? channel->chunks : channel->direct_chunks);
  if (plan->fault != DAP_FAULT_NONE || channel->is_at_fault) { /* both ends know, and move nothing */
    dap_eager_take_back(channel);
    dap_channel_stop(channel);
    return DAP_OK;
  }
  if (!channel->transport)
    channel->state.pulls = true;
  else
    decide(plan, channel);
  if (dap_channel_is_direct(channel)) return DAP_OK;
  if (plan->schedule.transports == DAP_TRANSPORT_DIRECT) refuse_private(plan, channel);
  return channel->transport == DAP_TRANSPORT_MESSAGES ? dap_messages_start(plan, channel, err) : DAP_OK;
}

dap_status dap_direct_start(dap_plan *plan, dap_error *err)
{
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    if (!dap_channel_is_remote(channel)) DAP_TRY(start_channel(plan, channel, err));
  return DAP_OK;
}
