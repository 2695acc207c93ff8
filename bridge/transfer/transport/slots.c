/* Chunks through memory that the node shares: a ring of slots for each channel, in the sender's part. Each of
 * its counts has one writer, and is looked at no more often than needed: its line of the cache moves between
 * the processes.
 *
 * A count is stored with release and read by the other process with acquire, relaxed by its writer, who knows
 * it anyway:
 *   filled   what is in the slot (past the caches: by fence() in chunks.c, too) is seen by whoever sees that
 *            it is filled
 *   emptied  the slot has been read, and taken_ns been stored, before the sender sees that it may fill it
 * tests/transfer/weak.h goes through all interleavings, and finds each of these orders to be needed. */
#include "transport_impl.h"

static char *slot(const dap_channel *channel, uint64_t chunk)
{
  return channel->base + (int64_t)(chunk % (uint64_t)channel->slots) * channel->slot_bytes;
}

/* By its only writer: an atomic addition would wait for all that was stored before. */
static void count_one(_Atomic uint64_t *count)
{
  const uint64_t old = atomic_load_explicit(count, memory_order_relaxed);
  atomic_store_explicit(count, old + 1, memory_order_release);
}

static dap_status room(dap_channel *channel, char **at, dap_error *err)
{
  (void)err;
  const uint64_t filled = atomic_load_explicit(&channel->ring->filled, memory_order_relaxed);
  const uint64_t slots = (uint64_t)channel->slots;
  if (filled - channel->emptied >= slots)
    channel->emptied = atomic_load_explicit(&channel->ring->emptied, memory_order_acquire);
  *at = filled - channel->emptied < slots ? slot(channel, filled) : NULL;
  return DAP_OK;
}

static dap_status send(const dap_plan *plan, dap_channel *channel, int64_t bytes, dap_error *err)
{
  (void)plan;
  (void)bytes;
  (void)err;
  count_one(&channel->ring->filled);
  return DAP_OK;
}

/* In the last run all had begun it, and so had ended the run before, and emptied what was sent until then.
 * This process has read (acquire) that they had begun, so it needs not read the ring's count for that. */
void dap_slots_begin(dap_channel *channel)
{
  if (channel->begun > channel->emptied) channel->emptied = channel->begun;
  channel->begun = atomic_load_explicit(&channel->ring->filled, memory_order_relaxed);
}

/* eager.c says why no receiver ever sees what is taken back, and why this needs no order of its own. */
void dap_slots_take_back(dap_channel *channel)
{
  const uint64_t filled = atomic_load_explicit(&channel->ring->filled, memory_order_relaxed) - 1;
  atomic_store_explicit(&channel->ring->filled, filled, memory_order_relaxed);
  channel->store_tuner.packed_ns[filled % (uint64_t)channel->slots] = 0; /* nobody has taken it */
}

static dap_status arrived(dap_channel *channel, const char **at, dap_error *err)
{
  (void)err;
  const uint64_t emptied = atomic_load_explicit(&channel->ring->emptied, memory_order_relaxed);
  const uint64_t filled = atomic_load_explicit(&channel->ring->filled, memory_order_acquire);
  *at = filled != emptied ? slot(channel, emptied) : NULL;
  return DAP_OK;
}

static dap_status taken(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  (void)plan;
  (void)err;
  count_one(&channel->ring->emptied);
  return DAP_OK;
}

const dap_transport_ops dap_transport_slots = {
    .name = "slots in memory of the node", .room = room, .send = send, .arrived = arrived, .taken = taken};
