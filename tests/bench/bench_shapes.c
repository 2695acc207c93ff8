/* Times ScaLAPACK's routines, called by hand, on each grid and with each block size, and the library on moved
 * matrices, in turns: which shape should a moved matrix get? See README.md. */
#include "command_line.h"
#include "linalg.h"
#include "numbers.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: bench_shapes [option...], under mpirun\n"
    "\n"
    "Times calls of ScaLAPACK by hand on n x n matrices, on each grid of all processes and with each block\n"
    "size, and functions of linalg.h on slabs of rows in C order, which they move; in turns. Blocks that\n"
    "leave a process without any are left out, and those with which a routine is wrong.\n"
    "\n"
    "  --n N[,N...]        orders (250,500,1000)\n"
    "  --blocks NB[,...]   block sizes (16,32,64,128,256)\n"
    "  --only NAME[,...]   functions (those that compute with different routines)\n"
    "  --reps R            timed turns (3), of 1 to 64\n"
    "  --help              this text\n";

enum { MOST_REPS = 64 };

typedef struct options {
  bench_sizes sizes, blocks;
  const char *only;
  int reps;
} options;

static bool has_shapes(const linalg_row *row)
{
  return !row->stretch;
}

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  if (letter == 'n') return bench_read_sizes(text, 1 << 15, &o->sizes);
  if (letter == 'b') return bench_read_sizes(text, 1 << 12, &o->blocks);
  if (letter == 'o') return linalg_are_rows(o->only = text, has_shapes);
  o->reps = bench_number(text) <= MOST_REPS ? (int)bench_number(text) : 0;
  return o->reps > 0;
}

static bool read_options(int argc, char **argv, bool speaks, options *o, int *status)
{
  static const struct option names[] = {
      {"n", required_argument, NULL, 'n'},    {"blocks", required_argument, NULL, 'b'},
      {"only", required_argument, NULL, 'o'}, {"reps", required_argument, NULL, 'r'},
      {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0}};
  static const bench_command_line line = {usage, names, read_option};
  *o = (options){.reps = 3};
  if (!bench_command_line_read(&line, argc, argv, speaks, o, status)) return false;
  if (o->sizes.count == 0) o->sizes = (bench_sizes){{250, 500, 1000}, 3};
  if (o->blocks.count == 0) o->blocks = (bench_sizes){{16, 32, 64, 128, 256}, 5};
  return true;
}

/* The library on slabs, in a shape that it chooses. */
static double time_moved(const linalg_row *row, int64_t n)
{
  linalg_job job = linalg_job_make(row, n, NULL);
  const double time = linalg_run(row, LINALG_MOVED, &job, NULL);
  linalg_job_free(&job);
  return time;
}

/* medians [count + 1]: of each shape, 0 where calls by hand are wrong; and of the library. */
static void measure(const linalg_row *row, int64_t n, int reps, const linalg_shape shapes[], int count,
                    double medians[])
{
  static double times[LINALG_SHAPES + 1][MOST_REPS];
  for (int rep = -1; rep < reps; rep++) /* the first one is not counted */
    for (int k = 0; k < count + !row->partly; k++) {
      const bool left_out = k < count && !linalg_shape_is_right(row, n, &shapes[k]);
      const double time = left_out    ? 0
                          : k < count ? linalg_shape_time(row, n, &shapes[k], 1)
                                      : time_moved(row, n);
      if (rep >= 0) times[k][rep] = time;
    }
  for (int k = 0; k < count + !row->partly; k++) medians[k] = bench_median(times[k], reps);
}

static void print(const linalg_row *row, int64_t n, const linalg_shape shapes[], int count,
                  const bench_sizes *blocks, const double medians[])
{
  for (int k = 0; k < count; k += blocks->count) {
    printf("| %s | %d | %d x %d |", row->by, (int)n, shapes[k].grid[0], shapes[k].grid[1]);
    for (int b = 0; b < blocks->count; b++) printf(medians[k + b] > 0 ? " %.5f |" : " |", medians[k + b]);
    if (row->partly)
      printf(" |\n");
    else
      printf(" %.5f |\n", medians[count]);
  }
  fflush(stdout);
}

static void print_head(int nprocs, const bench_sizes *blocks)
{
  printf("%d ranks; seconds by blocks of\n\n| routines | n | grid |", nprocs);
  for (int b = 0; b < blocks->count; b++) printf(" %d |", (int)blocks->list[b]);
  printf(" moved |\n|---|---|---|");
  for (int b = 0; b <= blocks->count; b++) printf("---|");
  printf("\n");
}

static bool is_wanted(const linalg_row *row, const options *o)
{
  return has_shapes(row) && (o->only ? bench_is_listed(o->only, row->name) : row->shapes);
}

int main(int argc, char **argv)
{
  int rank, nprocs, status;
  options o;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (!read_options(argc, argv, rank == 0, &o, &status)) {
    MPI_Finalize();
    return status;
  }
  linalg_shape shapes[LINALG_SHAPES];
  double medians[LINALG_SHAPES + 1];
  const int count = linalg_shapes_list(nprocs, o.blocks.list, o.blocks.count, shapes);
  if (rank == 0) print_head(nprocs, &o.blocks);
  for (int r = 0; linalg_row_at(r); r++) {
    const linalg_row *row = linalg_row_at(r);
    if (!is_wanted(row, &o)) continue;
    for (int i = 0; i < o.sizes.count; i++) {
      measure(row, o.sizes.list[i], o.reps, shapes, count, medians);
      if (rank == 0) print(row, o.sizes.list[i], shapes, count, &o.blocks, medians);
    }
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
