!> Computes heat on a square whose edges are kept at 0, by explicit steps on a 2-D process grid with one layer
!> of communication padding. The start is an eigenvector of the steps, so each element is known at the end. It
!> is right only if every halo update was right. Runs on any number of processes.
program heat
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: n = 120, steps = 200
  real(real64), parameter :: pi = acos(-1._real64), k = 0.2_real64
  integer :: rank, procs, grid(2), step, i, j
  integer(int64), allocatable :: row(:), column(:)
  real(real64), pointer :: u(:, :), next(:, :)
  real(real64) :: factor, error
  type(dap_layout) :: layout
  type(dap_array) :: old, new
  type(dap_plan) :: halo
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)
  grid = 0
  call MPI_Dims_create(procs, 2, grid)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, grid(1), halo=1), dap_dist(DAP_DIST_EVEN, n, grid(2), &
    halo=1)], &
    layout)
  call dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, old)
  call dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, new)
  call dap_plan_create_halo(MPI_COMM_WORLD, old, halo, dap_plan_options(allow_empty=.true.)) ! of both arrays

  ! u(i, j) is the element (row(i), column(j)) of the whole.
  call dap_array_indices(old, 1, row)
  call dap_array_indices(old, 2, column)
  call dap_pointer(old, u)
  do j = 1, size(column)
    do i = 1, size(row)
      u(i, j) = start(row(i), column(j))
    end do
  end do

  do step = 1, steps, 2
    call advance(old, new)
    call advance(new, old)
  end do

  factor = (1 - 8 * k * sin(pi / (2 * (n - 1)))**2)**steps
  error = 0
  do j = 1, size(column)
    do i = 1, size(row)
      if (is_inner(row(i)) .and. is_inner(column(j))) &
        error = max(error, abs(u(i, j) - factor * start(row(i), column(j))))
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a, i0, a, i0, 2a)', steps, ' steps on ', grid(1), ' x ', grid(2), &
    ' processes: error ', &
    merge('below 1e-12', 'too large  ', error < 1e-12)
  call MPI_Finalize()
  if (error >= 1e-12) error stop 1

contains

  !> Makes one step of all elements except those at the edges, which stay. Then updates the padding.
  subroutine advance(from, to)
    type(dap_array), intent(in) :: from, to
    call dap_pointer(from, u)
    call dap_pointer(to, next)
    next = u
    do j = 2, size(u, 2) - 1
      do i = 2, size(u, 1) - 1
        next(i, j) = u(i, j) + k * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
      end do
    end do
    call dap_plan_run(halo, to, to)
    u => next
  end subroutine

  pure real(real64) function start(i, j)
    integer(int64), intent(in) :: i, j
    start = sin(pi * (i - 1) / (n - 1)) * sin(pi * (j - 1) / (n - 1))
  end function

  pure logical function is_inner(i)
    integer(int64), intent(in) :: i
    is_inner = i > 1 .and. i < n
  end function
end program
