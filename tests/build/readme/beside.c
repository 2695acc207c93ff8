/* Compiles code of bridge/docs/elpa.md: views, for a direct call of ELPA. */
#include <dapbridge/elpa.h>
#include <elpa/elpa.h>

int fail(const dap_error *err);
int solve(MPI_Comm comm, dap_darray a, dap_darray z, double *values)
{
  dap_error err;
  int code = ELPA_OK;
#include "beside.inc"
  return code;
}
