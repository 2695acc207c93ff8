/* The README's PETSc field. */
#include <dapbridge/petsc.h>
#include <petscksp.h>
#include <stdio.h>

int on_a_field(MPI_Comm comm, const dap_layout *layout, dap_array local,
               PetscErrorCode (*assemble)(KSP, Mat, Mat, void *), dap_error *err);

int on_a_field(MPI_Comm comm, const dap_layout *layout, dap_array local,
               PetscErrorCode (*assemble)(KSP, Mat, Mat, void *), dap_error *err)
{
  KSP ksp;
#include "field.inc"
  return 0;
}
