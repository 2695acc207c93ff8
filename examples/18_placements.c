/* Shows data-parallel training of a small model. Every process has all weights and its own samples, from
 * which it computes its addend of the gradient. The addends are added up, and each process receives a part
 * of the sums (a reduce-scatter). It updates these weights, and receives all others (an all-gather). In
 * machine learning, the data are first partial, then sharded, then replicated. Runs on any number of
 * processes up to 64. */
#include "log.h"

#include <dapbridge.h>

#include <inttypes.h>
#include <stdio.h>

enum { WEIGHTS = 1000, SAMPLES = 64, STEPS = 3 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns a sample's share of the gradient: a whole number, so that all sums are exact. */
static double gradient_of(int sample, int64_t i, double weight)
{
  return (double)((sample * 31 + i * 7) % 11 - 5) + weight;
}

/* Makes a side of a vector, which is the layout's first axis. Each process has an addend, a part, or all. */
static dap_side side_of(dap_dist vector, dap_dist other, dap_layout **layout)
{
  static const int kept[] = {0};
  const dap_dist dists[] = {vector, other};
  dap_side side = {0};
  dap_error err;
  check(dap_layout_create(2, dists, layout, &err), &err);
  side.layout = *layout;
  side.contiguous = true;
  side.dtype = DAP_F8;
  side.part.naxes = 1;
  side.part.axes = kept;
  return side;
}

/* Returns the numbers that one run moves between processes, for all processes together. */
static int64_t numbers_moved(const dap_plan *plan)
{
  int64_t bytes = dap_plan_summarize(plan).bytes_sent;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return bytes / (int64_t)sizeof(double);
}

int main(int argc, char **argv)
{
  static double weights[WEIGHTS], addends[WEIGHTS], sums[WEIGHTS], want[WEIGHTS];
  int rank, nprocs, wrong = 0;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);

  dap_layout *layouts[3];
  const dap_dist whole = dap_dist_local(WEIGHTS);
  const dap_side partial = side_of(whole, dap_dist_partial(1, nprocs), &layouts[0]);
  const dap_side sharded = side_of(dap_dist_even(WEIGHTS, nprocs), dap_dist_local(1), &layouts[1]);
  const dap_side replicated = side_of(whole, dap_dist_replicated(1, nprocs), &layouts[2]);
  dap_plan *reduce_scatter, *all_gather;
  dap_error err;
  check(dap_plan_create(MPI_COMM_WORLD, &partial, &sharded, 0, NULL, &reduce_scatter, &err), &err);
  check(dap_plan_create(MPI_COMM_WORLD, &sharded, &replicated, 0, NULL, &all_gather, &err), &err);
  const int64_t moved[2] = {numbers_moved(reduce_scatter), numbers_moved(all_gather)};

  const int64_t count = dap_layout_extent(layouts[1], 0, rank), start[2] = {0, 0};
  int64_t first[2];
  check(dap_layout_globalize(layouts[1], rank, start, first, NULL, &err), &err);
  for (int step = 0; step < STEPS; step++) {
    for (int64_t i = 0; i < WEIGHTS; i++) {
      addends[i] = want[i] = 0;
      for (int s = rank; s < SAMPLES; s += nprocs) addends[i] += gradient_of(s, i, weights[i]);
      for (int s = 0; s < SAMPLES; s++) want[i] += gradient_of(s, i, weights[i]);
      want[i] = weights[i] - want[i] / SAMPLES;
    }
    check(dap_plan_run(reduce_scatter, addends, sums, &err), &err);
    for (int64_t i = 0; i < count; i++) sums[i] = weights[first[0] + i] - sums[i] / SAMPLES;
    check(dap_plan_run(all_gather, sums, weights, &err), &err);
    for (int64_t i = 0; i < WEIGHTS; i++) wrong += !(weights[i] == want[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d steps of %d weights on %d processes: %" PRId64 " and %" PRId64
           " numbers moved in each, %d wrong\n",
           STEPS, WEIGHTS, nprocs, moved[0], moved[1], wrong);
  dap_plan_destroy(&reduce_scatter);
  dap_plan_destroy(&all_gather);
  for (int i = 0; i < 3; i++) dap_layout_destroy(&layouts[i]);
  MPI_Finalize();
  return wrong != 0;
}
