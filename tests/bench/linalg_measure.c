/* One row of the table, measured in turns. */
#include "linalg_measure.h"

#include "fail.h"
#include "memory.h"
#include "numbers.h"

#include <math.h>
#include <string.h>

enum { MOST_TURNS = 255 };

static void run(const linalg_row *row, int method, linalg_job *job, dap_linalg_report *report)
{
  const dap_linalg_options with = {.sharing = job->moved ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE,
                                   .report = report};
  dap_error err;
  if (method == LINALG_HAND)
    row->hand(job);
  else if (method == LINALG_MOVES)
    linalg_job_move(job);
  else
    bench_require(row->library(job, &with, &err), &err);
}

static double turn(const linalg_row *row, int method, linalg_job *job, dap_linalg_report *report)
{
  linalg_job_begin(row, job, method == LINALG_HAND);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = bench_now();
  run(row, method, job, report);
  return bench_span(MPI_COMM_WORLD, begun, bench_now());
}

/* Eigenvalues and singular values are on every process. */
static bool is_matrix(const dap_linalg_use *use)
{
  return strcmp(use->name, "W") != 0 && strcmp(use->name, "S") != 0;
}

/* The one that is not counted: memory, what was shared, and whether results agree. */
static void first_turn(linalg_job *const jobs[], linalg_measured *m)
{
  const linalg_row *row = m->row;
  double results[LINALG_METHODS] = {0};
  for (int method = 0; method < LINALG_METHODS; method++) {
    dap_linalg_report report = {0};
    const bench_memory memory = bench_memory_begin();
    turn(row, method, jobs[method], &report);
    m->bytes[method] = bench_most_bytes(MPI_COMM_WORLD, bench_memory_end(&memory));
    if (method != LINALG_MOVES) results[method] = linalg_job_result(row, jobs[method], method == LINALG_HAND);
    for (int i = 0; i < report.count && method == LINALG_SHARED; i++)
      if (is_matrix(&report.uses[i]) && report.uses[i].moved_bytes > 0) m->is_shared = false;
    linalg_job_end(jobs[method]);
  }
  for (int method = LINALG_SHARED; method <= LINALG_MOVED; method++) {
    const double both = fabs(results[LINALG_HAND]) + fabs(results[method]);
    m->equal = m->equal && fabs(results[LINALG_HAND] - results[method]) <= 1e-6 * both;
  }
}

static void summarise(double times[LINALG_METHODS][MOST_TURNS], linalg_measured *m)
{
  double values[MOST_TURNS];
  const double *hand = times[LINALG_HAND], *moved = times[LINALG_MOVED], *moves = times[LINALG_MOVES];
  for (int k = 0; k < m->turns; k++) values[k] = times[LINALG_SHARED][k] / hand[k];
  bench_quartiles(values, m->turns, m->shared);
  for (int k = 0; k < m->turns; k++) values[k] = moved[k] / hand[k];
  bench_quartiles(values, m->turns, m->moved);
  for (int k = 0; k < m->turns; k++) values[k] = (moved[k] - moves[k]) / hand[k];
  bench_quartiles(values, m->turns, m->beyond);
  for (int k = 0; k < m->turns; k++) values[k] = moves[k] / moved[k];
  bench_quartiles(values, m->turns, m->part);
  bench_quartiles(times[LINALG_MOVES], m->turns, m->moves); /* these sort what they get */
  bench_quartiles(times[LINALG_HAND], m->turns, m->hand);
}

linalg_measured linalg_measure(const linalg_row *row, int64_t n, const linalg_shape *shape,
                               const linalg_turns *turns)
{
  linalg_job best = linalg_job_make(row, n, shape), slabs = linalg_job_make(row, n, NULL);
  linalg_job *const jobs[LINALG_METHODS] = {&best, &best, &slabs, &slabs};
  double times[LINALG_METHODS][MOST_TURNS], spent = 0;
  linalg_measured m = {
      .row = row, .order = best.n, .shape = *shape, .is_shared = !row->always_moved, .equal = true};
  first_turn(jobs, &m);
  while (m.turns < MOST_TURNS && (m.turns < turns->least || spent < turns->seconds)) {
    for (int method = 0; method < LINALG_METHODS; method++) {
      dap_linalg_report report = {0};
      const double time = turn(row, method, jobs[method], &report);
      linalg_job_end(jobs[method]);
      times[method][m.turns] = time;
      m.longest = fmax(m.longest, time);
      spent += time;
    }
    m.turns++;
  }
  summarise(times, &m);
  linalg_job_free(&slabs);
  linalg_job_free(&best);
  return m;
}
