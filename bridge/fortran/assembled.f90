!> Layouts made from the protocol's dictionaries, in which each process describes its part.
!>
!> Use such layouts for arrays that another program, or another part of this program, has distributed.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_assembled
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_layouts
  implicit none
  private

  !> Describes one axis of one process's part, with the protocol's keys, such as dap_dim('b', n, procs,
  !> coordinate, start=first, stop=last). Indices are counted from 1. start and stop are the first and the
  !> last index, as in a loop. Leave out arguments that do not apply to the distribution type.
  !>
  !> - 'b': a block, which is empty if stop = start - 1. In protocol 0.10 the range from start to stop is that
  !>   of the local array, including communication padding. In 0.9 it is the range of the owned elements.
  !> - 'c': blocks of block_size elements, dealt round robin. start is the first index that this process owns,
  !>   or n + 1 if it owns no elements.
  !> - 'u': the indices of the local array, in its order. The first `owned` indices are owned, and the others
  !>   are ghosts. Without `owned`, the owner of an index is the process with the lowest proc_grid_rank whose
  !>   list contains the index.
  !> - ' ': not distributed. This process has the whole axis, and its local array has all elements of the axis.
  type, public :: dap_dim
    character :: dist_type = ' ' !< one of the types above
    integer(int64) :: size = 0 !< elements of the whole axis
    integer :: proc_grid_size = 1 !< processes along the axis
    integer :: proc_grid_rank = 0 !< coordinate of this process along the axis, counted from 0
    integer(int64) :: start = 1, stop = 0 !< 'b', 'c': first and last index
    integer(int64) :: padding(2) = 0 !< 'b': padding at the low and the high end
    integer(int64) :: block_size = 1 !< 'c': elements of a block
    logical :: periodic = .false. !< 'b': the axis is periodic
    logical :: one_to_one = .false. !< 'u': no index is on two processes
    !> 'u': the global indices, which are copied. The program's array needs the attribute TARGET
    integer(int64), pointer, contiguous :: indices(:) => null()
    integer(int64) :: owned = -1 !< 'u': number of owned indices, which come first; -1: not given
  end type

  public :: dap_layout_assemble, dap_layout_lookup

  !> The C form of dap_dim, with the length of its list.
  type, bind(c) :: c_dim
    character(kind=c_char) :: dist_type
    logical(c_bool) :: periodic, one_to_one
    integer(c_int) :: proc_grid_size, proc_grid_rank
    integer(c_int64_t) :: size, start, stop, padding(2), block_size
    integer(c_int64_t) :: owned, index_count
    type(c_ptr) :: indices
  end type

  interface
    integer(c_int) function c_assemble(comm, ndim, dims, version, data, layout, e) bind(c, &
        name='dap_f_layout_assemble')
      import
      type(*), intent(in) :: comm
      integer(c_int), value :: ndim
      type(c_dim), intent(in) :: dims(*)
      character(kind=c_char), intent(in) :: version(*)
      type(*), intent(in) :: data(..)
      type(c_ptr), intent(inout) :: layout
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_lookup(comm, layout, nglobal, count, global, ranks, local, e) bind(c, &
        name='dap_f_layout_lookup')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: layout
      integer(c_int), value :: nglobal
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int), intent(inout) :: ranks(*)
      integer(c_int64_t), intent(inout) :: local(*)
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Makes the layout of an array. `data` is this process's part of the array. dims(k) describes axis k of
  !> this process's part. dap_array_wrap(layout, rank, data, array) then makes the array, where `rank` is the
  !> rank of this process in comm. Collective on comm, which must contain exactly the array's processes. The
  !> coordinates of the processes may be in any order. The procedure does not read elements of `data`. It
  !> checks the number of axes, the element type, and the extents, which include padding and ghosts. version
  !> is the version of the protocol: '0.10.0', '0.9.0' or '0.0.1'. It must be the same on all processes.
  !>
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: `owned` exceeds the length of the list, or an argument differs between processes
  !> - DAP_ERR_DIM: a description breaks a rule
  !> - DAP_ERR_LAYOUT: the parts contradict each other
  !> - DAP_ERR_BUFFER: `data` does not match its description, is not allocated, or is an assumed-size array
  !>   (pass a section instead)
  !> - DAP_ERR_VERSION, DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_layout_assemble(comm, dims, data, layout, version, err)
    type(*), intent(in) :: comm
    type(dap_dim), intent(in) :: dims(:)
    type(*), intent(in) :: data(..)
    type(dap_layout), intent(inout) :: layout
    character(len=*), intent(in), optional :: version
    type(dap_error), intent(out), optional :: err
    character(len=:), allocatable :: rules
    type(c_dim) :: plain(DAP_MAX_NDIM)
    type(c_error) :: e
    integer :: k, ndim !< -1: dims is not allocated
    rules = '0.10.0'
    if (present(version)) rules = trim(version)
    ndim = -1
    if (.not. is_missing(dims)) ndim = size(dims)
    do k = 1, min(ndim, DAP_MAX_NDIM)
      plain(k) = as_c(dims(k))
    end do
    call finish(c_assemble(comm, ndim, plain, rules // c_null_char, data, layout%handle, e), e, err)
  end subroutine

  type(c_dim) function as_c(dim) result(c)
    type(dap_dim), intent(in) :: dim
    c = c_dim(dim%dist_type, logical(dim%periodic, c_bool), logical(dim%one_to_one, c_bool), &
      dim%proc_grid_size, dim%proc_grid_rank, dim%size, dim%start, dim%stop, dim%padding, dim%block_size, &
      dim%owned, 0, c_null_ptr)
    if (.not. associated(dim%indices)) return
    c%index_count = size(dim%indices, kind=int64)
    c%indices = c_loc(dim%indices)
  end function

  !> Finds the owners of many elements in any layout, by asking the processes that know the owners. Each
  !> process can ask for any number of elements, including 0. global(:, k) contains the indices of element k.
  !> ranks(k) receives the rank of the element's owner, and local(:, k) receives the position of the element
  !> in the owner's array. Collective on comm, whose rank i must be process i of the layout.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an index is out of range, comm does not have the layout's processes, or extents differ
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_layout_lookup(comm, layout, global, ranks, local, err)
    type(*), intent(in) :: comm
    type(dap_layout), intent(in) :: layout
    integer(int64), intent(in), contiguous :: global(:, :)
    integer, intent(out), contiguous :: ranks(:)
    integer(int64), intent(out), contiguous :: local(:, :)
    type(dap_error), intent(out), optional :: err
    integer(int64) :: count
    integer :: missing
    type(c_error) :: e
    missing = findloc([logical(is_missing(global)), logical(is_missing(ranks)), logical(is_missing(local))], &
      .true., dim=1)
    ! gfortran passes an empty array constructor without memory. Nothing is read if no element is asked for.
    if (missing > 0 .and. max(size(global), size(ranks), size(local)) > 0) then
      call finish(c_lookup(comm, layout%handle, -missing, 0_c_int64_t, global, ranks, local, e), e, err)
      return
    end if
    count = size(global, 2, kind=int64)
    if (size(ranks, kind=int64) /= count .or. any(shape(local) /= shape(global))) count = -1
    call finish(c_lookup(comm, layout%handle, size(global, 1), count, global, ranks, local, e), e, err)
  end subroutine
end module
