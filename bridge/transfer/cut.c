/* How flows are cut and carried: by whom, in chunks of what size, within the memory that the plan may take.
 *
 * Both ends of a flow must cut it alike, so the size of tiles is agreed by all processes, one for each carrier. */
#include "transfer_impl.h"

#include <inttypes.h>

enum {
  SLOTS = 3,                  /* chunks of a flow under way: one packed, one on its way, one unpacked */
  NODE_CHUNK = 256 * 1024,    /* bytes: stays in the caches between sender and receiver */
  MESSAGE_CHUNK = 512 * 1024, /* bytes: long enough for any network */
  WIDE =
      256 * 1024, /* bytes of a piece of direct work: stays in the caches until the other flows have theirs */
  WIDE_ACROSS = 8 * 1024 * 1024, /* the same where it is swept in panels across */
  NODE_MEMORY = 960 * 1024,      /* bytes of slots on the node, unless that makes them ... */
  NODE_SLOT = 32 * 1024,         /* ... smaller than this */
  MEMORY = 64 * 1024 * 1024,     /* bytes: default of options.memory_bytes */
  LARGE = 8 * 1024 * 1024,       /* bytes from which stores past the caches pay */
  LINE = 64                      /* bytes of a line of the cache */
};

/* ---- over all flows ------------------------------------------------------------------------------- */

/* Flow number i of an exchange, those sent first; NULL behind the last. */
static dap_flow *flow_at(dap_exchange *exchange, int i)
{
  if (i < exchange->send.count) return &exchange->send.flows[i];
  i -= exchange->send.count;
  return i < exchange->receive.count ? &exchange->receive.flows[i] : NULL;
}

/* ---- carriers --------------------------------------------------------------------------------------- */

static dap_status set_carrier(const dap_plan *plan, dap_flow *flow, dap_error *err)
{
  flow->carrier = NULL;
  if (flow->rank == plan->rank) return DAP_OK;
  const bool staged = (plan->transports & DAP_TRANSPORT_STAGED) || plan->transports == DAP_TRANSPORT_DIRECT;
  if (flow->place >= 0 && staged)
    flow->carrier = &dap_carrier_slots;
  else if (plan->transports & DAP_TRANSPORT_MESSAGES)
    flow->carrier = &dap_carrier_messages;
  DAP_REQUIRE(flow->carrier, err, DAP_ERR_UNSUPPORTED,
              "ranks %d and %d share no memory, and options.transports %#x allows nothing else", plan->rank,
              flow->rank, plan->transports);
  return DAP_OK;
}

/* ---- one size --------------------------------------------------------------------------------------- */

static void set_tile(dap_flow *flow, int64_t bytes, int slots)
{
  const int64_t item = flow->exchange->ends->from_item;
  dap_tile_choose(flow->exchange, flow->to_coords, bytes / item, false, flow->tile);
  const dap_cut_size size = dap_flow_cut(flow, flow->tile);
  flow->chunks = size.chunks;
  flow->chunk_bytes = size.largest * item;
  flow->slot_bytes = (flow->chunk_bytes + LINE - 1) / LINE * LINE;
  flow->slots = (int)dap_smaller(slots, size.chunks);
}

/* Cuts all flows of a carrier; bytes of this process' slots. */
static int64_t cut_all(dap_plan *plan, const dap_carrier *carrier, int64_t bytes, int slots)
{
  int64_t total = 0;
  for (int x = 0; x < plan->exchange_count; x++) {
    dap_flow *flow;
    for (int i = 0; (flow = flow_at(&plan->exchanges[x], i)); i++) {
      if (flow->carrier != carrier) continue;
      set_tile(flow, bytes, slots);
      if (carrier == &dap_carrier_messages)
        total += flow->slots * flow->slot_bytes;
      else if (flow->is_send)
        total += flow->slots * flow->slot_bytes + (int64_t)sizeof(dap_ring);
    }
  }
  return total;
}

/* What a slot of a single element for each flow of a carrier takes. */
static int64_t least_bytes(dap_plan *plan, const dap_carrier *carrier)
{
  int64_t total = 0;
  for (int x = 0; x < plan->exchange_count; x++) {
    const int64_t item = plan->exchanges[x].ends->from_item;
    const dap_flow *flow;
    for (int i = 0; (flow = flow_at(&plan->exchanges[x], i)); i++)
      total += flow->carrier == carrier ? (item + LINE - 1) / LINE * LINE : 0;
  }
  return total;
}

static int64_t count_slots(dap_plan *plan, const dap_carrier *carrier)
{
  int64_t count = 0;
  for (int x = 0; x < plan->exchange_count; x++) {
    const dap_flow *flow;
    for (int i = 0; (flow = flow_at(&plan->exchanges[x], i)); i++)
      count += flow->carrier == carrier && flow->is_send ? SLOTS : 0;
  }
  return count;
}

/* ---- the largest that fits ---------------------------------------------------------------------------- */

typedef struct size {
  int64_t bytes; /* of a tile */
  int64_t slots;
} size;

/* The largest tiles that stay within `budget`, and if possible within the smaller `wish`; with fewer slots where
 * they would be less than a line. */
static size fit(dap_plan *plan, const dap_carrier *carrier, int64_t bytes, int64_t wish, int64_t budget)
{
  size s = {.bytes = bytes, .slots = SLOTS};
  while (s.bytes > LINE && cut_all(plan, carrier, s.bytes, SLOTS) > wish) s.bytes /= 2;
  if (cut_all(plan, carrier, s.bytes, SLOTS) <= budget) return s;
  s = (size){.bytes = bytes, .slots = 1};
  while (s.bytes > 1 && cut_all(plan, carrier, s.bytes, 1) > budget) s.bytes /= 2;
  return s;
}

static dap_status agree_size(MPI_Comm comm, size *s, dap_error *err)
{
  const int64_t mine[] = {s->bytes, s->slots};
  int64_t least[] = {s->bytes, s->slots};
  if (comm != MPI_COMM_NULL)
    DAP_TRY(dap_mpi_check(MPI_Allreduce(mine, least, 2, MPI_INT64_T, MPI_MIN, comm), "MPI_Allreduce", err));
  s->bytes = least[0];
  s->slots = least[1];
  return DAP_OK;
}

/* Cuts by one size for all: *total bytes here. More slots of smaller tiles can take more, and are given up then. */
static dap_status cut_alike(dap_plan *plan, MPI_Comm comm, const dap_carrier *carrier, size *s,
                            int64_t budget, int64_t *total, dap_error *err)
{
  DAP_TRY(agree_size(comm, s, err));
  if (cut_all(plan, carrier, s->bytes, (int)s->slots) > budget) s->slots = 1;
  DAP_TRY(agree_size(comm, s, err));
  *total = cut_all(plan, carrier, s->bytes, (int)s->slots);
  return DAP_OK;
}

static dap_status set_carriers(dap_plan *plan, dap_error *err)
{
  for (int x = 0; x < plan->exchange_count; x++) {
    dap_flow *flow;
    for (int i = 0; (flow = flow_at(&plan->exchanges[x], i)); i++) DAP_TRY(set_carrier(plan, flow, err));
  }
  return DAP_OK;
}

/* ---- what does not need to be agreed -------------------------------------------------------------------- */

/* Elements of the flow alternate with those of others in less than a line. */
static bool alternates(const dap_flow *flow)
{
  const dap_exchange *exchange = flow->exchange;
  if (exchange->ends->ndim == 0) return false;
  const dap_overlap *o = flow->axes[exchange->order[exchange->ends->ndim - 1]];
  if (dap_overlap_is_points(o)) return true;
  for (int64_t i = 0; i < o->size; i++)
    if (o->combs[i].count > 1 && o->combs[i].length * exchange->ends->to_item < LINE &&
        o->combs[i].to_step > o->combs[i].length)
      return true;
  return false;
}

/* Direct work is cut in large pieces, but where elements of several sources alternate, in the tiles of all. */
static void set_wide(dap_exchange *exchange, int64_t tile_bytes, bool is_mixed)
{
  const int64_t item = exchange->ends->from_item;
  bool fine = false;
  dap_flow *flow;
  for (int i = 0; (flow = flow_at(exchange, i)); i++) {
    flow->prefers_push = !alternates(flow);
    fine = fine || (!flow->is_send && !flow->prefers_push);
  }
  exchange->is_fine = fine && !is_mixed && exchange->receive.count > 1;
  for (int i = 0; (flow = flow_at(exchange, i)); i++) {
    const bool narrow = exchange->is_fine && !flow->is_send;
    const int64_t direct = exchange->across >= 0 ? WIDE_ACROSS : WIDE;
    dap_tile_choose(exchange, flow->to_coords, (narrow ? tile_bytes : direct) / item, !narrow, flow->wide);
    flow->wide_chunks = dap_flow_cut(flow, flow->wide).chunks;
  }
}

static int64_t bytes_received(const dap_plan *plan)
{
  int64_t bytes = 0;
  for (int x = 0; x < plan->exchange_count; x++)
    for (int i = 0; i < plan->exchanges[x].receive.count; i++)
      bytes += plan->exchanges[x].receive.flows[i].bytes;
  return bytes;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

dap_status dap_plan_cut(dap_plan *plan, MPI_Comm comm, const dap_plan_options *options, dap_error *err)
{
  const int64_t memory = options && options->memory_bytes ? options->memory_bytes : MEMORY;
  const int64_t most = options ? options->message_bytes : 0;
  dap_status s = set_carriers(plan, err);
  if (comm != MPI_COMM_NULL) s = dap_agree(comm, s, err);
  DAP_TRY(s);
  const int64_t slots = count_slots(plan, &dap_carrier_slots);
  const int64_t budget =
      dap_larger(memory - least_bytes(plan, &dap_carrier_messages), 0); /* messages must fit, too */
  const int64_t wish = dap_smaller(budget, dap_larger(NODE_MEMORY, slots * NODE_SLOT));
  size node = fit(plan, &dap_carrier_slots, most ? most : NODE_CHUNK, wish, budget);
  DAP_TRY(cut_alike(plan, comm, &dap_carrier_slots, &node, budget, &plan->slots_bytes, err));
  const int64_t left = dap_larger(memory - plan->slots_bytes, 0);
  size net = fit(plan, &dap_carrier_messages, most ? most : MESSAGE_CHUNK, left, left);
  DAP_TRY(cut_alike(plan, comm, &dap_carrier_messages, &net, left, &plan->message_bytes, err));
  const int64_t total = plan->slots_bytes + plan->message_bytes;
  s = total <= memory ? DAP_OK
                      : dap_fail(err, DAP_ERR_ARG,
                                 "memory_bytes %" PRId64 " is too little: one slot for each process to move "
                                 "elements to or from takes %" PRId64 " bytes",
                                 memory, total);
  if (comm != MPI_COMM_NULL) s = dap_agree(comm, s, err);
  DAP_TRY(s);
  const bool is_large = bytes_received(plan) >= LARGE;
  for (int x = 0; x < plan->exchange_count; x++) {
    plan->exchanges[x].is_large = is_large;
    set_wide(&plan->exchanges[x], plan->message_bytes > 0 ? net.bytes : node.bytes,
             plan->slots_bytes > 0 && plan->message_bytes > 0 && net.bytes != node.bytes);
  }
  return DAP_OK;
}
