! The page's update.
module fortran_halos
  use dapbridge
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  type(MPI_Comm) :: comm
  type(dap_layout) :: layout
  type(dap_array) :: u
  type(dap_plan) :: halo
  integer(int64) :: n
  integer :: step, steps

  interface
    subroutine compute(array)
      import
      type(dap_array), intent(inout) :: array
    end subroutine
  end interface

contains

  subroutine code()
    include 'fortran_halos.inc'
  end subroutine
end module
