/* Finds the owners of the nodes of a mesh, and moves values from the nodes to equal blocks and back. The
 * nodes have global numbers. A partitioner has dealt them to the processes, and nodes on the seams are on
 * both sides. Runs on any number of processes up to 500. */
#include "log.h"

#include <dapbridge.h>

#include <inttypes.h>
#include <stdio.h>

enum { NODES = 1000, SEAM = 2 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void move(dap_darray from, dap_darray to)
{
  dap_error err;
  dap_plan *plan;
  const dap_side here = dap_side_of(from), there = dap_side_of(to);
  check(dap_plan_create(MPI_COMM_WORLD, &here, &there, 0, NULL, &plan, &err), &err);
  check(dap_plan_run(plan, from.local->data, to.local->data, &err), &err);
  dap_plan_destroy(&plan);
}

int main(int argc, char **argv)
{
  int rank, nprocs, owner, wrong = 0;
  int32_t nodes[NODES + SEAM];
  double values[NODES + SEAM];
  dap_error err;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  int64_t count = 0; /* every nprocs-th node, and the first ones of the next process */
  for (int32_t own = rank; own < NODES; own += nprocs) nodes[count++] = own;
  for (int i = 0; i < SEAM && nprocs > 1; i++) nodes[count++] = (rank + 1) % nprocs + i * nprocs;
  const dap_dim dim = {.dist_type = 'u',
                       .indices_dtype = DAP_I4,
                       .size = NODES,
                       .proc_grid_size = nprocs,
                       .proc_grid_rank = rank,
                       .index_count = count,
                       .indices = nodes};
  const dap_array mesh = {.abi = DAP_ARRAY_ABI,
                          .dim_count = 1,
                          .version = "0.10.0",
                          .dims = {dim},
                          .dtype = DAP_F8,
                          .ndim = 1,
                          .shape = {count},
                          .strides = {sizeof(double)},
                          .data = values};
  dap_layout *listed, *even;
  check(dap_layout_assemble(MPI_COMM_WORLD, &mesh, &listed, &err), &err);

  /* No process knows all lists, so all processes look up the owners together. */
  const int64_t node = 5;
  int64_t position;
  check(dap_layout_lookup(MPI_COMM_WORLD, listed, 1, &node, &owner, &position, &err), &err);
  if (rank == 0) printf("node %" PRId64 " is element %" PRId64 " on rank %d\n", node, position, owner);

  const dap_dist cut = dap_dist_even(NODES, nprocs);
  check(dap_layout_create(1, &cut, &even, &err), &err);
  dap_array block;
  check(dap_array_init(&block, even, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  const dap_darray mesh_nodes = {listed, &mesh}, vector = {even, &block};
  for (int64_t i = 0; i < count; i++) values[i] = nodes[i];
  move(mesh_nodes, vector); /* from the owners */
  for (int64_t i = 0; i < block.shape[0]; i++) ((double *)block.data)[i] *= 2;
  move(vector, mesh_nodes); /* to all processes that hold a node */

  for (int64_t i = 0; i < count; i++) wrong += values[i] != 2.0 * nodes[i];
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d nodes moved to equal blocks and back, %d wrong\n", NODES, wrong);
  dap_array_release(&block);
  dap_layout_destroy(&even);
  dap_layout_destroy(&listed);
  MPI_Finalize();
  return wrong != 0;
}
