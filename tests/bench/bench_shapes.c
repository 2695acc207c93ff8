/* Times ScaLAPACK's routines, called by hand, on each grid and with each block size, and the library on moved
 * matrices, in turns: which shape should a moved matrix get? See README.md. */
#include "command_line.h"
#include "fail.h"
#include "linalg.h"
#include "numbers.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: bench_shapes [option...], under mpirun\n"
    "\n"
    "Times calls of ScaLAPACK by hand on n x n doubles, on each grid of all "
    "processes and with each block\n"
    "size, and functions of linalg.h on slabs of rows in C order, which they move; in "
    "turns.\n"
    "\n"
    "  --n N[,N...]        orders (256,512,1024)\n"
    "  --blocks NB[,...]   block sizes (16,32,64,128,256)\n"
    "  --only NAME[,...]   functions\n"
    "  --reps R            timed turns (3)\n"
    "  --help              this text\n";

typedef struct options {
  bench_sizes sizes, blocks;
  const char *only;
  int reps;
} options;

static bool read_option(int letter, const char *text, void *given)
{
  options *o = given;
  if (letter == 'n') return bench_read_sizes(text, 1 << 15, &o->sizes);
  if (letter == 'b') return bench_read_sizes(text, 1 << 12, &o->blocks);
  if (letter == 'o') return (o->only = text);
  o->reps = (int)bench_number(text);
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
  if (o->sizes.count == 0) o->sizes = (bench_sizes){{256, 512, 1024}, 3};
  if (o->blocks.count == 0) o->blocks = (bench_sizes){{16, 32, 64, 128, 256}, 5};
  return true;
}

enum { MOST_GRIDS = 16, MOST_SHAPES = MOST_GRIDS * BENCH_SIZES + 1, MOST_REPS = 64 };

/* All shapes; the last one is the library's own choice. Returns how many. */
static int list_shapes(int nprocs, const bench_sizes *blocks, linalg_shape shapes[MOST_SHAPES])
{
  int count = 0;
  for (int rows = 1, grids = 0; rows <= nprocs && grids < MOST_GRIDS; rows++) {
    if (nprocs % rows != 0) continue;
    grids++;
    for (int b = 0; b < blocks->count; b++)
      shapes[count++] = (linalg_shape){{rows, nprocs / rows}, (int)blocks->list[b]};
  }
  shapes[count++] = (linalg_shape){.block = 0};
  return count;
}

static double turn(const linalg_row *row, int64_t n, const linalg_shape *shape)
{
  linalg_job job = linalg_job_make(row, n, shape->block ? shape : NULL);
  const dap_linalg_options with = {0};
  dap_error err;
  linalg_job_begin(row, &job, shape->block);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = bench_now();
  if (shape->block)
    row->hand(&job);
  else
    bench_require(row->library(&job, &with, &err), &err);
  const double time = bench_span(MPI_COMM_WORLD, begun, bench_now());
  linalg_job_end(&job);
  linalg_job_free(&job);
  return time;
}

static void measure(const linalg_row *row, int64_t n, int reps, const linalg_shape shapes[], int count,
                    double medians[])
{
  double times[MOST_SHAPES][MOST_REPS];
  for (int rep = -1; rep < reps && rep < MOST_REPS; rep++) /* the first one is not counted */
    for (int k = 0; k < count; k++) {
      const double time = turn(row, n, &shapes[k]);
      if (rep >= 0) times[k][rep] = time;
    }
  for (int k = 0; k < count; k++) medians[k] = bench_median(times[k], reps < MOST_REPS ? reps : MOST_REPS);
}

static void print(const linalg_row *row, int64_t n, const linalg_shape shapes[], int count,
                  const bench_sizes *blocks, const double medians[])
{
  for (int k = 0; k + 1 < count; k += blocks->count) {
    printf("| `%s` | %d | %d x %d |", row->name, (int)n, shapes[k].grid[0], shapes[k].grid[1]);
    for (int b = 0; b < blocks->count; b++) printf(" %.4f |", medians[k + b]);
    printf(" %.4f |\n", medians[count - 1]);
  }
  fflush(stdout);
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
  linalg_shape shapes[MOST_SHAPES];
  double medians[MOST_SHAPES];
  const int count = list_shapes(nprocs, &o.blocks, shapes);
  if (rank == 0) {
    printf("%d ranks; seconds by blocks of\n\n| function | n | grid |", nprocs);
    for (int b = 0; b < o.blocks.count; b++) printf(" %d |", (int)o.blocks.list[b]);
    printf(" moved |\n|---|---|---|");
    for (int b = 0; b <= o.blocks.count; b++) printf("---|");
    printf("\n");
  }
  for (const linalg_row *row = linalg_rows; row->name; row++) {
    if (!bench_is_listed(o.only, row->name)) continue;
    for (int i = 0; i < o.sizes.count; i++) {
      measure(row, o.sizes.list[i], o.reps, shapes, count, medians);
      if (rank == 0) print(row, o.sizes.list[i], shapes, count, &o.blocks, medians);
    }
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
