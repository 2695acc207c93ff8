/* Which way is the fastest, by the times of their turns. All take turns, round by round. As the machine's
 * speed changes within seconds, only turns of one round can be compared: what counts is how many times as
 * long as the fastest of its round a turn took, and of that the median over rounds. Who is far behind in
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

/* ---- one racer ---------------------------------------------------------------------------------------- */

/* A turn, over the fastest of its round. */
static double times_of(const dap_racer racers[], int count, int i, int turn)
{
  double fastest = DBL_MAX;
  for (int k = 0; k < count; k++)
    if (turn < racers[k].turns && racers[k].ns[turn] < fastest) fastest = racers[k].ns[turn];
  return racers[i].ns[turn] / fastest;
}

static double median_of(const double values[], int count)
{
  double sorted[DAP_TURNS];
  if (count == 0) return DBL_MAX;
  for (int i = 0; i < count; i++) {
    int at = i;
    for (; at > 0 && sorted[at - 1] > values[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = values[i];
  }
  const int middle = count / 2;
  return count % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double dap_racer_times(const dap_racer racers[], int count, int i)
{
  double times[DAP_TURNS];
  for (int turn = 0; turn < racers[i].turns; turn++) times[turn] = times_of(racers, count, i, turn);
  return median_of(times, racers[i].turns);
}

static double least_times(const dap_racer racers[], int count, int i)
{
  double least = DBL_MAX;
  for (int turn = 0; turn < racers[i].turns; turn++) {
    const double times = times_of(racers, count, i, turn);
    if (times < least) least = times;
  }
  return least;
}

double dap_racer_ns(const dap_racer racers[], int count, int i, int chosen)
{
  if (racers[i].turns == 0 || racers[chosen].turns == 0) return 0;
  return median_of(racers[chosen].ns, racers[chosen].turns) * dap_racer_times(racers, count, i) /
         dap_racer_times(racers, count, chosen);
}

/* ---- all of them -------------------------------------------------------------------------------------- */

static double best_times(const dap_racer racers[], int count)
{
  double best = DBL_MAX;
  for (int i = 0; i < count; i++) {
    const double times = dap_racer_times(racers, count, i);
    if (!racers[i].is_out && times < best) best = times;
  }
  return best;
}

int dap_racers_dismiss(dap_racer racers[], int count)
{
  const double best = best_times(racers, count);
  int left = 0;
  for (int i = 0; i < count; i++) {
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++)
      if (racers[i].turns >= bounds[b].turns && least_times(racers, count, i) > bounds[b].times * best)
        racers[i].is_out = true;
    left += !racers[i].is_out;
  }
  return left;
}

int dap_racers_choose(const dap_racer racers[], int count)
{
  const double best = best_times(racers, count);
  for (int i = 0; i < count; i++)
    if (!racers[i].is_out && dap_racer_times(racers, count, i) <= (i == 0 ? CLEARLY * best : best)) return i;
  return -1;
}
