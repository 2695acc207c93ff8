!> Is compiled with default integers of 8 bytes. MPI and the module use integers of 4 bytes, so ranks and
!> dimensions are int32; sizes and indices are int64 as usual.
program wide_integers
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: n = 20 ! 8 bytes
  integer(int32) :: rank, procs
  integer, allocatable :: indices(:)
  integer, pointer :: p(:)
  type(dap_layout) :: blocks, cyclic
  type(dap_array) :: from, to
  type(dap_plan) :: plan
  type(dap_error) :: err
  logical :: good
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, procs)], blocks)
  call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, n, procs, block_size=3)], cyclic)
  call dap_array_init(blocks, rank, DAP_I8, from)
  call dap_array_init(cyclic, rank, DAP_I8, to)
  call dap_pointer(from, p)
  call dap_array_indices(from, 1_int32, indices)
  p = 10 * indices
  call dap_plan_create(MPI_COMM_WORLD, from, to, plan)
  call dap_plan_run(plan, from, to)
  call dap_pointer(to, p)
  call dap_array_indices(to, 1_int32, indices)
  good = all(p == 10 * indices) .and. kind(n) == 8 .and. size(indices) == dap_layout_owned(cyclic, 1_int32, rank)
  call dap_array_init(cyclic, rank, 77_int32, to, err=err)
  good = good .and. err%status /= DAP_OK
  deallocate(indices) ! variables of a main program are never freed, and the test looks for leaks
  call MPI_Finalize()
  if (.not. good) error stop 1
end program
