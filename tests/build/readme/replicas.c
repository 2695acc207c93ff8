/* Compiles code of bridge/docs/moving.md: the sum of replicas. */
#include <dapbridge/comm.h>
#include <dapbridge/plan.h>

void replicas_code(MPI_Comm comm, int nprocs, int64_t n, const double *gradient, double *sum, dap_error *err)
{
  dap_layout *addends, *sums;
  dap_plan *all_reduce;
#include "replicas.inc"
}
