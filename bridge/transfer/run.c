/* Runs plans: begin publishes the buffers and starts messages, and end does the rest. A run allocates
 * nothing, and decides only what depends on the places of the buffers. A process whose buffers are at fault
 * (faults.c) tells those that it exchanges with, sends no elements, and drops those that it receives. */
#include "transfer_impl.h"
#include "two_phase_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- broken --------------------------------------------------------------------------------------- */

static dap_status fail_broken(const dap_plan *plan, dap_error *err)
{
  const dap_run_failure *failure = &plan->failure;
  const int rank = dap_failure_rank(plan, failure->fault),
            missing = dap_failure_missing(plan, failure->fault);
  const bool is_here = rank == plan->rank;
  const dap_status s = is_here ? failure->status : DAP_ERR_LIBRARY;
  char name[DAP_RANK_TEXT], why[256] = "";
  dap_groups_rank(plan->schedule.groups, plan->schedule.sender, missing, name);
  if (is_here) (void)snprintf(why, sizeof why, ": %.200s", failure->error.text);
  if (!is_here && missing >= 0) (void)snprintf(why, sizeof why, ": %s has not answered", name);
  (void)dap_fail(err, s, "rank %d: a run of this plan failed%s; the plan can only be destroyed", rank, why);
  if (err) err->rank = rank;
  return s;
}

/* Marks the plan as broken. All processes learn of it in the next run at the latest. */
static dap_status set_broken(dap_plan *plan, dap_status s)
{
  if (!s) return DAP_OK;
  if (!plan->failure.fault) plan->failure.fault = dap_failure_of(plan, plan->rank, -1);
  plan->failure.status = s;
  return s;
}

/* ---- begin ---------------------------------------------------------------------------------------- */

static dap_status start_messages(const dap_plan *plan, dap_error *err)
{
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (!dap_channel_is_remote(channel)) continue;
    dap_channel_start(channel, &channel->tile, channel->chunks);
    if (!channel->in_two_phases) DAP_TRY(dap_messages_start(plan, channel, err));
  }
  return DAP_OK;
}

/* Sends this process's fault, if it has one, in place of its elements. In two phases elements are sent all
 * the same. */
static dap_status refuse_messages(const dap_plan *plan, dap_error *err)
{
  if (plan->fault == DAP_FAULT_NONE || plan->two_phase) return DAP_OK;
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    if (channel->is_send && dap_channel_is_remote(channel)) DAP_TRY(dap_messages_refuse(plan, channel, err));
  return DAP_OK;
}

/* Fills the slots of messages. Each channel sends a chunk before one sends its next, so that each receiver
 * can begin. */
static dap_status send_first(const dap_plan *plan, dap_direction *send, dap_error *err)
{
  const int first = dap_direction_first(send, plan->rank);
  bool any = true;
  for (int k = 0; any; k++) {
    any = false;
    for (int i = 0; i < send->count; i++) {
      dap_channel *channel = &send->channels[(first + i) % send->count];
      bool sent;
      if (!dap_channel_is_remote(channel) || k >= channel->slots || dap_channel_is_over(channel)) continue;
      DAP_TRY(dap_chunk_send(plan, channel, &sent, err));
      any = true;
    }
  }
  return DAP_OK;
}

/* Finds where the buffers are in shared memory, if that is of use. */
static void find_segments(const dap_plan *plan, dap_buffer_address addresses[], bool is_shared[2])
{
  const unsigned transports = plan->schedule.transports;
  const dap_self *self = dap_self_lock(false), *direct = transports & DAP_TRANSPORT_DIRECT ? self : NULL;
  is_shared[false] = is_shared[true] = false;
  for (int64_t a = 0; a < plan->problem.arrays; a++) {
    const char *from = plan->sources[a], *to = plan->destinations[a];
    addresses[a].from = dap_segment_find(direct, from);
    addresses[a].to = from == to ? addresses[a].from : dap_segment_find(direct, to);
    is_shared[false] = is_shared[false] || addresses[a].to.id != 0;
    is_shared[true] = is_shared[true] || addresses[a].from.id != 0;
  }
  dap_self_unlock();
}

static void publish_buffers(dap_plan *plan)
{
  dap_node_window *window = &plan->window;
  window->run++;
  if (window->size == 0) return;
  dap_control *control = dap_node_window_control(window, window->node->rank);
  /* A broken plan moves nothing. Others may still read the addresses of the run that broke it. */
  if (!plan->failure.fault)
    find_segments(plan, dap_node_window_addresses(window, window->node->rank),
                  control->is_shared[window->run % 2]);
  atomic_store_explicit(&control->fault[window->run % 2], plan->fault, memory_order_relaxed);
  dap_node_window_say(window, &control->published);
}

static dap_status start(dap_plan *plan, dap_error *err)
{
  const dap_schedule *schedule = &plan->schedule;
  if (plan->two_phase) DAP_TRY(dap_two_phase_start(plan, err));
  DAP_TRY(start_messages(plan, err));
  DAP_TRY(refuse_messages(plan, err));
  for (int x = 0; x < schedule->exchange_count; x++)
    DAP_TRY(send_first(plan, &schedule->exchanges[x].send, err));
  return DAP_OK;
}

/* Announces a failure up to now. A plan in two phases agrees on faults. */
static void start_agreement(dap_plan *plan)
{
  plan->first_fault = plan->fault;
  plan->agreement = MPI_REQUEST_NULL;
  if (plan->failure.fault) dap_failure_announce(plan);
  if (!plan->two_phase) return;
  const dap_status s = dap_context_reduce_start(plan->context, DAP_REDUCE_MIN, &plan->first_fault, 1,
                                                &plan->agreement, &plan->failure.error);
  if (set_broken(plan, s)) plan->fault = plan->failure.fault;
}

/* Copies the caller's tables, which need not outlive the call. */
static void take_buffers(dap_plan *plan, const void *const from[], void *const to[])
{
  for (int64_t a = 0; a < plan->problem.arrays; a++) {
    plan->sources[a] = from ? from[a] : NULL;
    plan->destinations[a] = to ? to[a] : NULL;
  }
}

/* Begins a run. A later pass begins with the fault that this process knows of from the passes before,
 * because that is the reason. */
static dap_status begin(dap_plan *plan, const void *const from[], void *const to[], int64_t fault,
                        dap_error *err)
{
  DAP_TRY(dap_plan_check(plan, err));
  DAP_REQUIRE(!plan->under_way, err, DAP_ERR_ARG, "the plan has been begun and not been ended");
  DAP_TRY(dap_mpi_check_running(err));
  take_buffers(plan, from, to);
  plan->under_way = true;
  plan->fault = plan->failure.fault || fault == DAP_FAULT_NONE ? dap_fault_find(plan) : fault;
  if (!plan->failure.fault && set_broken(plan, start(plan, &plan->failure.error)))
    plan->fault = plan->failure.fault;
  start_agreement(plan);
  publish_buffers(plan);
  dap_eager_start(plan);
  return DAP_OK;
}

dap_status dap_plan_begin_many(dap_plan *plan, const void *const from[], void *const to[], dap_error *err)
{
  return begin(plan, from, to, DAP_FAULT_NONE, err);
}

dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_TRY(dap_plan_check(plan, err));
  DAP_REQUIRE(plan->problem.arrays == 1, err, DAP_ERR_ARG,
              "the plan moves %" PRId64 " arrays at once: begin it by dap_plan_begin_many()",
              plan->problem.arrays);
  return dap_plan_begin_many(plan, &from, &to, err);
}

/* ---- end: leaving --------------------------------------------------------------------------------- */

static void say_done(const dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  if (window->size > 0)
    dap_node_window_say(window, &dap_node_window_control(window, window->node->rank)->done);
}

/* Waits for the processes that read this one's source or write its destination. */
static dap_status await_done(dap_plan *plan, dap_error *err)
{
  const dap_node_window *window = &plan->window;
  if (window->size == 0) return DAP_OK;
  /* a failure is looked for behind all copies, see dap_failure_announce() */
  atomic_thread_fence(memory_order_acquire);
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (!channel->transport || !dap_channel_is_direct(channel)) continue;
    const dap_control *control = dap_node_window_control(window, channel->node_rank);
    if (!dap_node_window_await(window, channel->node_rank, &control->done, plan->wait_seconds))
      return dap_failure_time_out(plan, channel->rank, err);
    dap_failure_check_process(plan, channel->node_rank); /* it may have left without having written all */
  }
  return DAP_OK;
}

/* Waits until a channel's messages are over, or a process has failed. */
static dap_status finish_channel(dap_plan *plan, const dap_channel *channel, dap_error *err)
{
  bool over = !channel->requests;
  for (dap_wait wait = dap_failure_wait(plan); !over && plan->first_fault >= 0;) {
    DAP_TRY(dap_messages_test_all(channel, &over, err));
    if (!over) DAP_TRY(dap_failure_wait_step(plan, channel->rank, &wait, err));
  }
  return DAP_OK;
}

static dap_status finish_messages(dap_plan *plan, dap_error *err)
{
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    DAP_TRY(finish_channel(plan, channel, err));
  return plan->two_phase ? dap_two_phase_finish(plan, err) : DAP_OK;
}

/* Moves the elements of all channels with no fault at either end. In two phases nothing is moved if any
 * process is at fault, because all have agreed on faults. */
static dap_status move(dap_plan *plan, dap_error *err)
{
  if (plan->two_phase)
    DAP_TRY(
        dap_context_reduce_end(plan->context, DAP_REDUCE_MIN, &plan->first_fault, 1, &plan->agreement, err));
  if (plan->failure.fault) return DAP_OK;
  if (plan->nprocs > 1 && !plan->window.is_whole) DAP_TRY(dap_failure_check(plan, err));
  DAP_TRY(dap_direct_await(plan, err));
  if (plan->first_fault >= 0 && (!plan->two_phase || plan->first_fault == DAP_FAULT_NONE))
    return dap_progress_all(plan, err);
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    dap_eager_take_back(channel);
  return DAP_OK;
}

/* Marks the run as failed if a step failed here, or if some process has announced that its run has. */
static void take_failure(dap_plan *plan, dap_status s)
{
  if (!set_broken(plan, s) && plan->first_fault < 0) plan->failure.fault = plan->first_fault;
  if (plan->failure.fault)
    plan->context->is_broken = true; /* some of this process's messages may not be received */
}

static dap_status finish(dap_plan *plan, dap_error *err)
{
  dap_run_failure *failure = &plan->failure;
  const dap_status s = move(plan, &failure->error);
  take_failure(plan, s);
  if (failure->fault)
    dap_failure_announce(plan); /* this goes first, so that processes that wait for the rest learn of it */
  say_done(plan);               /* others wait for it in any case */
  if (!failure->fault) take_failure(plan, await_done(plan, &failure->error));
  if (!failure->fault) take_failure(plan, finish_messages(plan, &failure->error));
  if (failure->fault) dap_failure_announce(plan);
  if (failure->fault) return fail_broken(plan, err);
  return plan->first_fault == DAP_FAULT_NONE ? DAP_OK : dap_fault_fail(plan, err);
}

/* Runs the next pass. It is run even if this one failed here, because others may wait in it, and learn of the
 * fault there. */
static dap_status run_next_pass(dap_plan *plan, dap_status s, dap_error *err)
{
  dap_plan *next_pass = plan->next_pass;
  dap_error later = {0};
  if (!next_pass) return s;
  if (plan->failure.fault) next_pass->failure = plan->failure;
  const void *const *from = (const void *const *)plan->destinations;
  void *const *to = (void *const *)plan->destinations;
  next_pass->is_later = true;
  dap_status t = begin(next_pass, from, to, plan->first_fault, &later);
  if (!t) t = dap_plan_end(next_pass, &later);
  const bool counts =
      !s || (next_pass->failure.fault && !plan->failure.fault); /* a failure comes before faults */
  plan->failure = next_pass->failure;
  if (counts && t && err) *err = later;
  return counts ? t : s;
}

dap_status dap_plan_end(dap_plan *plan, dap_error *err)
{
  DAP_TRY(dap_plan_check(plan, err));
  DAP_REQUIRE(plan->under_way, err, DAP_ERR_ARG, "the plan has not been begun");
  DAP_TRY(dap_mpi_check_running(err));
  const dap_status s = finish(plan, err);
  if (s) dap_groups_name(&plan->context->groups, plan->schedule.sender, err);
  plan->under_way = false;
  for (int64_t a = 0; a < plan->problem.arrays && !s; a++)
    dap_clearing_run(plan->clearing, plan->destinations[a]);
  return run_next_pass(plan, s, err);
}

dap_status dap_plan_run_many(dap_plan *plan, const void *const from[], void *const to[], dap_error *err)
{
  DAP_TRY(dap_plan_begin_many(plan, from, to, err));
  return dap_plan_end(plan, err);
}

dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_TRY(dap_plan_begin(plan, from, to, err));
  return dap_plan_end(plan, err);
}
