/* Which way is the fastest, by the times of their turns. All take turns, round by round, as the machine's speed
 * changes within seconds; so turns of one round can be compared, and medians over rounds. Who is far behind in
 * its best turn, too, need not go on. */
#include "transfer_impl.h"

#include <float.h>

/* Behind by so much after so many turns: out. The last is what noise can make of equal ways. */
static const struct {
  int turns;
  double times;
} bounds[] = {{2, 1.5}, {4, 1.15}};

/* The estimate stays unless it takes more than so many times as long as another. */
static const double CLEARLY = 1.03;

double dap_racer_median(const dap_racer *racer)
{
  double sorted[DAP_TURNS];
  if (racer->turns == 0) return DBL_MAX;
  for (int i = 0; i < racer->turns; i++) {
    int at = i;
    for (; at > 0 && sorted[at - 1] > racer->ns[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = racer->ns[i];
  }
  const int middle = racer->turns / 2;
  return racer->turns % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

static double least_of(const dap_racer *racer)
{
  double least = DBL_MAX;
  for (int i = 0; i < racer->turns; i++)
    if (racer->ns[i] < least) least = racer->ns[i];
  return least;
}

static double best_of(const dap_racer racers[], int count)
{
  double best = DBL_MAX;
  for (int i = 0; i < count; i++)
    if (!racers[i].is_out && dap_racer_median(&racers[i]) < best) best = dap_racer_median(&racers[i]);
  return best;
}

int dap_racers_dismiss(dap_racer racers[], int count)
{
  const double best = best_of(racers, count);
  int left = 0;
  for (int i = 0; i < count; i++) {
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++)
      if (racers[i].turns >= bounds[b].turns && least_of(&racers[i]) > bounds[b].times * best)
        racers[i].is_out = true;
    left += !racers[i].is_out;
  }
  return left;
}

int dap_racers_choose(const dap_racer racers[], int count)
{
  const double best = best_of(racers, count);
  if (count > 0 && !racers[0].is_out && dap_racer_median(&racers[0]) <= CLEARLY * best) return 0;
  for (int i = 0; i < count; i++)
    if (!racers[i].is_out && dap_racer_median(&racers[i]) <= best) return i;
  return -1;
}
