/* Visits the chunks of channels. A chunk has the elements of a channel in one tile of the destination's
 * buffer. It is a box of them, because positions in the destination ascend along each axis. */
#include "schedule_impl.h"

/* Sets the chunk along one axis that begins with element `lo`. */
static void set_axis(const dap_channel *channel, const dap_tile *tile, int k, int64_t lo, dap_chunk *chunk)
{
  const dap_overlap *o = channel->axes[k];
  const int64_t extent = tile->extents[k];
  chunk->tile[k] = dap_overlap_to(o, lo) / extent;
  chunk->lo[k] = lo;
  chunk->hi[k] = dap_overlap_rank(o, (chunk->tile[k] + 1) * extent);
}

static void set_arrays(const dap_channel *channel, const dap_tile *tile, int64_t first, dap_chunk *chunk)
{
  chunk->first_array = first;
  chunk->end_array = dap_smaller(first + tile->arrays, channel->exchange->problem->arrays);
}

/* Moves to the next chunk. There must be one. */
static void next_chunk(const dap_channel *channel, const dap_tile *tile, dap_chunk *chunk)
{
  for (int i = channel->exchange->problem->ndim - 1; i >= 0; i--) {
    const int k = channel->exchange->order[i];
    if (chunk->hi[k] < channel->axes[k]->elements) {
      set_axis(channel, tile, k, chunk->hi[k], chunk);
      return;
    }
    set_axis(channel, tile, k, 0, chunk);
  }
  set_arrays(channel, tile, chunk->end_array, chunk);
}

int64_t dap_channel_bytes(const dap_channel *channel)
{
  return channel->bytes * channel->exchange->problem->arrays;
}

int64_t dap_chunk_elements(const dap_chunk *chunk, int ndim)
{
  int64_t elements = 1;
  for (int k = 0; k < ndim; k++) elements *= chunk->hi[k] - chunk->lo[k];
  return elements;
}

int64_t dap_chunk_bytes(const dap_channel *channel)
{
  const dap_problem *problem = channel->exchange->problem;
  const dap_chunk *chunk = &channel->state.next;
  return (chunk->end_array - chunk->first_array) * dap_chunk_elements(chunk, problem->ndim) *
         problem->from.item;
}

/* A chunk is a product of parts of the axes, so their number and the largest are products too. */
dap_parts dap_channel_sizes(const dap_channel *channel, const dap_tile *tile)
{
  const int64_t arrays = channel->exchange->problem->arrays;
  dap_parts size = {.count = (arrays + tile->arrays - 1) / tile->arrays,
                    .largest = dap_smaller(tile->arrays, arrays)};
  for (int k = 0; k < channel->exchange->problem->ndim; k++) {
    const dap_parts parts = dap_parts_of(channel->axes[k], tile->extents[k]);
    size.count *= parts.count;
    size.largest *= parts.largest;
  }
  return size;
}

bool dap_channel_is_remote(const dap_channel *channel)
{
  return channel->transport && channel->node_rank < 0;
}

bool dap_channel_is_direct(const dap_channel *channel)
{
  return channel->state.pulls || channel->state.pushes;
}

bool dap_channel_is_over(const dap_channel *channel)
{
  return channel->state.moved == channel->state.chunks;
}

void dap_channel_stop(dap_channel *channel)
{
  channel->state.moved = channel->state.chunks;
}

void dap_channel_start(dap_channel *channel, const dap_tile *tile, int64_t chunks)
{
  channel->state = (dap_channel_state){.tile = tile, .chunks = chunks};
  for (int k = 0; k < channel->exchange->problem->ndim; k++)
    set_axis(channel, tile, k, 0, &channel->state.next);
  set_arrays(channel, tile, 0, &channel->state.next);
}

void dap_channel_advance(dap_channel *channel)
{
  if (++channel->state.moved < channel->state.chunks)
    next_chunk(channel, channel->state.tile, &channel->state.next);
}
