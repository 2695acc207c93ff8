/* Moves one chunk of a channel: packs and sends it, receives it and puts it in place, or copies it
 * directly. */
#include "transport_impl.h"

static const dap_reduce_op reduce_ops[] = {[DAP_COMBINE_SUM] = DAP_REDUCE_OP_SUM,
                                           [DAP_COMBINE_MAX] = DAP_REDUCE_OP_MAX,
                                           [DAP_COMBINE_MIN] = DAP_REDUCE_OP_MIN};

/* Finds how a channel's elements change where they are put in place, from the source or, if not
 * `from_source`, as they were packed. NULL: they do not change. Kept in *own. */
static const dap_transform *find_change(const dap_plan *plan, const dap_channel *channel, bool from_source,
                                        dap_transform *own)
{
  const dap_problem *problem = &plan->problem;
  const dap_buffer_form *theirs = channel->node_rank >= 0 && channel->transport
                                      ? dap_node_window_form(&plan->window, channel->node_rank)
                                      : NULL;
  *own = problem->transform;
  if (channel->exchange->product.combines) {
    own->reduce_op = reduce_ops[problem->combine];
    own->beta[0] = 1; /* combined with the destination */
    own->beta[1] = 0;
  }
  own->from_swapped = problem->from.swapped;
  own->to_swapped = problem->to.swapped;
  if (theirs && channel->is_send) own->to_swapped = theirs->swapped[1];
  if (theirs && !channel->is_send) own->from_swapped = theirs->swapped[0];
  if (!from_source) own->from_swapped = false;
  return dap_transform_is_copy(own) ? NULL : own;
}

/* Returns the change of elements that are packed, which are in this machine's byte order; NULL: none. */
static const dap_transform *packing(const dap_problem *problem, dap_transform *own)
{
  *own = (dap_transform){.from = problem->transform.from,
                         .to = problem->transform.from,
                         .from_swapped = problem->from.swapped,
                         .alpha = {1, 0}};
  return problem->from.swapped ? own : NULL;
}

static int64_t pack(const dap_plan *plan, dap_channel *channel, char *at)
{
  const dap_problem *problem = channel->exchange->problem;
  dap_transform own;
  const bool streamed = dap_store_tuner_choose(channel);
  const double start = dap_store_tuner_start(channel);
  dap_copy copy = {.channel = channel,
                   .chunk = &channel->state.next,
                   .from = plan->sources,
                   .from_strides = problem->from.strides,
                   .from_item = problem->from.item,
                   .to_item = problem->from.item,
                   .transform = packing(problem, &own),
                   .kernels = plan->kernels,
                   .stream = streamed};
  copy.to_packed = at;
  dap_copy_run(&copy);
  if (streamed) plan->kernels->fence();
  const int64_t bytes = dap_chunk_bytes(channel);
  dap_store_tuner_packed(channel, bytes, streamed, start);
  return bytes;
}

dap_status dap_chunk_send(const dap_plan *plan, dap_channel *channel, bool *sent, dap_error *err)
{
  char *at = NULL;
  DAP_TRY(dap_transport_of(channel)->slot(channel, &at, err));
  *sent = at != NULL;
  if (!at) return DAP_OK;
  DAP_TRY(dap_transport_of(channel)->send(plan, channel, pack(plan, channel, at), err));
  dap_channel_advance(channel);
  return DAP_OK;
}

dap_copy dap_chunk_placing(const dap_plan *plan, const dap_channel *channel, const char *packed,
                           dap_transform *own)
{
  const dap_problem *problem = channel->exchange->problem;
  dap_copy copy = {.channel = channel,
                   .chunk = &channel->state.next,
                   .from_packed = packed,
                   .to = plan->destinations,
                   .to_strides = problem->to.strides,
                   .from_item = problem->from.item,
                   .to_item = problem->to.item,
                   .transform = find_change(plan, channel, !packed, own),
                   .kernels = plan->kernels};
  if (packed) return copy;
  copy.from = channel->transport ? (const char *const *)channel->others : plan->sources;
  copy.from_strides = channel->transport ? dap_node_window_form(&plan->window, channel->node_rank)->strides[0]
                                         : problem->from.strides;
  return copy;
}

static void run_copy(dap_channel *channel, dap_copy *copy)
{
  copy->stream = channel->exchange->is_large;
  dap_copy_run(copy);
  dap_channel_advance(channel);
}

void dap_chunk_copy(const dap_plan *plan, dap_channel *channel)
{
  dap_transform own;
  dap_copy copy = dap_chunk_placing(plan, channel, NULL, &own);
  if (channel->is_send) {
    copy.from = plan->sources;
    copy.from_strides = plan->problem.from.strides;
    copy.to = channel->others;
    copy.to_strides = dap_node_window_form(&plan->window, channel->node_rank)->strides[1];
  }
  run_copy(channel, &copy);
}

void dap_chunk_refused(dap_plan *plan, dap_channel *channel)
{
  plan->first_fault = dap_smaller(plan->first_fault, dap_messages_fault(channel));
  dap_channel_stop(channel);
}

dap_status dap_chunk_taken(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  const dap_transport_ops *ops = dap_transport_of(channel);
  return ops->taken ? ops->taken(plan, channel, err) : DAP_OK;
}

/* A process at fault drops the chunk. */
dap_status dap_chunk_receive(dap_plan *plan, dap_channel *channel, bool *received, dap_error *err)
{
  char *at = NULL;
  DAP_TRY(dap_transport_of(channel)->slot(channel, &at, err));
  *received = at != NULL;
  if (!at) return DAP_OK;
  if (channel->state.is_refused) {
    dap_chunk_refused(plan, channel);
    return DAP_OK;
  }
  if (plan->fault != DAP_FAULT_NONE) {
    dap_channel_advance(channel);
    return dap_chunk_taken(plan, channel, err);
  }
  dap_transform own;
  dap_copy copy = dap_chunk_placing(plan, channel, at, &own);
  const double start = dap_store_tuner_start(channel);
  run_copy(channel, &copy);
  dap_store_tuner_taken(channel, 0, start);
  return dap_chunk_taken(plan, channel, err);
}
