#include "measure.h"

#include "fail.h"
#include "memory.h"
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

/* ---- one method ----------------------------------------------------------------------------------- */

/* Elements that are not what they should be after a run into spoilt memory, on all processes. */
static int64_t check(const bench_method *method, bench_job *job)
{
  const bench_case *c = job->c;
  if (c->halo)
    bench_fill(c, &c->from, &job->from); /* spoils the halo */
  else
    bench_spoil(c, &c->to, &job->to);
  MPI_Barrier(job->comm); /* one process's run may write another's buffer */
  method->run(job);
  MPI_Barrier(job->comm);
  const int64_t wrong = method->wrong ? method->wrong(job) : bench_count_wrong(c, &c->to, &job->to, c->halo);
  return bench_total(job->comm, wrong);
}

/* Plans, runs once, and checks a second run. */
static void start(const bench_method *method, bench_job *job, bench_result *result)
{
  const bench_case *c = job->c;
  job->side = "";
  job->stats_bytes = -1;
  if (method->prepare) method->prepare(job);
  bench_spoil(c, &c->to, &job->to); /* touched before anything is measured */
  bench_fill(c, &c->from, &job->from);
  MPI_Barrier(job->comm);
  const bench_memory memory = bench_memory_begin();
  const double begun = MPI_Wtime();
  if (method->create) method->create(job);
  const double planned = MPI_Wtime() - begun;
  if (method->spoils) bench_fill(c, &c->from, &job->from);
  MPI_Barrier(job->comm);
  method->run(job);
  MPI_Barrier(job->comm);
  const int64_t extra = bench_memory_end(&memory);
  *result = (bench_result){.method = method,
                           .plan_ms = method->plans ? 1e3 * bench_most(job->comm, planned) : -1,
                           .extra_bytes = bench_most_bytes(job->comm, extra),
                           .stats_bytes = bench_most_bytes(job->comm, job->stats_bytes),
                           .side = job->side,
                           .wrong = check(method, job)};
}

/* Milliseconds of one run, until the last process is through. The second barrier finds all processes
 * awake. */
static double time_runs(const bench_method *method, bench_job *job, int runs)
{
  if (job->options->alone) bench_fill(job->c, &job->c->from, &job->from); /* as a program's work does */
  MPI_Barrier(job->comm);
  MPI_Barrier(job->comm);
  const double begun = bench_now();
  for (int i = 0; i < runs; i++) method->run(job);
  return 1e3 * bench_span(job->comm, begun, bench_now()) / runs;
}

/* So many short runs are timed at once that the barrier before them does not count. */
static int choose_runs(const bench_method *method, bench_job *job)
{
  enum { MOST = 200, TURN_MS = 2 };
  if (job->options->alone) return 1;
  const double one = time_runs(method, job, 3);
  return one * MOST <= TURN_MS ? MOST : one >= TURN_MS ? 1 : (int)(TURN_MS / one);
}

/* ---- all methods ---------------------------------------------------------------------------------- */

/* MPI makes its connections and buffers before the first method is measured. */
static void warm_up(MPI_Comm comm, int nprocs)
{
  enum { BYTES = 1 << 20 };
  const int each = BYTES / nprocs > 0 ? BYTES / nprocs : 1;
  char *out = calloc((size_t)nprocs, (size_t)each), *in = calloc((size_t)nprocs, (size_t)each);
  if (!out || !in) bench_fail("no memory to warm up");
  for (int i = 0; i < 3; i++) MPI_Alltoall(out, each, MPI_BYTE, in, each, MPI_BYTE, comm);
  free(out), free(in);
}

static bench_buffer make_buffer(const bench_side *side)
{
  bench_buffer buffer = {.data = bench_alloc(side->bytes)};
  memcpy(buffer.strides, side->strides, sizeof buffer.strides);
  return buffer;
}

static bool takes_part(const bench_method *method, const bench_case *c, const bench_options *options)
{
  if (method->applies && !method->applies(c)) return false;
  return method->role == BENCH_LIMIT || bench_is_listed(options->methods, method->name);
}

void bench_measure(MPI_Comm comm, const bench_case *c, const bench_options *options, bench_result results[])
{
  bench_job jobs[BENCH_METHODS];
  int runs[BENCH_METHODS] = {0};
  const bench_buffer from = make_buffer(&c->from), to = c->halo ? from : make_buffer(&c->to);
  char *const second = c->halo ? NULL : to.data;
  double *times = bench_alloc(BENCH_METHODS * options->reps * (int64_t)sizeof *times);
  warm_up(comm, c->nprocs);
  for (int m = 0; bench_methods[m].name; m++) {
    results[m].method = NULL;
    jobs[m] = (bench_job){.c = c, .options = options, .comm = comm, .from = from, .to = to};
    if (!takes_part(&bench_methods[m], c, options)) continue;
    start(&bench_methods[m], &jobs[m], &results[m]);
    runs[m] = choose_runs(&bench_methods[m], &jobs[m]);
  }
  for (int i = 0; i < options->reps; i++) {
    for (int m = 0; bench_methods[m].name; m++) {
      if (runs[m] > 0) times[m * options->reps + i] = time_runs(&bench_methods[m], &jobs[m], runs[m]);
    }
  }
  for (int m = 0; bench_methods[m].name; m++) {
    if (!results[m].method) continue;
    results[m].median_ms = bench_median(times + m * options->reps, options->reps);
    results[m].wrong += check(&bench_methods[m], &jobs[m]);
    bench_methods[m].destroy(&jobs[m]);
  }
  free(times);
  free(from.data);
  free(second);
}
