!> For tests of parts of arrays: which parts, of which arrays.
module part_trials
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  implicit none
  integer, parameter :: m = 37, n = 11

  !> naxes: -1 is without axes.
  type :: trial
    character(len=40) :: why
    integer :: naxes, axes(2)
    integer(int64) :: start(2), shape(2)
  end type

  type(trial), parameter :: trials(14) = [ &
    trial('all of it', -1, [0, 0], [1, 1], [m, n]), &
    trial('rows, which some processes have not', -1, [0, 0], [9, 1], [12, n]), &
    trial('one row', -1, [0, 0], [17, 1], [1, n]), &
    trial('the last element', -1, [0, 0], [m, 10], [1, 1]), &
    trial('no rows', -1, [0, 0], [9, 1], [0, n]), &
    trial('no columns, behind the last one', -1, [0, 0], [1, n + 1], [m, 0]), &
    trial('a corner, to the end', -1, [0, 0], [9, 4], [29, 8]), &
    trial('turned', 2, [2, 1], [1, 1], [m, n]), &
    trial('turned and cut', 2, [2, 1], [9, 4], [12, 6]), &
    trial('row 10, on some processes', 1, [2, 0], [10, 1], [1, n]), &
    trial('column 5, on some or all processes', 1, [1, 0], [1, 5], [m, 1]), &
    trial('a part of column 5', 1, [1, 0], [5, 5], [9, 1]), &
    trial('a row as a matrix', 2, [0, 2], [10, 1], [1, n]), &
    trial('a column as a matrix', 2, [1, 0], [1, 5], [m, 1])]

  integer, parameter :: kinds = 5
  character(len=30), parameter :: names(kinds) = [character(len=30) :: 'slabs', 'blocks', &
    'blocks on a column-major grid', 'padded blocks', 'blocks in C order']

contains

  subroutine make_layout(kind, layout)
    integer, intent(in) :: kind
    type(dap_layout), intent(inout) :: layout
    type(dap_layout) :: row_major
    integer :: grid(2), k, l
    grid = grid_of()
    select case (kind)
    case (1)
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, m, nprocs), dap_dist(DAP_DIST_EVEN, n)], layout)
    case (4)
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, m, grid(1), halo=2), &
        dap_dist(DAP_DIST_EVEN, n, grid(2), halo=1)], layout)
    case default
      call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, m, grid(1), block_size=4), &
        dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=3)], layout)
    end select
    if (kind /= 3) return
    row_major = layout
    call dap_layout_reorder(row_major, [((k + l * grid(1), l=0, grid(2) - 1), k=0, grid(1) - 1)], layout)
  end subroutine

  !> The whole array, padding included.
  subroutine make(kind, layout, array, p)
    integer, intent(in) :: kind
    type(dap_layout), intent(inout) :: layout
    type(dap_array), intent(inout) :: array
    real(real64), pointer, intent(inout) :: p(:, :)
    call make_layout(kind, layout)
    call make_numbered(layout, array, p, order=merge(DAP_ORDER_C, DAP_ORDER_F, kind == 5))
  end subroutine

  type(dap_part) function part_of(t)
    type(trial), intent(in) :: t
    part_of%start = t%start
    part_of%shape = t%shape
    if (t%naxes >= 0) part_of%axes = t%axes(:t%naxes)
  end function

  !> The same ranks everywhere, each once; who is not among them has nothing.
  subroutine expect_ranks(part, what)
    type(dap_array), intent(in) :: part
    character(len=*), intent(in) :: what
    type(dap_layout) :: layout
    integer, allocatable :: ranks(:)
    integer :: k
    call dap_array_layout(part, layout)
    ranks = dap_array_ranks(part)
    call expect(size(ranks) == dap_layout_nprocs(layout), what // ': as many ranks')
    call expect(all([(count(ranks == ranks(k)) == 1, k=1, size(ranks))]), what // ': ranks differ')
    call expect(all(ranks >= 0 .and. ranks < nprocs), what // ': ranks there are')
    if (size(ranks) == nprocs) call expect(all(ranks == [(k, k=0, nprocs - 1)]), what // ': ranks of all')
    do k = 1, size(ranks)
      if (ranks(k) == me) call expect(extent_at(layout, k - 1, 1) == dap_array_extent(part, 1), &
        what // ': the extent that the layout has there')
    end do
    if (.not. any(ranks == me)) call expect(dap_array_extent(part, 1) == 0, what // ': nothing here')
  end subroutine

  integer(int64) function extent_at(layout, rank, axis)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: rank, axis
    integer :: coords(dap_layout_ndim(layout))
    coords = dap_layout_coords(layout, rank)
    extent_at = dap_layout_extent(layout, axis, coords(axis))
  end function
end module
