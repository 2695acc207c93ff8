/* Decides whether slots in the node's memory are written through the caches or past them. Which is faster
 * depends on the caches that two cores share, and changes on virtual machines. So the sender measures the
 * time of chunks, its own and the receiver's. */
#include "transport_impl.h"

enum {
  SHORT = 16 * 1024, /* shorter chunks always go through the caches, and are not measured; bytes */
  OFTEN = 4,         /* chunks from one try of the slower way to the next, at first */
  SELDOM = 128       /* the same after many chunks */
};
static const float MORE = 1.125F; /* a chunk raises the expected cost at most by this factor */

static bool is_measured(const dap_channel *channel)
{
  return channel->transport == DAP_TRANSPORT_STAGED && channel->chunk_bytes >= SHORT;
}

/* Returns the slot of the next chunk at this end. Relaxed, because only this process writes the count of
 * its end. */
static int next_slot(const dap_channel *channel)
{
  const _Atomic uint64_t *end = channel->is_send ? &channel->ring->filled : &channel->ring->emptied;
  return (int)(atomic_load_explicit(end, memory_order_relaxed) % (uint64_t)channel->slots);
}

double dap_store_tuner_start(const dap_channel *channel)
{
  return is_measured(channel) ? MPI_Wtime() : 0;
}

/* Returns the time since `start`, at least a tick of the clock, because 0 means that it is not known. */
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

/* Learns from the last chunk of a slot. The receiver has freed the slot (slots.c), so this process sees its
 * taken_ns of that chunk. A shorter time replaces the expected one. A longer time raises it only a little: a
 * page may have been touched for the first time, or the process may have lost its core. */
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
  if (tuner->cost[1] <= 0) return true; /* stores past the caches come first: they are never very slow */
  if (tuner->cost[0] <= 0) return false;
  const bool streamed = tuner->cost[1] < tuner->cost[0];
  if (++tuner->chunks < tuner->pause) return streamed;
  tuner->chunks = 0;
  tuner->pause = tuner->pause < OFTEN ? OFTEN : tuner->pause < SELDOM ? 2 * tuner->pause : SELDOM;
  return !streamed;
}
