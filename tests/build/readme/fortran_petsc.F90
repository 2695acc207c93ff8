! Compiles the solution by PETSc in bridge/docs/fortran.md.
#include <petsc/finclude/petscksp.h>
module fortran_petsc
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge
  use petscksp
  implicit none
  type(dap_array) :: array
  KSP :: solver
  PetscErrorCode :: ierr

contains

  subroutine code()
    include 'fortran_petsc.inc'
  end subroutine
end module
