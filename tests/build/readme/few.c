/* Compiles code of bridge/docs/linalg.md: the ten smallest eigenvalues. */
#include <dapbridge/linalg.h>

dap_status few_code(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray z, dap_error *err)
{
  dap_status status;
#include "few.inc"
  return status;
}
