/* Moves a 1000 x 600 array from row slabs in C order to a 2-D block-cyclic layout in Fortran order, and
 * checks every element. Each process describes its slab with the protocol's keys. Runs on any number of
 * processes. */
#include "log.h"

#include <dapbridge.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 600, BLOCK = 64 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
  int rank, nprocs, grid[] = {0, 0};
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, grid);
  dap_error err;
  /* What this process has: some rows, all columns. */
  const int64_t start = ROWS * (int64_t)rank / nprocs, stop = ROWS * (int64_t)(rank + 1) / nprocs;
  double *mine = (double *)malloc((size_t)(stop - start) * COLUMNS * sizeof *mine);
  for (int64_t i = 0; i < (stop - start) * COLUMNS; i++) mine[i] = (double)(start * COLUMNS + i);
  const dap_array slab = {.abi = DAP_ARRAY_ABI,
                          .dim_count = 2,
                          .version = "0.10.0",
                          .dims = {{.dist_type = 'b',
                                    .size = ROWS,
                                    .proc_grid_size = nprocs,
                                    .proc_grid_rank = rank,
                                    .start = start,
                                    .stop = stop},
                                   {0}}, /* the empty dictionary: all columns are here */
                          .dtype = DAP_F8,
                          .ndim = 2,
                          .shape = {stop - start, COLUMNS},
                          .strides = {COLUMNS * 8, 8},
                          .data = mine};
  dap_layout *slabs, *blocks;
  check(dap_layout_assemble(MPI_COMM_WORLD, &slab, &slabs, &err), &err);

  /* The part that this process will receive. */
  const dap_dist dists[] = {dap_dist_cyclic(ROWS, grid[0], BLOCK), dap_dist_cyclic(COLUMNS, grid[1], BLOCK)};
  dap_array block;
  check(dap_layout_create(2, dists, &blocks, &err), &err);
  check(dap_array_init(&block, blocks, rank, DAP_F8, DAP_ORDER_F, NULL, &err), &err);

  /* The plan is created once, and could run many times. */
  dap_plan *plan;
  const dap_darray source = {slabs, &slab}, target = {blocks, &block};
  const dap_side from = dap_side_of(source), to = dap_side_of(target);
  check(dap_plan_create(MPI_COMM_WORLD, &from, &to, 0, NULL, &plan, &err), &err);
  check(dap_plan_run(plan, slab.data, block.data, &err), &err);
  int64_t wrong = 0;
  for (int64_t i = 0; i < block.shape[0]; i++)
    for (int64_t j = 0; j < block.shape[1]; j++) {
      int64_t at[] = {i, j}, global[2];
      check(dap_layout_globalize(blocks, rank, at, global, NULL, &err), &err);
      wrong += ((double *)block.data)[i + j * block.shape[0]] != (double)(global[0] * COLUMNS + global[1]);
    }
  int64_t sums[2] = {dap_plan_summarize(plan).bytes_sent, wrong};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("moved %d elements, %" PRId64 " bytes between processes, %" PRId64 " wrong\n", ROWS * COLUMNS,
           sums[0], sums[1]);
  dap_plan_destroy(&plan);
  dap_array_release(&block);
  dap_layout_destroy(&slabs);
  dap_layout_destroy(&blocks);
  free(mine);
  MPI_Finalize();
  return sums[1] != 0;
}
