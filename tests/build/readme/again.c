/* Compiles code of bridge/docs/petsc.md: a reference to a field's DMDA. */
#include <dapbridge/petsc.h>

PetscErrorCode keep_dm(dap_petsc_field field, dap_petsc_field_options *all)
{
  dap_petsc_field_options options = *all;
#include "again.inc"
  *all = options;
  return 0;
}
