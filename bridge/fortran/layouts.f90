!> Layouts, which determine which process has which elements of a distributed array.
!>
!> Axes and indices start at 1. Ranks and coordinates of processes start at 0, as in MPI and BLACS. No
!> procedure is collective. Functions return -1 for an axis, rank or coordinate that does not exist.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_layouts
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  implicit none
  private

  !> The kind of a distribution. DAP_DIST_EVEN: contiguous blocks that are as even as possible. DAP_DIST_CEIL:
  !> blocks of ceil(size / procs) elements. DAP_DIST_LENGTHS: blocks of given lengths. DAP_DIST_CYCLIC: blocks
  !> of equal size, dealt round robin. DAP_DIST_UNSTRUCTURED: each process has a list of indices.
  !> DAP_DIST_REPLICATED: each process has all elements. DAP_DIST_PARTIAL: each process has an addend of each
  !> element.
  integer, parameter, public :: DAP_DIST_EVEN = 0, DAP_DIST_CEIL = 1, DAP_DIST_LENGTHS = 2, &
    DAP_DIST_CYCLIC = 3, &
    DAP_DIST_UNSTRUCTURED = 4, DAP_DIST_REPLICATED = 5, DAP_DIST_PARTIAL = 6

  !> The distribution of one axis, such as dap_dist(DAP_DIST_CYCLIC, n, procs, block_size=64). Leave out
  !> components that do not apply to the kind. The lists are arrays of the program with the attribute TARGET.
  !> dap_layout_create() copies them.
  type, public :: dap_dist
    integer :: kind = DAP_DIST_EVEN !< one of the constants above
    integer(int64) :: size = 0 !< number of elements, including boundary padding
    integer :: procs = 1 !< processes along the axis
    integer(int64) :: block_size = 0 !< DAP_DIST_CYCLIC: elements of a block, at least 1
    integer :: first_owner = 0 !< DAP_DIST_CYCLIC: coordinate of the process with the first block (RSRC, CSRC)
    integer(int64) :: halo = 0 !< contiguous kinds: width of communication padding at each interface
    integer(int64) :: boundary(2) = 0 !< contiguous kinds: widths of boundary padding, included in size
    logical :: periodic = .false. !< contiguous kinds: the first and last element are neighbours
    logical :: wraps = .false. !< periodic axes: the outer edges also have communication padding
    logical :: one_to_one = .false. !< DAP_DIST_UNSTRUCTURED: no index is in two lists
    !> (procs) DAP_DIST_LENGTHS: elements of each process; DAP_DIST_UNSTRUCTURED: length of each list
    integer(int64), pointer, contiguous :: lengths(:) => null()
    !> (sum of lengths) DAP_DIST_UNSTRUCTURED: the global indices of each list, one list after the other
    integer(int64), pointer, contiguous :: indices(:) => null()
    !> (procs) DAP_DIST_UNSTRUCTURED: number of owned indices, which come first in each list; the others are
    !> ghosts
    integer(int64), pointer, contiguous :: owned(:) => null()
  end type

  !> A layout. After an assignment both variables refer to the same layout, which never changes.
  type, extends(dap_object), public :: dap_layout
  contains
    procedure, private :: assign => dap_f_assign_layout
    generic :: assignment(=) => assign
    final :: end_layout
  end type

  public :: dap_grid_from_cart, dap_layout_create, dap_layout_ndim, dap_layout_size, dap_layout_procs, dap_layout_nprocs, &
    dap_layout_owned, dap_layout_extent, dap_layout_halo, dap_layout_coords, dap_layout_rank, &
    dap_layout_reorder, dap_layout_is_equal

  !> The C form of dap_dist. C makes a table from the list `indices`.
  type, bind(c) :: c_dist
    integer(c_int) :: kind, procs
    integer(c_int64_t) :: size
    type(c_ptr) :: lengths = c_null_ptr
    integer(c_int64_t) :: block_size
    integer(c_int) :: first_owner
    integer(c_int64_t) :: halo, boundary(2)
    logical(c_bool) :: periodic, wraps
    type(c_ptr) :: lists = c_null_ptr
    logical(c_bool) :: one_to_one
    type(c_ptr) :: owned = c_null_ptr, is_owned = c_null_ptr
    type(c_ptr) :: indices = c_null_ptr
  end type

  interface
    !> This is not a procedure of the module: assign.f90 says why.
    impure elemental subroutine dap_f_assign_layout(left, right)
      import
      class(dap_layout), intent(out) :: left
      type(dap_layout), intent(in) :: right
    end subroutine
  end interface

  interface
    integer(c_int) function c_create(ndim, dists, counts, layout, e) bind(c, name='dap_f_layout_create')
      import
      integer(c_int), value :: ndim
      type(c_dist), intent(inout) :: dists(*)
      integer(c_int64_t), intent(in) :: counts(3, *)
      type(c_ptr), intent(inout) :: layout
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_from_cart(comm, ndim, dists, e) bind(c, name='dap_f_grid_from_cart')
      import
      type(*), intent(in) :: comm
      integer(c_int), value :: ndim
      type(c_dist), intent(inout) :: dists(*)
      type(c_error), intent(inout) :: e
    end function
    pure integer(c_int) function c_ndim(layout) bind(c, name='dap_f_layout_ndim')
      import
      type(c_ptr), value :: layout
    end function
    pure integer(c_int) function c_nprocs(layout) bind(c, name='dap_f_layout_nprocs')
      import
      type(c_ptr), value :: layout
    end function
    pure integer(c_int64_t) function c_size(layout, axis) bind(c, name='dap_f_layout_size')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: axis
    end function
    pure integer(c_int) function c_procs(layout, axis) bind(c, name='dap_f_layout_procs')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: axis
    end function
    pure integer(c_int64_t) function c_owned(layout, axis, coord) bind(c, name='dap_f_layout_owned')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: axis, coord
    end function
    pure integer(c_int64_t) function c_extent(layout, axis, coord) bind(c, name='dap_f_layout_extent')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: axis, coord
    end function
    subroutine c_halo(layout, axis, coord, width) bind(c, name='dap_f_layout_halo')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: axis, coord
      integer(c_int64_t), intent(out) :: width(2)
    end subroutine
    subroutine c_coords(layout, rank, coords) bind(c, name='dap_f_layout_coords')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      integer(c_int), intent(out) :: coords(*)
    end subroutine
    integer(c_int) function c_rank(layout, ncoords, coords) bind(c, name='dap_f_layout_rank')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: ncoords
      integer(c_int), intent(in) :: coords(*)
    end function
    integer(c_int) function c_reorder(layout, nranks, ranks, reordered, e) bind(c, name='dap_f_layout_reorder')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: nranks
      integer(c_int), intent(in) :: ranks(*)
      type(c_ptr), intent(inout) :: reordered
      type(c_error), intent(inout) :: e
    end function
    pure logical(c_bool) function c_is_equal(a, b) bind(c, name='dap_f_layout_is_equal')
      import
      type(c_ptr), value :: a, b
    end function
  end interface

contains

  !> Creates the layout of an array in the variable `layout`. dists(k) is the distribution of axis k. Ranks
  !> are in row-major order on the grid.
  !> Errors:
  !> - DAP_ERR_ARG: there are too many axes, or a list that a distribution needs is missing
  !> - DAP_ERR_DIM: a component is out of range, or the axis cannot have the distribution
  !> - DAP_ERR_RANGE: the grid or the number of elements overflows
  !> - DAP_ERR_NOMEM
  subroutine dap_layout_create(dists, layout, err)
    type(dap_dist), intent(in) :: dists(:)
    type(dap_layout), intent(inout) :: layout
    type(dap_error), intent(out), optional :: err
    type(c_dist) :: plain(DAP_MAX_NDIM)
    integer(c_int64_t) :: counts(3, DAP_MAX_NDIM) !< sizes of lengths, owned, indices; -1: not given
    type(c_error) :: e
    integer :: k
    if (is_missing(dists)) then
      call release(layout%handle)
      call refuse_missing('dists', err)
      return
    end if
    do k = 1, min(size(dists), DAP_MAX_NDIM)
      plain(k) = as_c(dists(k))
      counts(:, k) = [count_of(dists(k)%lengths), count_of(dists(k)%owned), count_of(dists(k)%indices)]
    end do
    call finish(c_create(size(dists), plain, counts, layout%handle, e), e, err)
  end subroutine

  !> Sets `procs` of each axis in dists to the number of processes along this axis in the Cartesian topology
  !> of comm. On entry `procs` must be 0 or this number. A contiguous axis becomes periodic if the topology is
  !> periodic along the axis. If a periodic axis has a halo and no boundary padding, the padding wraps around.
  !> Process r of the layout is rank r of comm. Not collective. On error `dists` is unchanged.
  !> Errors:
  !> - DAP_ERR_ARG: comm does not have a Cartesian topology, or dists contradicts it
  !> - DAP_ERR_UNSUPPORTED: the topology has too many dimensions
  !> - DAP_ERR_LIBRARY
  subroutine dap_grid_from_cart(comm, dists, err)
    type(*), intent(in) :: comm
    type(dap_dist), intent(inout) :: dists(:)
    type(dap_error), intent(out), optional :: err
    type(c_dist) :: plain(DAP_MAX_NDIM)
    type(c_error) :: e
    integer :: k
    if (is_missing(dists)) then
      call refuse_missing('dists', err)
      return
    end if
    do k = 1, min(size(dists), DAP_MAX_NDIM)
      plain(k) = as_c(dists(k))
    end do
    call finish(c_from_cart(comm, size(dists), plain, e), e, err)
    do k = 1, min(size(dists), DAP_MAX_NDIM)
      dists(k)%procs = plain(k)%procs
      dists(k)%periodic = plain(k)%periodic
      dists(k)%wraps = plain(k)%wraps
    end do
  end subroutine

  type(c_dist) function as_c(dist) result(c)
    type(dap_dist), intent(in) :: dist
    c = c_dist(kind=dist%kind, procs=dist%procs, size=dist%size, block_size=dist%block_size, &
      first_owner=dist%first_owner, halo=dist%halo, boundary=dist%boundary, &
      periodic=logical(dist%periodic, c_bool), wraps=logical(dist%wraps, c_bool), &
      one_to_one=logical(dist%one_to_one, c_bool))
    if (associated(dist%lengths)) c%lengths = c_loc(dist%lengths)
    if (associated(dist%owned)) c%owned = c_loc(dist%owned)
    if (associated(dist%indices)) c%indices = c_loc(dist%indices)
  end function

  pure integer(c_int64_t) function count_of(list)
    integer(int64), pointer, intent(in) :: list(:)
    count_of = -1
    if (associated(list)) count_of = size(list, kind=int64)
  end function

  !> Returns the number of axes of `layout`.
  pure integer function dap_layout_ndim(layout)
    type(dap_layout), intent(in) :: layout
    dap_layout_ndim = c_ndim(layout%handle)
  end function

  !> Returns the number of processes of `layout`.
  pure integer function dap_layout_nprocs(layout)
    type(dap_layout), intent(in) :: layout
    dap_layout_nprocs = c_nprocs(layout%handle)
  end function

  !> Returns the number of elements of `layout` along `axis`.
  pure integer(int64) function dap_layout_size(layout, axis)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: axis
    dap_layout_size = c_size(layout%handle, axis)
  end function

  !> Returns the number of processes of `layout` along `axis`.
  pure integer function dap_layout_procs(layout, axis)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: axis
    dap_layout_procs = c_procs(layout%handle, axis)
  end function

  !> Returns the number of elements of `layout` that the process at coordinate `coord` owns along `axis`. For
  !> a block-cyclic axis, the result equals that of ScaLAPACK's NUMROC.
  pure integer(int64) function dap_layout_owned(layout, axis, coord)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: axis, coord
    dap_layout_owned = c_owned(layout%handle, axis, coord)
  end function

  !> Returns the extent of the local array of `layout` along `axis`, for the process at coordinate `coord`.
  !> The extent includes communication padding and ghosts.
  pure integer(int64) function dap_layout_extent(layout, axis, coord)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: axis, coord
    dap_layout_extent = c_extent(layout%handle, axis, coord)
  end function

  !> Returns the widths of the communication padding at the low and the high end of the local array of
  !> `layout` along `axis`, for the process at coordinate `coord`.
  function dap_layout_halo(layout, axis, coord) result(width)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: axis, coord
    integer(int64) :: width(2)
    call c_halo(layout%handle, axis, coord, width)
  end function

  !> Returns the coordinates of process `rank` on the process grid of `layout`, starting at 0.
  function dap_layout_coords(layout, rank) result(coords)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer :: coords(max(dap_layout_ndim(layout), 0))
    call c_coords(layout%handle, rank, coords)
  end function

  !> Returns the rank of the process at the coordinates `coords` of the grid of `layout`.
  integer function dap_layout_rank(layout, coords)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: coords(:)
    dap_layout_rank = -1
    if (.not. is_missing(coords)) dap_layout_rank = c_rank(layout%handle, size(coords), coords)
  end function

  !> Makes the layout `reordered`, with the distributions of `layout` and other ranks. ranks(i) is the rank at
  !> the i-th position of the grid, in row-major order. For example, a grid of p x q processes that BLACS made
  !> with order 'C' (column-major) has the ranks [((i + j * p, j = 0, q - 1), i = 0, p - 1)].
  !> Errors:
  !> - DAP_ERR_ARG: `ranks` does not contain each rank exactly once
  !> - DAP_ERR_NOMEM
  subroutine dap_layout_reorder(layout, ranks, reordered, err)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: ranks(:)
    type(dap_layout), intent(inout) :: reordered
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    if (is_missing(ranks)) then
      call release(reordered%handle)
      call refuse_missing('ranks', err)
      return
    end if
    call finish(c_reorder(layout%handle, size(ranks), ranks, reordered%handle, e), e, err)
  end subroutine

  !> Returns true if the layouts `a` and `b` have the same distributions over the same process grid.
  pure logical function dap_layout_is_equal(a, b)
    type(dap_layout), intent(in) :: a, b
    dap_layout_is_equal = c_is_equal(a%handle, b%handle)
  end function

  impure elemental subroutine end_layout(layout)
    type(dap_layout), intent(inout) :: layout
    call release(layout%handle)
  end subroutine
end module
