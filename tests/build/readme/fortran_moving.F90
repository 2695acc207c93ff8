! The page's plans.
module fortran_moving
  use dapbridge
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(dap_array) :: array, from, to
  type(dap_plan) :: plan, update

contains

  subroutine code()
    include 'fortran_moving.inc'
  end subroutine
end module
