/* Who sends what to whom: a product of per-axis overlaps on each side, and the flows it is made of. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- overlaps per axis ------------------------------------------------------------------------ */

static dap_status meet_axis(const dap_ends *ends, int k, dap_reach reach, bool sends,
                            dap_direction *direction, dap_error *err)
{
  const dap_map *from = dap_ends_from_map(ends, k), *to = &ends->to->maps[k];
  const dap_window window = {ends->from_start[k], ends->to_start[k], ends->shape[k]};
  const int procs = (sends ? to : from)->axis.procs;
  direction->with[k] = calloc((size_t)procs, sizeof *direction->with[k]);
  DAP_REQUIRE(direction->with[k], err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", procs);
  direction->procs[k] = procs;
  for (int c = 0; c < procs; c++)
    DAP_TRY(dap_overlap_create(from, sends ? ends->from_coords[k] : c, to, sends ? c : ends->to_coords[k],
                               &window, reach, &direction->with[k][c], err));
  return DAP_OK;
}

/* What was found by asking. */
static void take_met(dap_met *met, bool sends, dap_direction *direction, int k)
{
  dap_overlap **found = sends ? &met->send : &met->receive;
  direction->with[k] = *found;
  direction->procs[k] = sends ? met->send_count : met->receive_count;
  *found = NULL;
}

/* Overlaps of this process with every coordinate of the other side, axis by axis. */
static dap_status meet_all(const dap_ends *ends, const dap_reach reach[], dap_met met[], bool sends,
                           dap_direction *direction, dap_error *err)
{
  for (int k = 0; k < ends->ndim; k++) {
    if (dap_ends_is_listed(ends, k))
      take_met(&met[k], sends, direction, k);
    else
      DAP_TRY(meet_axis(ends, k, reach[k], sends, direction, err));
  }
  return DAP_OK;
}

/* ---- flows ------------------------------------------------------------------------------------ */

static dap_status add_flow(const dap_exchange *exchange, const int coords[], int64_t elements, bool is_send,
                           dap_direction *direction, dap_error *err)
{
  const dap_ends *ends = exchange->ends;
  const int rank = dap_ends_rank(ends, !is_send, coords);
  if (rank == ends->rank && is_send) return DAP_OK; /* what stays here is received */
  if (direction->count == direction->capacity) {
    const int capacity = direction->capacity ? 2 * direction->capacity : 1;
    dap_flow *flows = realloc(direction->flows, (size_t)capacity * sizeof *flows);
    DAP_REQUIRE(flows, err, DAP_ERR_NOMEM, "no memory for %d processes to move to or from", capacity);
    direction->flows = flows;
    direction->capacity = capacity;
  }
  dap_flow *flow = &direction->flows[direction->count++];
  *flow = (dap_flow){.exchange = exchange,
                     .rank = rank,
                     .place = -1,
                     .is_send = is_send,
                     .bytes = elements * ends->from_item};
  for (int k = 0; k < ends->ndim; k++) {
    flow->axes[k] = &direction->with[k][coords[k]];
    flow->to_coords[k] = is_send ? coords[k] : ends->to_coords[k];
  }
  return DAP_OK;
}

/* All coordinates whose overlap is not empty on any axis, by depth-first search, axis by axis. */
static dap_status find_flows(const dap_exchange *exchange, int axis, int coords[], int64_t elements,
                             bool is_send, dap_direction *direction, dap_error *err)
{
  if (axis == exchange->ends->ndim) return add_flow(exchange, coords, elements, is_send, direction, err);
  for (int c = 0; c < direction->procs[axis]; c++) {
    const int64_t here = direction->with[axis][c].elements;
    if (here == 0) continue;
    coords[axis] = c;
    DAP_TRY(find_flows(exchange, axis + 1, coords, elements * here, is_send, direction, err));
  }
  return DAP_OK;
}

/* No flow at all; asked first, so that products of the other axes cannot overflow. */
static bool is_empty(const dap_direction *direction, int ndim)
{
  for (int k = 0; k < ndim; k++) {
    int64_t elements = 0;
    for (int c = 0; c < direction->procs[k] && elements == 0; c++) elements = direction->with[k][c].elements;
    if (elements == 0) return true;
  }
  return false;
}

static dap_status set_direction(const dap_exchange *exchange, dap_met met[], bool is_send,
                                dap_direction *direction, dap_error *err)
{
  const dap_ends *ends = exchange->ends;
  int coords[DAP_MAX_NDIM] = {0};
  if ((is_send ? ends->from_process : ends->to_process) < 0) return DAP_OK;
  DAP_TRY(meet_all(ends, exchange->reach, met, is_send, direction, err));
  if (is_empty(direction, ends->ndim)) return DAP_OK;
  return find_flows(exchange, 0, coords, 1, is_send, direction, err);
}

dap_status dap_exchange_create(dap_met met[], dap_exchange *exchange, dap_error *err)
{
  DAP_TRY(set_direction(exchange, met, true, &exchange->send, err));
  return set_direction(exchange, met, false, &exchange->receive, err);
}

/* ---- freed and counted ------------------------------------------------------------------------ */

static void release_direction(dap_direction *direction)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    for (int c = 0; c < direction->procs[k]; c++) dap_overlap_release(&direction->with[k][c]);
    free(direction->with[k]);
  }
  for (int i = 0; i < direction->count; i++) {
    free(direction->flows[i].requests);
    free(direction->flows[i].stretches);
  }
  free(direction->flows);
  *direction = (dap_direction){0};
}

void dap_exchange_release(dap_exchange *exchange)
{
  release_direction(&exchange->send);
  release_direction(&exchange->receive);
}

static int64_t direction_memory(const dap_direction *direction)
{
  int64_t bytes = direction->capacity * (int64_t)sizeof *direction->flows;
  for (int k = 0; k < DAP_MAX_NDIM; k++)
    for (int c = 0; c < direction->procs[k]; c++)
      bytes += (int64_t)sizeof *direction->with[k] + dap_overlap_memory(&direction->with[k][c]);
  for (int i = 0; i < direction->count; i++)
    bytes += direction->flows[i].stretch_count * (int64_t)sizeof(dap_stretch);
  for (int i = 0; i < direction->count; i++)
    if (direction->flows[i].carrier == &dap_carrier_messages)
      bytes += direction->flows[i].slots * (int64_t)sizeof *direction->flows[i].requests;
  return bytes;
}

int64_t dap_exchange_memory(const dap_exchange *exchange)
{
  return direction_memory(&exchange->send) + direction_memory(&exchange->receive);
}
