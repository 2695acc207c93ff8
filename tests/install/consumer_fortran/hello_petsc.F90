!> Uses the installed module for PETSc: computes the sum of an array by VecSum.
#include <petsc/finclude/petscvec.h>
program hello_petsc
  use dapbridge
  use dapbridge_petsc
  use petscvec
  implicit none
  PetscMPIInt :: rank, procs
  PetscErrorCode :: ierr
  PetscScalar :: total
  PetscScalar, pointer :: p(:)
  type(dap_layout) :: layout
  type(dap_array) :: array
  type(dap_petsc_vector) :: vector
  call PetscInitialize(ierr)
  call MPI_Comm_rank(PETSC_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(PETSC_COMM_WORLD, procs, ierr)
  call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, 10 * procs, procs, block_size=3)], layout)
  call dap_array_init(layout, rank, DAP_F8, array)
  call dap_pointer(array, p)
  p = 2
  call dap_petsc_vector_get(PETSC_COMM_WORLD, array, DAP_READ, vector)
  call VecSum(vector%vec, total, ierr)
  call dap_petsc_discard(vector)
  call dap_destroy(array)
  if (rank == 0) print *, 'fortran_petsc: ', total == 20 * procs
  call PetscFinalize(ierr)
  if (total /= 20 * procs) error stop 1
end program
