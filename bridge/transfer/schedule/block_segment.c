/* Cuts channels into segments, where several processes share the work. */
#include "schedule_impl.h"

#include <stdlib.h>

/* Chooses the axis to be cut: the slowest one in the destination's memory that has an element for each part,
 * else the longest. Both ends see the same numbers of elements. */
static int choose_axis(const dap_channel *channel, int parts)
{
  const dap_exchange *exchange = channel->exchange;
  int longest = exchange->order[0];
  for (int i = 0; i < exchange->problem->ndim; i++) {
    const int k = exchange->order[i];
    if (channel->axes[k]->elements >= parts) return k;
    if (channel->axes[k]->elements > channel->axes[longest]->elements) longest = k;
  }
  return longest;
}

bool dap_block_segment_cut(const dap_block_segment *segment, const dap_channel *channel, dap_cut *cut)
{
  *cut = (dap_cut){.axis = -1};
  if (segment->parts <= 1) return true;
  if (channel->exchange->problem->ndim == 0) return segment->part == 0; /* a single element */
  const int k = choose_axis(channel, segment->parts);
  const int64_t count = channel->axes[k]->elements, part = segment->part;
  const int64_t parts = dap_smaller(segment->parts, count);
  if (part >= parts) return false;
  const int64_t each = count / parts, more = count % parts, low = part * each + dap_smaller(part, more);
  *cut = (dap_cut){.axis = k, .low = low, .high = low + each + (part < more)};
  return true;
}

dap_status dap_channel_take_segment(const dap_block_segment *segment, dap_channel *channel, dap_error *err)
{
  dap_cut cut;
  if (!dap_block_segment_cut(segment, channel, &cut)) {
    channel->bytes = 0;
    return DAP_OK;
  }
  if (cut.axis < 0) return DAP_OK;
  const dap_overlap *whole = channel->axes[cut.axis];
  DAP_TRY(dap_channel_own_axis(channel, cut.axis, err));
  channel->bytes = channel->bytes / whole->elements * (cut.high - cut.low);
  return dap_overlap_slice(whole, cut.low, cut.high, channel->own_axis, err);
}

dap_status dap_channel_own_axis(dap_channel *channel, int axis, dap_error *err)
{
  channel->own_axis = calloc(1, sizeof *channel->own_axis);
  DAP_REQUIRE(channel->own_axis, err, DAP_ERR_NOMEM, "no memory for a part of what is moved");
  channel->axes[axis] = channel->own_axis;
  return DAP_OK;
}
