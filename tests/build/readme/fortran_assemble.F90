! The page's layout of each process's own description.
module fortran_assemble
  use, intrinsic :: iso_fortran_env, only: real64
  use dapbridge
  use mpi_f08
  implicit none
  integer :: n, procs, me, first, last
  real(real64), target :: local(10, 10)
  type(dap_layout) :: layout
  type(dap_array) :: array

contains

  subroutine code()
    include 'fortran_assemble.inc'
  end subroutine
end module
