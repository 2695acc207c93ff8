/* Times halo updates and moves of several fields at once, and one after the other. See README.md. */
#include "command_line.h"
#include "fail.h"
#include "many.h"
#include "numbers.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: bench_many [option...], under mpirun on up to 64 ranks\n"
    "\n"
    "Times halo updates and moves of several fields of N x N doubles, together, one after the other, begun\n"
    "together, and by hand, in turns, and checks every element.\n"
    "\n"
    "  --n N[,N...]       extents (64,512)\n"
    "  --fields F[,F...]  fields, at most 64 (1,4,16,64)\n"
    "  --reps R           timed turns (31)\n"
    "  --help             this text\n";

typedef struct options {
  bench_sizes sizes, fields;
  int reps;
} options;

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  if (letter == 'n') return bench_read_sizes(text, 1 << 14, &o->sizes);
  if (letter == 'f') return bench_read_sizes(text, MANY_FIELDS, &o->fields);
  o->reps = (int)bench_number(text);
  return o->reps > 0;
}

/* False: the program is to end with *status; why has been said if this process `speaks`. */
static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {{"n", required_argument, NULL, 'n'},
                                        {"fields", required_argument, NULL, 'f'},
                                        {"reps", required_argument, NULL, 'r'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.reps = 31};
  if (!bench_command_line_read(&line, argc, argv, speaks, o, status)) return false;
  if (o->sizes.count == 0) o->sizes = (bench_sizes){{64, 512}, 2};
  if (o->fields.count == 0) o->fields = (bench_sizes){{1, 4, 16, 64}, 4};
  return true;
}

/* ---- methods ---------------------------------------------------------------------------------------- */

typedef struct method {
  const char *name;
  void (*run)(many_case *c);
} method;

static const method methods[] = {{"together", many_run_together},
                                 {"one by one", many_run_one_by_one},
                                 {"overlapped", many_run_overlapped},
                                 {"by hand", many_run_by_hand}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static int64_t check(const method *m, many_case *c)
{
  many_case_fill(c);
  MPI_Barrier(c->comm); /* one process's run may read another's buffer */
  m->run(c);
  MPI_Barrier(c->comm);
  return bench_total(c->comm, many_case_wrong(c));
}

/* Microseconds of a run on the slowest process. */
static double time_runs(const method *m, many_case *c, int runs)
{
  MPI_Barrier(c->comm);
  const double begun = bench_now();
  for (int i = 0; i < runs; i++) m->run(c);
  return 1e6 * bench_span(c->comm, begun, bench_now()) / runs;
}

static int runs_of(double one)
{
  enum { MOST = 200, TURN_US = 4000 };
  return one * MOST <= TURN_US ? MOST : one >= TURN_US ? 1 : (int)(TURN_US / one);
}

/* Medians of all methods, which take turns; the number of wrong elements. */
static int64_t measure(many_case *c, int reps, double medians[])
{
  int runs[METHODS];
  int64_t wrong = 0;
  double *times = bench_alloc(METHODS * reps * (int64_t)sizeof *times);
  for (int m = 0; m < METHODS; m++) {
    wrong += check(&methods[m], c);
    runs[m] = runs_of(time_runs(&methods[m], c, 3));
  }
  for (int i = 0; i < reps; i++)
    for (int m = 0; m < METHODS; m++) times[m * reps + i] = time_runs(&methods[m], c, runs[m]);
  for (int m = 0; m < METHODS; m++) {
    medians[m] = bench_median(times + m * reps, reps);
    wrong += check(&methods[m], c);
  }
  free(times);
  return wrong;
}

/* ---- the table -------------------------------------------------------------------------------------- */

static int64_t run_case(const options *o, bool is_halo, int64_t n, int fields, bool is_shared)
{
  static many_case c;
  double medians[METHODS];
  many_case_make(MPI_COMM_WORLD, is_halo, n, fields, is_shared, &c);
  const int64_t wrong = measure(&c, o->reps, medians);
  if (c.rank == 0) {
    printf("%-5s %6lld %6d  %-7s", is_halo ? "halo" : "move", (long long)n, fields,
           is_shared ? "shared" : "private");
    for (int m = 0; m < METHODS; m++) printf(" %11.1f", medians[m]);
    for (int m = 1; m < METHODS; m++) printf(" %8.2f", medians[m] / medians[0]);
    printf("%s\n", wrong ? "   WRONG" : "");
    (void)fflush(stdout);
  }
  many_case_free(&c);
  return wrong;
}

static void print_head(void)
{
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  printf(
      "%d ranks, medians in microseconds; behind them how many times the others take what `together` takes\n",
      nprocs);
  printf("%-5s %6s %6s  %-7s", "case", "N", "fields", "memory");
  for (int m = 0; m < METHODS; m++) printf(" %11s", methods[m].name);
  for (int m = 1; m < METHODS; m++) printf(" %8.8s", methods[m].name);
  printf("\n");
}

static int64_t run_all(const options *o)
{
  int64_t wrong = 0;
  for (int kind = 0; kind < 2; kind++)
    for (int s = 0; s < o->sizes.count; s++)
      for (int f = 0; f < o->fields.count; f++)
        for (int is_shared = 0; is_shared < 2; is_shared++)
          wrong += run_case(o, kind == 0, o->sizes.list[s], (int)o->fields.list[f], is_shared);
  return wrong;
}

int main(int argc, char **argv)
{
  int rank, status;
  options o;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!read_options(argc, argv, rank == 0, &o, &status)) {
    MPI_Finalize();
    return status;
  }
  if (rank == 0) print_head();
  const int64_t wrong = run_all(&o);
  if (rank == 0) printf("%s\n", wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
  MPI_Finalize();
  return wrong != 0;
}
