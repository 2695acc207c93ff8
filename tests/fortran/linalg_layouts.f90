!> The layouts on which dense linear algebra is tested, and a matrix.
module linalg_layouts
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  implicit none
  integer, parameter :: n = 12
  type(dap_layout) :: square, column, long

contains

  !> First blocks of 2 x 2 on a grid, then slabs of rows; false: there are no more.
  logical function next_layouts()
    integer :: grid(2)
    integer, save :: turn = 0
    logical :: cyclic
    type(dap_dist) :: rows, columns
    turn = turn + 1
    next_layouts = turn <= 2
    cyclic = turn == 1
    grid = grid_of()
    rows = dap_dist(DAP_DIST_CYCLIC, n, grid(1), block_size=2)
    columns = dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=2)
    if (.not. cyclic) rows = dap_dist(DAP_DIST_EVEN, n, nprocs)
    if (.not. cyclic) columns = dap_dist(DAP_DIST_EVEN, n)
    call dap_layout_create([rows, columns], square)
    columns%size = 1
    call dap_layout_create([rows, columns], column)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, nprocs)], long)
  end function

  !> A symmetric positive definite matrix, which is its own transpose also where elements are complex.
  pure real(real64) function element(i, j)
    integer(int64), intent(in) :: i, j
    element = 1 / real(1 + abs(i - j), real64) + merge(2, 0, i == j)
  end function
end module
