#include "redistribute.h"

#include "fail.h"
#include "memory.h"
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

/* ---- methods in turns ----------------------------------------------------------------------------- */

/* A case, and the state of each method. */
typedef struct work {
  const bench_case *c;
  const bench_options *options;
  bench_job jobs[BENCH_METHODS];
  bench_result *results;
} work;

static bool applies(void *context, int method)
{
  const work *w = context;
  const bench_method *m = bench_methods[method];
  if (m->applies && !m->applies(w->c)) return false;
  return m->role == BENCH_LIMIT || bench_is_listed(w->options->methods, m->name);
}

/* Plans, and runs once. Memory that this takes is extra memory. */
static void create(void *context, int number)
{
  work *w = context;
  const bench_method *method = bench_methods[number];
  const bench_case *c = w->c;
  bench_job *job = &w->jobs[number];
  if (method->prepare) method->prepare(job);
  bench_spoil(c, &c->to, &job->to); /* touches the memory before any measurement */
  bench_fill(c, &c->from, &job->from);
  MPI_Barrier(job->comm);
  const bench_memory memory = bench_memory_begin();
  const double begun = bench_now();
  if (method->create) method->create(job);
  const double planned = bench_now() - begun;
  if (method->spoils) bench_fill(c, &c->from, &job->from);
  MPI_Barrier(job->comm);
  method->run(job);
  MPI_Barrier(job->comm);
  const int64_t extra = bench_memory_end(&memory);
  w->results[number] = (bench_result){.plan_ms = method->plans ? 1e3 * bench_most(job->comm, planned) : -1,
                                      .extra_bytes = bench_most_bytes(job->comm, extra),
                                      .stats_bytes = bench_most_bytes(job->comm, job->stats_bytes),
                                      .side = job->side};
}

static void run(void *context, int method)
{
  bench_methods[method]->run(&((work *)context)->jobs[method]);
}

/* Fills the source, like the work of a program. */
static void fill_source(void *context, int method)
{
  work *w = context;
  bench_fill(w->c, &w->c->from, &w->jobs[method].from);
}

/* Spoils the destination, or the halo of a halo update. */
static void spoil(void *context, int method)
{
  work *w = context;
  if (w->c->halo)
    fill_source(w, method);
  else
    bench_spoil(w->c, &w->c->to, &w->jobs[method].to);
}

static int64_t count_wrong(void *context, int method)
{
  work *w = context;
  bench_job *job = &w->jobs[method];
  if (bench_methods[method]->wrong) return bench_methods[method]->wrong(job);
  return bench_count_wrong(w->c, &w->c->to, &job->to, w->c->halo);
}

static void destroy(void *context, int method)
{
  bench_methods[method]->destroy(&((work *)context)->jobs[method]);
}

/* ---- all methods ---------------------------------------------------------------------------------- */

/* Lets MPI make its connections and buffers before the first method is measured. */
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

void bench_measure(MPI_Comm comm, const bench_case *c, const bench_options *options, bench_result results[])
{
  work w = {.c = c, .options = options, .results = results};
  bench_time times[BENCH_METHODS];
  const bench_buffer from = make_buffer(&c->from), to = c->halo ? from : make_buffer(&c->to);
  char *const second = c->halo ? NULL : to.data;
  const bench_turns turns = {.comm = comm,
                             .context = &w,
                             .methods = bench_methods_count,
                             .reps = options->reps,
                             .most = options->alone ? 1 : 200,
                             .turn_us = 2000,
                             .applies = applies,
                             .create = create,
                             .before = options->alone ? fill_source : NULL,
                             .run = run,
                             .fill = spoil,
                             .wrong = count_wrong,
                             .destroy = destroy};
  for (int m = 0; m < bench_methods_count; m++)
    w.jobs[m] = (bench_job){
        .c = c, .options = options, .comm = comm, .from = from, .to = to, .side = "", .stats_bytes = -1};
  warm_up(comm, c->nprocs);
  bench_take_turns(&turns, times);
  for (int m = 0; m < bench_methods_count; m++) results[m].time = times[m];
  free(from.data);
  free(second);
}
