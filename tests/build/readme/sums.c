/* Compiles code of bridge/docs/petsc.md: padding that is added to its owners. */
#include <dapbridge/petsc.h>
#include <string.h>

int fail(const dap_error *err);
void assemble(double *data);
int step(dap_array array, dap_petsc_field field)
{
  dap_error err;
#include "sums.inc"
  return 0;
}
