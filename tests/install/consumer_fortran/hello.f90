!> Uses the installed module: moves ranks from one layout to another.
program hello
  use dapbridge
  use mpi_f08
  implicit none
  integer :: rank, procs, r
  integer, pointer :: p(:)
  type(dap_layout) :: each, first
  type(dap_array) :: from, to
  logical :: good
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, procs, procs)], each)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, procs)], first)
  call dap_array_init(each, rank, DAP_I4, from)
  call dap_array_init(first, rank, DAP_I4, to)
  call dap_pointer(from, p)
  p = rank
  call dap_redistribute(MPI_COMM_WORLD, from, to)
  call dap_pointer(to, p)
  good = all(p == [(r, r=0, size(p) - 1)]) .and. size(p) == merge(procs, 0, rank == 0)
  if (rank == 0) print *, 'fortran: ', good
  call MPI_Finalize()
  if (.not. good) error stop 1
end program
