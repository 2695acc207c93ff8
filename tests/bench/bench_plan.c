/* Times the planning of one process's part of a redistribution, on grids of up to a million processes,
 * without MPI. See README.md. */
#include "axis.h"
#include "fail.h"
#include "numbers.h"
#include "program.h"

#include <dapbridge/plan.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1000000, FROM_BLOCK = 64, TO_BLOCK = 96, REPS = 5, ENOUGH_MS = 500 /* of repetitions */ };

static bool json;

static const bench_option options[] = {
    {"json", NULL, NULL, "one object a line, in place of the table", bench_read_flag, &json, 0, NULL},
    {.name = NULL}};

typedef struct row {
  int grid; /* the grid has grid x grid processes */
  int64_t peers;
  double ms;
  dap_plan_stats stats;
} row;

/* Returns the number of coordinates to which the elements at `coord` go along an axis, its own included. */
static int64_t targets(int grid, int coord)
{
  const bench_axis from = {BENCH_CYCLIC, grid, SIZE, FROM_BLOCK}, to = {BENCH_CYCLIC, grid, SIZE, TO_BLOCK};
  bool *is_target = calloc((size_t)grid, sizeof *is_target);
  int64_t count = 0;
  for (int64_t i = 0; is_target && i < bench_axis_extent(&from, coord); i++) {
    bool owned;
    int taker;
    bench_axis_locate(&to, bench_axis_global(&from, coord, i, &owned), &taker);
    count += !is_target[taker];
    is_target[taker] = true;
  }
  free(is_target);
  return count;
}

/* Measures the process in the middle of the grid. */
static row measure(int grid)
{
  const dap_dist before = dap_dist_cyclic(SIZE, grid, FROM_BLOCK),
                 after = dap_dist_cyclic(SIZE, grid, TO_BLOCK);
  dap_error err;
  dap_layout *blocks = NULL, *others = NULL;
  bench_require(dap_layout_create(2, (const dap_dist[]){before, before}, &blocks, &err), &err);
  bench_require(dap_layout_create(2, (const dap_dist[]){after, after}, &others, &err), &err);
  const int middle = grid / 2;
  const dap_side from = {.layout = blocks, .contiguous = true}, to = {.layout = others, .contiguous = true};
  double times[REPS];
  row result = {.grid = grid, .peers = targets(grid, middle) * targets(grid, middle) - 1};
  int count = 0;
  for (double spent = 0; count < REPS && spent < ENOUGH_MS; spent += times[count++]) {
    const double begun = bench_now();
    bench_require(dap_plan_preview(grid * grid, middle * grid + middle, &from, &to, sizeof(double), NULL,
                                   &result.stats, &err),
                  &err);
    times[count] = 1e3 * (bench_now() - begun);
  }
  result.ms = bench_median(times, count);
  dap_layout_destroy(&blocks);
  dap_layout_destroy(&others);
  return result;
}

static void print(const row *r)
{
  if (json)
    printf("{\"grid\": %d, \"procs\": %lld, \"ms\": %.9g, \"bytes\": %lld, \"bytes_buffer\": %lld, "
           "\"peers\": %lld}\n",
           r->grid, (long long)r->grid * r->grid, r->ms, (long long)r->stats.bytes_plan,
           (long long)r->stats.bytes_buffer, (long long)r->peers);
  else
    printf("%5d x %-5d %9lld %12.3f %12.1f %12.1f %8lld\n", r->grid, r->grid, (long long)r->grid * r->grid,
           r->ms, (double)r->stats.bytes_plan / 1024, (double)r->stats.bytes_buffer / 1024,
           (long long)r->peers);
}

static int64_t run_all(const bench_launch *l)
{
  static const int grids[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1000};
  (void)l;
  if (!json)
    printf("%d x %d elements of 8 bytes, block-cyclic %d to %d, the process in the middle of the grid\n"
           "%13s %9s %12s %12s %12s %8s\n",
           SIZE, SIZE, FROM_BLOCK, TO_BLOCK, "grid", "processes", "plan ms", "plan KiB", "buffers KiB",
           "peers");
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
    const row r = measure(grids[i]);
    print(&r);
  }
  return 0;
}

const bench_program bench_plan = {.options = options, .run = run_all, .lacks_mpi = true};
