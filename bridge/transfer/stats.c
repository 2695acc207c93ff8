/* What a plan says of itself. */
#include "transfer_impl.h"

#include <inttypes.h>

dap_plan_stats dap_plan_stats_get(const dap_plan *plan)
{
  dap_plan_stats stats = {.bytes_plan = (int64_t)sizeof *plan};
  for (int i = 0; i < plan->exchange_count; i++) {
    const dap_exchange *exchange = &plan->exchanges[i];
    stats.bytes_local += exchange->own_bytes;
    stats.bytes_sent += exchange->send.bytes;
    stats.bytes_received += exchange->receive.bytes;
    stats.messages_sent += exchange->send.request_count;
    stats.messages_received += exchange->receive.request_count;
    stats.bytes_buffer += exchange->send.bytes_buffer + exchange->receive.bytes_buffer;
    stats.bytes_plan += dap_exchange_memory(exchange, plan->ndim);
  }
  return stats;
}

static void add_layout(dap_text *text, const char *name, const dap_layout *layout)
{
  char summary[1024];
  (void)dap_layout_summary(layout, summary, sizeof summary);
  dap_text_add(text, "%s: %s\n", name, summary);
}

size_t dap_plan_describe(const dap_plan *plan, char *out, size_t capacity)
{
  const dap_plan_stats stats = dap_plan_stats_get(plan);
  dap_text text = dap_text_start(out, capacity);
  dap_text_add(&text, "move of elements of %" PRId64 " bytes\n", plan->itemsize);
  add_layout(&text, "from", plan->from);
  add_layout(&text, "to", plan->to);
  dap_text_add(&text,
               "rank %d: keeps %" PRId64 " bytes, sends %" PRId64 " in %" PRId64
               " messages, receives %" PRId64 " in %" PRId64 "; message buffers %" PRId64
               " bytes, plan %" PRId64 "\n",
               plan->rank, stats.bytes_local, stats.bytes_sent, stats.messages_sent, stats.bytes_received,
               stats.messages_received, stats.bytes_buffer, stats.bytes_plan);
  return text.length;
}
