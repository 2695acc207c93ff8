!> ScaLAPACK: matrices with a descriptor as arrays, and arrays as matrices with a descriptor.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_matrices
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_arrays
  implicit none
  private

  !> The kind of ScaLAPACK's INTEGER, which has 64 bits in ILP64 builds.
#ifdef DAPBRIDGE_SCALAPACK_ILP64
  integer, parameter, public :: dap_scalapack_int = c_int64_t
#else
  integer, parameter, public :: dap_scalapack_int = c_int
#endif

  !> An array as a column-major block-cyclic matrix. Pass the pointer from dap_pointer(matrix, p), ia, ja and
  !> desc to ScaLAPACK. Pass op as TRANS to compute with the array itself. A process outside the matrix's grid
  !> must not call ScaLAPACK.
  type, extends(dap_object), public :: dap_matrix
    integer(dap_scalapack_int) :: desc(9) = -1 !< descriptor; desc(2), the context, is -1 outside the grid
    integer(dap_scalapack_int) :: m = 0, n = 0 !< rows and columns of the sub-matrix
    integer(dap_scalapack_int) :: ia = 1, ja = 1 !< where the sub-matrix begins in the descriptor's matrix
    character :: op = 'N' !< 'N': the matrix is the array; 'T': the matrix is the array's transpose
    logical :: shared = .false. !< the view uses the array's memory; the same on every process
    integer(int64) :: moved_bytes = 0 !< bytes that this process copied or sent for the view so far
    character(len=512) :: reason = '' !< why the view is shared, or why not
  contains
    procedure, private :: assign => dap_f_assign_matrix
    generic :: assignment(=) => assign
    final :: end_matrix
  end type

  public :: dap_array_import, dap_context_comm, dap_scalapack_get, dap_scalapack_restore, &
    dap_scalapack_discard, &
    dap_scalapack_load, dap_scalapack_store, dap_scalapack_halo

  type, bind(c) :: c_info
    integer(dap_scalapack_int) :: desc(9), m, n, ia, ja
    character(kind=c_char) :: op
    logical(c_bool) :: shared
    integer(c_int64_t) :: moved_bytes
    character(kind=c_char) :: reason(512)
  end type

  type, bind(c) :: c_options
    integer(c_int) :: sharing = DAP_SHARE_IF_POSSIBLE
    character(kind=c_char) :: op = c_null_char
    type(c_ptr) :: routine = c_null_ptr, aligned_with = c_null_ptr, context = c_null_ptr
    integer(c_int64_t) :: block_size(2) = 0
    integer(c_int) :: grid(2) = 0
  end type

  interface
    !> This is not a procedure of the module: assign.f90 says why.
    impure elemental subroutine dap_f_assign_matrix(left, right)
      import
      class(dap_matrix), intent(out) :: left
      type(dap_matrix), intent(in) :: right
    end subroutine
  end interface

  interface
    integer(c_int) function c_import(comm, desc, a, array, e) bind(c, name='dap_f_array_import')
      import
      type(*), intent(in) :: comm
      integer(dap_scalapack_int), intent(in) :: desc(*)
      type(*), intent(in) :: a(..)
      type(c_ptr), intent(inout) :: array
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_context_comm(context) bind(c, name='dap_f_context_comm')
      import
      integer(dap_scalapack_int), value :: context
    end function
    integer(c_int) function c_get(comm, array, access, options, matrix, info, e) &
        bind(c, name='dap_f_scalapack_get')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: array
      integer(c_int), value :: access
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: matrix
      type(c_info), intent(inout) :: info
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_end(matrix, discards, info, e) bind(c, name='dap_f_scalapack_end')
      import
      type(c_ptr), value :: matrix
      logical(c_bool), value :: discards
      type(c_info), intent(inout) :: info
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_load(matrix, e) bind(c, name='dap_f_scalapack_load')
      import
      type(c_ptr), value :: matrix
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_store(matrix, e) bind(c, name='dap_f_scalapack_store')
      import
      type(c_ptr), value :: matrix
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_halo(matrix, e) bind(c, name='dap_f_scalapack_halo')
      import
      type(c_ptr), value :: matrix
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Makes an array (M, N) from a ScaLAPACK matrix, in place. desc is the descriptor. a is this process's
  !> local part A(LLD, *) or the first element of this part, of any supported type. The program owns a.
  !> Declare a TARGET, and keep it as long as the array exists. Collective on comm.
  !>
  !> If the context's grid contains all processes of comm, all procedures accept the array. If the grid has
  !> fewer processes, the other processes pass a descriptor whose context is -1, and any a of the same type.
  !> Then plans on comm accept the array.
  !>
  !> Errors: DAP_ERR_ARG (an entry of the descriptor is invalid, which the text names, or comm lacks processes
  !> of the grid), DAP_ERR_BUFFER (the leading dimension is not the descriptor's, the array is not allocated
  !> although there are elements, or ScaLAPACK does not have the type), DAP_ERR_NOMEM, DAP_ERR_LIBRARY.
  subroutine dap_array_import(comm, desc, a, array, err)
    type(*), intent(in) :: comm
    integer(dap_scalapack_int), intent(in) :: desc(9)
    type(*), intent(in), target :: a(..)
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_import(comm, desc, a, array%handle, e), e, err)
  end subroutine

  !> Returns the communicator (an INTEGER) of a context's grid. The ranks are in the order in which BLACS
  !> numbers the processes. BLACS owns the communicator. Not collective.
  integer function dap_context_comm(context)
    integer(dap_scalapack_int), intent(in) :: context
    dap_context_comm = c_context_comm(context)
  end function

  !> Gets an array with one or two axes as a matrix. The matrix is shared if ScaLAPACK can use the array's
  !> memory. Otherwise the matrix is a copy. End the view with dap_scalapack_restore or dap_scalapack_discard.
  !> Collective on comm, which must contain exactly the layout's processes: rank i is process i of the layout.
  !>
  !> access is DAP_READ, DAP_WRITE or DAP_READ_WRITE. sharing specifies whether the view may be a copy.
  !> routine names the ScaLAPACK routine to which you will pass the view, such as 'pdsyevd'. The view meets
  !> the requirements of this routine. op is the required form, 'N' or 'T'. aligned_with is another live view,
  !> which will be an argument of the same ScaLAPACK call. The new view has the grid and block sizes of
  !> aligned_with. context is a BLACS context of the program. block_size (2) and grid (2) are the block sizes
  !> and the process grid, along the array's axes, of a view that is not shared.
  !>
  !> Errors, the same on every process: DAP_ERR_ARG (an argument is invalid, or differs between processes),
  !> DAP_ERR_BUFFER (the element type is unsupported, the buffer does not match its layout, or the array is
  !> read-only), DAP_ERR_SHARE (a copy is needed, but DAP_SHARE_OR_FAIL forbids it), DAP_ERR_RANGE (sizes
  !> exceed ScaLAPACK's integers), DAP_ERR_UNSUPPORTED (an axis is partial, or no view meets the
  !> requirements), DAP_ERR_REMOTE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY.
  subroutine dap_scalapack_get(comm, array, access, matrix, sharing, routine, op, aligned_with, context, &
    block_size, &
      grid, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    integer, intent(in) :: access
    type(dap_matrix), intent(inout) :: matrix
    integer, intent(in), optional :: sharing
    character(len=*), intent(in), optional :: routine
    character, intent(in), optional :: op
    type(dap_matrix), intent(in), optional :: aligned_with
    integer(dap_scalapack_int), intent(in), target, optional :: context
    integer(int64), intent(in), optional :: block_size(2)
    integer, intent(in), optional :: grid(2)
    type(dap_error), intent(out), optional :: err
    character(kind=c_char), allocatable, target :: name(:)
    type(c_options) :: o
    type(c_info) :: info
    type(c_error) :: e
    integer(c_int) :: status
    if (present(sharing)) o%sharing = sharing
    if (present(op)) o%op = op
    if (present(routine)) then
      allocate(name, source=transfer(trim(routine) // c_null_char, [c_null_char]))
      o%routine = c_loc(name)
    end if
    o%aligned_with = handle_of(aligned_with)
    if (present(context)) o%context = c_loc(context)
    if (present(block_size)) o%block_size = block_size
    if (present(grid)) o%grid = grid
    status = c_get(comm, array%handle, access, o, matrix%handle, info, e)
    if (status == DAP_OK) call tell(info, matrix)
    call finish(status, e, err)
  end subroutine

  !> Ends the view `matrix`. If the access includes DAP_WRITE, the elements of a view that is not shared are
  !> copied back. Afterwards shared, reason and moved_bytes can still be read. A variable without a live view
  !> is accepted. Collective. Errors: DAP_ERR_NOMEM, DAP_ERR_LIBRARY.
  subroutine dap_scalapack_restore(matrix, err)
    type(dap_matrix), intent(inout) :: matrix
    type(dap_error), intent(out), optional :: err
    call end_view(matrix, .false._c_bool, err)
  end subroutine

  !> Ends the view `matrix` without writing to the array. Changes to a shared view remain in the array.
  !> Collective.
  subroutine dap_scalapack_discard(matrix, err)
    type(dap_matrix), intent(inout) :: matrix
    type(dap_error), intent(out), optional :: err
    call end_view(matrix, .true._c_bool, err)
  end subroutine

  subroutine end_view(matrix, discards, err)
    type(dap_matrix), intent(inout) :: matrix
    logical(c_bool), intent(in) :: discards
    type(dap_error), intent(out), optional :: err
    type(c_info) :: info
    type(c_error) :: e
    integer(c_int) :: status
    if (.not. dap_is_set(matrix)) return
    status = c_end(matrix%handle, discards, info, e)
    call tell(info, matrix)
    call dap_destroy(matrix)
    call finish(status, e, err)
  end subroutine

  !> Copies the array's current elements to the view `matrix`, if it is not shared. The view needs DAP_READ.
  !> Collective.
  !> Errors: DAP_ERR_ARG (no live view, or it does not have DAP_READ), DAP_ERR_NOMEM, DAP_ERR_LIBRARY.
  subroutine dap_scalapack_load(matrix, err)
    type(dap_matrix), intent(in) :: matrix
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_load(matrix%handle, e), e, err)
  end subroutine

  !> Copies the elements of the view `matrix` back to the array, if the view is not shared. The view needs
  !> DAP_WRITE. Collective.
  !> Errors: DAP_ERR_ARG (no live view, or it does not have DAP_WRITE), DAP_ERR_NOMEM, DAP_ERR_LIBRARY.
  subroutine dap_scalapack_store(matrix, err)
    type(dap_matrix), intent(in) :: matrix
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_store(matrix%handle, e), e, err)
  end subroutine

  !> Fills the communication padding of the array whose view is `matrix` with the owners' values. The view
  !> needs DAP_WRITE. Collective.
  !> Errors: DAP_ERR_ARG (no live view, or it does not have DAP_WRITE), DAP_ERR_NOMEM, DAP_ERR_LIBRARY.
  subroutine dap_scalapack_halo(matrix, err)
    type(dap_matrix), intent(in) :: matrix
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_halo(matrix%handle, e), e, err)
  end subroutine

  subroutine tell(info, matrix)
    type(c_info), intent(in) :: info
    type(dap_matrix), intent(inout) :: matrix
    matrix%desc = info%desc
    matrix%m = info%m
    matrix%n = info%n
    matrix%ia = info%ia
    matrix%ja = info%ja
    matrix%op = info%op
    matrix%shared = info%shared
    matrix%moved_bytes = info%moved_bytes
    matrix%reason = in_words(info%reason)
  end subroutine

  impure elemental subroutine end_matrix(matrix)
    type(dap_matrix), intent(inout) :: matrix
    call release(matrix%handle)
  end subroutine
end module
