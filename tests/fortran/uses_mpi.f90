!> Uses communicators of `use mpi` and of mpif.h, which are integers.
subroutine with_mpif(wrong)
  use dapbridge
  implicit none
  include 'mpif.h'
  integer, intent(inout) :: wrong
  type(dap_layout) :: layout
  type(dap_array) :: a, b
  integer :: rank, procs, ierror
  integer, pointer :: p(:)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, procs, ierror)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, 2 * procs, procs)], layout)
  call dap_array_init(layout, rank, DAP_I4, a)
  call dap_array_alloc(MPI_COMM_WORLD, layout, DAP_I4, b)
  call dap_pointer(a, p)
  p = rank
  call dap_redistribute(MPI_COMM_WORLD, a, b)
  call dap_pointer(b, p)
  wrong = wrong + count(p /= rank)
end subroutine

program uses_mpi
  use dapbridge
  use mpi
  implicit none
  type(dap_layout) :: layout, turned
  type(dap_array) :: a, b
  integer :: rank, procs, ierror, backwards, wrong
  integer, pointer :: p(:)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, procs, ierror)
  ! The communicator has the ranks in reverse order, so blocks are in the other processes' places.
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, backwards, ierror)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, procs, procs)], layout)
  call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, procs, 1, block_size=1)], turned)
  call dap_array_init(layout, procs - 1 - rank, DAP_I4, a)
  call dap_array_init(turned, procs - 1 - rank, DAP_I4, b)
  call dap_pointer(a, p)
  p = rank
  call dap_redistribute(backwards, a, b)
  call dap_pointer(b, p)
  wrong = 0
  if (rank == procs - 1) wrong = count(p /= [(procs - 1 - ierror, ierror=0, procs - 1)])
  call with_mpif(wrong)
  call MPI_Comm_free(backwards, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  if (wrong > 0) error stop 1
end program
