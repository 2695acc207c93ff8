/* One chunk of a flow while a plan is under way: packed and sent, received and put in place, or copied directly. */
#include "transfer_impl.h"

/* Only messages can carry it, whatever the buffers: it can start at once. */
bool dap_flow_is_remote(const dap_flow *flow)
{
  return flow->carrier && flow->place < 0;
}

bool dap_flow_is_direct(const dap_flow *flow)
{
  return flow->now.pull || flow->now.push || flow->now.is_fetched;
}

bool dap_flow_is_over(const dap_flow *flow)
{
  return flow->now.moved == flow->now.chunks;
}

void dap_flow_start(dap_flow *flow, const int64_t tile[], int64_t chunks)
{
  flow->now = (dap_progress){.tile = tile, .chunks = chunks};
  dap_flow_first(flow, tile, &flow->now.next);
}

/* Packs the next chunk and sends it, if there is room. */
dap_status dap_chunk_send(const dap_plan *plan, dap_flow *flow, bool *sent, dap_error *err)
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

void dap_chunk_copy(const dap_plan *plan, dap_flow *flow)
{
  if (flow->now.is_fetched) {
    dap_fetch_all(plan, flow);
    return;
  }
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
dap_status dap_chunk_receive(const dap_plan *plan, dap_flow *flow, bool *received, dap_error *err)
{
  const dap_move *move = &plan->moves[flow->exchange->move];
  const char *at = NULL;
  DAP_TRY(flow->carrier->arrived(flow, &at, err));
  *received = at != NULL;
  if (!at) return DAP_OK;
  place_chunk(plan, flow, at, NULL, move->destination, move->ends.to_strides);
  return flow->carrier->taken(plan, flow, err);
}
