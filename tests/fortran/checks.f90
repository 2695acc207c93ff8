!> What the tests in Fortran stand on: conditions that are counted, and an end that fails on all ranks.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use mpi_f08
  implicit none
  private
  public :: start, expect, expect_text, conclude, grid_of

  integer, public :: me = -1, nprocs = 0
  integer :: failures = 0

contains

  subroutine start()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, nprocs)
  end subroutine

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    if (failures <= 10) write (error_unit, '(a, i0, 2a)') 'rank ', me, ': not so: ', what
  end subroutine

  subroutine expect_text(text, part)
    character(len=*), intent(in) :: text, part
    call expect(index(text, part) > 0, '"' // part // '" in "' // trim(text) // '"')
  end subroutine

  subroutine conclude()
    integer :: all_failures
    call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (all_failures > 0) error stop 1
  end subroutine

  !> A process grid of all processes: 2 x 2 of 4.
  function grid_of() result(grid)
    integer :: grid(2)
    grid = [nprocs, 1]
    if (mod(nprocs, 2) == 0) grid = [2, nprocs / 2]
  end function
end module
