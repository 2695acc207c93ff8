! Compiles the first program of bridge/docs/fortran.md.
module fortran_intro
  use, intrinsic :: iso_fortran_env, only: real64
  use dapbridge, only: dap_array
  implicit none
  integer :: desca(9), descb(9)
  real(real64), target :: a(10, 10), b(10, 10)
  type(dap_array) :: right

contains

  subroutine code()
    include 'fortran_intro.inc'
  end subroutine
end module
