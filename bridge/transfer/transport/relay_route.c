/* Two phases: by way of which process, and whether they pay.
 *
 * The rule weighs what a message costs against what a byte costs: one phase takes n messages and V bytes, two
 * take 2 sqrt(P) messages, and bytes twice. */
#include "relay_impl.h"

#include <stdlib.h>
#include <string.h>

/* Two phases only on so many processes, as below there is little to gain; and a message costs as much as so
 * many bytes (docs/model.md). */
enum { LEAST_PROCS = 64, MESSAGE_BYTES = 16 * 1024 };

/* ---- the grid ----------------------------------------------------------------------------------------- */

int dap_relay_columns(int nprocs)
{
  int columns = 1;
  while ((int64_t)columns * columns < nprocs) columns++;
  return columns;
}

int dap_relay_via(int columns, int nprocs, int from, int to)
{
  const int via = from - from % columns + to % columns;
  return via < nprocs ? via : via - columns;
}

/* ---- what goes by way of this process ----------------------------------------------------------------- */

int64_t dap_relay_bytes(const dap_channel *channel)
{
  return channel->bytes * channel->exchange->problem->arrays;
}

/* Those in its row; and those in the last row, if that is the next one and has no place in this column. */
static void find_sources(int columns, const dap_plan *plan, dap_relay_load *load)
{
  const int row = plan->rank - plan->rank % columns, next = row + columns;
  for (int rank = row; rank < next && rank < plan->nprocs; rank++) load->sources[load->source_count++] = rank;
  if (plan->rank + columns < plan->nprocs) return;
  for (int rank = next; rank < plan->nprocs; rank++) load->sources[load->source_count++] = rank;
}

static void set_own(int columns, const dap_plan *plan, dap_relay_load *load)
{
  const dap_direction *send = &plan->schedule.exchanges[0].send;
  int own = 0;
  while (load->sources[own] != plan->rank) own++;
  for (int i = 0; i < send->count; i++) {
    const dap_channel *channel = &send->channels[i];
    if (channel->transport != DAP_TRANSPORT_MESSAGES || channel->rank % columns != plan->rank % columns)
      continue;
    load->bytes[own * load->target_count + channel->rank / columns] = dap_relay_bytes(channel);
  }
}

dap_status dap_relay_load_create(const dap_plan *plan, dap_relay_load *load, dap_error *err)
{
  const int columns = dap_relay_columns(plan->nprocs);
  const size_t rows = (size_t)columns, most = 2 * rows; /* of a row and the one below it; and of a column */
  *load = (dap_relay_load){.sources = malloc(most * sizeof *load->sources),
                           .targets = malloc(rows * sizeof *load->targets),
                           .bytes = calloc(most * rows, sizeof *load->bytes),
                           .at = calloc(most * rows, sizeof *load->at)};
  DAP_REQUIRE(load->sources && load->targets && load->bytes && load->at, err, DAP_ERR_NOMEM,
              "no memory for a plan in two phases over %d processes", plan->nprocs);
  find_sources(columns, plan, load);
  for (int rank = plan->rank % columns; rank < plan->nprocs; rank += columns)
    load->targets[load->target_count++] = rank;
  set_own(columns, plan, load);
  return DAP_OK;
}

void dap_relay_load_release(dap_relay_load *load)
{
  free(load->sources);
  free(load->targets);
  free(load->bytes);
  free(load->at);
  *load = (dap_relay_load){0};
}

/* ---- the rule ----------------------------------------------------------------------------------------- */

/* Only messages can carry it, whatever the buffers, and they can do so in one. */
static bool is_one_piece(const dap_channel *channel)
{
  dap_tile tile;
  dap_tile_whole(channel, &tile);
  return dap_channel_is_remote(channel) && dap_channel_sizes(channel, &tile).chunks == 1;
}

void dap_relay_propose(const dap_plan *plan, const dap_plan_options *options, int64_t words[])
{
  const unsigned forced = options ? options->transports & DAP_FORCED : 0;
  const dap_schedule *schedule = &plan->schedule;
  memset(words, 0, DAP_RELAY_WORDS * sizeof *words);
  const bool is_open =
      (forced & DAP_FORCED_TWO_PHASES) || (!(forced & DAP_FORCED_ONE_PHASE) && plan->nprocs >= LEAST_PROCS);
  if (!is_open || schedule->exchange_count != 1 || schedule->is_ordered) return;
  if (plan->problem.copies) return;   /* which have ways of their own, by which each gets all once */
  if (plan->wait_seconds > 0) return; /* a process between would be named in place of the missing one */
  words[0] = true;
  for (int d = 0; d < 2; d++) {
    const dap_direction *direction = d ? &schedule->exchanges[0].receive : &schedule->exchanges[0].send;
    int64_t messages = 0, bytes = 0;
    for (int i = 0; i < direction->count; i++) {
      const dap_channel *channel = &direction->channels[i];
      if (channel->transport != DAP_TRANSPORT_MESSAGES) continue;
      messages += channel->chunks;
      bytes += dap_relay_bytes(channel);
      words[0] = words[0] && is_one_piece(channel);
    }
    words[1] = dap_smaller(words[1], -messages);
    words[2] = dap_smaller(words[2], -bytes);
  }
}

bool dap_relay_pays(const dap_plan *plan, const dap_plan_options *options, const int64_t words[])
{
  const int64_t messages = -words[1], bytes = -words[2];
  if (!words[0] || messages == 0) return false;
  if (options && (options->transports & DAP_FORCED_TWO_PHASES)) return true;
  return messages - 2 * dap_relay_columns(plan->nprocs) > bytes / MESSAGE_BYTES;
}
