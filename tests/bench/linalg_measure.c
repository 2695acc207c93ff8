/* Measures one row of the table, in turns. */
#include "linalg_measure.h"

#include "numbers.h"

#include <math.h>
#include <string.h>

/* Returns false for eigenvalues and singular values, which are on every process. */
static bool is_matrix(const dap_linalg_use *use)
{
  return strcmp(use->name, "W") != 0 && strcmp(use->name, "S") != 0;
}

static bool is_close(double a, double b)
{
  return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b)); /* false for NaN */
}

/* Runs a first turn, which observes memory, sharing, and whether results agree. */
static void first_turn(linalg_job *const jobs[], linalg_measured *m, double times[LINALG_METHODS])
{
  const linalg_row *row = m->row;
  double results[LINALG_METHODS] = {0};
  for (int method = 0; method < LINALG_METHODS; method++) {
    linalg_seen seen;
    times[method] = linalg_run(row, (linalg_method)method, jobs[method], &seen);
    results[method] = seen.result;
    m->bytes[method] = seen.bytes;
    for (int i = 0; i < seen.report.count && method == LINALG_SHARED; i++)
      if (is_matrix(&seen.report.uses[i]) && seen.report.uses[i].moved_bytes > 0) m->is_shared = false;
  }
  for (int method = LINALG_SHARED; method <= LINALG_MOVED; method++)
    m->equal = m->equal && is_close(results[LINALG_HAND], results[method]);
}

/* Adds a turn that counts. */
static void count(linalg_measured *m, double times[LINALG_METHODS][LINALG_TURNS],
                  const double turn[LINALG_METHODS])
{
  for (int method = 0; method < LINALG_METHODS; method++) {
    times[method][m->turns] = turn[method];
    m->longest = fmax(m->longest, turn[method]);
  }
  m->turns++;
}

/* Returns whether another turn follows. All turns so far took `spent`, with preparations. */
static bool goes_on(const linalg_measured *m, const linalg_turns *turns, double spent)
{
  if (m->turns == 0) return true;
  if (m->turns == LINALG_TURNS || spent >= turns->most) return false;
  return m->turns < turns->least || spent < turns->seconds;
}

static void summarise(double times[LINALG_METHODS][LINALG_TURNS], linalg_measured *m)
{
  double values[LINALG_TURNS];
  const double *hand = times[LINALG_HAND], *moved = times[LINALG_MOVED], *moves = times[LINALG_MOVES];
  for (int k = 0; k < m->turns; k++) values[k] = times[LINALG_SHARED][k] / hand[k];
  bench_quartiles(values, m->turns, m->shared);
  for (int k = 0; k < m->turns; k++) values[k] = moved[k] / hand[k];
  bench_quartiles(values, m->turns, m->moved);
  for (int k = 0; k < m->turns; k++) values[k] = (moved[k] - moves[k]) / hand[k];
  bench_quartiles(values, m->turns, m->beyond);
  for (int k = 0; k < m->turns; k++) values[k] = moves[k] / moved[k];
  bench_quartiles(values, m->turns, m->part);
  bench_quartiles(times[LINALG_MOVES], m->turns, m->moves); /* sorts its argument */
  bench_quartiles(times[LINALG_HAND], m->turns, m->hand);
}

linalg_measured linalg_measure(const linalg_row *row, int64_t n, const linalg_shape *shape,
                               const linalg_turns *turns)
{
  static const double is_long = 1; /* beside this, the extra time of a first run does not matter */
  linalg_job best = linalg_job_make(row, n, shape), slabs = linalg_job_make(row, n, NULL);
  linalg_job *const jobs[LINALG_METHODS] = {&best, &best, &slabs, &slabs};
  double times[LINALG_METHODS][LINALG_TURNS], turn[LINALG_METHODS];
  linalg_measured m = {
      .row = row, .order = best.n, .shape = *shape, .is_shared = !row->always_moved, .equal = true};
  double begun = bench_now();
  first_turn(jobs, &m, turn);
  if (fmin(turn[LINALG_HAND], turn[LINALG_MOVED]) > is_long)
    count(&m, times, turn);
  else
    begun = bench_now();
  while (goes_on(&m, turns, bench_most(MPI_COMM_WORLD, bench_now() - begun))) {
    for (int method = 0; method < LINALG_METHODS; method++)
      turn[method] = linalg_run(row, (linalg_method)method, jobs[method], NULL);
    count(&m, times, turn);
  }
  summarise(times, &m);
  linalg_job_free(&slabs);
  linalg_job_free(&best);
  return m;
}
