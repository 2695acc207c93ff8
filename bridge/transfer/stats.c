/* What a plan says of itself. */
#include "transfer_impl.h"

#include <inttypes.h>

/* What one direction adds, but what stays on the process. */
static void add_direction(const dap_direction *direction, int rank, int64_t *bytes, int64_t *messages,
                          int64_t *rounds)
{
  for (int i = 0; i < direction->count; i++) {
    const dap_flow *flow = &direction->flows[i];
    if (flow->rank == rank) continue;
    *bytes += flow->bytes;
    *messages += flow->chunks;
    *rounds = dap_larger(*rounds, flow->chunks);
  }
}

dap_plan_stats dap_plan_stats_get(const dap_plan *plan)
{
  dap_plan_stats stats = {.bytes_buffer = plan->slots_bytes + plan->message_bytes,
                          .bytes_plan = (int64_t)sizeof *plan +
                                        plan->move_count * (int64_t)sizeof *plan->moves +
                                        plan->exchange_count * (int64_t)sizeof *plan->exchanges};
  if (plan->station.memory.size > 0) stats.bytes_plan += dap_station_bytes(plan->move_count);
  for (int x = 0; x < plan->exchange_count; x++) {
    const dap_exchange *exchange = &plan->exchanges[x];
    add_direction(&exchange->send, plan->rank, &stats.bytes_sent, &stats.messages_sent, &stats.rounds);
    add_direction(&exchange->receive, plan->rank, &stats.bytes_received, &stats.messages_received,
                  &stats.rounds);
    for (int i = 0; i < exchange->receive.count; i++)
      if (exchange->receive.flows[i].rank == plan->rank)
        stats.bytes_local += exchange->receive.flows[i].bytes;
    stats.bytes_plan += dap_exchange_memory(exchange);
  }
  return stats;
}

/* ---- in words ----------------------------------------------------------------------------------- */

static void add_layout(dap_text *text, const char *name, const dap_layout *layout)
{
  char summary[1024];
  (void)dap_layout_summary(layout, summary, sizeof summary);
  dap_text_add(text, "%s: %s\n", name, summary);
}

static void add_move(dap_text *text, const dap_plan *plan, int m)
{
  const dap_ends *ends = &plan->moves[m].ends;
  if (plan->move_count > 1) dap_text_add(text, "%d: ", m);
  if (ends->transform.to == ends->transform.from)
    dap_text_add(text, "move of elements of %" PRId64 " bytes\n", ends->from_item);
  else
    dap_text_add(text, "move of elements, %s to %s\n", dap_dtype_name(ends->transform.from),
                 dap_dtype_name(ends->transform.to));
  if (ends->transforms)
    dap_text_add(text, "%sscaled by %g%+gi, destination by %g%+gi\n",
                 ends->transform.conjugate ? "conjugated, " : "", ends->transform.alpha[0],
                 ends->transform.alpha[1], ends->transform.beta[0], ends->transform.beta[1]);
  add_layout(text, "from", ends->from);
  add_layout(text, "to", ends->to);
  bool moved_axes = false, part = false;
  for (int k = 0; k < ends->ndim; k++) {
    moved_axes = moved_axes || ends->axes[k] != k;
    part = part || ends->shape[k] != ends->to->maps[k].axis.size ||
           ends->shape[k] != dap_ends_from_map(ends, k)->axis.size;
  }
  for (int k = 0; k < ends->ndim && moved_axes; k++)
    dap_text_add(text, "%s%d", k ? ", " : "source axes: ", ends->axes[k]);
  if (moved_axes) dap_text_add(text, "\n");
  for (int k = 0; k < ends->ndim && part; k++)
    dap_text_add(text, "%s[%" PRId64 ", +%" PRId64 ") to %" PRId64, k ? ", " : "part: ", ends->from_start[k],
                 ends->shape[k], ends->to_start[k]);
  if (part) dap_text_add(text, "\n");
}

/* What carries a flow's chunks, and why that. */
static const char *reason_of(const dap_plan *plan, const dap_flow *flow)
{
  if (flow->place >= 0) return "it is on this node";
  if (plan->transports == DAP_TRANSPORT_MESSAGES) return "the options want";
  const dap_node *node = &plan->station.node;
  return node->size > 1 && node->places[plan->rank] < 0 ? "this node has no shared memory"
                                                        : "it is on another node";
}

/* How it goes to or from each other process. */
static void add_flow(dap_text *text, const dap_plan *plan, const dap_flow *flow)
{
  if (flow->rank == plan->rank) return;
  if (plan->move_count > 1) dap_text_add(text, "  move %d:", flow->exchange->move);
  dap_text_add(text, "  %s rank %d: %" PRId64 " bytes, ", flow->is_send ? "to" : "from", flow->rank,
               flow->bytes);
  if (flow->place >= 0 && (plan->transports & DAP_TRANSPORT_DIRECT))
    dap_text_add(text, "direct where a buffer is in memory that the node shares, else ");
  if (flow->ring && flow->ring->is_fetched) {
    dap_text_add(text, "read by the receiver from the sender's memory\n");
    return;
  }
  dap_text_add(text, "%s, as %s; %" PRId64 " chunks of up to %" PRId64 " bytes, %d at a time\n",
               flow->carrier->name, reason_of(plan, flow), flow->chunks, flow->chunk_bytes, flow->slots);
}

size_t dap_plan_describe(const dap_plan *plan, char *out, size_t capacity)
{
  const dap_plan_stats stats = dap_plan_stats_get(plan);
  dap_text text = dap_text_start(out, capacity);
  for (int m = 0; m < plan->move_count; m++) add_move(&text, plan, m);
  dap_text_add(&text,
               "rank %d: keeps %" PRId64 " bytes, sends %" PRId64 " in %" PRId64
               " messages, receives %" PRId64 " in %" PRId64 ", %" PRId64 " rounds; message buffers %" PRId64
               " bytes, plan %" PRId64 "\n",
               plan->rank, stats.bytes_local, stats.bytes_sent, stats.messages_sent, stats.bytes_received,
               stats.messages_received, stats.rounds, stats.bytes_buffer, stats.bytes_plan);
  for (int x = 0; x < plan->exchange_count; x++) {
    const dap_direction *directions[] = {&plan->exchanges[x].send, &plan->exchanges[x].receive};
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < directions[d]->count; i++) add_flow(&text, plan, &directions[d]->flows[i]);
  }
  return text.length;
}
