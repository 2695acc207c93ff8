/* Times the planning of one process's part of a redistribution, on grids of up to a million processes,
 * without MPI. See README.md. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
#include "axis.h"

#include <dapbridge/plan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 1000000, FROM_BLOCK = 64, TO_BLOCK = 96, REPS = 5, ENOUGH_MS = 500 /* of repetitions */ };

typedef struct row {
  int grid; /* the grid has grid x grid processes */
  int64_t peers;
  double ms;
  dap_plan_stats stats;
} row;

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

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
static dap_status measure(int grid, row *result, dap_error *err)
{
  const dap_dist before = dap_dist_cyclic(SIZE, grid, FROM_BLOCK),
                 after = dap_dist_cyclic(SIZE, grid, TO_BLOCK);
  dap_layout *blocks = NULL, *others = NULL;
  dap_status status = dap_layout_create(2, (const dap_dist[]){before, before}, &blocks, err);
  if (!status) status = dap_layout_create(2, (const dap_dist[]){after, after}, &others, err);
  const int middle = grid / 2;
  const dap_side from = {.layout = blocks, .contiguous = true}, to = {.layout = others, .contiguous = true};
  double times[REPS];
  *result = (row){.grid = grid, .peers = targets(grid, middle) * targets(grid, middle) - 1};
  int count = 0;
  for (double spent = 0; !status && count < REPS && spent < ENOUGH_MS; spent += times[count++]) {
    const double begun = now_ms();
    status = dap_plan_preview(grid * grid, middle * grid + middle, &from, &to, sizeof(double), NULL,
                              &result->stats, err);
    times[count] = now_ms() - begun;
  }
  if (!status) {
    qsort(times, (size_t)count, sizeof *times, compare);
    result->ms = times[count / 2];
  }
  dap_layout_destroy(&blocks);
  dap_layout_destroy(&others);
  return status;
}

static void print(const row *r, bool json)
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

int main(int argc, char **argv)
{
  static const int grids[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1000};
  const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    const bool help = strcmp(argv[1], "--help") == 0;
    fprintf(help ? stdout : stderr,
            "usage: bench_plan [--json]\n\nPlans one process's part of moving %d x %d elements from blocks "
            "of %d to blocks of %d\non grids of processes, without MPI. --json: one object a line.\n",
            SIZE, SIZE, FROM_BLOCK, TO_BLOCK);
    return help ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  if (!json)
    printf("%d x %d elements of 8 bytes, block-cyclic %d to %d, the process in the middle of the grid\n"
           "%13s %9s %12s %12s %12s %8s\n",
           SIZE, SIZE, FROM_BLOCK, TO_BLOCK, "grid", "processes", "plan ms", "plan KiB", "buffers KiB",
           "peers");
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
    row r;
    dap_error err;
    const dap_status status = measure(grids[i], &r, &err);
    if (status) {
      fprintf(stderr, "bench_plan: %d x %d: %s\n", grids[i], grids[i], err.text);
      return EXIT_FAILURE;
    }
    print(&r, json);
  }
  return EXIT_SUCCESS;
}
