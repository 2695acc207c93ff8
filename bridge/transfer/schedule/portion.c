/* A part of what two processes have for each other, where several share the work. */
#include "schedule_impl.h"

#include <stdlib.h>

/* The axis to be cut: the slowest in the destination's memory that has an element for each part, else the
 * longest. Both ends see the same numbers of elements. */
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

dap_status dap_channel_take_portion(const dap_portion *portion, dap_channel *channel, dap_error *err)
{
  if (portion->parts <= 1) return DAP_OK;
  if (channel->exchange->problem->ndim == 0) { /* a single element */
    if (portion->part > 0) channel->bytes = 0;
    return DAP_OK;
  }
  const int k = choose_axis(channel, portion->parts);
  const int64_t count = channel->axes[k]->elements, part = portion->part;
  const int64_t parts = dap_smaller(portion->parts, count);
  if (part >= parts) {
    channel->bytes = 0;
    return DAP_OK;
  }
  const int64_t each = count / parts, more = count % parts;
  const int64_t low = part * each + dap_smaller(part, more), high = low + each + (part < more);
  channel->portion = malloc(sizeof *channel->portion);
  DAP_REQUIRE(channel->portion, err, DAP_ERR_NOMEM, "no memory for a part of what is moved");
  channel->bytes = channel->bytes / count * (high - low);
  const dap_status s = dap_overlap_slice(channel->axes[k], low, high, channel->portion, err);
  channel->axes[k] = channel->portion;
  return s;
}
