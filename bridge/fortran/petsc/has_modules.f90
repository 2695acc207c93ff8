! This subroutine compiles only if PETSc has Fortran modules that the compiler can read.
subroutine has_modules(dm, vec, mat)
  use petscdm, only: tDM
  use petscmat, only: tMat
  use petscvec, only: tVec
  implicit none
  type(tDM), intent(inout) :: dm
  type(tVec), intent(inout) :: vec
  type(tMat), intent(inout) :: mat
  dm%v = vec%v
  mat%v = vec%v
end subroutine
