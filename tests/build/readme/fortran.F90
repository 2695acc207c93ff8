! Declares the variables that the pieces of bridge/docs/fortran.md, halos.md and files.md use, and compiles the
! pieces.
module fortran_pages
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(dap_layout) :: layout
  type(dap_array) :: array, again, from, to, u
  type(dap_plan) :: plan, update, halo
  type(dap_file_info) :: info
  integer :: n, rank, procs, me, first, last, step, steps
  real(real64), target :: local(10, 10), yours(10, 10)

  interface
    subroutine compute(array)
      import
      type(dap_array), intent(inout) :: array
    end subroutine
  end interface

contains

  include 'fortran_components.inc'

  subroutine layouts()
    include 'fortran_layouts.inc'
  end subroutine

  subroutine assemble()
    include 'fortran_assemble.inc'
  end subroutine

  subroutine parts()
    integer(int64) :: n
    real(real64) :: norm
    integer, allocatable :: ranks(:)
    include 'fortran_parts.inc'
  end subroutine

  subroutine words()
    character(len=:), allocatable :: text
    include 'fortran_words.inc'
  end subroutine

  subroutine moving()
    include 'fortran_moving.inc'
  end subroutine

  subroutine saving()
    include 'fortran_saving.inc'
  end subroutine

  subroutine matrix_of_scalapack()
    type(dap_matrix) :: matrix
    real(real64), pointer :: p(:, :)
    integer :: ipiv(100), info
    external :: pdgetrf
    include 'fortran_matrix.inc'
  end subroutine

  subroutine halos()
    include 'fortran_halos.inc'
  end subroutine

  subroutine files()
    include 'fortran_files.inc'
  end subroutine
end module
