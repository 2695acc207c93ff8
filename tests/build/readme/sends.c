/* Compiles code of bridge/docs/moving.md: the solver of two coupled programs. */
#include <dapbridge/plan.h>

void solve(void);
void run(MPI_Comm analysis, dap_side field, dap_array local, dap_plan *plan, int steps, dap_error *err)
{
#include "sends.inc"
}
