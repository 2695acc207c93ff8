/* Times how arrays get into files and out of them: dapbridge, MPI-IO with a darray type, by way of rank 0,
 * and the limit, where each process writes its bytes in one piece. See README.md. */
#define _XOPEN_SOURCE 700 /* getrusage(); NOLINT(bugprone-reserved-identifier) */
#include "command_line.h"
#include "fail.h"
#include "files.h"
#include "numbers.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static const char usage[] =
    "usage: bench_files [option...], under mpirun\n"
    "\n"
    "Times how an array of N x N doubles is saved to a new file, with a sync, and "
    "loaded from it, by all methods in\n"
    "turns, and checks every element.\n"
    "\n"
    "  --n N[,N...]     extents (4096)\n"
    "  --folder PATH    where the file is made (/dev/shm)\n"
    "  --layout L       the layout of this number only, from 0\n"
    "  --method M[,..]  these methods only: dapbridge, darray, gather, limit\n"
    "  --reps R         timed turns (5)\n"
    "  --cpu            time of processors, of all ranks, instead: for a machine with other work\n"
    "  --help           this text\n";

typedef struct options {
  bench_sizes sizes;
  const char *folder, *methods; /* NULL: all methods */
  int layout, reps;
  bool is_cpu;
} options;

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  if (letter == 'n') return bench_read_sizes(text, 1 << 15, &o->sizes);
  if (letter == 'f') return (o->folder = text);
  if (letter == 'l') return (o->layout = (int)bench_number(text)) >= 0;
  if (letter == 'c') return (o->is_cpu = true);
  if (letter == 'm') return (o->methods = text);
  o->reps = (int)bench_number(text);
  return o->reps > 0;
}

/* False: the program is to end with *status; why has been said if this process `speaks`. */
static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {
      {"n", required_argument, NULL, 'n'},      {"folder", required_argument, NULL, 'f'},
      {"reps", required_argument, NULL, 'r'},   {"layout", required_argument, NULL, 'l'},
      {"method", required_argument, NULL, 'm'}, {"cpu", no_argument, NULL, 'c'},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.folder = "/dev/shm", .layout = -1, .reps = 5};
  if (!bench_command_line_read(&line, argc, argv, speaks, o, status)) return false;
  if (o->sizes.count == 0) o->sizes = (bench_sizes){{4096}, 1};
  return true;
}

/* ---- measured ----------------------------------------------------------------------------------------- */

enum { SAVE, LOAD, KINDS };

static double processor_seconds(void)
{
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Seconds of a save to a new file, or of a load: on the slowest process, or of all processors. */
static double time_one(const files_method *m, int kind, bool is_cpu, files_case *c)
{
  if (kind == SAVE && c->rank == 0) (void)unlink(c->path);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = bench_now();
  double used = processor_seconds();
  kind == SAVE ? m->save(c) : m->load(c);
  used = processor_seconds() - used;
  const double span = bench_span(MPI_COMM_WORLD, begun, bench_now());
  MPI_Allreduce(MPI_IN_PLACE, &used, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return is_cpu ? used : span;
}

/* Elements that a method saves or loads wrongly. */
static int64_t check(const files_method *m, files_case *c)
{
  if (m->is_limit) return 0;
  int64_t wrong = files_wrong_in_file(c);
  files_spoil(c);
  m->load(c);
  wrong += files_wrong(c);
  return bench_total(MPI_COMM_WORLD, wrong);
}

/* One turn of all methods. */
static int64_t turn(files_case *c, const options *o, int number, double *times)
{
  const int reps = o->reps;
  int64_t wrong = 0;
  for (int m = 0; m < FILES_METHODS; m++) {
    if (!bench_is_listed(o->methods, files_methods[m].name)) continue;
    files_fill(c);
    double *at = times + (m * KINDS) * reps + number;
    at[0] = time_one(&files_methods[m], SAVE, o->is_cpu, c);
    at[reps] = time_one(&files_methods[m], LOAD, o->is_cpu, c);
    if (number == 0) wrong += check(&files_methods[m], c);
  }
  return wrong;
}

static int64_t run_case(const options *o, int layout, int64_t n, const char *path)
{
  files_case c;
  int64_t wrong = 0;
  double *times = bench_alloc(FILES_METHODS * KINDS * o->reps * (int64_t)sizeof *times),
         medians[KINDS][FILES_METHODS];
  files_case_make(layout, n, path, &c);
  for (int i = 0; i < o->reps; i++) wrong += turn(&c, o, i, times);
  for (int m = 0; m < FILES_METHODS; m++)
    for (int k = 0; k < KINDS; k++)
      medians[k][m] = 1e3 * bench_median(times + (m * KINDS + k) * o->reps, o->reps);
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

static void print_head(const options *o, int nprocs)
{
  printf("%d ranks, %s, medians in milliseconds%s; behind them how many times what dapbridge takes\n", nprocs,
         o->folder, o->is_cpu ? " of all processors" : "");
  printf("%-18s %-5s %6s", "layout", "", "N");
  for (int m = 0; m < FILES_METHODS; m++) printf(" %10s", files_methods[m].name);
  for (int m = 1; m < FILES_METHODS; m++) printf(" %10s", files_methods[m].name);
  printf("\n");
}

int main(int argc, char **argv)
{
  options o;
  int rank, nprocs, status = 0;
  int64_t wrong = 0;
  char path[512] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (read_options(argc, argv, rank == 0, &o, &status)) {
    if (rank == 0) print_head(&o, nprocs);
    if (rank == 0) (void)snprintf(path, sizeof path, "%.400s/bench_files-%ld", o.folder, (long)getpid());
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int s = 0; s < o.sizes.count; s++)
      for (int l = 0; files_layout(l); l++)
        if (o.layout < 0 || o.layout == l) wrong += run_case(&o, l, o.sizes.list[s], path);
    if (wrong && rank == 0) printf("SOME ELEMENTS ARE WRONG.\n");
    status = wrong != 0;
  }
  MPI_Finalize();
  return status;
}
