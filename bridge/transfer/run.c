/* Plans under way: begin says where the buffers are and starts messages; end does the rest. Nothing is allocated
 * or decided here but one thing: which flows of this node are direct, as that depends on where the buffers are.
 *
 * One thing can still be wrong, a NULL buffer. All processes know of it before any destination is written: through
 * the node's memory if all are there, else by an agreement that travels with the messages. */
#include "transfer_impl.h"

#include <limits.h>

/* ---- faults ----------------------------------------------------------------------------------- */

enum { FAULT_NONE = INT_MAX };

/* A fault as one number that MIN orders by rank: 3 * rank for the source, + 1 for the destination, + 2 for buffers
 * that are not shared though they must be. */
static int find_fault(const dap_plan *plan)
{
  for (int m = 0; m < plan->move_count; m++) {
    const dap_move *move = &plan->moves[m];
    if (move->ends.holds_from && !move->source) return 3 * plan->rank;
    if (move->ends.holds_to && !move->destination) return 3 * plan->rank + 1;
  }
  return FAULT_NONE;
}

static dap_status fail_fault(const dap_plan *plan, dap_error *err)
{
  static const char *const texts[] = {
      "the source buffer is NULL, but this process has elements in it",
      "the destination buffer is NULL, but this process has elements in it",
      "options.transports allows only direct copies, but neither all sources nor all destinations are "
      "dap_array_alloc()'s"};
  const int rank = plan->first_fault / 3;
  (void)dap_fail(err, DAP_ERR_ARG, "rank %d: %s", rank, texts[plan->first_fault % 3]);
  if (err) err->rank = rank;
  return DAP_ERR_ARG;
}

/* ---- begin ------------------------------------------------------------------------------------ */

/* Only messages can carry it, whatever the buffers: it can start at once. */
static bool is_remote(const dap_flow *flow)
{
  return flow->carrier && flow->place < 0;
}

static void start_flow(dap_flow *flow, const int64_t tile[], int64_t chunks)
{
  flow->now = (dap_progress){.tile = tile, .chunks = chunks};
  dap_flow_first(flow, tile, &flow->now.next);
}

/* Packs the next chunk and sends it, if there is room. */
static dap_status send_chunk(const dap_plan *plan, dap_flow *flow, bool *sent, dap_error *err)
{
  const dap_exchange *exchange = flow->exchange;
  const dap_ends *ends = exchange->ends;
  const dap_move *move = &plan->moves[exchange->move];
  char *at = NULL;
  DAP_TRY(flow->carrier->room(flow, &at, err));
  *sent = at != NULL;
  if (!at) return DAP_OK;
  const dap_copy copy = {.flow = flow,
                         .chunk = &flow->now.next,
                         .from_item = ends->from_item,
                         .to_item = ends->from_item,
                         .kernels = plan->kernels};
  if (move->source) dap_copy_run(&copy, move->source, ends->from_strides, at, NULL);
  DAP_TRY(flow->carrier->send(plan, flow, dap_chunk_elements(&flow->now.next, ends->ndim) * ends->from_item,
                              err));
  if (++flow->now.moved < flow->now.chunks) (void)dap_flow_next(flow, flow->now.tile, &flow->now.next);
  return DAP_OK;
}

/* Receives are posted and slots filled, as many as there are. */
static dap_status start_messages(const dap_plan *plan, dap_direction *direction, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (!is_remote(flow)) continue;
    start_flow(flow, flow->tile, flow->chunks);
    DAP_TRY(flow->carrier->start(plan, flow, err));
    bool sent = flow->is_send;
    for (int k = 0; k < flow->slots && sent; k++) DAP_TRY(send_chunk(plan, flow, &sent, err));
  }
  return DAP_OK;
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
    post->to = direct ? dap_segment_find(plan->moves[m].destination) : (dap_segment){0};
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
  if (plan->nprocs > 1 && !plan->station.is_whole)
    DAP_TRY(dap_mpi_check(
        MPI_Iallreduce(&plan->fault, &plan->first_fault, 1, MPI_INT, MPI_MIN, plan->comm, &plan->agreement),
        "MPI_Iallreduce", err));
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

/* ---- end: who is where ------------------------------------------------------------------------ */

/* Until all processes of the node have begun this run. */
static void await_posts(dap_plan *plan)
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

/* Whether all sources, or all destinations, of a move are in memory that the node shares; if not, the first place
 * with neither. */
static bool all_shared(const dap_plan *plan, int move, int *place)
{
  const dap_station *station = &plan->station;
  bool from = true, to = true;
  for (int p = station->memory.size - 1; p >= 0; p--) {
    const dap_post *post = dap_station_post(station, p, move);
    from = from && post->from.id;
    to = to && post->to.id;
    if (!post->from.id || !post->to.id) *place = p;
  }
  return from || to;
}

static void check_direct(dap_plan *plan)
{
  int place = 0;
  if (plan->transports != DAP_TRANSPORT_DIRECT || plan->first_fault != FAULT_NONE) return;
  for (int m = 0; m < plan->move_count && plan->station.memory.size > 0; m++)
    if (!all_shared(plan, m, &place)) plan->first_fault = 3 * place + 2; /* all are on this node */
}

/* Both ends of a flow see the same posts, and decide alike. */
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
  start_flow(flow, flow->wide, pushes == flow->is_send ? flow->wide_chunks : 0);
  flow->now.pull = pushes ? NULL : flow->is_send ? plan->moves[move].source : from;
  flow->now.push = !pushes ? NULL : flow->is_send ? to : plan->moves[move].destination;
}

static dap_status start_direction(const dap_plan *plan, dap_direction *direction, dap_error *err)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (is_remote(flow)) continue;
    start_flow(flow, flow->carrier ? flow->tile : flow->wide,
               flow->carrier ? flow->chunks : flow->wide_chunks);
    if (!flow->carrier)
      flow->now.pull = plan->moves[flow->exchange->move].source;
    else
      decide(plan, flow);
    if (!flow->now.pull && !flow->now.push) DAP_TRY(flow->carrier->start(plan, flow, err));
  }
  return DAP_OK;
}

/* ---- end: one chunk --------------------------------------------------------------------------- */

static bool is_direct(const dap_flow *flow)
{
  return flow->now.pull || flow->now.push;
}

static bool is_over(const dap_flow *flow)
{
  return flow->now.moved == flow->now.chunks;
}

/* Puts a chunk in place, from where it is packed or, with strides, from the source. */
static void place_chunk(const dap_plan *plan, dap_flow *flow, const char *from, const int64_t *from_strides,
                        char *to, const int64_t *to_strides)
{
  const dap_ends *ends = flow->exchange->ends;
  const dap_copy copy = {.flow = flow,
                         .chunk = &flow->now.next,
                         .from_item = ends->from_item,
                         .to_item = ends->to_item,
                         .transform = ends->transforms ? &ends->transform : NULL,
                         .kernels = plan->kernels,
                         .stream = flow->exchange->is_large};
  dap_copy_run(&copy, from, from_strides, to, to_strides);
  if (++flow->now.moved < flow->now.chunks) (void)dap_flow_next(flow, flow->now.tile, &flow->now.next);
}

static void copy_direct(const dap_plan *plan, dap_flow *flow)
{
  const dap_move *move = &plan->moves[flow->exchange->move];
  const int64_t *theirs =
      flow->carrier ? dap_station_strides(&plan->station, flow->place, flow->exchange->move, flow->is_send)
                    : move->ends.from_strides;
  if (flow->is_send)
    place_chunk(plan, flow, move->source, move->ends.from_strides, flow->now.push, theirs);
  else
    place_chunk(plan, flow, flow->now.pull, theirs, move->destination, move->ends.to_strides);
}

/* The next chunk of a flow that is received, if it is there. */
static dap_status receive_chunk(const dap_plan *plan, dap_flow *flow, bool *received, dap_error *err)
{
  const dap_move *move = &plan->moves[flow->exchange->move];
  const char *at = NULL;
  DAP_TRY(flow->carrier->arrived(flow, &at, err));
  *received = at != NULL;
  if (!at) return DAP_OK;
  place_chunk(plan, flow, at, NULL, move->destination, move->ends.to_strides);
  return flow->carrier->taken(plan, flow, err);
}

/* ---- end: all chunks -------------------------------------------------------------------------- */

static dap_status send_some(const dap_plan *plan, dap_direction *send, int64_t *moved, int64_t *left,
                            dap_error *err)
{
  for (int i = 0; i < send->count; i++) {
    dap_flow *flow = &send->flows[i];
    bool sent = false;
    if (is_over(flow) || is_direct(flow)) continue;
    DAP_TRY(send_chunk(plan, flow, &sent, err));
    *moved += sent;
    *left += !is_over(flow);
  }
  return DAP_OK;
}

static dap_status receive_some(const dap_plan *plan, dap_direction *receive, int64_t *moved, int64_t *left,
                               dap_error *err)
{
  for (int i = 0; i < receive->count; i++) {
    dap_flow *flow = &receive->flows[i];
    bool received = false;
    if (is_over(flow) || is_direct(flow)) continue;
    DAP_TRY(receive_chunk(plan, flow, &received, err));
    *moved += received;
    *left += !is_over(flow);
  }
  return DAP_OK;
}

/* One piece of direct work, of the first flow that has some left. */
static void copy_some(const dap_plan *plan, dap_direction *direction, int64_t *moved, int64_t *left)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (is_over(flow) || !is_direct(flow)) continue;
    if (*moved == 0) {
      copy_direct(plan, flow);
      ++*moved;
    }
    *left += !is_over(flow);
  }
}

/* One turn of all that there is to do. Direct work waits while there is something to send or to receive, so that
 * others need not wait. */
static dap_status turn(dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err)
{
  *moved = *left = 0;
  for (int x = 0; x < plan->exchange_count; x++)
    DAP_TRY(send_some(plan, &plan->exchanges[x].send, moved, left, err));
  for (int x = 0; x < plan->exchange_count; x++) {
    dap_exchange *exchange = &plan->exchanges[x];
    if (exchange->is_fine)
      DAP_TRY(dap_fine_some(plan, exchange, moved, left, err));
    else
      DAP_TRY(receive_some(plan, &exchange->receive, moved, left, err));
  }
  for (int x = 0; x < plan->exchange_count; x++) {
    copy_some(plan, &plan->exchanges[x].send, moved, left);
    if (!plan->exchanges[x].is_fine) copy_some(plan, &plan->exchanges[x].receive, moved, left);
  }
  return DAP_OK;
}

static dap_status move_all(dap_plan *plan, dap_error *err)
{
  for (int x = 0; x < plan->exchange_count; x++) {
    DAP_TRY(start_direction(plan, &plan->exchanges[x].send, err));
    DAP_TRY(start_direction(plan, &plan->exchanges[x].receive, err));
  }
  int64_t moved, left;
  int turns = 0;
  do {
    DAP_TRY(turn(plan, &moved, &left, err));
    if (moved > 0)
      turns = 0;
    else if (left > 0)
      dap_station_relax(&plan->station, &turns);
  } while (left > 0);
  plan->kernels->fence();
  return DAP_OK;
}

/* ---- end: leaving ----------------------------------------------------------------------------- */

/* Until the processes that read this one's source or write its destination are through. */
static void await_done(const dap_plan *plan)
{
  const dap_station *station = &plan->station;
  if (station->memory.size == 0) return;
  atomic_store_explicit(&dap_station_control(station, station->node.rank)->done, station->run,
                        memory_order_release);
  for (int x = 0; x < plan->exchange_count; x++) {
    const dap_direction *directions[] = {&plan->exchanges[x].send, &plan->exchanges[x].receive};
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < directions[d]->count; i++) {
        const dap_flow *flow = &directions[d]->flows[i];
        int turns = 0;
        if (!flow->carrier || !is_direct(flow)) continue;
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
  await_posts(plan);
  if (plan->agreement != MPI_REQUEST_NULL)
    DAP_TRY(dap_mpi_check(MPI_Wait(&plan->agreement, MPI_STATUS_IGNORE), "MPI_Wait", err));
  check_direct(plan);
  if (plan->first_fault == FAULT_NONE) DAP_TRY(move_all(plan, err));
  await_done(plan);
  return finish_messages(plan, err);
}

dap_status dap_plan_end(dap_plan *plan, dap_error *err)
{
  DAP_REQUIRE(plan, err, DAP_ERR_ARG, "plan must not be NULL");
  DAP_REQUIRE(plan->under_way, err, DAP_ERR_ARG, "the plan has not been begun");
  const dap_status s = finish(plan, err);
  plan->under_way = false;
  return s || plan->first_fault == FAULT_NONE ? s : fail_fault(plan, err);
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
