/* Times the functions of linalg.h and hand-written calls of ScaLAPACK, in turns. See README.md. */
#include "command_line.h"
#include "fail.h"
#include "linalg.h"
#include "memory.h"
#include "numbers.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] = "usage: bench_linalg [option...], under mpirun\n"
                            "\n"
                            "Times functions of linalg.h on n x n doubles: calls of ScaLAPACK by hand on "
                            "matrices that lie best, the\n"
                            "library on the same ones, which it shares, and on slabs of rows, which it "
                            "moves; in turns. Compares the\n"
                            "norms of the results.\n"
                            "\n"
                            "  --n N[,N...]       orders (256,512,1024)\n"
                            "  --only NAME[,...]  functions\n"
                            "  --reps R           timed turns (3)\n"
                            "  --seconds S        no larger n where a turn has taken longer (20)\n"
                            "  --help             this text\n";

typedef struct options {
  bench_sizes sizes;
  const char *only;
  int reps;
  double seconds;
} options;

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  if (letter == 'n') return bench_read_sizes(text, 1 << 15, &o->sizes);
  if (letter == 'o') return (o->only = text);
  if (letter == 's') return (o->seconds = strtod(text, NULL)) > 0;
  o->reps = (int)bench_number(text);
  return o->reps > 0;
}

static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {
      {"n", required_argument, NULL, 'n'},    {"only", required_argument, NULL, 'o'},
      {"reps", required_argument, NULL, 'r'}, {"seconds", required_argument, NULL, 's'},
      {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.reps = 3, .seconds = 20};
  if (!bench_command_line_read(&line, argc, argv, speaks, o, status)) return false;
  if (o->sizes.count == 0) o->sizes = (bench_sizes){{256, 512, 1024}, 3};
  return true;
}

/* ---- one row ------------------------------------------------------------------------------------------- */

enum { HAND, SHARED, MOVED, MOVES, METHODS, MOST_REPS = 64 };

typedef struct measured {
  double seconds[METHODS]; /* medians */
  int64_t bytes[METHODS];  /* the most that a process took, beyond the operands, in the first turn */
  bool shared, equal;
} measured;

/* Runs one method. */
static void run(const linalg_row *row, int method, linalg_job *job, dap_linalg_report *report)
{
  const dap_linalg_options with = {.report = report};
  dap_error err;
  if (method == HAND)
    row->hand(job);
  else if (method == MOVES)
    linalg_job_move(job);
  else
    bench_require(row->library(job, &with, &err), &err);
}

static double turn(const linalg_row *row, int method, linalg_job *job, dap_linalg_report *report)
{
  linalg_job_begin(row, job, method == HAND);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = bench_now();
  run(row, method, job, report);
  const double time = bench_span(MPI_COMM_WORLD, begun, bench_now());
  linalg_job_end(job);
  return time;
}

static bool is_near(double a, double b)
{
  return fabs(a - b) <= 1e-8 * (fabs(a) + fabs(b));
}

static measured measure(const linalg_row *row, int64_t n, int reps)
{
  const linalg_shape shape = linalg_best_shape();
  linalg_job best = linalg_job_make(row, n, &shape), slabs = linalg_job_make(row, n, NULL);
  linalg_job *jobs[METHODS] = {&best, &best, &slabs, &slabs};
  double times[METHODS][MOST_REPS], norms[METHODS] = {0};
  measured m = {.shared = true, .equal = true};
  for (int rep = -1; rep < reps && rep < MOST_REPS; rep++) { /* the first one is not counted */
    for (int method = 0; method < METHODS; method++) {
      dap_linalg_report report = {0};
      const bench_memory memory = bench_memory_begin();
      const double time = turn(row, method, jobs[method], &report);
      const int64_t bytes = bench_most_bytes(MPI_COMM_WORLD, bench_memory_end(&memory));
      if (rep >= 0) times[method][rep] = time;
      if (rep == -1) m.bytes[method] = bytes;
      if (method != MOVES && row->result >= 0) norms[method] = linalg_job_result(row, jobs[method]);
      for (int i = 0; i < report.count && method == SHARED; i++)
        m.shared = m.shared && (report.uses[i].moved_bytes == 0 || jobs[method]->operands[i].cols == 0);
    }
  }
  m.equal = is_near(norms[HAND], norms[SHARED]) && is_near(norms[HAND], norms[MOVED]);
  for (int method = 0; method < METHODS; method++)
    m.seconds[method] = bench_median(times[method], reps < MOST_REPS ? reps : MOST_REPS);
  linalg_job_free(&slabs), linalg_job_free(&best);
  return m;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void print_head(int nprocs, double rate)
{
  printf("%d ranks, dgemm on all of them at once: %.1f GFLOP/s\n\n", nprocs, rate);
  printf("| function | by hand | n | by hand, s | of dgemm | shared / by hand | moved / by hand | moving, of "
         "moved "
         "| MiB by hand, shared, moved |\n|---|---|---|---|---|---|---|---|---|\n");
}

static void print_row(const linalg_row *row, int64_t n, double rate, const measured *m)
{
  const double hand = m->seconds[HAND], order = (double)n;
  const double flops = (row->flops * order + row->squares) * order * order;
  const double mebi = 1 << 20;
  printf("| `%s` | %s | %d | %.4f | %.0f %% | %.2f%s | %.2f | %.0f %% | %.1f, %.1f, %.1f |%s\n", row->name,
         row->by, (int)n, hand, 1e-7 * flops / hand / rate, m->seconds[SHARED] / hand,
         m->shared ? "" : " (moved)", m->seconds[MOVED] / hand, 100 * m->seconds[MOVES] / m->seconds[MOVED],
         (double)m->bytes[HAND] / mebi, (double)m->bytes[SHARED] / mebi, (double)m->bytes[MOVED] / mebi,
         m->equal ? "" : " RESULTS DIFFER");
  fflush(stdout);
}

int main(int argc, char **argv)
{
  int rank, nprocs, status;
  options o;
  bool right = true;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (!read_options(argc, argv, rank == 0, &o, &status)) {
    MPI_Finalize();
    return status;
  }
  const double rate = linalg_dgemm();
  if (rank == 0) print_head(nprocs, rate);
  for (const linalg_row *row = linalg_rows; row->name; row++) {
    if (!bench_is_listed(o.only, row->name)) continue;
    double longest = 0;
    for (int i = 0; i < o.sizes.count && longest <= o.seconds; i++) {
      const measured m = measure(row, o.sizes.list[i], o.reps);
      for (int method = 0; method < METHODS; method++) longest = fmax(longest, m.seconds[method]);
      if (rank == 0) print_row(row, o.sizes.list[i], rate, &m);
      right = right && m.equal;
    }
  }
  MPI_Finalize();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
