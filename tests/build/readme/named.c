/* Compiles code of bridge/docs/linalg.md: an eigenproblem that a backend solves. */
#include <dapbridge/elpa.h>

dap_status named_code(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray z, dap_error *err)
{
  dap_linalg_report report;
  dap_status status;
#include "named.inc"
  return status;
}
