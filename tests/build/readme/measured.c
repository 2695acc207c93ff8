#include <dapbridge/plan.h>

void measured(MPI_Comm comm, dap_side from, dap_side to, dap_error *err);

void measured(MPI_Comm comm, dap_side from, dap_side to, dap_error *err)
{
  dap_plan *plan;
#include "measured.inc"
}
