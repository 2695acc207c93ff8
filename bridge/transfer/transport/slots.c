/* Carries chunks through memory that the node shares: a ring of slots for each channel, in the sender's
 * part. Each of its counts has one writer, and is read no more often than needed, because its cache line
 * moves between the processes. tests/transfer/weak.h finds each order of memory here to be needed. */
#include "transport_impl.h"

static char *slot(const dap_channel *channel, uint64_t chunk)
{
  return channel->base + (int64_t)(chunk % (uint64_t)channel->slots) * channel->slot_bytes;
}

/* Adds 1 to a count of this process. An atomic addition would wait for all stores before it. The other
 * process reads the count with acquire:
 *   filled   It sees the slot's elements. If they are stored past the caches, this takes chunks.c's fence().
 *   emptied  The receiver has read the slot, and stored taken_ns, before the sender may fill it. */
static void count_one(_Atomic uint64_t *count)
{
  const uint64_t old = atomic_load_explicit(count, memory_order_relaxed);
  atomic_store_explicit(count, old + 1, memory_order_release);
}

static char *free_slot(dap_channel *channel)
{
  const uint64_t filled = atomic_load_explicit(&channel->ring->filled, memory_order_relaxed);
  const uint64_t slots = (uint64_t)channel->slots;
  if (filled - channel->emptied >= slots)
    channel->emptied = atomic_load_explicit(&channel->ring->emptied, memory_order_acquire);
  return filled - channel->emptied < slots ? slot(channel, filled) : NULL;
}

static char *filled_slot(const dap_channel *channel)
{
  const uint64_t emptied = atomic_load_explicit(&channel->ring->emptied, memory_order_relaxed);
  const uint64_t filled = atomic_load_explicit(&channel->ring->filled, memory_order_acquire);
  return filled != emptied ? slot(channel, emptied) : NULL;
}

static dap_status next_slot(dap_channel *channel, char **at, dap_error *err)
{
  (void)err;
  *at = channel->is_send ? free_slot(channel) : filled_slot(channel);
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

/* The receiver had begun the last run, so it had ended the run before, and emptied all slots sent until
 * then. This process has read (acquire) that it had begun, so it need not read the ring's count for that. */
void dap_slots_begin(dap_channel *channel)
{
  if (channel->begun > channel->emptied) channel->emptied = channel->begun;
  channel->begun = atomic_load_explicit(&channel->ring->filled, memory_order_relaxed);
}

/* dap_eager_take_back() says why no receiver sees the chunk, and why this store needs no order. */
void dap_slots_take_back(dap_channel *channel)
{
  const uint64_t filled = atomic_load_explicit(&channel->ring->filled, memory_order_relaxed) - 1;
  atomic_store_explicit(&channel->ring->filled, filled, memory_order_relaxed);
  channel->store_tuner.packed_ns[filled % (uint64_t)channel->slots] = 0; /* no receiver has measured it */
}

static dap_status taken(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  (void)plan;
  (void)err;
  count_one(&channel->ring->emptied);
  return DAP_OK;
}

const dap_transport_ops dap_transport_slots = {
    .name = "slots in memory of the node", .slot = next_slot, .send = send, .taken = taken};
