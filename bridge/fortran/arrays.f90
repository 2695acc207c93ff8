!> Arrays: a layout and this process's part of the elements.
!>
!> A process that does not belong to the layout receives an array without a part, so all processes of a
!> communicator can make the same calls.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_arrays
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_layouts
  implicit none
  private

  !> A distributed array as one process sees it. After an assignment both variables refer to the same array.
  type, extends(dap_object), public :: dap_array
  contains
    procedure, private :: assign => dap_f_assign_array
    generic :: assignment(=) => assign
    final :: end_array
  end type

  public :: dap_array_init, dap_array_wrap, dap_array_alloc, dap_array_layout, dap_array_ranks, &
    dap_array_extent, dap_array_indices

  interface
    !> This is not a procedure of the module: assign.f90 says why.
    impure elemental subroutine dap_f_assign_array(left, right)
      import
      class(dap_array), intent(out) :: left
      type(dap_array), intent(in) :: right
    end subroutine
  end interface

  interface
    integer(c_int) function c_init(layout, rank, dtype, order, array, e) bind(c, name='dap_f_array_init')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank, dtype
      character(kind=c_char), value :: order
      type(c_ptr), intent(inout) :: array
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_wrap(layout, rank, data, array, e) bind(c, name='dap_f_array_wrap')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      type(*), intent(in) :: data(..)
      type(c_ptr), intent(inout) :: array
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_alloc(comm, layout, dtype, order, array, e) bind(c, name='dap_f_array_alloc')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: layout
      integer(c_int), value :: dtype
      character(kind=c_char), value :: order
      type(c_ptr), intent(inout) :: array
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_layout(array, layout, e) bind(c, name='dap_f_array_layout')
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: layout
      type(c_error), intent(inout) :: e
    end function
    pure integer(c_int) function c_nprocs(array) bind(c, name='dap_f_array_nprocs')
      import
      type(c_ptr), value :: array
    end function
    subroutine c_ranks(array, ranks) bind(c, name='dap_f_array_ranks')
      import
      type(c_ptr), value :: array
      integer(c_int), intent(inout) :: ranks(*)
    end subroutine
    pure integer(c_int64_t) function c_extent(array, axis) bind(c, name='dap_f_array_extent')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: axis
    end function
    integer(c_int) function c_indices(array, axis, indices, owned, e) bind(c, name='dap_f_array_indices')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: axis
      integer(c_int64_t), intent(inout) :: indices(*)
      logical(c_bool), intent(inout) :: owned(*)
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Makes the array of process `rank` of a layout. The library allocates memory for the part of this process,
  !> and sets it to 0. The part is in Fortran order unless `order` is DAP_ORDER_C. `dtype` is a constant such
  !> as DAP_F8. dap_pointer() returns a pointer to the elements. Not collective.
  !> Errors:
  !> - DAP_ERR_ARG: rank, dtype or order is invalid
  !> - DAP_ERR_UNSUPPORTED: an axis is partial
  !> - DAP_ERR_RANGE, DAP_ERR_REMOTE, DAP_ERR_NOMEM
  subroutine dap_array_init(layout, rank, dtype, array, order, err)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: rank, dtype
    type(dap_array), intent(inout) :: array
    character, intent(in), optional :: order
    type(dap_error), intent(out), optional :: err
    character(kind=c_char) :: letter
    type(c_error) :: e
    letter = DAP_ORDER_F
    if (present(order)) letter = order
    call finish(c_init(layout%handle, rank, dtype, letter, array%handle, e), e, err)
  end subroutine

  !> Makes the array of process `rank` of a layout, in the program's memory. `data` contains the elements. It
  !> can have any of the supported types and any strides. Its extents must be those of this process's part of
  !> the layout. The program owns `data`. Declare it TARGET or POINTER, and keep it as long as the array, and
  !> all objects made from the array, exist.
  !>
  !> If `p` is an array of a derived type, do not pass its component `p%u` directly, because a compiler may
  !> pass a copy. Pass `p%u` to a procedure with a pointer argument, which calls this one (fortran.md,
  !> "Layouts and arrays"). Not collective.
  !> Errors:
  !> - DAP_ERR_BUFFER: `data` has another rank, other extents or an unsupported type, or is not allocated
  !> - DAP_ERR_ARG, DAP_ERR_NOMEM
  subroutine dap_array_wrap(layout, rank, data, array, err)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: rank
    type(*), intent(in), target :: data(..)
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_wrap(layout%handle, rank, data, array%handle, e), e, err)
  end subroutine

  !> Makes the array of a layout in memory that the processes of each node share, so that plans can copy
  !> elements directly. The elements are set to 0. `dtype` is a constant such as DAP_F8. Each part is in
  !> Fortran order unless `order` is DAP_ORDER_C. Collective on comm, whose first ranks are the layout's
  !> processes.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid, or differs between processes
  !> - DAP_ERR_UNSUPPORTED: an axis is partial
  !> - DAP_ERR_RANGE, DAP_ERR_REMOTE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_array_alloc(comm, layout, dtype, array, order, err)
    type(*), intent(in) :: comm
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: dtype
    type(dap_array), intent(inout) :: array
    character, intent(in), optional :: order
    type(dap_error), intent(out), optional :: err
    character(kind=c_char) :: letter
    type(c_error) :: e
    letter = DAP_ORDER_F
    if (present(order)) letter = order
    call finish(c_alloc(comm, layout%handle, dtype, letter, array%handle, e), e, err)
  end subroutine

  !> Returns the array's layout. Errors: DAP_ERR_ARG (the array was made from a ScaLAPACK descriptor, and this
  !> process is outside the process grid).
  subroutine dap_array_layout(array, layout, err)
    type(dap_array), intent(in) :: array
    type(dap_layout), intent(inout) :: layout
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_layout(array%handle, layout%handle, e), e, err)
  end subroutine

  !> Returns the ranks of the processes of the array's layout. ranks(i + 1) is the rank of the layout's
  !> process i in the array's communicator. This rank is i, except for a part that only some processes have
  !> (dap_array_part()), and for an array from a descriptor whose grid is smaller than the communicator. The
  !> result is empty if the layout is not known.
  function dap_array_ranks(array) result(ranks)
    type(dap_array), intent(in) :: array
    integer, allocatable :: ranks(:)
    allocate(ranks(c_nprocs(array%handle)))
    call c_ranks(array%handle, ranks)
  end function

  !> Returns the extent of this process's part along an axis, with padding and ghosts. The extent is 0 if the
  !> process has no part.
  pure integer(int64) function dap_array_extent(array, axis)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: axis
    dap_array_extent = c_extent(array%handle, axis)
  end function

  !> Returns in `indices` the global index of each position of this process's part along an axis. If rows and
  !> columns are the lists for axes 1 and 2, local element (i, j) is global element (rows(i), columns(j)).
  !> owned is true for positions that this process owns, and false for communication padding and ghosts.
  !> Indices of padding are 0 if this process owns no elements along another axis.
  subroutine dap_array_indices(array, axis, indices, owned, err)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: axis
    integer(int64), allocatable, intent(out) :: indices(:)
    logical, allocatable, intent(out), optional :: owned(:)
    type(dap_error), intent(out), optional :: err
    logical(c_bool), allocatable :: is_owned(:)
    type(c_error) :: e
    allocate(indices(dap_array_extent(array, axis)), is_owned(dap_array_extent(array, axis)))
    call finish(c_indices(array%handle, axis, indices, is_owned, e), e, err)
    if (present(owned)) owned = is_owned
  end subroutine

  impure elemental subroutine end_array(array)
    type(dap_array), intent(inout) :: array
    call release(array%handle)
  end subroutine
end module
