/* The field of petsc.md. */
#include <dapbridge/petsc.h>
#include <petscksp.h>

PetscErrorCode assemble(KSP ksp, Mat operator, Mat preconditioner, void *context);

#include "field.inc"
