!> Computes heat on a square whose edges are kept at 0, by one implicit step. It uses a PETSc field in the
!> program's own array, a matrix on the field's DMDA, and a KSP. The start is an eigenvector of the step, so
!> each element is known at the end. Runs on any number of processes.
#include <petsc/finclude/petscksp.h>
program heat_ksp
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use dapbridge_petsc
  use petscksp
  use petscdmda
  implicit none
  PetscInt, parameter :: n = 60
  real(real64), parameter :: pi = acos(-1._real64), k = 5
  PetscErrorCode :: ierr
  PetscMPIInt :: rank, procs
  integer :: grid(2), i, j
  integer(int64), allocatable :: row(:), column(:)
  real(real64), pointer :: u(:, :)
  real(real64) :: error, factor
  type(dap_layout) :: layout
  type(dap_array) :: array
  type(dap_petsc_field) :: field
  Mat :: step
  KSP :: solver
  MPI_Comm :: comm
  PetscCallA(PetscInitialize(ierr))
  PetscCallMPIA(MPI_Comm_rank(PETSC_COMM_WORLD, rank, ierr))
  PetscCallMPIA(MPI_Comm_size(PETSC_COMM_WORLD, procs, ierr))
  grid = 0
  call MPI_Dims_create(procs, 2, grid, ierr)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, grid(1)), dap_dist(DAP_DIST_EVEN, n, grid(2))], layout)
  call dap_array_init(layout, rank, DAP_F8, array)
  call dap_array_indices(array, 1, row)
  call dap_array_indices(array, 2, column)
  call dap_pointer(array, u)
  do j = 1, size(column)
    do i = 1, size(row)
      u(i, j) = sin(pi * row(i) / (n + 1)) * sin(pi * column(j) / (n + 1))
    end do
  end do

  call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ_WRITE, field, vectors=DAP_PETSC_GLOBAL, &
    width=1_int64, star=.true.)
  call assemble(field%dm, step)
  PetscCallA(PetscObjectGetComm(step, comm, ierr)) ! a field's objects may have the processes in another order
  PetscCallA(KSPCreate(comm, solver, ierr))
  PetscCallA(KSPSetOperators(solver, step, step, ierr))
  call KSPSetTolerances(solver, 1d-13, PETSC_DEFAULT_REAL, PETSC_DEFAULT_REAL, PETSC_DEFAULT_INTEGER, ierr)
  CHKERRA(ierr)
  PetscCallA(KSPSolve(solver, field%global, field%global, ierr))
  if (rank == 0) print '(2a)', 'shared: ', trim(field%reason_global)
  call dap_petsc_restore(field)

  factor = 1 / (1 + 8 * k * sin(pi / (2 * (n + 1)))**2)
  error = 0
  do j = 1, size(column)
    do i = 1, size(row)
      error = max(error, abs(u(i, j) - factor * sin(pi * row(i) / (n + 1)) * sin(pi * column(j) / (n + 1))))
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, PETSC_COMM_WORLD, ierr)
  if (rank == 0) print '(2a)', 'an implicit step: error ', merge('below 1e-10', 'too large  ', error < 1e-10)
  PetscCallA(KSPDestroy(solver, ierr))
  PetscCallA(MatDestroy(step, ierr))
  call dap_destroy(array)
  PetscCallA(PetscFinalize(ierr))
  if (error >= 1e-10) error stop 1

contains

  !> 1 + k (4 u - its neighbours): the DMDA counts points from 0, and its x is the array's first dimension.
  subroutine assemble(dm, a)
    DM, intent(inout) :: dm
    Mat, intent(inout) :: a
    PetscInt, parameter :: offsets(2, 5) = reshape([0, 0, -1, 0, 1, 0, 0, -1, 0, 1], [2, 5])
    PetscInt :: first(2), extent(2), x, y, here(2), count, m
    MatStencil :: at(4, 1), others(4, 5)
    PetscScalar :: values(5)
    PetscCallA(DMCreateMatrix(dm, a, ierr))
    call DMDAGetCorners(dm, first(1), first(2), PETSC_NULL_INTEGER, extent(1), extent(2), PETSC_NULL_INTEGER, &
      ierr)
    CHKERRA(ierr)
    do y = first(2), first(2) + extent(2) - 1
      do x = first(1), first(1) + extent(1) - 1
        count = 0
        others = 0
        do m = 1, 5
          here = [x, y] + offsets(:, m)
          if (any(here < 0 .or. here >= n)) cycle
          count = count + 1
          others(MatStencil_i, count) = here(1)
          others(MatStencil_j, count) = here(2)
          values(count) = merge(1 + 4 * k, -k, m == 1)
        end do
        at(:, 1) = others(:, 1)
        call MatSetValuesStencil(a, 1, at, count, others, values, INSERT_VALUES, ierr)
        CHKERRA(ierr)
      end do
    end do
    PetscCallA(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY, ierr))
    PetscCallA(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY, ierr))
  end subroutine
end program
