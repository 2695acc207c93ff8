// Uses the core in C++: deals a block vector cyclically and checks every element. HEADER: an adapter's.
#include <dapbridge.h>
#ifdef HEADER
#include HEADER
#endif
#include <cstdint>
#include <cstdio>

static constexpr std::int64_t size = 1000;

// Sets each element to its index; if `check`, returns how many elements differ from it instead.
static int fill(const dap_darray &array, int rank, bool check)
{
  auto *data = static_cast<double *>(array.local->data);
  int wrong = 0;
  for (std::int64_t i = 0; i < array.local->shape[0]; i++) {
    std::int64_t global = 0;
    wrong += dap_layout_globalize(array.layout, rank, &i, &global, nullptr, nullptr) != DAP_OK;
    if (check)
      wrong += data[i] != static_cast<double>(global);
    else
      data[i] = static_cast<double>(global);
  }
  return wrong;
}

static dap_status deal(int rank, int nprocs, int *wrong, dap_error *err)
{
  const dap_dist even = dap_dist_even(size, nprocs), dealt = dap_dist_cyclic(size, nprocs, 3);
  dap_layout *from = nullptr, *to = nullptr;
  dap_array block{}, cyclic{};
  dap_plan *plan = nullptr;
  dap_status s = dap_layout_create(1, &even, &from, err);
  if (!s) s = dap_layout_create(1, &dealt, &to, err);
  if (!s) s = dap_array_init(&block, from, rank, DAP_F8, DAP_ORDER_C, nullptr, err);
  if (!s) s = dap_array_init(&cyclic, to, rank, DAP_F8, DAP_ORDER_C, nullptr, err);
  s = dap_agree(MPI_COMM_WORLD, s, err);
  if (s) return s;
  const dap_darray a = {from, &block}, b = {to, &cyclic};
  *wrong = fill(a, rank, false);
  const dap_side source = dap_side_of(a), target = dap_side_of(b);
  s = dap_plan_create(MPI_COMM_WORLD, &source, &target, 0, nullptr, &plan, err);
  if (!s) s = dap_plan_run(plan, block.data, cyclic.data, err);
  if (!s) *wrong += fill(b, rank, true);
  dap_plan_destroy(&plan);
  dap_array_release(&block);
  dap_array_release(&cyclic);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  return s;
}

int main(int argc, char **argv)
{
  int rank, nprocs, wrong = 1;
  dap_error err{};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_status s = deal(rank, nprocs, &wrong, &err);
  if (s) wrong++;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("C++, dapbridge %s: %d wrong, status %s\n", dap_version(), wrong, dap_status_name(s));
  MPI_Finalize();
  return wrong != 0;
}
