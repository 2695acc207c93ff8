/* Compiles code of bridge/docs/linalg.md: triangular matrices, and a product of a matrix with itself. */
#include <dapbridge/linalg_triangular.h>

dap_status triangles(MPI_Comm comm, dap_darray a, dap_darray b, dap_darray c, dap_error *err)
{
  dap_status status;
#include "triangles.inc"
  return status;
}
