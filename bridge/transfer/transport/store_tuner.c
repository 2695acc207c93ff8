/* Slots in the node's memory are written through the caches or past them: what the receiver finds in the
 * sender's cache costs little between cores that share one, and several times as much as to read memory
 * between cores that do not. Which is faster nobody knows beforehand, and on virtual machines it changes; so
 * the sender finds out by what chunks take, its own time and the receiver's. It decides alone: a slot is read
 * in the same way however it was written. */
#include "transport_impl.h"

enum {
  SHORT = 16 * 1024, /* bytes of chunks that always go through the caches: not worth two looks at a clock */
  OFTEN = 4,         /* chunks from one try of the slower way to the next, first, ... */
  SELDOM = 128       /* ... and after many */
};
static const float MORE = 1.125F; /* times the cost that was expected: as much as one chunk can make of it */

static bool is_measured(const dap_channel *channel)
{
  return channel->transport == DAP_TRANSPORT_STAGED && channel->chunk_bytes >= SHORT;
}

/* Returns the slot of the next chunk at this end. Relaxed: this process is the only writer of its end's
 * count, and asks for what it has stored itself. */
static int next_slot(const dap_channel *channel)
{
  const _Atomic uint64_t *end = channel->is_send ? &channel->ring->filled : &channel->ring->emptied;
  return (int)(atomic_load_explicit(end, memory_order_relaxed) % (uint64_t)channel->slots);
}

double dap_store_tuner_start(const dap_channel *channel)
{
  return is_measured(channel) ? MPI_Wtime() : 0;
}

/* Never 0, which is what is not known: less than the clock can tell counts as a tick of it. */
static float since(double start)
{
  const double seconds = MPI_Wtime() - start;
  return (float)(1e9 * (seconds > 0 ? seconds : MPI_Wtick()));
}

void dap_store_tuner_packed(dap_channel *channel, int64_t bytes, bool streamed, double start)
{
  if (!is_measured(channel)) return;
  const int slot = next_slot(channel);
  channel->store_tuner.packed_ns[slot] = since(start);
  channel->store_tuner.bytes[slot] = (float)bytes;
  channel->store_tuner.streamed[slot] = streamed;
}

void dap_store_tuner_taken(const dap_channel *channel, int others, double start)
{
  if (is_measured(channel)) channel->ring->taken_ns[next_slot(channel)] = since(start) / (float)(1 + others);
}

/* From the last chunk of a slot that is free again, so that taken_ns is that chunk's, and seen (slots.c).
 * What took less than expected was not expected rightly; what took longer may be no fault of the memory, as a
 * page was touched for the first time, or the processor was lost, so it counts little by little. */
static void learn(dap_channel *channel, int slot)
{
  dap_store_tuner *tuner = &channel->store_tuner;
  if (tuner->packed_ns[slot] <= 0) return;
  float *cost = &tuner->cost[tuner->streamed[slot]];
  const float now = (tuner->packed_ns[slot] + channel->ring->taken_ns[slot]) / tuner->bytes[slot];
  tuner->packed_ns[slot] = 0;
  *cost = *cost <= 0 || now < *cost * MORE ? now : *cost * MORE;
}

bool dap_store_tuner_choose(dap_channel *channel)
{
  dap_store_tuner *tuner = &channel->store_tuner;
  if (!is_measured(channel)) return false;
  learn(channel, next_slot(channel));
  if (tuner->cost[1] <= 0) return true; /* the way that is never slow comes first */
  if (tuner->cost[0] <= 0) return false;
  const bool streamed = tuner->cost[1] < tuner->cost[0];
  if (++tuner->chunks < tuner->pause) return streamed;
  tuner->chunks = 0;
  tuner->pause = tuner->pause < OFTEN ? OFTEN : tuner->pause < SELDOM ? 2 * tuner->pause : SELDOM;
  return !streamed;
}
