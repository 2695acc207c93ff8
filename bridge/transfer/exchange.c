/* Who sends what to whom: a product of per-axis overlaps on each side. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MESSAGE_ALIGNMENT = 64 /* bytes: messages begin on cache lines */ };

/* ---- overlaps per axis ------------------------------------------------------------------------ */

static bool is_listed(const dap_ends *ends, int axis)
{
  return ends->from->maps[axis].lists || ends->to->maps[axis].lists;
}

static dap_status meet_axis(const dap_ends *ends, int k, int coord, dap_reach reach, dap_way way,
                            dap_direction *direction, dap_error *err)
{
  const bool sends = way == DAP_WAY_PACK;
  const dap_map *from = &ends->from->maps[k], *to = &ends->to->maps[k];
  const int procs = (sends ? to : from)->axis.procs;
  direction->with[k] = calloc((size_t)procs, sizeof *direction->with[k]);
  DAP_REQUIRE(direction->with[k], err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", procs);
  direction->procs[k] = procs;
  for (int c = 0; c < procs; c++)
    DAP_TRY(dap_overlap_create(from, sends ? coord : c, to, sends ? c : coord, reach, way,
                               &direction->with[k][c], err));
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
static dap_status meet_all(const dap_ends *ends, const dap_reach reach[], dap_met met[], dap_way way,
                           dap_direction *direction, dap_error *err)
{
  const bool sends = way == DAP_WAY_PACK;
  const dap_layout *mine = sends ? ends->from : ends->to;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(mine, sends ? ends->from_process : ends->to_process, coords);
  for (int k = 0; k < mine->ndim; k++) {
    if (is_listed(ends, k))
      take_met(&met[k], sends, direction, k);
    else
      DAP_TRY(meet_axis(ends, k, coords[k], reach[k], way, direction, err));
  }
  return DAP_OK;
}

static dap_status meet_own(const dap_ends *ends, const dap_reach reach[], dap_met met[],
                           dap_exchange *exchange, dap_error *err)
{
  int p[DAP_MAX_NDIM], q[DAP_MAX_NDIM];
  dap_layout_coords(ends->from, ends->from_process, p);
  dap_layout_coords(ends->to, ends->to_process, q);
  int64_t bytes = ends->itemsize;
  bool empty = false;
  for (int k = 0; k < ends->from->ndim; k++) {
    if (is_listed(ends, k)) {
      exchange->own[k] = met[k].own;
      met[k].own = (dap_overlap){0};
    } else {
      DAP_TRY(dap_overlap_create(&ends->from->maps[k], p[k], &ends->to->maps[k], q[k], reach[k],
                                 DAP_WAY_DIRECT, &exchange->own[k], err));
    }
    empty = empty || exchange->own[k].elements == 0;
  }
  for (int k = 0; k < ends->from->ndim && !empty; k++) bytes *= exchange->own[k].elements;
  exchange->has_own = !empty;
  exchange->own_bytes = empty ? 0 : bytes;
  return DAP_OK;
}

/* ---- peers ------------------------------------------------------------------------------------ */

static dap_status add_peer(dap_direction *direction, const dap_peer *peer, dap_error *err)
{
  if (direction->peer_count == direction->peer_capacity) {
    const int capacity = direction->peer_capacity ? 2 * direction->peer_capacity : 1;
    dap_peer *peers = realloc(direction->peers, (size_t)capacity * sizeof *peers);
    DAP_REQUIRE(peers, err, DAP_ERR_NOMEM, "no memory for %d messages", capacity);
    direction->peers = peers;
    direction->peer_capacity = capacity;
  }
  dap_peer *added = &direction->peers[direction->peer_count++];
  *added = *peer;
  added->offset = direction->bytes_buffer;
  int64_t rounded;
  DAP_REQUIRE(dap_add(peer->bytes, MESSAGE_ALIGNMENT - 1, &rounded) &&
                  dap_add(direction->bytes_buffer, rounded / MESSAGE_ALIGNMENT * MESSAGE_ALIGNMENT,
                          &direction->bytes_buffer),
              err, DAP_ERR_RANGE, "the messages of a plan exceed 2^63 - 1 bytes");
  direction->bytes += peer->bytes; /* <= bytes_buffer */
  return DAP_OK;
}

/* All coordinates whose overlap is not empty on any axis, by depth-first search, axis by axis. */
static dap_status find_peers(const dap_ends *ends, const dap_layout *other, const int *ranks, int axis,
                             dap_peer *peer, dap_direction *direction, dap_error *err)
{
  if (axis == other->ndim) {
    const int process = dap_layout_rank(other, peer->coords);
    peer->rank = ranks ? ranks[process] : process;
    return peer->rank == ends->rank ? DAP_OK : add_peer(direction, peer, err);
  }
  const int64_t bytes = peer->bytes;
  for (int c = 0; c < direction->procs[axis]; c++) {
    const int64_t elements = direction->with[axis][c].elements;
    if (elements == 0) continue;
    peer->coords[axis] = c;
    peer->bytes = bytes * elements;
    DAP_TRY(find_peers(ends, other, ranks, axis + 1, peer, direction, err));
  }
  return DAP_OK;
}

/* No peer at all; asked first, so that products of the other axes cannot overflow. */
static bool is_empty(const dap_direction *direction, int ndim)
{
  for (int k = 0; k < ndim; k++) {
    int64_t elements = 0;
    for (int c = 0; c < direction->procs[k] && elements == 0; c++) elements = direction->with[k][c].elements;
    if (elements == 0) return true;
  }
  return false;
}

static dap_status set_direction(const dap_ends *ends, const dap_reach reach[], dap_met met[], dap_way way,
                                dap_direction *direction, dap_error *err)
{
  const bool sends = way == DAP_WAY_PACK;
  if ((sends ? ends->from_process : ends->to_process) < 0) return DAP_OK;
  DAP_TRY(meet_all(ends, reach, met, way, direction, err));
  if (is_empty(direction, ends->from->ndim)) return DAP_OK;
  dap_peer peer = {.bytes = ends->itemsize};
  return find_peers(ends, sends ? ends->to : ends->from, sends ? ends->to_ranks : ends->from_ranks, 0, &peer,
                    direction, err);
}

dap_status dap_exchange_create(const dap_ends *ends, const dap_reach reach[], dap_met met[],
                               dap_exchange *exchange, dap_error *err)
{
  DAP_TRY(set_direction(ends, reach, met, DAP_WAY_PACK, &exchange->send, err));
  DAP_TRY(set_direction(ends, reach, met, DAP_WAY_UNPACK, &exchange->receive, err));
  if (ends->from_process < 0 || ends->to_process < 0) return DAP_OK;
  return meet_own(ends, reach, met, exchange, err);
}

/* ---- freed and counted ------------------------------------------------------------------------ */

static void release_direction(dap_direction *direction)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    for (int c = 0; c < direction->procs[k]; c++) dap_overlap_release(&direction->with[k][c]);
    free(direction->with[k]);
  }
  free(direction->peers);
}

void dap_exchange_release(dap_exchange *exchange)
{
  dap_messages_release(exchange);
  release_direction(&exchange->send);
  release_direction(&exchange->receive);
  for (int k = 0; k < DAP_MAX_NDIM; k++) dap_overlap_release(&exchange->own[k]);
  *exchange = (dap_exchange){0};
}

static int64_t direction_memory(const dap_direction *direction, int ndim)
{
  int64_t bytes = direction->peer_capacity * (int64_t)sizeof *direction->peers +
                  direction->request_count * (int64_t)sizeof *direction->requests;
  for (int k = 0; k < ndim; k++)
    for (int c = 0; c < direction->procs[k]; c++)
      bytes +=
          (int64_t)sizeof *direction->with[k] + direction->with[k][c].capacity * (int64_t)sizeof(dap_comb);
  return bytes;
}

int64_t dap_exchange_memory(const dap_exchange *exchange, int ndim)
{
  int64_t bytes = direction_memory(&exchange->send, ndim) + direction_memory(&exchange->receive, ndim);
  for (int k = 0; k < ndim; k++) bytes += exchange->own[k].capacity * (int64_t)sizeof(dap_comb);
  return bytes;
}
