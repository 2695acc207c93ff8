/* Compiles code of bridge/docs/elpa.md: an eigenproblem. */
#include <dapbridge/elpa.h>

int fail(const dap_error *err);
int solve(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray z)
{
  dap_error err;
#include "eigh.inc"
  return report.stages;
}
