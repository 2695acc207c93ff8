/* Compiles code of bridge/docs/petsc.md: an eigenvector in a column of an array. */
#include <dapbridge/petsc_vector.h>
#include <slepceps.h>

int fail(const dap_error *err);
int store(MPI_Comm comm, EPS eps, PetscInt k, dap_darray z)
{
  dap_error err;
  dap_petsc_vector column;
  PetscScalar value;
#include "column.inc"
  return (int)dap_petsc_vector_restore(&column, &err);
}
