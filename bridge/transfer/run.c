/* Plans under way: begin says where the buffers are and starts messages; end does the rest. Nothing is allocated, and
 * nothing decided but what depends on where the buffers are.
 *
 * One thing can still be wrong, a NULL buffer. All processes know of it before any destination is written: through
 * the node's memory if all are there, else by an agreement while the first messages are under way. */
#include "transfer_impl.h"

/* ---- faults ----------------------------------------------------------------------------------- */

static int find_fault(const dap_plan *plan)
{
  for (int m = 0; m < plan->move_count; m++) {
    const dap_move *move = &plan->moves[m];
    if (move->ends.holds_from && !move->source) return 3 * plan->rank;
    if (move->ends.holds_to && !move->destination) return 3 * plan->rank + 1;
  }
  return DAP_FAULT_NONE;
}

static dap_status fail_fault(const dap_plan *plan, dap_error *err)
{
  static const char *const texts[] = {
      "the source buffer is NULL, but this process has elements in it",
      "the destination buffer is NULL, but this process has elements in it",
      ("options.transports allows only direct copies, but neither all sources nor all destinations are "
       "dap_array_alloc()'s")};
  const int rank = plan->first_fault / 3;
  (void)dap_fail(err, DAP_ERR_ARG, "rank %d: %s", rank, texts[plan->first_fault % 3]);
  if (err) err->rank = rank;
  return DAP_ERR_ARG;
}

/* ---- begin ------------------------------------------------------------------------------------ */

/* Receives are posted and slots filled, as many as there are. */
static dap_status start_messages(const dap_plan *plan, dap_direction *direction, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (!dap_flow_is_remote(flow)) continue;
    dap_flow_start(flow, flow->tile, flow->chunks);
    DAP_TRY(flow->carrier->start(plan, flow, err));
    bool sent = flow->is_send;
    for (int k = 0; k < flow->slots && sent; k++) DAP_TRY(dap_chunk_send(plan, flow, &sent, err));
  }
  return DAP_OK;
}

/* Elements of a move go to a process that does not see the source, or come from one that does not see the
 * destination. */
static bool is_unseen(const dap_plan *plan, int move, bool is_send, const dap_segment *segment)
{
  const dap_node *node = &plan->station.node;
  for (int x = 0; x < plan->exchange_count; x++) {
    const dap_exchange *exchange = &plan->exchanges[x];
    const dap_direction *direction = is_send ? &exchange->send : &exchange->receive;
    for (int i = 0; i < direction->count && exchange->move == move; i++) {
      const dap_flow *flow = &direction->flows[i];
      if (flow->carrier && !dap_segment_seen(segment, node->ids[flow->place])) return true;
    }
  }
  return false;
}

static void post_buffers(dap_plan *plan)
{
  dap_station *station = &plan->station;
  station->run++;
  if (station->memory.size == 0) return;
  dap_control *control = dap_station_control(station, station->node.rank);
  for (int m = 0; m < plan->move_count; m++) {
    dap_post *post = dap_station_post(station, station->node.rank, m);
    const bool direct = plan->transports & DAP_TRANSPORT_DIRECT;
    post->from = direct ? dap_segment_find(plan->moves[m].source) : (dap_segment){0};
    post->source = (uint64_t)(uintptr_t)plan->moves[m].source;
    post->to = direct ? dap_segment_find(plan->moves[m].destination) : (dap_segment){0};
    if (plan->transports != DAP_TRANSPORT_DIRECT) continue;
    post->is_private[0] = is_unseen(plan, m, true, &post->from);
    post->is_private[1] = is_unseen(plan, m, false, &post->to);
  }
  control->fault[station->run % 2] = plan->fault;
  atomic_store_explicit(&control->posted, station->run, memory_order_release);
}

static dap_status begin(dap_plan *plan, dap_error *err)
{
  plan->under_way = true;
  plan->fault = plan->first_fault = find_fault(plan);
  post_buffers(plan);
  for (int x = 0; x < plan->exchange_count; x++)
    DAP_TRY(start_messages(plan, &plan->exchanges[x].receive, err));
  for (int x = 0; x < plan->exchange_count; x++) DAP_TRY(start_messages(plan, &plan->exchanges[x].send, err));
  return DAP_OK;
}

dap_status dap_plan_begin_many(dap_plan *plan, const void *const from[], void *const to[], dap_error *err)
{
  DAP_REQUIRE(plan && from && to, err, DAP_ERR_ARG, "plan, from and to must not be NULL");
  DAP_REQUIRE(!plan->under_way, err, DAP_ERR_ARG, "the plan has been begun and not been ended");
  for (int m = 0; m < plan->move_count; m++) {
    plan->moves[m].source = from[m];
    plan->moves[m].destination = to[m];
  }
  return begin(plan, err);
}

dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_REQUIRE(plan, err, DAP_ERR_ARG, "plan must not be NULL");
  DAP_REQUIRE(plan->move_count == 1, err, DAP_ERR_ARG,
              "the plan has %d moves: dap_plan_begin_many() gives it their buffers", plan->move_count);
  return dap_plan_begin_many(plan, &from, &to, err);
}

/* ---- end: leaving ----------------------------------------------------------------------------- */

static void say_done(const dap_plan *plan)
{
  const dap_station *station = &plan->station;
  if (station->memory.size > 0)
    atomic_store_explicit(&dap_station_control(station, station->node.rank)->done, station->run,
                          memory_order_release);
}

/* Until the processes that read this one's source or write its destination are through. */
static void await_done(const dap_plan *plan)
{
  const dap_station *station = &plan->station;
  if (station->memory.size == 0) return;
  for (int x = 0; x < plan->exchange_count; x++) {
    const dap_direction *directions[] = {&plan->exchanges[x].send, &plan->exchanges[x].receive};
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < directions[d]->count; i++) {
        const dap_flow *flow = &directions[d]->flows[i];
        int turns = 0;
        if (!flow->carrier || !dap_flow_is_direct(flow)) continue;
        dap_control *control = dap_station_control(station, flow->place);
        while (atomic_load_explicit(&control->done, memory_order_acquire) < station->run)
          dap_station_relax(station, &turns);
      }
  }
}

/* Messages that are on their way. */
static dap_status finish_messages(dap_plan *plan, dap_error *err)
{
  for (int x = 0; x < plan->exchange_count; x++) {
    dap_direction *directions[] = {&plan->exchanges[x].send, &plan->exchanges[x].receive};
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < directions[d]->count; i++)
        if (directions[d]->flows[i].requests)
          DAP_TRY(dap_carrier_messages.finish(&directions[d]->flows[i], err));
  }
  return DAP_OK;
}

static dap_status finish(dap_plan *plan, dap_error *err)
{
  if (plan->nprocs > 1 && !plan->station.is_whole)
    DAP_TRY(dap_mpi_check(MPI_Allreduce(&plan->fault, &plan->first_fault, 1, MPI_INT, MPI_MIN, plan->comm),
                          "MPI_Allreduce", err));
  dap_direct_await(plan);
  DAP_TRY(dap_direct_check(plan, err));
  const dap_status s = plan->first_fault == DAP_FAULT_NONE ? dap_turns_all(plan, err) : DAP_OK;
  say_done(plan); /* whatever happened: others wait for it */
  DAP_TRY(s);
  await_done(plan);
  DAP_TRY(finish_messages(plan, err));
  return dap_fetch_check(plan, err);
}

dap_status dap_plan_end(dap_plan *plan, dap_error *err)
{
  DAP_REQUIRE(plan, err, DAP_ERR_ARG, "plan must not be NULL");
  DAP_REQUIRE(plan->under_way, err, DAP_ERR_ARG, "the plan has not been begun");
  const dap_status s = finish(plan, err);
  plan->under_way = false;
  return s || plan->first_fault == DAP_FAULT_NONE ? s : fail_fault(plan, err);
}

dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err)
{
  DAP_TRY(dap_plan_begin(plan, from, to, err));
  return dap_plan_end(plan, err);
}

dap_status dap_plan_run_many(dap_plan *plan, const void *const from[], void *const to[], dap_error *err)
{
  DAP_TRY(dap_plan_begin_many(plan, from, to, err));
  return dap_plan_end(plan, err);
}
