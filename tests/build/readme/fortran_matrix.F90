! The page's call of ScaLAPACK.
module fortran_matrix
  use, intrinsic :: iso_fortran_env, only: real64
  use dapbridge
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(dap_array) :: array
  type(dap_matrix) :: matrix
  real(real64), pointer :: p(:, :)
  integer :: ipiv(100), info
  external :: pdgetrf

contains

  subroutine code()
    include 'fortran_matrix.inc'
  end subroutine
end module
