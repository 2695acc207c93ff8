/* Orders the channels that this process receives where elements are combined. Each element then gets its
 * values in the order of the ranks that have them, whatever grids and products they come by. */
#include "schedule_impl.h"

#include <stdlib.h>

/* Returns the rank that orders a channel. For an addend with copies it is the first copy's, because the
 * copy that is read depends on the process and on the nodes. */
static int rank_of_turn(const dap_channel *channel)
{
  const dap_exchange *exchange = channel->exchange;
  return exchange->product.reads == DAP_READS_OTHERS ? dap_copies_first(exchange->problem, channel->rank)
                                                     : channel->rank;
}

/* Compares two channels. Values of owners are stored first, the others are combined with them: a lower rank's
 * first, and those of one rank by exchange. */
static int compare_turns(const void *a, const void *b)
{
  const dap_channel *x = *(dap_channel *const *)a, *y = *(dap_channel *const *)b;
  if (x->exchange->product.combines != y->exchange->product.combines)
    return x->exchange->product.combines ? 1 : -1;
  const int rank_x = rank_of_turn(x), rank_y = rank_of_turn(y);
  if (rank_x != rank_y) return rank_x < rank_y ? -1 : 1;
  return (x->exchange->tag > y->exchange->tag) - (x->exchange->tag < y->exchange->tag);
}

dap_status dap_turns_create(dap_schedule *schedule, dap_error *err)
{
  dap_channel *channel = NULL;
  int count = 0;
  if (!schedule->is_ordered) return DAP_OK;
  while ((channel = dap_schedule_next(schedule, channel))) count += !channel->is_send;
  schedule->turns = malloc((size_t)(count + 1) * sizeof(dap_channel *));
  DAP_REQUIRE(schedule->turns, err, DAP_ERR_NOMEM, "no memory for the order of %d processes and products",
              count);
  while ((channel = dap_schedule_next(schedule, channel)))
    if (!channel->is_send) schedule->turns[schedule->turn_count++] = channel;
  qsort(schedule->turns, (size_t)count, sizeof(dap_channel *), compare_turns);
  return DAP_OK;
}

void dap_turns_release(dap_schedule *schedule)
{
  free(schedule->turns);
  schedule->turns = NULL;
  schedule->turn_count = 0;
}
