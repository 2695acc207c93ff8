/* Times ScaLAPACK's routines, called by hand, on each grid and with each block size, in turns with the
 * library on moved matrices. The results show which shape a moved matrix should get. See README.md. */
#include "linalg.h"
#include "numbers.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_REPS = 64 };

static struct {
  bench_sizes sizes, blocks;
  const char *only;
  int reps;
} o;

static bool has_shapes(const linalg_row *row)
{
  return !row->stretch;
}

static bool read_rows(const char *text, const bench_option *option)
{
  return linalg_are_rows(text, has_shapes) && bench_read_text(text, option);
}

static const bench_option options[] = {
    {"n", "N[,N...]", "250,500,1000", "orders", bench_read_sizes, &o.sizes, 1 << 15, NULL},
    {"blocks", "NB[,...]", "16,32,64,128,256", "block sizes", bench_read_sizes, &o.blocks, 1 << 12, NULL},
    {"only", "NAME[,...]", NULL, "functions (those that compute with different routines)", read_rows, &o.only,
     0, NULL},
    {"reps", "R", "3", "timed turns, of 1 to 64", bench_read_count, &o.reps, MOST_REPS, NULL},
    {.name = NULL}};

/* Times the library on slabs, in a shape that it chooses. */
static double time_moved(const linalg_row *row, int64_t n)
{
  linalg_job job = linalg_job_make(row, n, NULL);
  const double time = linalg_run(row, LINALG_MOVED, &job, NULL);
  linalg_job_free(&job);
  return time;
}

/* Measures a row. medians [count + 1]: of each shape, or 0 if calls by hand are wrong; the last one is the
 * library's. */
static void measure(const linalg_row *row, int64_t n, int reps, const linalg_shape shapes[], int count,
                    double medians[])
{
  static double times[LINALG_SHAPES + 1][MOST_REPS];
  for (int rep = -1; rep < reps; rep++) /* the first one does not count */
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

static bool is_wanted(const linalg_row *row)
{
  return has_shapes(row) && (o.only ? bench_is_listed(o.only, row->name) : row->shapes);
}

static int64_t run_all(const bench_launch *l)
{
  linalg_shape shapes[LINALG_SHAPES];
  double medians[LINALG_SHAPES + 1];
  const int count = linalg_shapes_list(l->nprocs, o.blocks.list, o.blocks.count, shapes);
  if (l->rank == 0) print_head(l->nprocs, &o.blocks);
  for (int r = 0; linalg_row_at(r); r++) {
    const linalg_row *row = linalg_row_at(r);
    for (int i = 0; i < o.sizes.count && is_wanted(row); i++) {
      measure(row, o.sizes.list[i], o.reps, shapes, count, medians);
      if (l->rank == 0) print(row, o.sizes.list[i], shapes, count, &o.blocks, medians);
    }
  }
  return 0;
}

const bench_program bench_shapes = {
    .about =
        "Matrices are n x n. Functions of linalg.h take turns with these calls. They have slabs of rows\n"
        "in C order, which they move. Blocks that leave a process without any are left out, and those\n"
        "with which a routine is wrong.",
    .options = options,
    .run = run_all};
