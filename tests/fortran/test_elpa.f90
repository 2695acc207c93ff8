!> Eigenproblems by ELPA: the second difference, whose eigenvalues are 2 - 2 cos(k pi / (n + 1)).
program test_elpa
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: n = 75 ! larger than the band of two stages
  real(real64), parameter :: pi = acos(-1._real64)
  type(dap_layout) :: square, long, some
  type(dap_array) :: a, w, z
  type(dap_linalg_options) :: options
  type(dap_linalg_report) :: report
  real(real64) :: largest
  integer :: grid(2)
  call start()
  grid = grid_of()
  call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, n, grid(1), block_size=4), &
    dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=4)], square)
  call dap_array_init(square, me, DAP_F8, a)

  call set()
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, nprocs)], long)
  call dap_array_init(long, me, DAP_F8, w)
  call dap_array_init(square, me, DAP_F8, z)
  options%eigh%backend = dap_elpa_backend(1)
  call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
  call expect(report%solver == DAP_EIGH_BACKEND .and. report%method == 'ELPA, 1 stage', 'ELPA')
  call expect(report%found == n .and. report%uses(1)%shared, 'all, in place')
  call expect_values(0)
  call dap_array_init(square, me, DAP_F8, a)
  call dap_linalg_multiply(MPI_COMM_WORLD, 'T', 'N', z, z, a)
  call dap_linalg_norm(MPI_COMM_WORLD, 'M', a, largest)
  call expect(abs(largest - 1) < 1e-12, 'vectors are of length 1')

  ! Numbers 5 to 9, in two stages.
  call set()
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, 5, nprocs)], some)
  call dap_array_init(some, me, DAP_F8, w)
  options%eigh = dap_eigh_options(DAP_EIGH_BACKEND, DAP_EIGH_BY_INDEX, first=5, last=9, &
    backend=dap_elpa_backend(2))
  call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, options=options, report=report)
  call expect(report%method == 'ELPA, 2 stages' .and. report%found == 5, 'some, in two stages')
  call expect_values(4)
  call conclude()

contains

  subroutine set()
    real(real64), pointer :: p(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    integer :: i, j
    call dap_pointer(a, p)
    call dap_array_indices(a, 1, rows)
    call dap_array_indices(a, 2, columns)
    do j = 1, size(columns)
      do i = 1, size(rows)
        p(i, j) = merge(2, merge(-1, 0, abs(rows(i) - columns(j)) == 1), rows(i) == columns(j))
      end do
    end do
  end subroutine

  subroutine expect_values(first)
    integer, intent(in) :: first
    real(real64), pointer :: p(:)
    integer(int64), allocatable :: numbers(:)
    integer :: i
    call dap_pointer(w, p)
    call dap_array_indices(w, 1, numbers)
    do i = 1, size(numbers)
      call expect(abs(p(i) - 2 + 2 * cos((first + numbers(i)) * pi / (n + 1))) < 1e-12, 'eigenvalue')
    end do
  end subroutine
end program
