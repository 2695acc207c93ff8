/* Times halo updates and moves of several fields, at once and one after the other. See README.md. */
#include "many.h"
#include "program.h"
#include "turns.h"

#include <stdio.h>

static struct {
  bench_sizes sizes, fields;
  int reps;
} o;

static const bench_option options[] = {
    {"n", "N[,N...]", "64,512", "extents", bench_read_sizes, &o.sizes, 1 << 14, NULL},
    {"fields", "F[,F...]", "1,4,16,64", "fields, at most 64", bench_read_sizes, &o.fields, MANY_FIELDS, NULL},
    {"reps", "R", "31", "timed turns", bench_read_count, &o.reps, 1 << 20, NULL},
    {.name = NULL}};

/* ---- methods ---------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  void (*run)(many_case *c);
} methods[] = {{"together", many_run_together},
               {"one by one", many_run_one_by_one},
               {"overlapped", many_run_overlapped},
               {"by hand", many_run_by_hand}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void fill(void *c, int method)
{
  (void)method;
  many_case_fill(c);
}

static void run(void *c, int method)
{
  methods[method].run(c);
}

static int64_t count_wrong(void *c, int method)
{
  (void)method;
  return many_case_wrong(c);
}

/* ---- the table -------------------------------------------------------------------------------------- */

static int64_t run_case(bool is_halo, int64_t n, int fields, bool is_shared)
{
  static many_case c;
  bench_time times[METHODS];
  many_case_make(MPI_COMM_WORLD, is_halo, n, fields, is_shared, &c);
  const bench_turns turns = {.comm = MPI_COMM_WORLD,
                             .context = &c,
                             .methods = METHODS,
                             .reps = o.reps,
                             .most = 200,
                             .turn_us = 4000,
                             .fill = fill,
                             .run = run,
                             .wrong = count_wrong};
  bench_take_turns(&turns, times);
  const int64_t wrong = bench_wrong_of(times, METHODS);
  if (c.rank == 0) {
    printf("%-5s %6lld %6d  %-7s", is_halo ? "halo" : "move", (long long)n, fields,
           is_shared ? "shared" : "private");
    for (int m = 0; m < METHODS; m++) printf(" %11.1f", times[m].median_us);
    for (int m = 1; m < METHODS; m++) printf(" %8.2f", times[m].median_us / times[0].median_us);
    printf("%s\n", wrong ? "   WRONG" : "");
    (void)fflush(stdout);
  }
  many_case_free(&c);
  return wrong;
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  if (l->rank == 0) {
    printf("%d ranks, medians in microseconds; behind them how many times the others take what `together` "
           "takes\n%-5s %6s %6s  %-7s",
           l->nprocs, "case", "N", "fields", "memory");
    for (int m = 0; m < METHODS; m++) printf(" %11s", methods[m].name);
    for (int m = 1; m < METHODS; m++) printf(" %8.8s", methods[m].name);
    printf("\n");
  }
  for (int kind = 0; kind < 2; kind++)
    for (int s = 0; s < o.sizes.count; s++)
      for (int f = 0; f < o.fields.count; f++)
        for (int is_shared = 0; is_shared < 2; is_shared++)
          wrong += run_case(kind == 0, o.sizes.list[s], (int)o.fields.list[f], is_shared);
  return wrong;
}

const bench_program bench_many = {
    .about = "Fields have N x N doubles. Also times runs that are begun together, and messages by hand.\n"
             "There may be up to 64 ranks.",
    .options = options,
    .run = run_all,
    .legend = ""};
