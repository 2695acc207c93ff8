! The page's files.
module fortran_saving
  use dapbridge
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(dap_layout) :: layout
  type(dap_array) :: array, again
  type(dap_file_info) :: info

contains

  subroutine code()
    include 'fortran_saving.inc'
  end subroutine
end module
