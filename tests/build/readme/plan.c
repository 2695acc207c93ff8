/* Compiles the plan of bridge/docs/moving.md. */
#include <dapbridge/plan.h>

void compute(void);
void run(MPI_Comm comm, const dap_layout *slabs, const dap_layout *blocks, dap_array local_a,
         dap_array local_b, dap_error *err)
{
#include "plan.inc"
}
