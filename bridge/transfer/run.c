/* Plans under way: begin says where the buffers are and starts messages; end does the rest. Nothing is
 * allocated, and nothing decided but what depends on where the buffers are.
 *
 * What can still be wrong are the buffers: NULL, or overlapping. All processes know of it before any
 * destination is written: through the node's memory if all are there, else by an agreement while the first
 * messages are under way. */
#include "transfer_impl.h"

/* ---- faults ----------------------------------------------------------------------------------- */

/* A side's elements on this process as bytes, with an axis more. */
static dap_array bytes_of(const dap_problem *problem, bool of_from, const char *at)
{
  const int ndim = problem->ndim;
  dap_array bytes = {.dtype = DAP_U1, .ndim = ndim + 1, .data = (void *)at};
  for (int k = 0; k < ndim; k++) {
    const dap_map *map = of_from ? dap_problem_from_map(problem, k) : dap_problem_to_map(problem, k);
    bytes.shape[k] = map->ops->extent(map, of_from ? problem->from_coords[k] : problem->to_coords[k]);
    bytes.strides[k] = of_from ? problem->from_strides[k] : problem->to_strides[k];
  }
  bytes.shape[ndim] = of_from ? problem->from_item : problem->to_item;
  bytes.strides[ndim] = 1;
  return bytes;
}

/* Elements to be read share memory with some to be written. Of moves of parts this is not looked for, as
 * parts of one buffer may well be moved within it. */
static bool is_overlap(const dap_plan *plan)
{
  const dap_problem *problem = &plan->problem;
  if (plan->in_place && plan->source == plan->destination) return false;
  if (!problem->holds_from || !problem->holds_to || problem->ndim == DAP_MAX_NDIM) return false;
  for (int k = 0; k < problem->ndim; k++)
    if (problem->shape[k] < dap_problem_from_map(problem, k)->axis.size ||
        problem->shape[k] < dap_problem_to_map(problem, k)->axis.size)
      return false;
  const dap_array from = bytes_of(problem, true, plan->source),
                  to = bytes_of(problem, false, plan->destination);
  return dap_array_overlaps(&from, &to);
}

static int find_fault(const dap_plan *plan)
{
  const int first = DAP_FAULTS * plan->rank;
  if (plan->failure.fault) return plan->failure.fault;
  if (plan->problem.holds_from && !plan->source) return first + DAP_FAULT_SOURCE;
  if (plan->problem.holds_to && !plan->destination) return first + DAP_FAULT_DESTINATION;
  return is_overlap(plan) ? first + DAP_FAULT_OVERLAP : DAP_FAULT_NONE;
}

static dap_status fail_broken(const dap_plan *plan, dap_error *err)
{
  const dap_run_failure *failure = &plan->failure;
  const int rank = -1 - failure->fault;
  const bool is_here = rank == plan->rank;
  const dap_status s = is_here ? failure->status : DAP_ERR_LIBRARY;
  (void)dap_fail(err, s, "rank %d: a run of this plan failed%s%.200s; the plan can only be destroyed", rank,
                 is_here ? ": " : "", failure->error.text);
  if (err) err->rank = rank;
  return s;
}

/* What all are told at the next run. */
static dap_status set_broken(dap_plan *plan, dap_status s)
{
  if (s) plan->failure.fault = -1 - plan->rank;
  if (s) plan->failure.status = s;
  return s;
}

static dap_status fail_fault(const dap_plan *plan, dap_error *err)
{
  static const char *const texts[DAP_FAULTS] = {
      [DAP_FAULT_SOURCE] = "the source buffer is NULL, but this process has elements in it",
      [DAP_FAULT_DESTINATION] = "the destination buffer is NULL, but this process has elements in it",
      [DAP_FAULT_OVERLAP] = "the source and destination buffers overlap",
      [DAP_FAULT_PRIVATE] =
          ("options.transports allows only direct copies, but neither all sources nor all destinations are "
           "dap_array_alloc()'s"),
      [DAP_FAULT_FOLLOW] =
          ("options.transports allows only direct copies, but destinations, from which copies and padding "
           "get their values, are not dap_array_alloc()'s")};
  const int rank = plan->first_fault / DAP_FAULTS, fault = plan->first_fault % DAP_FAULTS;
  const bool reads = fault == DAP_FAULT_PRIVATE && plan->schedule.is_ordered;
  (void)dap_fail(err, DAP_ERR_ARG, "rank %d: %s", rank,
                 reads
                     ? "options.transports allows only direct copies, but sources, which receivers combine, "
                       "are not dap_array_alloc()'s"
                     : texts[fault]);
  if (err) err->rank = rank;
  return DAP_ERR_ARG;
}

/* ---- begin ------------------------------------------------------------------------------------ */

/* Receives are posted and slots filled, as many as there are. */
static dap_status start_messages(const dap_plan *plan, dap_direction *direction, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    if (!dap_channel_is_remote(channel)) continue;
    dap_channel_start(channel, channel->tile, channel->chunks);
    DAP_TRY(dap_transport_of(channel)->start(plan, channel, err));
    bool sent = channel->is_send;
    for (int k = 0; k < channel->slots && sent; k++) DAP_TRY(dap_chunk_send(plan, channel, &sent, err));
  }
  return DAP_OK;
}

/* Elements go to a process that does not see the source, or come from one that does not see the
 * destination, or must not write there. */
static bool is_unseen(const dap_plan *plan, bool is_send, const dap_segment *segment)
{
  const dap_node *node = plan->window.node;
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    const dap_exchange *exchange = &plan->schedule.exchanges[x];
    const dap_direction *direction = is_send ? &exchange->send : &exchange->receive;
    for (int i = 0; i < direction->count; i++) {
      const dap_channel *channel = &direction->channels[i];
      const bool is_closed = !is_send && plan->schedule.is_ordered;
      if (channel->transport && (is_closed || !dap_segment_seen(segment, node->ids[channel->node_rank])))
        return true;
    }
  }
  return false;
}

/* Also in what follows, as that must not fail once the first pass has written. */
static void find_private(const dap_plan *plan, dap_buffer_address *address)
{
  const dap_plan *follow = plan->follow;
  address->is_private[0][0] = is_unseen(plan, true, &address->from);
  address->is_private[0][1] = is_unseen(plan, false, &address->to);
  address->is_private[1][0] = follow && is_unseen(follow, true, &address->to);
  address->is_private[1][1] = follow && is_unseen(follow, false, &address->to);
}

static void publish_buffers(dap_plan *plan)
{
  dap_node_window *window = &plan->window;
  window->run++;
  if (window->size == 0) return;
  dap_control *control = dap_node_window_control(window, window->node->rank);
  dap_buffer_address *address = dap_node_window_address(window, window->node->rank);
  const bool direct = plan->schedule.transports & DAP_TRANSPORT_DIRECT;
  address->from = direct ? dap_segment_find(plan->source) : (dap_segment){0};
  address->source = (uint64_t)(uintptr_t)plan->source;
  address->to = direct ? dap_segment_find(plan->destination) : (dap_segment){0};
  if (plan->schedule.transports == DAP_TRANSPORT_DIRECT) find_private(plan, address);
  control->fault[window->run % 2] = plan->fault;
  atomic_store_explicit(&control->published, window->run, memory_order_release);
}

static dap_status start(dap_plan *plan, dap_error *err)
{
  const dap_schedule *schedule = &plan->schedule;
  for (int x = 0; x < schedule->exchange_count; x++)
    DAP_TRY(start_messages(plan, &schedule->exchanges[x].receive, err));
  for (int x = 0; x < schedule->exchange_count; x++)
    DAP_TRY(start_messages(plan, &schedule->exchanges[x].send, err));
  return DAP_OK;
}

dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_TRY(dap_plan_check(plan, err));
  DAP_REQUIRE(!plan->under_way, err, DAP_ERR_ARG, "the plan has been begun and not been ended");
  DAP_TRY(dap_mpi_check_running(err));
  plan->source = from;
  plan->destination = to;
  plan->under_way = true;
  plan->fault = plan->first_fault = find_fault(plan);
  publish_buffers(plan);
  if (!plan->failure.fault && set_broken(plan, start(plan, &plan->failure.error)))
    plan->fault = plan->failure.fault;
  return DAP_OK;
}

/* ---- end: leaving ----------------------------------------------------------------------------- */

static void say_done(const dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  if (window->size > 0)
    atomic_store_explicit(&dap_node_window_control(window, window->node->rank)->done, window->run,
                          memory_order_release);
}

/* Until the processes that read this one's source or write its destination are through. */
static void await_done(const dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  if (window->size == 0) return;
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    const dap_direction *directions[] = {&plan->schedule.exchanges[x].send,
                                         &plan->schedule.exchanges[x].receive};
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < directions[d]->count; i++) {
        const dap_channel *channel = &directions[d]->channels[i];
        int tries = 0;
        if (!channel->transport || !dap_channel_is_direct(channel)) continue;
        dap_control *control = dap_node_window_control(window, channel->node_rank);
        while (atomic_load_explicit(&control->done, memory_order_acquire) < window->run)
          dap_node_relax(window->node, &tries);
      }
  }
}

/* Messages that are on their way. */
static dap_status finish_messages(dap_plan *plan, dap_error *err)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    dap_direction *directions[] = {&plan->schedule.exchanges[x].send, &plan->schedule.exchanges[x].receive};
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < directions[d]->count; i++)
        if (directions[d]->channels[i].requests)
          DAP_TRY(dap_transport_messages.finish(&directions[d]->channels[i], err));
  }
  return DAP_OK;
}

/* Moves the elements, unless some process's buffers are at fault. */
static dap_status move(dap_plan *plan, dap_error *err)
{
  int64_t first = plan->fault;
  if (!plan->window.is_whole) DAP_TRY(dap_context_reduce(plan->context, DAP_REDUCE_MIN, &first, 1, err));
  plan->first_fault = (int)first;
  dap_direct_await(plan);
  DAP_TRY(dap_direct_check(plan, err));
  return plan->first_fault == DAP_FAULT_NONE ? dap_progress_all(plan, err) : DAP_OK;
}

static dap_status finish(dap_plan *plan, dap_error *err)
{
  dap_run_failure *failure = &plan->failure;
  const dap_status s = set_broken(plan, move(plan, &failure->error));
  say_done(plan); /* whatever happened: others wait for it */
  if (!s && plan->first_fault < 0) failure->fault = plan->first_fault;
  if (!failure->fault) await_done(plan);
  if (!failure->fault) (void)set_broken(plan, finish_messages(plan, &failure->error));
  if (failure->fault) return fail_broken(plan, err);
  return plan->first_fault == DAP_FAULT_NONE ? dap_fetch_check(plan, err) : fail_fault(plan, err);
}

/* The second pass. Whatever the first came to on this process, others may be in it: all stay away together
 * only if buffers are at fault, which all know. */
static dap_status run_follow(dap_plan *plan, dap_status s, dap_error *err)
{
  dap_plan *follow = plan->follow;
  if (!follow || (plan->first_fault >= 0 && plan->first_fault != DAP_FAULT_NONE)) return s;
  if (plan->failure.fault) follow->failure = plan->failure;
  const dap_status t = dap_plan_run(follow, plan->destination, plan->destination, s ? NULL : err);
  if (follow->failure.fault) plan->failure = follow->failure;
  return s ? s : t;
}

dap_status dap_plan_end(dap_plan *plan, dap_error *err)
{
  DAP_TRY(dap_plan_check(plan, err));
  DAP_REQUIRE(plan->under_way, err, DAP_ERR_ARG, "the plan has not been begun");
  DAP_TRY(dap_mpi_check_running(err));
  const dap_status s = finish(plan, err);
  if (s) dap_groups_name(&plan->context->groups, plan->sender, err);
  plan->under_way = false;
  if (!s) dap_clearing_run(plan->clearing, plan->destination);
  return run_follow(plan, s, err);
}

dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_TRY(dap_plan_begin(plan, from, to, err));
  return dap_plan_end(plan, err);
}
