/* Chunks through memory that the node shares: a ring of slots for each flow, in the sender's part. */
#include "transfer_impl.h"

static char *slot(const dap_flow *flow, uint64_t chunk)
{
  return flow->base + (int64_t)(chunk % (uint64_t)flow->slots) * flow->slot_bytes;
}

static dap_status start(const dap_plan *plan, dap_flow *flow, dap_error *err)
{
  (void)plan;
  (void)flow;
  (void)err;
  return DAP_OK;
}

static dap_status room(dap_flow *flow, char **at, dap_error *err)
{
  (void)err;
  const uint64_t filled = atomic_load_explicit(&flow->ring->filled, memory_order_relaxed);
  const uint64_t emptied = atomic_load_explicit(&flow->ring->emptied, memory_order_acquire);
  *at = filled - emptied < (uint64_t)flow->slots ? slot(flow, filled) : NULL;
  return DAP_OK;
}

static dap_status send(const dap_plan *plan, dap_flow *flow, int64_t bytes, dap_error *err)
{
  (void)plan;
  (void)bytes;
  (void)err;
  (void)atomic_fetch_add_explicit(&flow->ring->filled, 1, memory_order_release);
  return DAP_OK;
}

static dap_status arrived(dap_flow *flow, const char **at, dap_error *err)
{
  (void)err;
  const uint64_t emptied = atomic_load_explicit(&flow->ring->emptied, memory_order_relaxed);
  const uint64_t filled = atomic_load_explicit(&flow->ring->filled, memory_order_acquire);
  *at = filled != emptied ? slot(flow, emptied) : NULL;
  return DAP_OK;
}

static dap_status taken(const dap_plan *plan, dap_flow *flow, dap_error *err)
{
  (void)plan;
  (void)err;
  (void)atomic_fetch_add_explicit(&flow->ring->emptied, 1, memory_order_release);
  return DAP_OK;
}

static dap_status finish(dap_flow *flow, dap_error *err)
{
  (void)flow;
  (void)err;
  return DAP_OK;
}

const dap_carrier dap_carrier_slots = {.transport = DAP_TRANSPORT_STAGED,
                                       .name = "slots in memory of the node",
                                       .start = start,
                                       .room = room,
                                       .send = send,
                                       .arrived = arrived,
                                       .taken = taken,
                                       .finish = finish};
