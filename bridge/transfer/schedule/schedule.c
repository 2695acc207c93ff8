/* Decides the schedule: set_transport() chooses between slots and messages, and the rest chooses the sizes
 * of chunks within the plan's memory. Both ends of a channel must cut it alike, so all processes agree on
 * one size of tiles for each transport. */
#include "schedule_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Shares of the second-level cache, and multiples of it. Slots stay in it between sender and receiver. */
enum {
  CHUNKS = 4, /* a chunk on the node takes at most 1/4 */
  SLOTS = 16, /* a process's slots leave 1/16 free, unless slots would be shorter than NODE_SLOT */
  LARGE = 2   /* if a process receives the bytes of 2 caches or more, stores past the caches pay */
};

/* Bytes. */
enum {
  NODE_SLOT = 32 * 1024,           /* the smallest slot, unless the plan's memory is short */
  MESSAGE_CHUNK = 512 * 1024,      /* the longest message; long enough for any network */
  MESSAGE_LEAST = 64 * 1024,       /* shorter messages cost more than their bytes */
  DIRECT_ACROSS = 8 * 1024 * 1024, /* the longest direct copy along the source's fastest axis */
  LINE = 64                        /* a cache line */
};

/* Returns the bytes of a chunk on the node, a power of two because tiles are halved. */
static int64_t node_chunk(const dap_schedule *schedule)
{
  int64_t bytes = LINE;
  while (2 * bytes * CHUNKS <= schedule->cache_bytes) bytes *= 2;
  return bytes;
}

/* ---- transports ----------------------------------------------------------------------------------- */

/* Chooses slots on a node and messages between nodes. Elements that stay on the process need neither. */
static dap_status set_transport(const dap_schedule *schedule, dap_channel *channel, dap_error *err)
{
  const int rank = channel->exchange->problem->rank;
  char name[DAP_RANK_TEXT];
  channel->transport = 0;
  if (channel->rank == rank) return DAP_OK;
  const bool staged =
      (schedule->transports & DAP_TRANSPORT_STAGED) || schedule->transports == DAP_TRANSPORT_DIRECT;
  if (channel->node_rank >= 0 && staged)
    channel->transport = DAP_TRANSPORT_STAGED;
  else if (schedule->transports & DAP_TRANSPORT_MESSAGES)
    channel->transport = DAP_TRANSPORT_MESSAGES;
  if (channel->transport) return DAP_OK;
  dap_groups_rank(schedule->groups, schedule->sender, channel->rank, name);
  return dap_fail(err, DAP_ERR_UNSUPPORTED,
                  "this process and %s share no memory, and options.transports %#x allows nothing else", name,
                  schedule->transports);
}

/* ---- one size ------------------------------------------------------------------------------------- */

/* Widens a tile that many sources share, each with few elements. It grows until the channel's messages have
 * MESSAGE_LEAST bytes, or as many as `bytes` allows, and no further where elements lie too far apart. Both
 * ends know the channel, so both choose alike. */
static dap_parts widen_tile(dap_channel *channel, int64_t bytes, dap_parts size)
{
  const int64_t item = channel->exchange->problem->from.item;
  const int64_t longest = dap_smaller(bytes, MESSAGE_LEAST) / item, widest = INT64_C(1) << 40;
  for (int64_t wide = 2 * bytes; wide <= widest && size.count > 1 && 2 * size.largest <= longest; wide *= 2) {
    dap_tile tile;
    dap_tile_choose(channel, wide / item, false, &tile);
    const dap_parts wider = dap_channel_sizes(channel, &tile);
    if (wider.largest > longest) break;
    channel->tile = tile;
    size = wider;
  }
  return size;
}

static void set_tile(dap_channel *channel, int64_t bytes, int slots)
{
  const int64_t item = channel->exchange->problem->from.item;
  dap_tile_choose(channel, bytes / item, false, &channel->tile);
  dap_parts size = dap_channel_sizes(channel, &channel->tile);
  if (channel->transport == DAP_TRANSPORT_MESSAGES) size = widen_tile(channel, bytes, size);
  channel->chunks = size.count;
  channel->chunk_bytes = size.largest * item;
  channel->slot_bytes = (channel->chunk_bytes + LINE - 1) / LINE * LINE;
  /* short channels have two slots, so that a run need not wait until the last one has been received */
  const bool is_short = channel->transport == DAP_TRANSPORT_STAGED && channel->slot_bytes <= NODE_SLOT;
  channel->slots = (int)dap_smaller(slots, is_short ? dap_larger(size.count, 2) : size.count);
}

/* Cuts all channels of a transport. Returns the bytes of this process's slots. */
static int64_t divide_all(dap_schedule *schedule, unsigned transport, int64_t bytes, int slots)
{
  int64_t total = 0;
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(schedule, channel));) {
    if (channel->transport != transport) continue;
    set_tile(channel, bytes, slots);
    if (transport == DAP_TRANSPORT_MESSAGES)
      total += channel->slots * channel->slot_bytes;
    else if (channel->is_send)
      total += channel->slots * channel->slot_bytes + (int64_t)sizeof(dap_ring);
  }
  return total;
}

/* ---- the largest that fits ------------------------------------------------------------------------ */

typedef struct size {
  int64_t bytes; /* size of a tile */
  int64_t slots;
} size;

/* Finds the largest tiles within `budget`, and if possible within the smaller `wish`. One slot is used where
 * three would be shorter than a cache line. */
static size fit_tiles(dap_schedule *schedule, unsigned transport, int64_t bytes, int64_t wish, int64_t budget)
{
  size s = {.bytes = bytes, .slots = DAP_SLOTS};
  while (s.bytes > LINE && divide_all(schedule, transport, s.bytes, DAP_SLOTS) > wish) s.bytes /= 2;
  if (divide_all(schedule, transport, s.bytes, DAP_SLOTS) <= budget) return s;
  s = (size){.bytes = bytes, .slots = 1};
  while (s.bytes > 1 && divide_all(schedule, transport, s.bytes, 1) > budget) s.bytes /= 2;
  return s;
}

static dap_status agree_size(MPI_Comm comm, size *s, dap_error *err)
{
  enum { SIZE_BYTES, SIZE_SLOTS };
  dap_agreement a = {.least = {[SIZE_BYTES] = s->bytes, [SIZE_SLOTS] = s->slots}};
  if (comm != MPI_COMM_NULL) DAP_TRY(dap_agree_all(comm, &a, err));
  s->bytes = a.least[SIZE_BYTES];
  s->slots = a.least[SIZE_SLOTS];
  return DAP_OK;
}

/* Agrees on one size and cuts by it; *total is in bytes. If some process's slots exceed its budget with the
 * agreed tiles, all processes have one slot. */
static dap_status divide_alike(dap_schedule *schedule, MPI_Comm comm, unsigned transport, size *s,
                               int64_t budget, int64_t *total, dap_error *err)
{
  DAP_TRY(agree_size(comm, s, err));
  if (divide_all(schedule, transport, s->bytes, (int)s->slots) > budget) s->slots = 1;
  DAP_TRY(agree_size(comm, s, err));
  *total = divide_all(schedule, transport, s->bytes, (int)s->slots);
  return DAP_OK;
}

static dap_status set_transports(dap_schedule *schedule, dap_error *err)
{
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(schedule, channel));)
    DAP_TRY(set_transport(schedule, channel, err));
  return DAP_OK;
}

/* ---- local choices -------------------------------------------------------------------------------- */

/* Whether others' elements lie between more than one listed element in four and its predecessor. */
static bool is_scattered(const dap_overlap *overlap)
{
  int64_t apart = 0;
  for (int64_t i = 1; i < overlap->size; i++)
    apart += dap_overlap_to(overlap, i) != dap_overlap_to(overlap, i - 1) + 1;
  return apart > overlap->size / 4;
}

/* Whether elements of the channel alternate with those of others within a cache line. */
static bool alternates(const dap_channel *channel)
{
  const dap_exchange *exchange = channel->exchange;
  if (exchange->problem->ndim == 0) return false;
  const dap_overlap *o = channel->axes[exchange->order[exchange->problem->ndim - 1]];
  if (dap_overlap_is_points(o)) return is_scattered(o);
  for (int64_t i = 0; i < o->size; i++)
    if (o->runs[i].count > 1 && o->runs[i].length * exchange->problem->to.item < LINE &&
        o->runs[i].to_step > o->runs[i].length)
      return true;
  return false;
}

/* Returns the tile that all channels have which this process receives through slots or messages; NULL: they
 * have several, or there are none. */
static const dap_tile *common_tile(const dap_exchange *exchange)
{
  const size_t bytes = (size_t)exchange->problem->ndim * sizeof(int64_t);
  const dap_tile *common = NULL;
  for (int i = 0; i < exchange->receive.count; i++) {
    const dap_channel *channel = &exchange->receive.channels[i];
    if (channel->transport == 0) continue;
    if (!common) common = &channel->tile;
    if (memcmp(common->extents, channel->tile.extents, bytes) != 0) return NULL;
  }
  return common;
}

/* Whether elements of some channel that this process receives alternate with others. */
static bool receives_alternating(const dap_exchange *exchange)
{
  for (int i = 0; i < exchange->receive.count; i++)
    if (!exchange->receive.channels[i].prefers_push) return true;
  return false;
}

/* Cuts direct copies in large chunks, or by the tile that all channels have. */
static void set_direct_tiles(const dap_schedule *schedule, dap_direction *direction, const dap_tile *common)
{
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    const int64_t bytes = channel->exchange->across >= 0 ? DIRECT_ACROSS : node_chunk(schedule);
    if (common)
      channel->direct_tile = *common;
    else
      dap_tile_choose(channel, bytes / channel->exchange->problem->from.item, true, &channel->direct_tile);
    channel->direct_chunks = dap_channel_sizes(channel, &channel->direct_tile).count;
  }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* Bounds of the memory of buffers. */
typedef struct bounds {
  int64_t memory;              /* bytes in all */
  int64_t budget, wish;        /* bytes of slots: the most, and the most wished for */
  int64_t node_tile, net_tile; /* bytes of a tile */
} bounds;

static bounds find_bounds(const dap_schedule *schedule)
{
  const int64_t memory = schedule->memory / schedule->passes, most = schedule->longest;
  const int64_t cached = schedule->cache_bytes - schedule->cache_bytes / SLOTS;
  int64_t slots = 0, least = 0; /* number of slots on the node; fewest bytes that messages need */
  for (const dap_channel *channel = NULL; (channel = dap_schedule_next(schedule, channel));) {
    if (channel->transport == DAP_TRANSPORT_MESSAGES)
      least += (channel->exchange->problem->from.item + LINE - 1) / LINE * LINE;
    else if (channel->transport == DAP_TRANSPORT_STAGED && channel->is_send)
      slots += DAP_SLOTS;
  }
  const int64_t budget = dap_larger(memory - least, 0); /* messages need the rest */
  return (bounds){.memory = memory,
                  .budget = budget,
                  .wish = dap_smaller(budget, dap_larger(cached, slots * NODE_SLOT)),
                  .node_tile = most ? most : node_chunk(schedule),
                  .net_tile = most ? most : MESSAGE_CHUNK};
}

static dap_status fail_memory(const dap_schedule *schedule, int64_t total, dap_error *err)
{
  char products[48] = "";
  if (schedule->exchange_count > 1)
    (void)snprintf(products, sizeof products, " in each of %d products", schedule->exchange_count);
  return dap_fail(err, DAP_ERR_ARG,
                  "memory_bytes %" PRId64 " is too little: one slot for each process to move elements to or "
                  "from%s takes %" PRId64 " bytes%s",
                  schedule->memory, products, total,
                  schedule->passes > 2   ? ", and all passes share it"
                  : schedule->passes > 1 ? ", and it is halved for two passes"
                                         : "");
}

static bool is_large(const dap_schedule *schedule)
{
  int64_t bytes = 0;
  for (const dap_channel *channel = NULL; (channel = dap_schedule_next(schedule, channel));)
    bytes += channel->is_send ? 0 : dap_channel_bytes(channel);
  return bytes >= LARGE * schedule->cache_bytes;
}

static void set_local_choices(dap_schedule *schedule, int64_t node_tile, int64_t net_tile)
{
  const bool large = is_large(schedule);
  const bool is_mixed = schedule->slots_bytes > 0 && schedule->message_bytes > 0 && net_tile != node_tile;
  const bool may_interleave = !is_mixed && !schedule->is_ordered;
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(schedule, channel));)
    channel->prefers_push = !alternates(channel);
  for (int x = 0; x < schedule->exchange_count; x++) {
    dap_exchange *exchange = &schedule->exchanges[x];
    const dap_tile *common = may_interleave && receives_alternating(exchange) ? common_tile(exchange) : NULL;
    exchange->is_large = large;
    exchange->is_interleaved = common;
    set_direct_tiles(schedule, &exchange->send, NULL);
    set_direct_tiles(schedule, &exchange->receive, common);
  }
}

dap_status dap_schedule_try(dap_schedule *schedule, bool *is_sure, dap_error *err)
{
  *is_sure = false;
  DAP_TRY(set_transports(schedule, err));
  const bounds b = find_bounds(schedule);
  schedule->slots_bytes = divide_all(schedule, DAP_TRANSPORT_STAGED, b.node_tile, DAP_SLOTS);
  schedule->message_bytes = divide_all(schedule, DAP_TRANSPORT_MESSAGES, b.net_tile, DAP_SLOTS);
  *is_sure = schedule->slots_bytes <= b.wish && schedule->slots_bytes + schedule->message_bytes <= b.memory;
  set_local_choices(schedule, b.node_tile, b.net_tile);
  return DAP_OK;
}

dap_status dap_schedule_set(MPI_Comm comm, dap_schedule *schedule, dap_error *err)
{
  dap_status s = set_transports(schedule, err);
  if (comm != MPI_COMM_NULL) s = dap_agree(comm, s, err);
  DAP_TRY(s);
  const bounds b = find_bounds(schedule);
  size node = fit_tiles(schedule, DAP_TRANSPORT_STAGED, b.node_tile, b.wish, b.budget);
  DAP_TRY(divide_alike(schedule, comm, DAP_TRANSPORT_STAGED, &node, b.budget, &schedule->slots_bytes, err));
  const int64_t left = dap_larger(b.memory - schedule->slots_bytes, 0);
  size net = fit_tiles(schedule, DAP_TRANSPORT_MESSAGES, b.net_tile, left, left);
  DAP_TRY(divide_alike(schedule, comm, DAP_TRANSPORT_MESSAGES, &net, left, &schedule->message_bytes, err));
  const int64_t total = schedule->slots_bytes + schedule->message_bytes;
  s = total <= b.memory ? DAP_OK : fail_memory(schedule, total, err);
  if (comm != MPI_COMM_NULL) s = dap_agree(comm, s, err);
  if (!s) set_local_choices(schedule, node.bytes, net.bytes);
  return s;
}
