#include "turns.h"

#include "fail.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>

/* Runs once. Returns how many elements are wrong. */
static int64_t check(const bench_turns *t, int method)
{
  if (!t->wrong) return 0;
  if (t->fill) t->fill(t->context, method);
  MPI_Barrier(t->comm); /* one process's run may read or write another's buffer */
  t->run(t->context, method);
  MPI_Barrier(t->comm);
  return bench_total(t->comm, t->wrong(t->context, method));
}

/* Returns the time from the first begin to the last end. The second barrier finds all processes awake. */
static double time_stretch(const bench_turns *t, int method, int runs)
{
  MPI_Barrier(t->comm);
  MPI_Barrier(t->comm);
  const double begun = bench_now();
  for (int i = 0; i < runs; i++) t->run(t->context, method);
  return 1e6 * bench_span(t->comm, begun, bench_now()) / runs;
}

/* Returns the mean of a turn's runs. */
static double time_runs(const bench_turns *t, int method, int runs, double *least)
{
  double spent = 0;
  const int stretches = t->before ? runs : 1;
  for (int i = 0; i < stretches; i++) {
    if (t->before) t->before(t->context, method);
    const double run = time_stretch(t, method, runs / stretches);
    *least = fmin(*least, run);
    spent += run;
  }
  return spent / stretches;
}

/* Makes a method ready, and checks it. Returns how often it runs in a turn. */
static int start(const bench_turns *t, int method, bench_time *time)
{
  enum { TRIED = 3 };
  MPI_Barrier(t->comm);
  const double begun = bench_now();
  if (t->create) t->create(t->context, method);
  t->run(t->context, method);
  *time = (bench_time){.measured = true, .least_us = INFINITY};
  time->first_us = 1e6 * bench_span(t->comm, begun, bench_now());
  time->wrong = check(t, method);
  if (t->turn_us <= 0 || t->most == 1) return t->most;
  const double one = time_runs(t, method, TRIED, &time->least_us);
  return one * t->most <= t->turn_us ? t->most : one >= t->turn_us ? 1 : (int)(t->turn_us / one);
}

static void finish(const bench_turns *t, int method, double turns[], bench_time *time)
{
  time->median_us = bench_median(turns, t->reps); /* sorts them */
  time->low_us = turns[(t->reps - 1) / 10];
  time->high_us = turns[(t->reps - 1) * 9 / 10];
  time->wrong += check(t, method);
  if (t->destroy) t->destroy(t->context, method);
}

void bench_take_turns(const bench_turns *t, bench_time times[])
{
  int runs[BENCH_METHODS];
  double *turns = bench_alloc(t->methods * t->reps * (int64_t)sizeof *turns);
  for (int m = 0; m < t->methods; m++) {
    const bool applies = !t->applies || t->applies(t->context, m);
    times[m] = (bench_time){0};
    runs[m] = applies ? start(t, m, &times[m]) : 0;
  }
  for (int i = 0; i < t->reps; i++)
    for (int m = 0; m < t->methods; m++)
      if (runs[m] > 0) turns[m * t->reps + i] = time_runs(t, m, runs[m], &times[m].least_us);
  for (int m = 0; m < t->methods; m++)
    if (runs[m] > 0) finish(t, m, turns + m * t->reps, &times[m]);
  free(turns);
}

int64_t bench_wrong_of(const bench_time times[], int methods)
{
  int64_t wrong = 0;
  for (int m = 0; m < methods; m++) wrong += times[m].wrong;
  return wrong;
}
