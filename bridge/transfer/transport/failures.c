/* Announces that a run has failed on a process, mostly in MPI, and finds such announcements: in the memory of
 * the node, and in one message to each other process. No receive is posted for that message. Others probe for
 * it when they begin a run, when they wait long, and when the communicator is freed (context.c). */
#include "transport_impl.h"

/* Returns the tag of announcements, which is behind the tags of elements. */
static int failure_tag(const dap_plan *plan)
{
  return plan->tags.first + plan->schedule.exchange_count;
}

/* Sends the failure to all other processes. None of them waits, so MPI may read the number until the process
 * ends. It stays in the context, which context.c then does not free. */
static void send_to_others(const dap_plan *plan)
{
  int64_t *number = &plan->context->failure_sent;
  *number = plan->failure.fault;
  for (int rank = 0; rank < plan->nprocs; rank++) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == plan->rank) continue;
    (void)MPI_Isend(number, 1, MPI_INT64_T, rank, failure_tag(plan), plan->tags.comm, &request);
    if (request != MPI_REQUEST_NULL) (void)MPI_Request_free(&request);
  }
}

/* Other processes announce their own failures. Behind this the program may change its source, from which a
 * process that is late may still copy. The late process finds the failure if it has copied anything that the
 * program wrote: its fence in run.c (await_done()) pairs with the one here. */
void dap_failure_announce(dap_plan *plan)
{
  const dap_node_window *window = &plan->window;
  const bool is_own = dap_failure_rank(plan, plan->failure.fault) == plan->rank;
  if (window->size > 0) {
    atomic_store_explicit(&dap_node_window_control(window, window->node->rank)->failure, plan->failure.fault,
                          memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
  }
  if (is_own && !plan->has_announced) send_to_others(plan);
  plan->has_announced = true;
}

void dap_failure_check_process(dap_plan *plan, int node_rank)
{
  dap_control *control = dap_node_window_control(&plan->window, node_rank);
  const int64_t failure = atomic_load_explicit(&control->failure, memory_order_relaxed);
  if (failure) plan->first_fault = dap_smaller(plan->first_fault, failure);
}

dap_status dap_failure_check(dap_plan *plan, dap_error *err)
{
  int is_there = 0;
  MPI_Status status;
  for (int p = 0; p < plan->window.size; p++) dap_failure_check_process(plan, p);
  if (plan->window.is_whole) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Iprobe(MPI_ANY_SOURCE, failure_tag(plan), plan->tags.comm, &is_there, &status),
                        "MPI_Iprobe", err));
  if (!is_there) return DAP_OK;
  int64_t fault = DAP_FAULT_NONE;
  DAP_TRY(dap_mpi_check(MPI_Recv(&fault, 1, MPI_INT64_T, status.MPI_SOURCE, failure_tag(plan),
                                 plan->tags.comm, MPI_STATUS_IGNORE),
                        "MPI_Recv", err));
  plan->first_fault = dap_smaller(plan->first_fault, fault);
  return DAP_OK;
}

dap_status dap_failure_time_out(dap_plan *plan, int rank, dap_error *err)
{
  char name[DAP_RANK_TEXT];
  dap_groups_rank(plan->schedule.groups, plan->schedule.sender, rank, name);
  plan->failure.fault = dap_failure_of(plan, plan->rank, rank);
  return dap_fail(err, DAP_ERR_LIBRARY, "%s has not answered for %g s", name, plan->wait_seconds);
}

dap_wait dap_failure_wait(const dap_plan *plan)
{
  return dap_node_window_wait(&plan->window, plan->wait_seconds);
}

/* Whether another process than `rank` has given up waiting for this one. Then this one gives up and names
 * `rank`, for which it waits. Otherwise nobody might name the process that is missing. */
static bool is_blamed(const dap_plan *plan, int rank)
{
  return dap_failure_missing(plan, plan->first_fault) == plan->rank &&
         dap_failure_rank(plan, plan->first_fault) != rank;
}

/* Returns the process that a run waits for: of a channel that is left, first of those to be received; -1: not
 * known. */
static int awaited(const dap_plan *plan)
{
  int receiver = -1;
  for (const dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (dap_channel_is_over(channel)) continue;
    if (!channel->is_send) return channel->rank;
    if (receiver < 0) receiver = channel->rank;
  }
  return receiver;
}

dap_status dap_failure_wait_step(dap_plan *plan, int rank, dap_wait *wait, dap_error *err)
{
  if (!dap_wait_step(wait)) return DAP_OK;
  DAP_TRY(dap_failure_check(plan, err));
  if (rank < 0) rank = awaited(plan);
  dap_node_window_report(&plan->window, plan->rank, rank, wait);
  const bool has_failed = plan->first_fault < 0;
  if (has_failed ? is_blamed(plan, rank) : dap_wait_is_over(wait))
    return dap_failure_time_out(plan, rank, err);
  return DAP_OK;
}
