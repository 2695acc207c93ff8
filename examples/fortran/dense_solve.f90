!> Solves A x = b twice. In blocks dealt round robin to a grid of processes, ScaLAPACK computes in the
!> program's own arrays. Uneven blocks of rows are moved there and back. Runs on any number of processes.
program dense_solve
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: n = 1000, nb = 64
  integer :: rank, procs, grid(2), r
  integer(int64), allocatable, target :: lengths(:)
  logical :: in_place, moved
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)
  grid = 0
  call MPI_Dims_create(procs, 2, grid)
  in_place = solve(dap_dist(DAP_DIST_CYCLIC, n, grid(1), block_size=nb), dap_dist(DAP_DIST_CYCLIC, n, &
    grid(2), &
    block_size=nb), dap_dist(DAP_DIST_CYCLIC, 1, grid(2), block_size=nb))

  ! Half of the rows on the first process, half of the others on the next, and so on.
  allocate(lengths(procs))
  lengths(1) = n / 2
  do r = 2, procs
    lengths(r) = (n - sum(lengths(:r - 1)) + 1) / 2
  end do
  lengths(procs) = n - sum(lengths(:procs - 1))
  moved = solve(dap_dist(DAP_DIST_LENGTHS, n, procs, lengths=lengths), dap_dist(DAP_DIST_EVEN, n), &
    dap_dist(DAP_DIST_EVEN, 1))
  call MPI_Finalize()
  if (.not. (in_place .and. moved)) error stop 1

contains

  !> Whether the solution is right, of arrays that are cut like this.
  logical function solve(rows, columns, column)
    type(dap_dist), intent(in) :: rows, columns, column
    type(dap_layout) :: square, tall
    type(dap_array) :: a, b, x
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    real(real64) :: from, seconds, norms(3)
    integer :: k
    call dap_layout_create([rows, columns], square)
    call dap_layout_create([rows, column], tall)
    call dap_array_init(square, rank, DAP_F8, a)
    call dap_array_init(tall, rank, DAP_F8, b)
    call dap_array_init(tall, rank, DAP_F8, x)
    call fill(a, 0)
    call fill(b, n)
    call fill(x, n)
    options%keep = .true. ! A is wanted again
    from = MPI_Wtime()
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, x, options, report)
    seconds = MPI_Wtime() - from
    do k = 1, merge(report%count, 0, rank == 0)
      print '(5a)', trim(report%uses(k)%name), trim(merge(': shared:', ': moved: ', report%uses(k)%shared)), &
        ' ', trim(report%uses(k)%reason)
    end do

    ! ||b - A x|| / (||A|| ||x|| n eps) is small for a right solution.
    call dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', a, x, b, alpha=(-1._real64, 0._real64), &
      beta=(1._real64, 0._real64))
    call dap_linalg_norm(MPI_COMM_WORLD, 'I', a, norms(1))
    call dap_linalg_norm(MPI_COMM_WORLD, 'I', x, norms(2))
    call dap_linalg_norm(MPI_COMM_WORLD, 'I', b, norms(3))
    norms(3) = norms(3) / (norms(1) * norms(2) * n * epsilon(1._real64))
    if (rank == 0) print '(f0.3, a, f0.4)', seconds, ' s, residual ', norms(3)
    solve = norms(3) < 10
  end function

  !> Returns numbers without a pattern, the same on any number of processes.
  subroutine fill(array, before)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: before
    real(real64), pointer :: p(:, :)
    integer(int64), allocatable :: i(:), j(:)
    integer :: k, l
    call dap_pointer(array, p)
    call dap_array_indices(array, 1, i)
    call dap_array_indices(array, 2, j)
    do l = 1, size(j)
      do k = 1, size(i)
        p(k, l) = sin(real(i(k) * (n + 1) + j(l) + before, real64)**2)
      end do
    end do
  end subroutine
end program
