! A checkpoint in the page on files.
module fortran_files
  use dapbridge
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(dap_layout) :: layout
  type(dap_array) :: array, again
  type(dap_file_info) :: info

contains

  subroutine code()
    include 'fortran_files.inc'
  end subroutine
end module
