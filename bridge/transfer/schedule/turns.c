/* Whose turn it is where elements are combined: one order of all channels that this process receives, so that
 * each element gets its values in the order of the ranks that have them, whatever grids and products they
 * come by. */
#include "schedule_impl.h"

#include <stdlib.h>

/* Of a term that several have, the first's, whichever is read: that is another for each process, and where
 * nodes are others. */
static int rank_of_turn(const dap_channel *channel)
{
  const dap_exchange *exchange = channel->exchange;
  return exchange->reads == DAP_READS_OTHERS ? dap_copies_first(exchange->problem, channel->rank)
                                             : channel->rank;
}

/* What owners have is stored first, to be combined with the others' values; of those a lower rank's come
 * first, and of one rank those of an earlier exchange. */
static int compare_turns(const void *a, const void *b)
{
  const dap_channel *x = *(dap_channel *const *)a, *y = *(dap_channel *const *)b;
  if (x->exchange->combines != y->exchange->combines) return x->exchange->combines ? 1 : -1;
  const int rank_x = rank_of_turn(x), rank_y = rank_of_turn(y);
  if (rank_x != rank_y) return rank_x < rank_y ? -1 : 1;
  return (x->exchange->tag > y->exchange->tag) - (x->exchange->tag < y->exchange->tag);
}

dap_status dap_turns_create(dap_schedule *schedule, dap_error *err)
{
  int count = 0;
  if (!schedule->is_ordered) return DAP_OK;
  for (int x = 0; x < schedule->exchange_count; x++) count += schedule->exchanges[x].receive.count;
  schedule->turns = malloc((size_t)(count + 1) * sizeof(dap_channel *));
  DAP_REQUIRE(schedule->turns, err, DAP_ERR_NOMEM, "no memory for the order of %d processes and products",
              count);
  for (int x = 0; x < schedule->exchange_count; x++)
    for (int i = 0; i < schedule->exchanges[x].receive.count; i++)
      schedule->turns[schedule->turn_count++] = &schedule->exchanges[x].receive.channels[i];
  qsort(schedule->turns, (size_t)count, sizeof(dap_channel *), compare_turns);
  return DAP_OK;
}

void dap_turns_release(dap_schedule *schedule)
{
  free(schedule->turns);
  schedule->turns = NULL;
  schedule->turn_count = 0;
}
