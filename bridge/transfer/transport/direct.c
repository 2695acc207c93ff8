/* Which channels of this node are direct in this run: those of which one end is in memory that the other
 * process sees, in all arrays. Both ends look at the same addresses, and decide alike. */
#include "transport_impl.h"

static int rank_at(const dap_node *node, int node_rank)
{
  int rank = 0;
  while (node->node_ranks[rank] != node_rank) rank++;
  return rank;
}

/* Until all processes of the node have begun this run. Who is late may find that others have given it up:
 * they have written it in their memory long before. */
dap_status dap_direct_await(dap_plan *plan, dap_error *err)
{
  const dap_node_window *window = &plan->window;
  for (int node_rank = 0; node_rank < window->size; node_rank++) {
    const dap_control *control = dap_node_window_control(window, node_rank);
    if (!dap_node_window_await(window, node_rank, &control->published, plan->wait_seconds))
      return dap_notices_miss(plan, rank_at(window->node, node_rank), err);
    /* behind the wait, so that it is this run's */
    const int64_t fault = atomic_load_explicit(&control->fault[window->run % 2], memory_order_relaxed);
    if (plan->notices.are_used && fault < plan->first_fault) plan->first_fault = fault;
    if (plan->wait_seconds > 0) dap_notices_look_at(plan, node_rank);
  }
  return DAP_OK;
}

/* Whether in a pass all sources, or all destinations, of what crosses processes are in memory that the node
 * shares; if not, the first process of the node whose is not. */
static bool all_shared(const dap_plan *plan, int pass, int *node_rank)
{
  const dap_node_window *window = &plan->window;
  bool from = true, to = true;
  for (int p = window->size - 1; p >= 0; p--) {
    const bool *is_private = dap_node_window_privacy(window, p)->is_private[pass];
    from = from && !is_private[0];
    to = to && !is_private[1];
    if (is_private[0] || is_private[1]) *node_rank = p;
  }
  return from || to;
}

/* Where a plan has several nodes each knows of its own processes only. Then all take part in the reduction,
 * whatever has come before: on whom MPI has failed does not know whether the others do. */
dap_status dap_direct_check(dap_plan *plan, dap_error *err)
{
  int node_rank = 0;
  int64_t fault = plan->failure.fault ? plan->failure.fault : plan->first_fault;
  if (plan->schedule.transports != DAP_TRANSPORT_DIRECT) return DAP_OK;
  for (int pass = 0; pass < 2 && fault == DAP_FAULT_NONE; pass++)
    if (!all_shared(plan, pass, &node_rank))
      fault = dap_fault_of(plan, rank_at(plan->window.node, node_rank),
                           pass == 0 ? DAP_FAULT_PRIVATE : DAP_FAULT_NEXT_PASS, 0);
  plan->first_fault = fault;
  if (plan->nprocs == 1 || plan->window.is_whole) return DAP_OK;
  /* where MPI fails here the others have been told all the same, and this process goes by its own node's */
  DAP_TRY(dap_context_reduce(plan->context, DAP_REDUCE_MIN, &fault, 1, err));
  plan->first_fault = fault;
  return DAP_OK;
}

/* The other end of the channel sees all arrays' sources, or destinations; or if they are that end's, this
 * process does, and others[] says where. */
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
  /* where there is an order the receiver alone knows whose turn it is */
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

dap_status dap_direct_start(const dap_plan *plan, dap_direction *direction, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    if (dap_channel_is_remote(channel)) continue;
    if (!dap_eager_may(channel))
      dap_channel_start(channel, channel->transport ? &channel->tile : &channel->direct_tile,
                        channel->transport ? channel->chunks : channel->direct_chunks);
    if (!channel->transport)
      channel->state.pulls = true;
    else
      decide(plan, channel);
    if (!dap_channel_is_direct(channel)) DAP_TRY(dap_transport_of(channel)->start(plan, channel, err));
  }
  return DAP_OK;
}
