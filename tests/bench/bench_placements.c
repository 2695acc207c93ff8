/* Times moves between placements and the collectives of MPI that do the same. See README.md. */
#include "fail.h"
#include "numbers.h"
#include "placements.h"
#include "program.h"
#include "turns.h"

#include <stdio.h>

static struct {
  bench_sizes bytes;
  int reps;
} o;

static const bench_option options[] = {
    {"bytes", "B[,B...]", "1K,64K,1M,16M", "of the larger buffer of each process; with K, M or G",
     bench_read_sizes, &o.bytes, INT64_C(1) << 30, NULL},
    {"reps", "R", "31", "timed turns", bench_read_count, &o.reps, 1 << 20, NULL},
    {.name = NULL}};

/* ---- methods ---------------------------------------------------------------------------------------- */

static void run_mpi(placements_case *c)
{
  c->pair->run(c);
}

static void run_plan(placements_case *c)
{
  dap_error err;
  bench_require(dap_plan_run(c->plan, c->buffers[0], c->buffers[1], &err), &err);
}

static void run_shared(placements_case *c)
{
  dap_error err;
  bench_require(dap_plan_run(c->plan, c->shared[0].data, c->shared[1].data, &err), &err);
}

static const struct {
  const char *name;
  void (*run)(placements_case *c);
  bool is_shared; /* whether the library allocates the memory */
} methods[] = {{"MPI", run_mpi, false}, {"plan", run_plan, false}, {"shared", run_shared, true}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void fill(void *c, int method)
{
  placements_fill(c, methods[method].is_shared);
}

static void run(void *c, int method)
{
  methods[method].run(c);
}

static int64_t count_wrong(void *c, int method)
{
  return placements_wrong(c, methods[method].is_shared);
}

static void make_plan(void *c, int method)
{
  (void)method;
  placements_plan(c);
}

/* ---- the table -------------------------------------------------------------------------------------- */

static int64_t run_case(const placements_pair *pair, int64_t bytes)
{
  placements_case c;
  bench_time times[METHODS], making;
  placements_case_make(MPI_COMM_WORLD, pair, bytes, &c);
  const bench_turns plans = {
      .comm = c.comm, .context = &c, .methods = 1, .reps = o.reps, .most = 1, .run = make_plan};
  const bench_turns turns = {.comm = c.comm,
                             .context = &c,
                             .methods = METHODS,
                             .reps = o.reps,
                             .most = 200,
                             .turn_us = 2000,
                             .fill = fill,
                             .run = run,
                             .wrong = count_wrong};
  bench_take_turns(&plans, &making);
  bench_take_turns(&turns, times);
  const int64_t wrong = bench_wrong_of(times, METHODS);
  if (c.rank == 0) {
    printf("%-22s %-15s %9lld", pair->name, pair->collective, (long long)bytes);
    for (int m = 0; m < METHODS; m++) printf(" %10.1f", times[m].median_us);
    for (int m = 1; m < METHODS; m++) printf(" %7.2f", times[m].median_us / times[0].median_us);
    printf(" %9.1f%s\n", making.median_us, wrong ? "   WRONG" : "");
    (void)fflush(stdout);
  }
  placements_case_free(&c);
  return wrong;
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  if (l->rank == 0) {
    printf("%d ranks, medians in microseconds; behind them what plans take over what MPI takes\n"
           "%-22s %-15s %9s",
           l->nprocs, "pair", "collective", "bytes");
    for (int m = 0; m < METHODS; m++) printf(" %10s", methods[m].name);
    for (int m = 1; m < METHODS; m++) printf(" %7s", methods[m].name);
    printf(" %9s\n", "making");
  }
  for (const placements_pair *pair = placements_pairs; pair->name; pair++)
    for (int i = 0; i < o.bytes.count; i++) wrong += run_case(pair, o.bytes.list[i]);
  return wrong;
}

const bench_program bench_placements = {.about = "Placements are Partial, Replicate and Shard.",
                                        .options = options,
                                        .run = run_all,
                                        .legend = ""};
