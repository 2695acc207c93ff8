/* Describes plans by numbers, by a line of the log and by a text. */
#include "seconds.h"
#include "transfer_impl.h"
#include "two_phase_impl.h"

#include <inttypes.h>

/* Adds a channel to the numbers. *rounds: the most messages of a channel in this pass. */
static void count_channel(const dap_plan *plan, const dap_channel *channel, dap_plan_stats *stats,
                          int64_t *rounds)
{
  if (channel->rank == plan->rank) {
    stats->bytes_local += dap_channel_bytes(channel);
  } else if (!channel->in_two_phases) {
    *(channel->is_send ? &stats->bytes_sent : &stats->bytes_received) += dap_channel_bytes(channel);
    *(channel->is_send ? &stats->messages_sent : &stats->messages_received) += channel->chunks;
    *rounds = dap_larger(*rounds, channel->chunks);
  }
}

static void add_two_phase(const dap_two_phase *two_phase, dap_plan_stats *stats, int64_t *rounds)
{
  for (int kind = 0; kind < DAP_TWO_PHASE_KINDS; kind++) {
    const bool is_send = kind == DAP_TWO_PHASE_TO_ROW || kind == DAP_TWO_PHASE_TO_COLUMN;
    *(is_send ? &stats->messages_sent : &stats->messages_received) += two_phase->counts[kind];
    for (int i = 0; i < two_phase->counts[kind]; i++)
      *(is_send ? &stats->bytes_sent : &stats->bytes_received) += two_phase->messages[kind][i].bytes;
    if (two_phase->counts[kind] > 0) *rounds = dap_larger(*rounds, 1);
  }
  stats->bytes_handed_on += two_phase->forwarded;
  stats->phases = 2;
}

/* Returns the bytes of one pass, without buffers of elements. */
static int64_t count_memory(const dap_plan *plan)
{
  const dap_schedule *schedule = &plan->schedule;
  const int64_t arrays = plan->problem.arrays;
  int64_t bytes = (int64_t)sizeof *plan + dap_aliases_memory(arrays) + dap_copies_memory(&plan->problem) +
                  dap_two_phase_memory(plan->two_phase) + dap_clearing_memory(plan->clearing);
  bytes += arrays * (int64_t)(sizeof *plan->sources + sizeof *plan->destinations);
  bytes += schedule->turn_count * (int64_t)sizeof *schedule->turns;
  for (int x = 0; x < schedule->exchange_count; x++)
    bytes += (int64_t)sizeof *schedule->exchanges + dap_exchange_memory(&schedule->exchanges[x]);
  if (plan->window.size > 0)
    bytes += dap_node_window_bytes(schedule->exchange_count, plan->window.size, arrays);
  return bytes;
}

static void add_pass(const dap_plan *plan, dap_plan_stats *stats)
{
  int64_t rounds = 0;
  for (const dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    count_channel(plan, channel, stats, &rounds);
  if (plan->two_phase) add_two_phase(plan->two_phase, stats, &rounds);
  stats->rounds += rounds;
  stats->bytes_buffer += plan->schedule.slots_bytes + plan->schedule.message_bytes;
  stats->bytes_plan += count_memory(plan);
}

dap_plan_stats dap_plan_summarize(const dap_plan *plan)
{
  dap_plan_stats stats = {.phases = 1};
  if (dap_plan_check(plan, NULL)) return (dap_plan_stats){0};
  for (; plan; plan = plan->next_pass) add_pass(plan, &stats);
  return stats;
}

static void add_transports(dap_text *text, const dap_plan *plan)
{
  const dap_transport_ops *const all[] = {&dap_transport_slots, &dap_transport_messages,
                                          &dap_transport_two_phase};
  for (int i = 0, count = 0; i < 3; i++) {
    bool is_used = false;
    for (const dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
      is_used = is_used || (channel->rank != plan->rank && dap_transport_of(channel) == all[i]);
    if (is_used) dap_text_add(text, "%s%s", count++ ? ", " : " by ", all[i]->name);
  }
}

void dap_plan_log(const dap_plan *plan, double seconds)
{
  char transports[256];
  dap_text text = dap_text_start(transports, sizeof transports);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  add_transports(&text, plan);
  char arrays[64];
  dap_text of = dap_text_start(arrays, sizeof arrays);
  if (plan->problem.arrays > 1) dap_text_add(&of, " of %" PRId64 " arrays", plan->problem.arrays);
  dap_log("plan%s: sends %" PRId64 " bytes and receives %" PRId64 "%s, copies %" PRId64
          " here, buffers %" PRId64 " bytes; made in %s",
          arrays, stats.bytes_sent, stats.bytes_received, transports, stats.bytes_local, stats.bytes_buffer,
          dap_say_seconds(seconds).text);
}

static void add_layout(dap_text *text, const char *name, const dap_layout *layout)
{
  char summary[1024];
  (void)dap_layout_summary(layout, summary, sizeof summary);
  dap_text_add(text, "%s: %s\n", name, summary);
}

static void add_range(dap_text *text, int axis, int64_t start, int64_t length)
{
  if (axis < 0)
    dap_text_add(text, "no axis");
  else
    dap_text_add(text, "axis %d [%" PRId64 ", +%" PRId64 ")", axis, start, length);
}

static void add_move(dap_text *text, const dap_plan *plan)
{
  static const char *const words[] = {[DAP_COMBINE_SUM] = "their sum, always in the same order",
                                      [DAP_COMBINE_MAX] = "the largest",
                                      [DAP_COMBINE_MIN] = "the smallest"};
  const dap_problem *problem = &plan->problem;
  if (problem->arrays > 1) dap_text_add(text, "%" PRId64 " arrays at once, each: ", problem->arrays);
  if (problem->transform.to == problem->transform.from)
    dap_text_add(text, "move of elements of %" PRId64 " bytes\n", problem->from.item);
  else
    dap_text_add(text, "move of elements, %s to %s\n", dap_dtype_name(problem->transform.from),
                 dap_dtype_name(problem->transform.to));
  if (problem->combine)
    dap_text_add(text, "what several processes hold of an element becomes %s%s\n", words[problem->combine],
                 plan->clearing ? ", and what is not the owner's 0" : "");
  if (problem->transforms)
    dap_text_add(text, "%sscaled by %g%+gi, destination by %g%+gi\n",
                 problem->transform.conjugate ? "conjugated, " : "", problem->transform.alpha[0],
                 problem->transform.alpha[1], problem->transform.beta[0], problem->transform.beta[1]);
  add_layout(text, "from", problem->from.layout);
  add_layout(text, "to", problem->to.layout);
  bool part = !dap_problem_moves_all(problem);
  for (int k = 0; k < problem->ndim; k++)
    part = part || problem->from.axes[k] != k || problem->to.axes[k] != k;
  for (int k = 0; k < problem->ndim && part; k++) {
    dap_text_add(text, "%s", k ? ", " : "part: ");
    add_range(text, problem->from.axes[k], problem->from.start[k], problem->shape[k]);
    dap_text_add(text, " to ");
    add_range(text, problem->to.axes[k], problem->to.start[k], problem->shape[k]);
  }
  if (part) dap_text_add(text, "\n");
}

static const char *reason_of(const dap_plan *plan, const dap_channel *channel)
{
  if (channel->node_rank >= 0) return "it is on this node";
  if (plan->schedule.transports == DAP_TRANSPORT_MESSAGES) return "the options want";
  const dap_node *node = plan->window.node;
  return node && node->node_ranks && node->node_ranks[channel->rank] >= 0 ? "this node has no shared memory"
                                                                          : "it is on another node";
}

/* Adds a rank; over an intercommunicator the rank in its group. */
static void add_rank(dap_text *text, const dap_plan *plan, int rank)
{
  char name[DAP_RANK_TEXT];
  dap_groups_rank(plan->schedule.groups, plan->schedule.sender, rank, name);
  dap_text_add(text, "%s", name);
}

static void add_channel(dap_text *text, const dap_plan *plan, const dap_channel *channel)
{
  if (channel->rank == plan->rank) return;
  dap_text_add(text, "  %s ", channel->is_send ? "to" : "from");
  add_rank(text, plan, channel->rank);
  dap_text_add(text, ": %" PRId64 " bytes, ", dap_channel_bytes(channel));
  if (channel->node_rank >= 0 && (plan->schedule.transports & DAP_TRANSPORT_DIRECT))
    dap_text_add(text, "direct where a buffer is in memory that the node shares, else ");
  dap_text_add(text, "%s, as %s; %" PRId64 " chunks of up to %" PRId64 " bytes, %d at a time\n",
               dap_transport_of(channel)->name, reason_of(plan, channel), channel->chunks,
               channel->chunk_bytes, channel->slots);
}

static void add_phases(dap_text *text, const dap_two_phase *two_phase)
{
  dap_text_add(text, "in two phases: %d messages along the row and %d along the column",
               two_phase->counts[DAP_TWO_PHASE_TO_ROW], two_phase->counts[DAP_TWO_PHASE_TO_COLUMN]);
  dap_text_add(text, ", which hand on %" PRId64 " bytes of others; receives %d and %d\n",
               two_phase->forwarded, two_phase->counts[DAP_TWO_PHASE_FROM_ROW],
               two_phase->counts[DAP_TWO_PHASE_FROM_COLUMN]);
}

size_t dap_plan_describe(const dap_plan *plan, char *out, size_t capacity)
{
  const dap_plan_stats stats = dap_plan_summarize(plan);
  dap_text text = dap_text_start(out, capacity);
  dap_error err = {0};
  if (dap_plan_check(plan, &err)) {
    dap_text_add(&text, "%s\n", err.text);
    return text.length;
  }
  add_move(&text, plan);
  add_rank(&text, plan, plan->rank);
  dap_text_add(&text,
               ": keeps %" PRId64 " bytes, sends %" PRId64 " in %" PRId64 " messages, receives %" PRId64
               " in %" PRId64 ", %" PRId64 " rounds; message buffers %" PRId64 " bytes, plan %" PRId64 "\n",
               stats.bytes_local, stats.bytes_sent, stats.messages_sent, stats.bytes_received,
               stats.messages_received, stats.rounds, stats.bytes_buffer, stats.bytes_plan);
  if (plan->two_phase) add_phases(&text, plan->two_phase);
  for (const dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    add_channel(&text, plan, channel);
  return text.length;
}
