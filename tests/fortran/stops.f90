!> Ends with the text of an error, because the optional argument is missing.
program stops
  use dapbridge
  use mpi_f08
  implicit none
  type(dap_layout) :: layout
  call MPI_Init()
  call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, 10, 2)], layout)
  call MPI_Finalize()
end program
