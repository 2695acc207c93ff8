/* Chooses the process between two others, and decides whether two phases pay. One phase takes n messages and
 * V bytes. Two take 2 sqrt(P) messages, and each byte twice. */
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
static bool is_open(const dap_plan *plan)
{
  const unsigned forced = plan->schedule.forced;
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

void dap_two_phase_propose(const dap_plan *plan, int64_t words[])
{
  memset(words, 0, DAP_TWO_PHASE_WORDS * sizeof *words);
  if (!is_open(plan)) return;
  int64_t messages[2] = {0}, bytes[2] = {0};
  words[DAP_TWO_PHASE_IS_OPEN] = true;
  for (const dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (channel->transport != DAP_TRANSPORT_MESSAGES) continue;
    messages[channel->is_send] += channel->chunks;
    bytes[channel->is_send] += dap_channel_bytes(channel);
    if (!is_one_piece(channel)) words[DAP_TWO_PHASE_IS_OPEN] = false;
  }
  words[DAP_TWO_PHASE_MINUS_MESSAGES] = -dap_larger(messages[0], messages[1]);
  words[DAP_TWO_PHASE_MINUS_BYTES] = -dap_larger(bytes[0], bytes[1]);
}

bool dap_two_phase_pays(const dap_plan *plan, const int64_t words[])
{
  const int64_t messages = -words[DAP_TWO_PHASE_MINUS_MESSAGES], bytes = -words[DAP_TWO_PHASE_MINUS_BYTES];
  if (!words[DAP_TWO_PHASE_IS_OPEN] || messages == 0) return false;
  if (plan->schedule.forced & DAP_FORCED_TWO_PHASES) return true;
  return messages - 2 * dap_two_phase_columns(plan->nprocs) > bytes / MESSAGE_BYTES;
}
