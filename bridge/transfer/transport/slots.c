/* Chunks through memory that the node shares: a ring of slots for each channel, in the sender's part. */
#include "transport_impl.h"

static char *slot(const dap_channel *channel, uint64_t chunk)
{
  return channel->base + (int64_t)(chunk % (uint64_t)channel->slots) * channel->slot_bytes;
}

static dap_status start(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  (void)plan;
  (void)channel;
  (void)err;
  return DAP_OK;
}

static dap_status room(dap_channel *channel, char **at, dap_error *err)
{
  (void)err;
  const uint64_t filled = atomic_load_explicit(&channel->ring->filled, memory_order_relaxed);
  const uint64_t emptied = atomic_load_explicit(&channel->ring->emptied, memory_order_acquire);
  *at = filled - emptied < (uint64_t)channel->slots ? slot(channel, filled) : NULL;
  return DAP_OK;
}

static dap_status send(const dap_plan *plan, dap_channel *channel, int64_t bytes, dap_error *err)
{
  (void)plan;
  (void)bytes;
  (void)err;
  (void)atomic_fetch_add_explicit(&channel->ring->filled, 1, memory_order_release);
  return DAP_OK;
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
  (void)atomic_fetch_add_explicit(&channel->ring->emptied, 1, memory_order_release);
  return DAP_OK;
}

static dap_status finish(dap_channel *channel, dap_error *err)
{
  (void)channel;
  (void)err;
  return DAP_OK;
}

const dap_transport_ops dap_transport_slots = {.name = "slots in memory of the node",
                                               .start = start,
                                               .room = room,
                                               .send = send,
                                               .arrived = arrived,
                                               .taken = taken,
                                               .finish = finish};
