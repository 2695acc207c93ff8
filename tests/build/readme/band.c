/* Compiles code of bridge/docs/linalg.md: a system with a band matrix. */
#include <dapbridge/linalg_banded.h>

dap_status band_code(MPI_Comm comm, dap_darray ab, dap_darray b, dap_error *err)
{
  dap_status status;
#include "band.inc"
  return status;
}
