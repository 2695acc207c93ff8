! The page's layouts in words, and documents.
module fortran_words
  use dapbridge
  use mpi_f08
  implicit none
  type(dap_layout) :: layout
  type(dap_array) :: array
  character(len=:), allocatable :: text

contains

  subroutine code()
    include 'fortran_words.inc'
  end subroutine
end module
