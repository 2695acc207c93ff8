/* Times saving and loading of arrays: dapbridge, MPI-IO with a darray type, through rank 0, and the limit,
 * where each process writes its bytes in one piece. See README.md. */
#define _XOPEN_SOURCE 700 /* getrusage(); NOLINT(bugprone-reserved-identifier) */
#include "fail.h"
#include "files.h"
#include "numbers.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
  bench_sizes sizes;
  const char *folder, *layout, *methods; /* NULL: all layouts, all methods */
  int reps;
  bool is_cpu;
} o;

static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", NULL};

static const bench_option options[] = {
    {"n", "N[,N...]", "4096", "extents", bench_read_sizes, &o.sizes, 1 << 15, NULL},
    {"folder", "PATH", "/dev/shm", "where the file is made", bench_read_text, &o.folder, 0, NULL},
    {"layout", "L", NULL, "the layouts of these numbers only, from 0", bench_read_words, &o.layout, 0,
     numbers},
    {"method", "M[,..]", NULL, "these methods only: dapbridge, darray, gather, limit", bench_read_text,
     &o.methods, 0, NULL},
    {"reps", "R", "5", "timed turns", bench_read_count, &o.reps, 1 << 20, NULL},
    {"cpu", NULL, NULL, "time of processors, of all ranks, instead: for a machine with other work",
     bench_read_flag, &o.is_cpu, 0, NULL},
    {.name = NULL}};

/* ---- measured ----------------------------------------------------------------------------------------- */

enum { SAVE, LOAD, KINDS };

static double processor_seconds(void)
{
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Returns the seconds of saving to a new file, or of loading: on the slowest process, or of all
 * processors. */
static double time_one(const files_method *m, int kind, files_case *c)
{
  if (kind == SAVE && c->rank == 0) (void)unlink(c->path);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = bench_now();
  double used = processor_seconds();
  kind == SAVE ? m->save(c) : m->load(c);
  used = processor_seconds() - used;
  const double span = bench_span(MPI_COMM_WORLD, begun, bench_now());
  MPI_Allreduce(MPI_IN_PLACE, &used, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return o.is_cpu ? used : span;
}

/* Returns how many elements a method saves or loads wrongly. */
static int64_t check(const files_method *m, files_case *c)
{
  if (m->is_limit) return 0;
  int64_t wrong = files_wrong_in_file(c);
  files_spoil(c);
  m->load(c);
  wrong += files_wrong(c);
  return bench_total(MPI_COMM_WORLD, wrong);
}

/* Runs one turn of all methods. */
static int64_t turn(files_case *c, int number, double *times)
{
  const int reps = o.reps;
  int64_t wrong = 0;
  for (int m = 0; m < FILES_METHODS; m++) {
    if (!bench_is_listed(o.methods, files_methods[m].name)) continue;
    files_fill(c);
    double *at = times + (m * KINDS) * reps + number;
    at[0] = time_one(&files_methods[m], SAVE, c);
    at[reps] = time_one(&files_methods[m], LOAD, c);
    if (number == 0) wrong += check(&files_methods[m], c);
  }
  return wrong;
}

static int64_t run_case(int layout, int64_t n, const char *path)
{
  files_case c;
  int64_t wrong = 0;
  double *times = bench_alloc(FILES_METHODS * KINDS * o.reps * (int64_t)sizeof *times),
         medians[KINDS][FILES_METHODS];
  files_case_make(layout, n, path, &c);
  for (int i = 0; i < o.reps; i++) wrong += turn(&c, i, times);
  for (int m = 0; m < FILES_METHODS; m++)
    for (int k = 0; k < KINDS; k++)
      medians[k][m] = 1e3 * bench_median(times + (m * KINDS + k) * o.reps, o.reps);
  for (int k = 0; k < KINDS && c.rank == 0; k++) {
    printf("%-18s %-5s %6lld", c.name, k == SAVE ? "save" : "load", (long long)n);
    for (int m = 0; m < FILES_METHODS; m++) printf(" %10.2f", medians[k][m]);
    for (int m = 1; m < FILES_METHODS; m++) printf(" %10.2f", medians[k][m] / medians[k][0]);
    printf("%s\n", wrong ? "   WRONG" : "");
    (void)fflush(stdout);
  }
  if (c.rank == 0) (void)unlink(path);
  files_case_free(&c);
  free(times);
  return wrong;
}

static void print_head(int nprocs)
{
  printf("%d ranks, %s, medians in milliseconds%s; behind them how many times what dapbridge takes\n", nprocs,
         o.folder, o.is_cpu ? " of all processors" : "");
  printf("%-18s %-5s %6s", "layout", "", "N");
  for (int m = 0; m < FILES_METHODS; m++) printf(" %10s", files_methods[m].name);
  for (int m = 1; m < FILES_METHODS; m++) printf(" %10s", files_methods[m].name);
  printf("\n");
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  char path[512] = "";
  if (l->rank == 0) print_head(l->nprocs);
  if (l->rank == 0) (void)snprintf(path, sizeof path, "%.400s/bench_files-%ld", o.folder, (long)getpid());
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int s = 0; s < o.sizes.count; s++)
    for (int i = 0; files_layout(i); i++)
      if (bench_is_listed(o.layout, numbers[i])) wrong += run_case(i, o.sizes.list[s], path);
  return wrong;
}

const bench_program bench_files = {.about = "Arrays have N x N doubles. All methods take turns.",
                                   .options = options,
                                   .run = run_all,
                                   .legend = ""};
