/* Times moves between placements and the collectives of MPI that do the same. See README.md. */
#include "command_line.h"
#include "fail.h"
#include "numbers.h"
#include "placements.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: bench_placements [option...], under mpirun on any number of ranks\n"
    "\n"
    "Times moves between placements (Partial, Replicate, Shard) and the collectives of MPI that do the same, "
    "in\n"
    "turns, and checks every element.\n"
    "\n"
    "  --bytes B[,B...]   of the larger buffer of each process; with K, M or G (1K,64K,1M,16M)\n"
    "  --reps R           timed turns (31)\n"
    "  --help             this text\n";

typedef struct options {
  bench_sizes bytes;
  int reps;
} options;

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  if (letter == 'b') return bench_read_sizes(text, INT64_C(1) << 30, &o->bytes);
  o->reps = (int)bench_number(text);
  return o->reps > 0;
}

/* False: the program is to end with *status; why has been said if this process `speaks`. */
static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {{"bytes", required_argument, NULL, 'b'},
                                        {"reps", required_argument, NULL, 'r'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.reps = 31};
  if (!bench_command_line_read(&line, argc, argv, speaks, o, status)) return false;
  if (o->bytes.count == 0) o->bytes = (bench_sizes){{1 << 10, 1 << 16, 1 << 20, 1 << 24}, 4};
  return true;
}

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

typedef struct method {
  const char *name;
  void (*run)(placements_case *c);
  bool is_shared; /* memory of the library's */
} method;

static const method methods[] = {
    {"MPI", run_mpi, false}, {"plan", run_plan, false}, {"shared", run_shared, true}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static int64_t check(const method *m, placements_case *c)
{
  placements_fill(c, m->is_shared);
  MPI_Barrier(c->comm); /* one process's run may read another's buffer */
  m->run(c);
  MPI_Barrier(c->comm);
  return bench_total(c->comm, placements_wrong(c, m->is_shared));
}

/* Microseconds of a run on the slowest process. */
static double time_runs(void (*run)(placements_case *c), placements_case *c, int runs)
{
  MPI_Barrier(c->comm);
  const double begun = bench_now();
  for (int i = 0; i < runs; i++) run(c);
  return 1e6 * bench_span(c->comm, begun, bench_now()) / runs;
}

/* So many that a turn lasts about two milliseconds. */
static int runs_of(double one)
{
  enum { MOST = 200, TURN_US = 2000 };
  return one * MOST <= TURN_US ? MOST : one >= TURN_US ? 1 : (int)(TURN_US / one);
}

/* Medians of all methods, which take turns; the number of wrong elements. */
static int64_t measure(placements_case *c, int reps, double medians[])
{
  int runs[METHODS];
  int64_t wrong = 0;
  double *times = bench_alloc(METHODS * reps * (int64_t)sizeof *times);
  for (int m = 0; m < METHODS; m++) {
    wrong += check(&methods[m], c);
    runs[m] = runs_of(time_runs(methods[m].run, c, 3));
  }
  for (int i = 0; i < reps; i++)
    for (int m = 0; m < METHODS; m++) times[m * reps + i] = time_runs(methods[m].run, c, runs[m]);
  for (int m = 0; m < METHODS; m++) {
    medians[m] = bench_median(times + m * reps, reps);
    wrong += check(&methods[m], c);
  }
  free(times);
  return wrong;
}

/* Of making a plan, after others on the same communicator. */
static double time_making(placements_case *c, int reps)
{
  double *times = bench_alloc(reps * (int64_t)sizeof *times);
  placements_plan(c);
  for (int i = 0; i < reps; i++) times[i] = time_runs(placements_plan, c, 1);
  const double median = bench_median(times, reps);
  free(times);
  return median;
}

/* ---- the table -------------------------------------------------------------------------------------- */

static int64_t run_case(const options *o, const placements_pair *pair, int64_t bytes)
{
  placements_case c;
  double medians[METHODS];
  placements_case_make(MPI_COMM_WORLD, pair, bytes, &c);
  const double making = time_making(&c, o->reps);
  const int64_t wrong = measure(&c, o->reps, medians);
  if (c.rank == 0) {
    printf("%-22s %-15s %9lld", pair->name, pair->collective, (long long)bytes);
    for (int m = 0; m < METHODS; m++) printf(" %10.1f", medians[m]);
    for (int m = 1; m < METHODS; m++) printf(" %7.2f", medians[m] / medians[0]);
    printf(" %9.1f%s\n", making, wrong ? "   WRONG" : "");
    (void)fflush(stdout);
  }
  placements_case_free(&c);
  return wrong;
}

static void print_head(void)
{
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  printf("%d ranks, medians in microseconds; behind them what plans take over what MPI takes\n", nprocs);
  printf("%-22s %-15s %9s", "pair", "collective", "bytes");
  for (int m = 0; m < METHODS; m++) printf(" %10s", methods[m].name);
  for (int m = 1; m < METHODS; m++) printf(" %7s", methods[m].name);
  printf(" %9s\n", "making");
}

int main(int argc, char **argv)
{
  int rank, status;
  int64_t wrong = 0;
  options o;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!read_options(argc, argv, rank == 0, &o, &status)) {
    MPI_Finalize();
    return status;
  }
  if (rank == 0) print_head();
  for (const placements_pair *pair = placements_pairs; pair->name; pair++)
    for (int i = 0; i < o.bytes.count; i++) wrong += run_case(&o, pair, o.bytes.list[i]);
  if (rank == 0) printf("%s\n", wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
  MPI_Finalize();
  return wrong != 0;
}
