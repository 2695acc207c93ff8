/* Moves one chunk of a channel: packs and sends it, receives it and puts it in place, or copies it
 * directly. */
#include "transport_impl.h"

static const dap_reduce_op reduce_ops[] = {[DAP_COMBINE_SUM] = DAP_REDUCE_OP_SUM,
                                           [DAP_COMBINE_MAX] = DAP_REDUCE_OP_MAX,
                                           [DAP_COMBINE_MIN] = DAP_REDUCE_OP_MIN};

const dap_transform *dap_chunk_change(const dap_plan *plan, const dap_channel *channel, bool from_source,
                                      dap_transform *own)
{
  const dap_problem *problem = &plan->problem;
  const dap_buffer_form *theirs = channel->node_rank >= 0 && channel->transport
                                      ? dap_node_window_form(&plan->window, channel->node_rank)
                                      : NULL;
  *own = problem->transform;
  if (channel->exchange->combines) {
    own->reduce_op = reduce_ops[problem->combine];
    own->beta[0] = 1; /* with what is there */
    own->beta[1] = 0;
  }
  own->from_swapped = problem->from_swapped;
  own->to_swapped = problem->to_swapped;
  if (theirs && channel->is_send) own->to_swapped = theirs->swapped[1];
  if (theirs && !channel->is_send) own->from_swapped = theirs->swapped[0];
  if (!from_source) own->from_swapped = false;
  return dap_transform_is_copy(own) ? NULL : own;
}

/* Packed elements are in this machine's byte order. */
static const dap_transform *packing(const dap_problem *problem, dap_transform *own)
{
  *own = (dap_transform){.from = problem->transform.from,
                         .to = problem->transform.from,
                         .from_swapped = problem->from_swapped,
                         .alpha = {1, 0}};
  return problem->from_swapped ? own : NULL;
}

/* The bytes of the next chunk. */
static int64_t pack(const dap_plan *plan, dap_channel *channel, char *at)
{
  const dap_problem *problem = channel->exchange->problem;
  dap_transform own;
  const dap_chunk *chunk = &channel->state.next;
  const bool streamed = dap_store_tuner_choose(channel);
  const double start = dap_store_tuner_start(channel);
  dap_copy copy = {.channel = channel,
                   .chunk = chunk,
                   .from = plan->sources,
                   .from_strides = problem->from_strides,
                   .from_item = problem->from_item,
                   .to_item = problem->from_item,
                   .transform = packing(problem, &own),
                   .kernels = plan->kernels,
                   .stream = streamed};
  copy.to_packed = at;
  dap_copy_run(&copy);
  if (streamed) plan->kernels->fence();
  const int64_t bytes =
      dap_chunk_arrays(chunk) * dap_chunk_elements(chunk, problem->ndim) * problem->from_item;
  dap_store_tuner_packed(channel, bytes, streamed, start);
  return bytes;
}

/* Packs the next chunk and sends it, if there is room. */
dap_status dap_chunk_send(const dap_plan *plan, dap_channel *channel, bool *sent, dap_error *err)
{
  char *at = NULL;
  DAP_TRY(dap_transport_of(channel)->room(channel, &at, err));
  *sent = at != NULL;
  if (!at) return DAP_OK;
  DAP_TRY(dap_transport_of(channel)->send(plan, channel, pack(plan, channel, at), err));
  dap_channel_advance(channel);
  return DAP_OK;
}

/* Puts a chunk in place, from where it is packed or, with strides, from the sources: both ends are given in
 * `copy`. */
static void put_chunk(const dap_plan *plan, dap_channel *channel, dap_copy copy)
{
  const dap_problem *problem = channel->exchange->problem;
  dap_transform own;
  copy.channel = channel;
  copy.chunk = &channel->state.next;
  copy.from_item = problem->from_item;
  copy.to_item = problem->to_item;
  copy.transform = dap_chunk_change(plan, channel, copy.from_strides != NULL, &own);
  copy.kernels = plan->kernels;
  copy.stream = channel->exchange->is_large;
  dap_copy_run(&copy);
  dap_channel_advance(channel);
}

const char *const *dap_chunk_sources(const dap_plan *plan, const dap_channel *channel)
{
  return channel->transport ? (const char *const *)channel->others : plan->sources;
}

const int64_t *dap_chunk_source_strides(const dap_plan *plan, const dap_channel *channel)
{
  return channel->transport ? dap_node_window_form(&plan->window, channel->node_rank)->strides[0]
                            : plan->problem.from_strides;
}

void dap_chunk_copy(const dap_plan *plan, dap_channel *channel)
{
  dap_copy copy = {0};
  if (channel->is_send) {
    copy.from = plan->sources;
    copy.from_strides = plan->problem.from_strides;
    copy.to = channel->others;
    copy.to_strides = dap_node_window_form(&plan->window, channel->node_rank)->strides[1];
  } else {
    copy.from = dap_chunk_sources(plan, channel);
    copy.from_strides = dap_chunk_source_strides(plan, channel);
    copy.to = plan->destinations;
    copy.to_strides = plan->problem.to_strides;
  }
  put_chunk(plan, channel, copy);
}

void dap_chunk_refused(dap_plan *plan, dap_channel *channel)
{
  plan->first_fault = dap_smaller(plan->first_fault, dap_messages_fault(channel));
  dap_channel_stop(channel);
}

/* Receives the next chunk of a channel, if it is there. A process at fault drops it. */
dap_status dap_chunk_receive(dap_plan *plan, dap_channel *channel, bool *received, dap_error *err)
{
  const char *at = NULL;
  DAP_TRY(dap_transport_of(channel)->arrived(channel, &at, err));
  *received = at != NULL;
  if (!at) return DAP_OK;
  if (channel->state.is_refused) {
    dap_chunk_refused(plan, channel);
    return DAP_OK;
  }
  if (plan->fault != DAP_FAULT_NONE) {
    dap_channel_advance(channel);
    return dap_transport_of(channel)->taken(plan, channel, err);
  }
  const dap_copy copy = {.from_packed = at, .to = plan->destinations, .to_strides = plan->problem.to_strides};
  const double start = dap_store_tuner_start(channel);
  put_chunk(plan, channel, copy);
  dap_store_tuner_taken(channel, 0, start);
  return dap_transport_of(channel)->taken(plan, channel, err);
}
