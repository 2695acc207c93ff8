/* Which flows of this node are direct in this run: those of which one end is in memory that the other process sees.
 * Both ends look at the same posts, and decide alike. */
#include "transfer_impl.h"

/* Until all processes of the node have begun this run. */
void dap_direct_await(dap_plan *plan)
{
  const dap_station *station = &plan->station;
  for (int place = 0; place < station->memory.size; place++) {
    dap_control *control = dap_station_control(station, place);
    int turns = 0;
    while (atomic_load_explicit(&control->posted, memory_order_acquire) < station->run)
      dap_station_relax(station, &turns);
    const int fault = control->fault[station->run % 2];
    if (station->is_whole && fault < plan->first_fault) plan->first_fault = fault;
  }
}

/* Whether all sources, or all destinations, of what crosses processes in a move are in memory that the node shares;
 * if not, the first place where one is not. */
static bool all_shared(const dap_plan *plan, int move, int *place)
{
  const dap_station *station = &plan->station;
  bool from = true, to = true;
  for (int p = station->memory.size - 1; p >= 0; p--) {
    const dap_post *post = dap_station_post(station, p, move);
    from = from && !post->is_private[0];
    to = to && !post->is_private[1];
    if (post->is_private[0] || post->is_private[1]) *place = p;
  }
  return from || to;
}

static int rank_at(const dap_node *node, int place)
{
  int rank = 0;
  while (node->places[rank] != place) rank++;
  return rank;
}

/* Where a plan has several nodes each knows of its own processes only. */
dap_status dap_direct_check(dap_plan *plan, dap_error *err)
{
  int place = 0, fault = DAP_FAULT_NONE;
  if (plan->transports != DAP_TRANSPORT_DIRECT || plan->first_fault != DAP_FAULT_NONE) return DAP_OK;
  for (int m = 0; m < plan->move_count && fault == DAP_FAULT_NONE; m++)
    if (!all_shared(plan, m, &place)) fault = 3 * rank_at(&plan->station.node, place) + 2;
  plan->first_fault = fault;
  if (plan->nprocs == 1 || plan->station.is_whole) return DAP_OK;
  return dap_mpi_check(MPI_Allreduce(&fault, &plan->first_fault, 1, MPI_INT, MPI_MIN, plan->comm),
                       "MPI_Allreduce", err);
}

static void decide(const dap_plan *plan, dap_flow *flow)
{
  const dap_station *station = &plan->station;
  if (flow->place < 0 || !(plan->transports & DAP_TRANSPORT_DIRECT)) return;
  const int move = flow->exchange->move;
  const dap_post *mine = dap_station_post(station, station->node.rank, move);
  const dap_post *theirs = dap_station_post(station, flow->place, move);
  const uint64_t them = station->node.ids[flow->place];
  char *const from = flow->is_send ? NULL : dap_segment_at(&theirs->from);
  char *const to = flow->is_send ? dap_segment_at(&theirs->to) : NULL;
  const bool can_pull = flow->is_send ? dap_segment_seen(&mine->from, them) : from != NULL;
  const bool can_push = flow->is_send ? to != NULL : dap_segment_seen(&mine->to, them);
  if (!can_pull && !can_push) return;
  const bool pushes = can_push && (flow->prefers_push || !can_pull);
  dap_flow_start(flow, flow->wide, pushes == flow->is_send ? flow->wide_chunks : 0);
  flow->now.pull = pushes ? NULL : flow->is_send ? plan->moves[move].source : from;
  flow->now.push = !pushes ? NULL : flow->is_send ? to : plan->moves[move].destination;
}

dap_status dap_direct_start(const dap_plan *plan, dap_direction *direction, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (dap_flow_is_remote(flow)) continue;
    dap_flow_start(flow, flow->carrier ? flow->tile : flow->wide,
                   flow->carrier ? flow->chunks : flow->wide_chunks);
    if (!flow->carrier)
      flow->now.pull = plan->moves[flow->exchange->move].source;
    else
      decide(plan, flow);
    if (flow->carrier && !dap_flow_is_direct(flow)) dap_fetch_start(plan, flow);
    if (!dap_flow_is_direct(flow)) DAP_TRY(flow->carrier->start(plan, flow, err));
  }
  return DAP_OK;
}
