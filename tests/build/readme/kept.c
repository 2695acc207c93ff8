/* Compiles code of bridge/docs/linalg.md: factors that are kept. */
#include <dapbridge/linalg_factors.h>

dap_status solve_twice(MPI_Comm comm, dap_darray a, dap_darray b, dap_error *err)
{
  dap_status status;
#include "kept.inc"
  return status;
}
