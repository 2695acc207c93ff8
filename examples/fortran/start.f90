!> A first program: solves A x = b. Each process has some rows of A and b. All elements of x are 1. The same
!> program in C is 00_start.c, in Python python/start.py. Succeeds if x is right. Runs on any number of
!> processes.
program start
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: n = 1000
  integer :: rank, procs, i, j
  type(dap_dist) :: rows
  type(dap_layout) :: layout_a, layout_b
  type(dap_array) :: a, b
  integer(int64), allocatable :: mine(:)
  real(real64), pointer :: p(:, :), x(:)
  real(real64) :: error
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)

  ! Where the elements are: rows in blocks as even as can be, each row on one process.
  rows = dap_dist(DAP_DIST_EVEN, n, procs)
  call dap_layout_create([rows, dap_dist(DAP_DIST_EVEN, n)], layout_a)
  call dap_layout_create([rows], layout_b)

  ! This process's part: p and x point at its elements, and mine contains the numbers of its rows.
  call dap_array_init(layout_a, rank, DAP_F8, a)
  call dap_array_init(layout_b, rank, DAP_F8, b)
  call dap_pointer(a, p)
  call dap_pointer(b, x)
  call dap_array_indices(a, 1, mine)
  do j = 1, n
    do i = 1, size(mine)
      p(i, j) = sin(real((mine(i) - 1) * n + j - 1, real64)**2)
    end do
  end do
  x = sum(p, 2) ! b is the sum of each row, so that x is 1

  call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b) ! x is where b was

  error = max(0._real64, maxval(abs(x - 1)))
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a, es7.1)', n, ' equations, largest error ', error
  call MPI_Finalize()
  if (error > 1e-6_real64) error stop 1
end program
