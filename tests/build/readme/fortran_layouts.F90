! The page's layouts and arrays.
module fortran_layouts
  use, intrinsic :: iso_fortran_env, only: real64
  use dapbridge
  implicit none
  integer :: n, rank
  real(real64), target :: yours(10, 10)

contains

  subroutine code()
    include 'fortran_layouts.inc'
  end subroutine
end module
