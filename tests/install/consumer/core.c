/* A user of the core alone: deals a block vector out cyclically and checks every element. */
#include <dapbridge.h>
#include <stdio.h>

enum { SIZE = 1000 };

static dap_status deal(int rank, int nprocs, dap_array *block, dap_array *cyclic, dap_layout **layouts,
                       dap_error *err)
{
  const dap_dist even = dap_dist_even(SIZE, nprocs);
  const dap_dist dealt = dap_dist_cyclic(SIZE, nprocs, 3);
  dap_status s = dap_layout_create(1, &even, &layouts[0], err);
  if (!s) s = dap_layout_create(1, &dealt, &layouts[1], err);
  if (!s) s = dap_array_init(block, layouts[0], rank, DAP_F8, DAP_ORDER_C, NULL, err);
  if (!s) s = dap_array_init(cyclic, layouts[1], rank, DAP_F8, DAP_ORDER_C, NULL, err);
  if (s) return s;

  double *from = block->data;
  for (int64_t i = 0; i < block->shape[0]; i++) {
    int64_t global;
    s = dap_layout_globalize(layouts[0], rank, &i, &global, NULL, err);
    if (s) return s;
    from[i] = (double)global;
  }
  return DAP_OK;
}

static int count_wrong(const dap_array *cyclic, const dap_layout *layout, int rank)
{
  const double *to = cyclic->data;
  int wrong = 0;
  for (int64_t i = 0; i < cyclic->shape[0]; i++) {
    int64_t global;
    wrong += dap_layout_globalize(layout, rank, &i, &global, NULL, NULL) || to[i] != (double)global;
  }
  return wrong;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);

  dap_array block = {0}, cyclic = {0};
  dap_layout *layouts[2] = {NULL, NULL};
  dap_plan *plan = NULL;
  dap_error err = {0};
  dap_status s = dap_agree(MPI_COMM_WORLD, deal(rank, nprocs, &block, &cyclic, layouts, &err), &err);
  const dap_darray a = {layouts[0], &block}, b = {layouts[1], &cyclic};
  const dap_side from = dap_side_of(a), to = dap_side_of(b);
  if (!s) s = dap_plan_create(MPI_COMM_WORLD, &from, &to, 0, NULL, &plan, &err);
  if (!s) s = dap_plan_run(plan, block.data, cyclic.data, &err);

  int wrong = s ? 1 : count_wrong(&cyclic, layouts[1], rank);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("core: %d wrong, status %s\n", wrong, dap_status_name(s));

  dap_plan_destroy(&plan);
  dap_array_release(&block);
  dap_array_release(&cyclic);
  dap_layout_destroy(&layouts[0]);
  dap_layout_destroy(&layouts[1]);
  MPI_Finalize();
  return wrong != 0;
}
