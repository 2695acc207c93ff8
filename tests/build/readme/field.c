/* The field of petsc.md. */
#include <dapbridge/petsc.h>
#include <petscksp.h>

PetscErrorCode assemble(KSP ksp, Mat operator, Mat preconditioner, void *context);
dap_status solve(dap_darray array, dap_error *err);

#include "field.inc"
