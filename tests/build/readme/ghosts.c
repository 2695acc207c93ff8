/* Compiles code of bridge/docs/moving.md: ghosts of an array. */
#include <dapbridge/comm.h>
#include <dapbridge/plan.h>

void compute(void);

void ghosts_code(MPI_Comm comm, dap_array array, const bool is_owned[], int steps, dap_error *err)
{
  dap_layout *layout;
  dap_plan *halo;
#include "ghosts.inc"
}
