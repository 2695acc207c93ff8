/* Compiles code of bridge/docs/moving.md: the analysis of two coupled programs. */
#include <dapbridge/plan.h>

void analyse(void);
void run(MPI_Comm solver, dap_side copy, dap_array local, dap_plan *plan, int steps, dap_error *err)
{
#include "receives.inc"
}
