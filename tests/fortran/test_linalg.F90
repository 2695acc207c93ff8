!> Dense linear algebra: each function for each type, on block-cyclic arrays and on slabs. What they compute
!> is tested in C; here that the right operands go there and come back.
#define NAME all_r4
#define TYPE real(real32)
#define REAL_TYPE real(real32)
#define DTYPE DAP_F4
#define COMPLEX_DTYPE DAP_C8
#define REAL_DTYPE DAP_F4
#define EPS 2e-4
#include "linalg_of.inc"
#define NAME all_r8
#define TYPE real(real64)
#define REAL_TYPE real(real64)
#define DTYPE DAP_F8
#define COMPLEX_DTYPE DAP_C16
#define REAL_DTYPE DAP_F8
#define EPS 1e-10
#include "linalg_of.inc"
#define NAME all_c4
#define TYPE complex(real32)
#define REAL_TYPE real(real32)
#define DTYPE DAP_C8
#define COMPLEX_DTYPE DAP_C8
#define REAL_DTYPE DAP_F4
#define EPS 2e-4
#include "linalg_of.inc"
#define NAME all_c8
#define TYPE complex(real64)
#define REAL_TYPE real(real64)
#define DTYPE DAP_C16
#define COMPLEX_DTYPE DAP_C16
#define REAL_DTYPE DAP_F8
#define EPS 1e-10
#include "linalg_of.inc"

program test_linalg
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use linalg_layouts
  use mpi_f08
  use all_r4, only: run_r4 => run
  use all_r8, only: run_r8 => run
  use all_c4, only: run_c4 => run
  use all_c8, only: run_c8 => run
  implicit none
  call start()
  do while (next_layouts())
    call run_r4()
    call run_r8()
    call run_c4()
    call run_c8()
  end do
  call options_and_report()
  call real_factors()
  call conclude()

contains

  !> Real alpha and beta: products with the unit matrix, whose elements are those of the other operand.
  subroutine real_factors()
    type(dap_layout) :: whole
    type(dap_array) :: one, b, c
    real(real64), pointer :: e(:, :), p(:, :), q(:, :)
    integer(int64), allocatable :: rows(:)
    integer :: i
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 2 * nprocs, nprocs), dap_dist(DAP_DIST_EVEN, 2 * nprocs)], &
      whole)
    call dap_array_init(whole, me, DAP_F8, one)
    call dap_array_init(whole, me, DAP_F8, b)
    call dap_array_init(whole, me, DAP_F8, c)
    call dap_pointer(one, e)
    call dap_pointer(b, p)
    call dap_pointer(c, q)
    call dap_array_indices(one, 1, rows)
    do i = 1, size(rows)
      e(i, rows(i)) = 1
    end do
    p = 10 + me
    q = 1
    call dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', one, b, c, alpha=3._real64, beta=4._real64)
    call expect(all(abs(q - (3 * p + 4)) < 1e-12), 'a product with real factors')
    call dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', one, b, c, alpha=3._real64)
    call expect(all(abs(q - 3 * p) < 1e-12), 'a real alpha')
    call dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', one, b, c, beta=2._real64)
    call expect(all(abs(q - 7 * p) < 1e-12), 'a real beta')
    q = 1
    call dap_linalg_triangular_multiply(MPI_COMM_WORLD, 'L', 'L', 'N', 'U', one, c, alpha=5._real64)
    call expect(all(abs(q - 5) < 1e-12), 'a triangular product')
    call dap_linalg_triangular_solve(MPI_COMM_WORLD, 'L', 'L', 'N', 'U', one, c, alpha=2._real64)
    call expect(all(abs(q - 10) < 1e-12), 'a triangular solution')
    call dap_linalg_rank_k(MPI_COMM_WORLD, 'S', 'A', 'N', one, c, alpha=3._real64, beta=2._real64)
    call expect(all(abs(q - (20 + 3 * e)) < 1e-12), 'a product with its transpose')
    call dap_linalg_rank_k(MPI_COMM_WORLD, 'S', 'A', 'N', one, c, alpha=2._real64)
    call expect(all(abs(q - 2 * e) < 1e-12), 'a real alpha there')
    call dap_linalg_rank_k(MPI_COMM_WORLD, 'S', 'A', 'N', one, c, beta=3._real64)
    call expect(all(abs(q - 7 * e) < 1e-12), 'a real beta there')
  end subroutine

  subroutine options_and_report()
    type(dap_array) :: a, b
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    type(dap_error) :: err
    type(dap_layout) :: blocks, one
    real(real64), pointer :: p(:, :), q(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    integer :: grid(2), i, j
    grid = grid_of()
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, n, grid(1), block_size=2), &
      dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=2)], blocks)
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, n, grid(1), block_size=2), &
      dap_dist(DAP_DIST_CYCLIC, 1, grid(2), block_size=2)], one)
    call dap_array_init(blocks, me, DAP_F8, a)
    call dap_array_init(one, me, DAP_F8, b)
    call dap_pointer(a, p)
    call dap_pointer(b, q)
    call dap_array_indices(a, 1, rows)
    call dap_array_indices(a, 2, columns)
    do j = 1, size(columns)
      do i = 1, size(rows)
        p(i, j) = element(rows(i), columns(j))
      end do
    end do
    q = 1
    options%keep = .true.
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, options, report)
    call expect(report%count == 2 .and. report%uses(1)%name == 'A' .and. .not. report%uses(1)%shared, &
      'keep copies A')
    call expect(report%uses(2)%name == 'B' .and. report%uses(2)%shared, 'B is shared')
    call expect(len_trim(report%uses(1)%reason) > 0, 'for a reason')
    do j = 1, size(columns)
      do i = 1, size(rows)
        call expect(p(i, j) == element(rows(i), columns(j)), 'kept')
      end do
    end do
    options%sharing = DAP_SHARE_OR_FAIL
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, options, err=err)
    call expect(err%status == DAP_ERR_SHARE, 'workspace that must be kept and must not be copied')
    options = dap_linalg_options(sharing=DAP_SHARE_NEVER)
    options%block_size = -1
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, options, err=err)
    call expect(err%status == DAP_ERR_ARG, 'a block size below 0')
    p = 0
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, report=report, err=err)
    call expect(err%status == DAP_ERR_NUMERIC .and. report%info == 1, 'singular')
    call expect_text(err%text, 'singular')
  end subroutine
end program
