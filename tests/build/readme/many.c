/* Compiles code of bridge/docs/moving.md: one plan for many arrays. */
#include <dapbridge/plan.h>

void compute(void);

void many_code(MPI_Comm comm, const dap_layout *layout, dap_array arrays[16], int steps, dap_error *err)
{
  dap_plan *halo;
#include "many.inc"
}
