! The page's parts of an array.
module fortran_parts
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  integer(int64) :: n
  real(real64) :: norm
  type(dap_array) :: array
  integer, allocatable :: ranks(:)

contains

  subroutine code()
    include 'fortran_parts.inc'
  end subroutine
end module
