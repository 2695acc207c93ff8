/* What processes that share no memory tell each other in every run, before any of them writes: that its
 * buffers are in order, or what is wrong with them. So no destination is written in a run in which some
 * buffer, anywhere, is at fault, and all know of the same fault.
 *
 * The first message from one process to another says that all is well by having elements. One without bytes
 * says that it is not, and a number follows: the sender's fault. Where nothing is moved from one to the other
 * the number goes alone, in every run. All hear from all, so where most have little to do with each other, a
 * reduction takes fewer messages; then there are no notices. All agree on which when the plan is made.
 *
 * A process on which MPI has failed need not get all notices. So it does not know whether others' buffers are
 * at fault, and with that whether the others come to the pass that follows. A reduction there would wait for
 * them: so before a pass without notices there are none.
 *
 * A process on which MPI fails in a run tells each of the others by one message more, which nobody expects,
 * or through the node's memory: whoever waits long looks for it. So does one that waits for another longer
 * than dap_wait_limit() allows. With a limit there are notices, because in a reduction nobody sees who is
 * missing. */
#include "transport_impl.h"

#include <stdlib.h>

/* ---- made ---------------------------------------------------------------------------------------------- */

/* Messages of their own that a process may send, or get, for notices: twice the steps of a reduction, as
 * these wait for each other. */
static int most_alone(int nprocs)
{
  int steps = 0;
  while (nprocs >> (steps + 1)) steps++;
  return 2 * steps;
}

static bool shares_memory(const dap_plan *plan, int rank)
{
  return rank == plan->rank || (plan->window.size > 0 && plan->window.node->node_ranks[rank] >= 0);
}

/* At least so many processes get no elements from this one, or send it none. */
static int64_t count_alone(const dap_plan *plan, bool is_send, int peers)
{
  int64_t channels = 0;
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    const dap_exchange *exchange = &plan->schedule.exchanges[x];
    const dap_direction *direction = is_send ? &exchange->send : &exchange->receive;
    for (int i = 0; i < direction->count; i++)
      channels += direction->channels[i].transport == DAP_TRANSPORT_MESSAGES;
  }
  return peers - channels;
}

/* By rank, in which they ascend; NULL: not one of them. */
static dap_peer *find_peer(const dap_notices *notices, int rank)
{
  int low = 0, high = notices->count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (notices->peers[middle].rank < rank)
      low = middle + 1;
    else
      high = middle;
  }
  return low < notices->count && notices->peers[low].rank == rank ? &notices->peers[low] : NULL;
}

/* The channels whose first messages are notices: those of the first exchange, which both ends find. */
static void set_channels(const dap_notices *notices, dap_direction *direction)
{
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    dap_peer *peer = channel->transport == DAP_TRANSPORT_MESSAGES ? find_peer(notices, channel->rank) : NULL;
    if (peer && channel->is_send && !peer->to) peer->to = channel;
    if (peer && !channel->is_send && !peer->from) peer->from = channel;
  }
}

dap_status dap_notices_create(dap_plan *plan, bool *are_few, dap_error *err)
{
  dap_notices *notices = &plan->notices;
  const int most = plan->wait_seconds > 0 ? plan->nprocs : most_alone(plan->nprocs);
  const int peers = plan->nprocs - (plan->window.size > 0 ? plan->window.size : 1);
  const bool is_reduced =
      peers > 0 && plan->schedule.transports == DAP_TRANSPORT_DIRECT; /* anyway: direct.c */
  int lacks_to = 0, lacks_from = 0;
  *are_few = !is_reduced && count_alone(plan, true, peers) <= most && count_alone(plan, false, peers) <= most;
  if (!*are_few || peers == 0) return DAP_OK;
  notices->peers = calloc((size_t)peers, sizeof *notices->peers);
  DAP_REQUIRE(notices->peers, err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", plan->nprocs);
  for (int rank = 0; rank < plan->nprocs; rank++)
    if (!shares_memory(plan, rank))
      notices->peers[notices->count++] = (dap_peer){
          .rank = rank, .requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, .receive = MPI_REQUEST_NULL};
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    set_channels(notices, &plan->schedule.exchanges[x].send);
    set_channels(notices, &plan->schedule.exchanges[x].receive);
  }
  for (int i = 0; i < peers; i++) {
    lacks_to += !notices->peers[i].to;
    lacks_from += !notices->peers[i].from;
  }
  *are_few = lacks_to <= most && lacks_from <= most;
  return DAP_OK;
}

void dap_notices_agree(dap_plan *plan, bool are_few)
{
  dap_notices *notices = &plan->notices;
  notices->are_used = are_few;
  for (int i = 0; i < notices->count; i++)
    if (notices->peers[i].to) notices->peers[i].to->is_notice = are_few;
  if (!are_few) dap_notices_release(plan);
}

void dap_notices_unite(dap_plan *plan)
{
  if (!plan->next_pass) return;
  dap_notices_unite(plan->next_pass);
  if (!plan->next_pass->notices.are_used) dap_notices_agree(plan, false);
}

int64_t dap_notices_memory(const dap_notices *notices)
{
  return notices->count * (int64_t)sizeof *notices->peers;
}

/* What a number is of. */
typedef enum notice_kind { OF_BUFFERS, OF_FAILURE } notice_kind;

/* ---- a run --------------------------------------------------------------------------------------------- */

/* Behind those of messages of elements. */
static int tag_of(const dap_plan *plan, notice_kind kind)
{
  return plan->tags.first + plan->schedule.exchange_count + (int)kind;
}

static dap_status send_number(const dap_plan *plan, dap_peer *peer, notice_kind kind, int64_t fault,
                              dap_error *err)
{
  peer->out[kind] = fault;
  return dap_mpi_check(MPI_Isend(&peer->out[kind], 1, MPI_INT64_T, peer->rank, tag_of(plan, kind),
                                 plan->tags.comm, &peer->requests[kind]),
                       "MPI_Isend", err);
}

dap_status dap_notices_start(const dap_plan *plan, dap_error *err)
{
  const dap_notices *notices = &plan->notices;
  for (int i = 0; i < notices->count; i++) {
    dap_peer *peer = &notices->peers[i];
    if (!peer->from)
      DAP_TRY(dap_mpi_check(MPI_Irecv(&peer->in, 1, MPI_INT64_T, peer->rank, tag_of(plan, OF_BUFFERS),
                                      plan->tags.comm, &peer->receive),
                            "MPI_Irecv", err));
  }
  for (int i = 0; i < notices->count; i++)
    if (!notices->peers[i].to || plan->fault != DAP_FAULT_NONE)
      DAP_TRY(send_number(plan, &notices->peers[i], OF_BUFFERS, plan->fault, err));
  return DAP_OK;
}

/* Whether a peer has said how it is with its buffers; *is_empty: it has, and a number follows. */
static dap_status test(dap_peer *peer, bool *is_there, bool *is_empty, dap_error *err)
{
  int over = 0;
  if (peer->from) return dap_messages_test(peer->from, is_there, is_empty, err);
  DAP_TRY(dap_mpi_check(MPI_Test(&peer->receive, &over, MPI_STATUS_IGNORE), "MPI_Test", err));
  *is_there = over;
  return DAP_OK;
}

/* Until it has, or some process has failed. */
static dap_status hear(dap_plan *plan, dap_peer *peer, dap_error *err)
{
  bool is_there = false, is_empty = false;
  if (peer->from) peer->in = DAP_FAULT_NONE;
  for (dap_wait wait = dap_notices_wait(plan); !is_there && plan->first_fault >= 0;) {
    DAP_TRY(test(peer, &is_there, &is_empty, err));
    if (!is_there) DAP_TRY(dap_notices_step(plan, peer->rank, &wait, err));
  }
  if (is_empty)
    DAP_TRY(dap_mpi_check(MPI_Recv(&peer->in, 1, MPI_INT64_T, peer->rank, tag_of(plan, OF_BUFFERS),
                                   plan->tags.comm, MPI_STATUS_IGNORE),
                          "MPI_Recv", err));
  if (is_there) plan->first_fault = dap_smaller(plan->first_fault, peer->in);
  return DAP_OK;
}

dap_status dap_notices_await(dap_plan *plan, dap_error *err)
{
  for (int i = 0; i < plan->notices.count; i++) DAP_TRY(hear(plan, &plan->notices.peers[i], err));
  return DAP_OK;
}

dap_status dap_notices_finish(const dap_plan *plan, dap_error *err)
{
  for (int i = 0; i < plan->notices.count; i++)
    if (plan->notices.peers[i].requests[OF_BUFFERS] != MPI_REQUEST_NULL)
      DAP_TRY(dap_mpi_check(MPI_Wait(&plan->notices.peers[i].requests[OF_BUFFERS], MPI_STATUS_IGNORE),
                            "MPI_Wait", err));
  return DAP_OK;
}

/* ---- failures ------------------------------------------------------------------------------------------ */

/* Where there are no notices, by messages without bytes, which need no memory that lasts: who sends one has
 * failed. */
static void fail_without(const dap_plan *plan)
{
  for (int rank = 0; rank < plan->nprocs; rank++) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (shares_memory(plan, rank)) continue;
    (void)MPI_Isend(NULL, 0, MPI_INT64_T, rank, tag_of(plan, OF_FAILURE), plan->tags.comm, &request);
    if (request != MPI_REQUEST_NULL) (void)MPI_Request_free(&request);
  }
}

/* If MPI fails here too, there is no more to be done. In the node's memory relaxed: the number is all that is
 * told, and nothing else is read because of it. */
void dap_notices_fail(dap_plan *plan)
{
  dap_notices *notices = &plan->notices;
  const dap_node_window *window = &plan->window;
  if (window->size > 0)
    atomic_store_explicit(&dap_node_window_control(window, window->node->rank)->failure, plan->failure.fault,
                          memory_order_relaxed);
  for (int i = 0; i < notices->count && !notices->have_failed; i++)
    (void)send_number(plan, &notices->peers[i], OF_FAILURE, plan->failure.fault, NULL);
  const bool is_own =
      dap_failure_rank(plan, plan->failure.fault) == plan->rank; /* others tell of their own */
  if (!notices->are_used && is_own && !notices->have_failed) fail_without(plan);
  notices->have_failed = true;
}

void dap_notices_look_at(dap_plan *plan, int node_rank)
{
  dap_control *control = dap_node_window_control(&plan->window, node_rank);
  const int64_t failure = atomic_load_explicit(&control->failure, memory_order_relaxed);
  if (failure) plan->first_fault = dap_smaller(plan->first_fault, failure);
}

/* Who has failed sends nothing else any more, so that whoever waits for it comes here. */
static dap_status look(dap_plan *plan, dap_error *err)
{
  int is_there = 0;
  MPI_Status status;
  for (int p = 0; p < plan->window.size; p++) dap_notices_look_at(plan, p);
  if (plan->window.is_whole) return DAP_OK;
  DAP_TRY(
      dap_mpi_check(MPI_Iprobe(MPI_ANY_SOURCE, tag_of(plan, OF_FAILURE), plan->tags.comm, &is_there, &status),
                    "MPI_Iprobe", err));
  if (!is_there) return DAP_OK;
  int64_t fault = dap_failure_of(plan, status.MPI_SOURCE, -1); /* unless it says more */
  DAP_TRY(dap_mpi_check(MPI_Recv(&fault, 1, MPI_INT64_T, status.MPI_SOURCE, tag_of(plan, OF_FAILURE),
                                 plan->tags.comm, MPI_STATUS_IGNORE),
                        "MPI_Recv", err));
  plan->first_fault = dap_smaller(plan->first_fault, fault);
  return DAP_OK;
}

dap_status dap_notices_miss(dap_plan *plan, int rank, dap_error *err)
{
  plan->failure.fault = dap_failure_of(plan, plan->rank, rank);
  return dap_fail(err, DAP_ERR_LIBRARY, "rank %d has not answered for %g s", rank, plan->wait_seconds);
}

dap_wait dap_notices_wait(const dap_plan *plan)
{
  return dap_node_window_wait(&plan->window, plan->wait_seconds);
}

dap_status dap_notices_step(dap_plan *plan, int rank, dap_wait *wait, dap_error *err)
{
  if (!dap_wait_step(wait)) return DAP_OK;
  DAP_TRY(look(plan, err));
  return plan->first_fault < 0 || !dap_wait_is_over(wait) ? DAP_OK : dap_notices_miss(plan, rank, err);
}

/* Whether MPI has no more to do with it. */
static bool abandon(MPI_Request *request)
{
  int over = 1;
  if (*request == MPI_REQUEST_NULL) return true;
  const int code = MPI_Test(request, &over, MPI_STATUS_IGNORE);
  if (*request != MPI_REQUEST_NULL) (void)MPI_Request_free(request);
  return code == MPI_SUCCESS && over;
}

void dap_notices_release(dap_plan *plan)
{
  dap_notices *notices = &plan->notices;
  bool over = true;
  for (int i = 0; i < notices->count && plan->failure.fault && dap_mpi_is_running(); i++) {
    dap_peer *peer = &notices->peers[i];
    if (peer->receive != MPI_REQUEST_NULL) (void)MPI_Cancel(&peer->receive);
    if (peer->receive != MPI_REQUEST_NULL) (void)MPI_Wait(&peer->receive, MPI_STATUS_IGNORE);
    for (int k = 0; k < 2; k++) over = abandon(&peer->requests[k]) && over;
  }
  if (over) free(notices->peers); /* else it is MPI's for good */
  notices->peers = NULL;
  notices->count = 0;
}
