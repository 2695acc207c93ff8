/* Times what applications send to a neighbour: plans, MPI's derived datatypes, and packing by hand. See
 * README.md. */
#include "command_line.h"
#include "fail.h"
#include "numbers.h"
#include "patterns.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: bench_patterns [option...], under mpirun on any number of ranks\n"
    "\n"
    "Times what applications send to a neighbour, in turns, and checks every element.\n"
    "\n"
    "  --pattern P[,P...]  names, or what they have before their first _ (all)\n"
    "  --reps R            timed turns (31)\n"
    "  --json              one object a line, in place of the table\n"
    "  --help              this text\n";

typedef struct options {
  const char *patterns;
  int reps;
  bool json;
} options;

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  if (letter == 'p') o->patterns = text;
  if (letter == 'j') o->json = true;
  if (letter == 'r') o->reps = (int)bench_number(text);
  return o->reps > 0;
}

/* False: the program is to end with *status; why has been said if this process `speaks`. */
static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {{"pattern", required_argument, NULL, 'p'},
                                        {"reps", required_argument, NULL, 'r'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.reps = 31};
  return bench_command_line_read(&line, argc, argv, speaks, o, status);
}

/* ---- methods ------------------------------------------------------------------------------------------- */

static const pattern_method methods[] = {
    {"plan", true, false, NULL, pattern_plan_create, pattern_plan_run, pattern_plan_destroy},
    {"plan_shared", true, true, NULL, pattern_plan_create, pattern_plan_run, pattern_plan_destroy},
    {"vectors", false, false, NULL, pattern_vectors_create, pattern_types_run, pattern_types_destroy},
    {"subarrays", false, false, pattern_subarrays_applies, pattern_subarrays_create, pattern_types_run,
     pattern_types_destroy},
    {"hand", false, false, NULL, pattern_hand_create, pattern_hand_run, pattern_hand_destroy},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

typedef struct result {
  double median_us; /* 0: it does not apply */
  int64_t wrong;
} result;

static int64_t check(const pattern_method *m, pattern_job *job)
{
  pattern_spoil(job->data, job->shared);
  MPI_Barrier(job->data->comm); /* one process's run may write another's buffer */
  m->run(job);
  MPI_Barrier(job->data->comm);
  return bench_total(job->data->comm, pattern_count_wrong(job->data, job->shared));
}

/* Microseconds of a run on the slowest process. */
static double time_runs(const pattern_method *m, pattern_job *job, int runs)
{
  MPI_Barrier(job->data->comm);
  const double begun = bench_now();
  for (int i = 0; i < runs; i++) m->run(job);
  return 1e6 * bench_span(job->data->comm, begun, bench_now()) / runs;
}

static int runs_of(double one)
{
  enum { MOST = 200, TURN_US = 2000 };
  return one * MOST <= TURN_US ? MOST : one >= TURN_US ? 1 : (int)(TURN_US / one);
}

static void measure(const pattern_data *data, int reps, result results[])
{
  pattern_job jobs[METHODS];
  int runs[METHODS] = {0};
  double *times = bench_alloc(METHODS * reps * (int64_t)sizeof *times);
  for (int m = 0; m < METHODS; m++) {
    results[m] = (result){0};
    if (methods[m].applies && !methods[m].applies(data->pattern)) continue;
    jobs[m] = (pattern_job){.data = data, .shared = methods[m].shared};
    methods[m].create(&jobs[m]);
    results[m].wrong = check(&methods[m], &jobs[m]);
    runs[m] = runs_of(time_runs(&methods[m], &jobs[m], 3));
  }
  for (int i = 0; i < reps; i++)
    for (int m = 0; m < METHODS; m++)
      if (runs[m] > 0) times[m * reps + i] = time_runs(&methods[m], &jobs[m], runs[m]);
  for (int m = 0; m < METHODS; m++) {
    if (runs[m] == 0) continue;
    results[m].median_us = bench_median(times + m * reps, reps);
    results[m].wrong += check(&methods[m], &jobs[m]);
    methods[m].destroy(&jobs[m]);
  }
  free(times);
}

/* ---- reports ------------------------------------------------------------------------------------------- */

static double best_peer(const result results[])
{
  double best = 0;
  for (int m = 0; m < METHODS; m++) {
    const double us = results[m].median_us;
    if (!methods[m].ours && us > 0 && (best <= 0 || us < best)) best = us;
  }
  return best;
}

static int64_t bytes_sent(const pattern_data *data)
{
  int64_t bytes = 0;
  for (int i = 0; i < data->groups; i++) bytes += pattern_sent(data->pattern, &data->pattern->groups[i]);
  return bytes;
}

static void print_head(void)
{
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  printf("%d ranks, each sends to the next; medians in microseconds; the best peer's time over the plans'\n",
         nprocs);
  printf("%-14s %8s", "pattern", "bytes");
  for (int m = 0; m < METHODS; m++) printf(" %11s", methods[m].name);
  printf(" %8s %8s\n", "/ plan", "/ shared");
}

static void print_row(const pattern_data *data, const result results[], int64_t wrong)
{
  const double best = best_peer(results);
  printf("%-14s %8lld", data->pattern->name, (long long)bytes_sent(data));
  for (int m = 0; m < METHODS; m++) {
    char text[16] = "-";
    if (results[m].median_us > 0) snprintf(text, sizeof text, "%.1f", results[m].median_us);
    printf(" %11s", text);
  }
  printf(" %8.2f %8.2f   %s%s\n", best / results[0].median_us, best / results[1].median_us,
         data->pattern->about, wrong ? "   WRONG" : "");
  (void)fflush(stdout);
}

static void print_objects(const pattern_data *data, const result results[])
{
  for (int m = 0; m < METHODS; m++) {
    if (results[m].median_us <= 0) continue;
    printf("{\"pattern\": \"%s\", \"about\": \"%s\", \"bytes\": %lld, \"ranks\": %d", data->pattern->name,
           data->pattern->about, (long long)bytes_sent(data), data->nprocs);
    printf(", \"method\": \"%s\", \"median_us\": %.9g, \"vs_best_peer\": %.9g, \"wrong\": %lld}\n",
           methods[m].name, results[m].median_us, best_peer(results) / results[m].median_us,
           (long long)results[m].wrong);
  }
  (void)fflush(stdout);
}

static int64_t run_pattern(const options *o, int row)
{
  const pattern p = pattern_make(row);
  pattern_data data;
  result results[METHODS];
  int64_t wrong = 0;
  pattern_data_make(MPI_COMM_WORLD, &p, &data);
  measure(&data, o->reps, results);
  for (int m = 0; m < METHODS; m++) wrong += results[m].wrong;
  if (data.rank == 0 && o->json) print_objects(&data, results);
  if (data.rank == 0 && !o->json) print_row(&data, results, wrong);
  pattern_data_free(&data);
  return wrong;
}

int main(int argc, char **argv)
{
  int rank, status;
  options o;
  int64_t wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!read_options(argc, argv, rank == 0, &o, &status)) {
    MPI_Finalize();
    return status;
  }
  if (rank == 0 && !o.json) print_head();
  for (int row = 0; pattern_name(row); row++)
    if (bench_is_listed(o.patterns, pattern_name(row))) wrong += run_pattern(&o, row);
  if (rank == 0 && !o.json) printf("%s\n", wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
  MPI_Finalize();
  return wrong != 0;
}
