/* Makes progress in a run. Each step moves every chunk that can be moved, so that no two processes wait for
 * each other. */
#include "two_phase_impl.h"

static dap_status move_some(dap_plan *plan, dap_direction *direction, int64_t *moved, int64_t *left,
                            dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    bool is_moved = false;
    if (dap_channel_is_over(channel) || dap_channel_is_direct(channel)) continue;
    DAP_TRY(channel->is_send ? dap_chunk_send(plan, channel, &is_moved, err)
                             : dap_chunk_receive(plan, channel, &is_moved, err));
    *moved += is_moved;
    *left += !dap_channel_is_over(channel);
  }
  return DAP_OK;
}

static double share_done(const dap_channel *channel)
{
  return (double)channel->state.moved / (double)channel->state.chunks;
}

/* Finds the direct or other channel with the smallest share of its chunks moved. */
static void find_last(dap_direction *direction, bool is_direct, dap_channel **last, int64_t *left)
{
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    if (dap_channel_is_over(channel) || dap_channel_is_direct(channel) != is_direct) continue;
    ++*left;
    if (!*last || share_done(channel) < share_done(*last)) *last = channel;
  }
}

/* Copies one chunk of the direct channels. These advance side by side with the channels that are sent in
 * chunks. Lines that the processor has fetched for one channel are then still there for the others. */
static void copy_some(dap_plan *plan, int64_t *moved, int64_t *left)
{
  dap_channel *direct = NULL, *sent = NULL;
  int64_t sends = 0;
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    dap_exchange *exchange = &plan->schedule.exchanges[x];
    find_last(&exchange->send, true, &direct, left);
    if (!exchange->is_interleaved) find_last(&exchange->receive, true, &direct, left);
    find_last(&exchange->send, false, &sent, &sends);
  }
  if (!direct || (*moved > 0 && sent && share_done(direct) > share_done(sent))) return;
  ++*moved;
  dap_chunk_copy(plan, direct);
}

/* Receives the next chunk of the channel whose turn it is, if it is there. Each process sends all that others
 * have room for meanwhile, so no circle of processes can wait for each other. */
static dap_status receive_next(dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err)
{
  const dap_schedule *schedule = &plan->schedule;
  while (plan->turn < schedule->turn_count && dap_channel_is_over(schedule->turns[plan->turn])) plan->turn++;
  if (plan->turn == schedule->turn_count) return DAP_OK;
  dap_channel *channel = schedule->turns[plan->turn];
  bool received = dap_channel_is_direct(channel);
  if (received)
    dap_chunk_copy(plan, channel);
  else
    DAP_TRY(dap_chunk_receive(plan, channel, &received, err));
  *moved += received;
  ++*left;
  return DAP_OK;
}

static dap_status step(dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err)
{
  *moved = *left = 0;
  for (int x = 0; x < plan->schedule.exchange_count; x++)
    DAP_TRY(move_some(plan, &plan->schedule.exchanges[x].send, moved, left, err));
  if (plan->two_phase) DAP_TRY(dap_two_phase_progress(plan, moved, left, err));
  if (plan->schedule.is_ordered) return receive_next(plan, moved, left, err);
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    dap_exchange *exchange = &plan->schedule.exchanges[x];
    if (exchange->is_interleaved && plan->fault == DAP_FAULT_NONE)
      DAP_TRY(dap_interleave_some(plan, exchange, moved, left, err));
    else
      DAP_TRY(move_some(plan, &exchange->receive, moved, left, err));
  }
  copy_some(plan, moved, left);
  return DAP_OK;
}

/* The last line that was logged about a run. */
typedef struct telling {
  bool is_on;
  double since, last; /* MPI_Wtime() */
  int percent;
} telling;

static int percent_done(const dap_plan *plan)
{
  int64_t moved = 0, all = 0;
  for (const dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    moved += channel->state.moved;
    all += channel->state.chunks;
  }
  return all > 0 ? (int)(100 * (double)moved / (double)all) : 100;
}

/* Logs how much has been moved, at most once a second and after STEP percent more. */
static void tell(const dap_plan *plan, telling *t)
{
  enum { STEP = 5 };
  const double now = MPI_Wtime();
  if (now - t->last < 1) return;
  const int percent = percent_done(plan);
  if (percent < t->percent + STEP) return;
  t->last = now;
  t->percent = percent;
  dap_log("plan: rank %d has moved %d %% of its chunks in %.1f s", plan->rank, percent, now - t->since);
}

dap_status dap_progress_all(dap_plan *plan, dap_error *err)
{
  int64_t moved, left;
  DAP_TRY(dap_direct_start(plan, err));
  telling told = {.is_on = dap_log_has_progress()};
  if (told.is_on) told.since = told.last = MPI_Wtime();
  dap_wait wait = dap_failure_wait(plan);
  plan->turn = 0;
  do {
    DAP_TRY(step(plan, &moved, &left, err));
    if (told.is_on) tell(plan, &told);
    if (moved > 0)
      wait = dap_failure_wait(plan);
    else if (left > 0)
      DAP_TRY(dap_failure_wait_step(plan, -1, &wait, err));
  } while (left > 0 && plan->first_fault >= 0);
  plan->kernels->fence();
  return DAP_OK;
}
