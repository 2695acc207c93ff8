/* Chooses the process between two others, and decides others, and whether two phases pay.
 *
 * The rule weighs the cost of a message against the cost of a byte. One phase takes n messages and V bytes.
 * Two take 2 sqrt(P) messages, and each byte twice. */
#include "two_phase_impl.h"

#include <string.h>

/* With fewer processes there is little to gain. A message costs as much as MESSAGE_BYTES (docs/model.md). */
enum { LEAST_PROCS = 64, MESSAGE_BYTES = 16 * 1024 };

int dap_two_phase_columns(int nprocs)
{
  int columns = 1;
  while ((int64_t)columns * columns < nprocs) columns++;
  return columns;
}

int dap_two_phase_via(int columns, int nprocs, int from, int to)
{
  const int via = from - from % columns + to % columns;
  return via < nprocs ? via : via - columns;
}

/* Whether two phases are possible as far as options, limits and exchanges go. */
static bool is_open(const dap_plan *plan, const dap_plan_options *options)
{
  const unsigned forced = options->transports & DAP_FORCED;
  if (forced & DAP_FORCED_ONE_PHASE) return false;
  if (plan->schedule.exchange_count != 1 || plan->schedule.is_ordered) return false;
  if (plan->problem.copies) return false;   /* copies have passes of their own */
  if (plan->wait_seconds > 0) return false; /* a process between would be named in place of the missing one */
  return (forced & DAP_FORCED_TWO_PHASES) || plan->nprocs >= LEAST_PROCS;
}

/* Whether only messages can carry the channel, and one message can. */
static bool is_one_piece(const dap_channel *channel)
{
  dap_tile tile;
  dap_tile_whole(channel, &tile);
  return dap_channel_is_remote(channel) && dap_channel_sizes(channel, &tile).count == 1;
}

static void propose_direction(const dap_direction *direction, int64_t words[])
{
  int64_t messages = 0, bytes = 0;
  for (int i = 0; i < direction->count; i++) {
    const dap_channel *channel = &direction->channels[i];
    if (channel->transport != DAP_TRANSPORT_MESSAGES) continue;
    messages += channel->chunks;
    bytes += dap_channel_bytes(channel);
    words[DAP_TWO_PHASE_IS_OPEN] = words[DAP_TWO_PHASE_IS_OPEN] && is_one_piece(channel);
  }
  words[DAP_TWO_PHASE_MINUS_MESSAGES] = dap_smaller(words[DAP_TWO_PHASE_MINUS_MESSAGES], -messages);
  words[DAP_TWO_PHASE_MINUS_BYTES] = dap_smaller(words[DAP_TWO_PHASE_MINUS_BYTES], -bytes);
}

void dap_two_phase_propose(const dap_plan *plan, const dap_plan_options *options, int64_t words[])
{
  memset(words, 0, DAP_TWO_PHASE_WORDS * sizeof *words);
  if (!is_open(plan, options)) return;
  words[DAP_TWO_PHASE_IS_OPEN] = true;
  propose_direction(&plan->schedule.exchanges[0].send, words);
  propose_direction(&plan->schedule.exchanges[0].receive, words);
}

bool dap_two_phase_pays(const dap_plan *plan, const dap_plan_options *options, const int64_t words[])
{
  const int64_t messages = -words[DAP_TWO_PHASE_MINUS_MESSAGES], bytes = -words[DAP_TWO_PHASE_MINUS_BYTES];
  if (!words[DAP_TWO_PHASE_IS_OPEN] || messages == 0) return false;
  if (options->transports & DAP_FORCED_TWO_PHASES) return true;
  return messages - 2 * dap_two_phase_columns(plan->nprocs) > bytes / MESSAGE_BYTES;
}
