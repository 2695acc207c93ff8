/* The page's views, for a call of ELPA's own. */
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
