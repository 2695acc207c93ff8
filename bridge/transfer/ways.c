/* Ways to carry a plan, other than the estimated one. What a plan moves, and in which exchanges, stays; by
 * which transports, in chunks of what size and by which stores can be chosen again. */
#include "transfer_impl.h"

#include <string.h>

#define KIB *1024
#define BY_MESSAGES (DAP_TRANSPORT_STAGED | DAP_TRANSPORT_FETCHED)

/* Those that come to the same for a plan are tried once, under the first's name. */
const dap_way dap_ways[DAP_WAYS + 1] = {
    {.name = "as estimated"},
    {.name = "slots only", .without = DAP_TRANSPORT_FETCHED},
    {.name = "read by the receiver", .with = DAP_TRANSPORT_FETCHED},
    {.name = "slots of 64 KiB", .without = DAP_TRANSPORT_FETCHED, .slot_bytes = 64 KIB},
    {.name = "slots of 256 KiB", .without = DAP_TRANSPORT_FETCHED, .slot_bytes = 256 KIB},
    {.name = "slots of 1 MiB", .without = DAP_TRANSPORT_FETCHED, .slot_bytes = 1024 KIB},
    {.name = "MPI messages of 128 KiB", .without = BY_MESSAGES, .message_bytes = 128 KIB},
    {.name = "MPI messages of 512 KiB", .without = BY_MESSAGES, .message_bytes = 512 KIB},
    {.name = "MPI messages of 2 MiB", .without = BY_MESSAGES, .message_bytes = 2048 KIB},
    {.name = "between nodes messages of 128 KiB", .message_bytes = 128 KIB},
    {.name = "between nodes messages of 2 MiB", .message_bytes = 2048 KIB},
    {.name = "stores through the caches", .without = DAP_TRANSPORT_FETCHED, .stores = DAP_STORES_THROUGH},
    {.name = "stores through the caches, or read by the receiver",
     .with = DAP_TRANSPORT_FETCHED,
     .stores = DAP_STORES_THROUGH},
    {.name = "stores past the caches", .stores = DAP_STORES_PAST},
    {.name = NULL},
};

const dap_way *dap_way_find(const char *name)
{
  for (const dap_way *way = dap_ways; way->name; way++)
    if (!strcmp(way->name, name)) return way;
  return NULL;
}

unsigned dap_way_transports(const dap_way *way, const dap_plan_options *options)
{
  const unsigned most = DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES | way->with;
  return (options->transports ? options->transports : most) & ~way->without;
}

/* Something is left that carries elements of private memory, and nothing is longer than the caller wants. */
bool dap_way_is_allowed(const dap_way *way, const dap_plan_options *options)
{
  const unsigned left = dap_way_transports(way, options);
  const int64_t most = options->message_bytes ? options->message_bytes : INT64_MAX;
  return (left & (DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES)) && way->slot_bytes <= most &&
         way->message_bytes <= most;
}

/* Others may still look at what this process has published for the way before: so all come here first. */
dap_status dap_plan_carry(dap_plan *plan, const dap_plan_options *options, const dap_way *way, dap_error *err)
{
  DAP_TRY(dap_context_agree(plan->context, &(dap_agreement){.status = DAP_OK}, err));
  for (dap_plan *pass = plan; pass; pass = pass->follow) {
    dap_node_memory_release(pass);
    pass->schedule.transports = dap_way_transports(way, options);
    pass->schedule.way = way;
    DAP_TRY(dap_node_memory_create(pass, options, DAP_OK, err));
  }
  dap_notices_unite(plan);
  return DAP_OK;
}

/* ---- how it is carried -------------------------------------------------------------------------------- */

static uint64_t hash_direction(uint64_t hash, const dap_direction *direction)
{
  for (int i = 0; i < direction->count; i++) {
    const dap_channel *channel = &direction->channels[i];
    const int64_t words[] = {channel->transport, channel->chunks, channel->chunk_bytes, channel->slots,
                             channel->ring && channel->ring->is_fetched};
    hash = dap_hash(hash, words, sizeof words);
  }
  return hash;
}

uint64_t dap_plan_carriage(const dap_plan *plan)
{
  uint64_t hash = 0;
  for (const dap_plan *pass = plan; pass; pass = pass->follow)
    for (int x = 0; x < pass->schedule.exchange_count; x++) {
      const dap_exchange *exchange = &pass->schedule.exchanges[x];
      const bool words[] = {exchange->is_large, exchange->is_interleaved};
      hash = hash_direction(dap_hash(hash, words, sizeof words), &exchange->send);
      hash = hash_direction(hash, &exchange->receive);
    }
  return hash;
}
