!> Constants, errors, descriptions and the parent type of objects, for all modules of dapbridge.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private

  !> The kind of an error; dap_error%text describes the error. DAP_ERR_ARG: an argument is invalid.
  !> DAP_ERR_NOMEM: there is not enough memory. DAP_ERR_VERSION: an unknown version of the protocol.
  !> DAP_ERR_DIM: a dimension dictionary or a distribution breaks a rule. DAP_ERR_LAYOUT: the processes' parts
  !> contradict each other. DAP_ERR_BUFFER: an array has wrong extents, strides or type, or is read-only.
  !> DAP_ERR_RANGE: a number is too large. DAP_ERR_UNSUPPORTED: dapbridge does not support a request that is
  !> valid. DAP_ERR_SHARE: sharing was required, but is not possible. DAP_ERR_REMOTE: only other processes
  !> have the requested information. DAP_ERR_LIBRARY: MPI or another library failed. DAP_ERR_NUMERIC: the
  !> problem has no solution, or an iteration does not converge. DAP_ERR_FILE: a file cannot be read or
  !> written.
  integer, parameter, public :: DAP_OK = 0, DAP_ERR_ARG = 1, DAP_ERR_NOMEM = 2, DAP_ERR_VERSION = 3, &
    DAP_ERR_DIM = 4, DAP_ERR_LAYOUT = 5, DAP_ERR_BUFFER = 6, DAP_ERR_RANGE = 7, DAP_ERR_UNSUPPORTED = 8, &
    DAP_ERR_SHARE = 9, DAP_ERR_REMOTE = 10, DAP_ERR_LIBRARY = 11, DAP_ERR_NUMERIC = 12, &
    DAP_ERR_FILE = 13

  !> The type of an array's elements: integer(4), integer(8), real(4), real(8), complex(4), complex(8).
  integer, parameter, public :: DAP_I4 = 6, DAP_I8 = 8, DAP_F4 = 10, DAP_F8 = 11, DAP_C8 = 12, DAP_C16 = 13

  !> How a program uses the elements of a view. DAP_READ: the view initially contains the array's elements.
  !> DAP_WRITE: the elements of the view are written to the array when the view ends.
  integer, parameter, public :: DAP_READ = 1, DAP_WRITE = 2, DAP_READ_WRITE = 3

  !> Specifies whether a view may be a copy. DAP_SHARE_IF_POSSIBLE: the view is a copy only if it cannot be
  !> shared. DAP_SHARE_OR_FAIL: the call fails with DAP_ERR_SHARE instead of making a copy. DAP_SHARE_NEVER:
  !> the view is always a copy.
  integer, parameter, public :: DAP_SHARE_IF_POSSIBLE = 0, DAP_SHARE_OR_FAIL = 1, DAP_SHARE_NEVER = 2

  !> The storage order of a new buffer. DAP_ORDER_F: the first axis is contiguous, as in Fortran. DAP_ORDER_C:
  !> the last axis is contiguous, as in C.
  character, parameter, public :: DAP_ORDER_F = 'F', DAP_ORDER_C = 'C'

  !> The largest number of axes of an array.
  integer, parameter, public :: DAP_MAX_NDIM = 8

  !> An error. After a collective procedure it is the same on every process.
  type, public :: dap_error
    integer :: status = DAP_OK !< DAP_OK, or the kind of the error
    integer :: rank = -1 !< lowest rank whose check failed; -1 if the call is not collective
    integer :: rule = 0 !< number of the protocol's rule that was broken; 0 means none
    character(len=512) :: text = '' !< blank if status is DAP_OK
  end type

  !> Holds an object of the library. The type is internal. Programs use its extensions, such as dap_array.
  type, abstract, public :: dap_object
    type(c_ptr) :: handle = c_null_ptr !< the object; only the library uses it
  end type

  ! ---- for the other modules of dapbridge ----------------------------------------------------------

  integer, parameter :: text_length = 512

  !> The C form of dap_error.
  type, bind(c), public :: c_error
    integer(c_int) :: rank = -1, rule = 0
    character(kind=c_char) :: text(text_length) = c_null_char
  end type

  public :: dap_destroy, dap_is_set, dap_describe, dap_pointer, dap_build_info
  public :: finish, from_c, in_words, handle_of, share, release, is_missing, refuse_missing

  interface
    !> Releases the object that the variable `handle` holds. The variable may be empty.
    subroutine release(handle) bind(c, name='dap_f_release')
      import :: c_ptr
      type(c_ptr), intent(inout) :: handle
    end subroutine

    !> Makes the variable `left` hold the object `right` too, and releases the object that `left` held before.
    subroutine share(left, right) bind(c, name='dap_f_share')
      import :: c_ptr
      type(c_ptr), intent(inout) :: left
      type(c_ptr), value :: right
    end subroutine

    !> Returns true if `list` is an array that is not allocated, or a pointer that is not associated. The
    !> extents of such an argument are undefined.
    logical(c_bool) function is_missing(list) bind(c, name='dap_f_is_missing')
      import :: c_bool
      type(*), intent(in) :: list(..)
    end function

    subroutine c_words(text) bind(c, name='dap_f_words')
      import
      character(kind=c_char), intent(inout) :: text(*)
    end subroutine

    integer(c_size_t) function c_build_info(key, text, capacity) bind(c, name='dap_build_info')
      import
      character(kind=c_char), intent(in), optional :: key(*)
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
    end function

    integer(c_size_t) function c_describe(object, text, capacity) bind(c, name='dap_f_describe')
      import
      type(c_ptr), value :: object, text
      integer(c_size_t), value :: capacity
    end function
  end interface

  !> Associates p with the elements of `object`, an array or a live view, without copying the elements. For an
  !> array, p(1:..., 1:...) is this process's part. For a live view, p(1:LLD, 1:local columns) is the local
  !> part of the matrix. The pointer is valid as long as the array or the live view exists.
  !> Errors:
  !> - DAP_ERR_ARG: the object is not set, or is a layout or a plan
  !> - DAP_ERR_BUFFER: the pointer has another type or rank
  interface dap_pointer
    procedure pointer_r4, pointer_r8, pointer_c4, pointer_c8, pointer_i4, pointer_i8
  end interface

  interface
    integer(c_int) function c_pointer_r4(object, p, e) bind(c, name='dap_f_pointer')
      import
      type(c_ptr), value :: object
      real(c_float), pointer :: p(..)
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_pointer_r8(object, p, e) bind(c, name='dap_f_pointer')
      import
      type(c_ptr), value :: object
      real(c_double), pointer :: p(..)
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_pointer_c4(object, p, e) bind(c, name='dap_f_pointer')
      import
      type(c_ptr), value :: object
      complex(c_float_complex), pointer :: p(..)
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_pointer_c8(object, p, e) bind(c, name='dap_f_pointer')
      import
      type(c_ptr), value :: object
      complex(c_double_complex), pointer :: p(..)
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_pointer_i4(object, p, e) bind(c, name='dap_f_pointer')
      import
      type(c_ptr), value :: object
      integer(c_int32_t), pointer :: p(..)
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_pointer_i8(object, p, e) bind(c, name='dap_f_pointer')
      import
      type(c_ptr), value :: object
      integer(c_int64_t), pointer :: p(..)
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Releases the object that the variable holds. The variable may be empty, and can be used again. End live
  !> views and active runs of plans first. Otherwise the views and plans remain in memory. Not collective.
  subroutine dap_destroy(object)
    class(dap_object), intent(inout) :: object
    call release(object%handle)
    object%handle = c_null_ptr ! also in a copy of the variable, which holds nothing
  end subroutine

  !> Returns true if the variable holds an object.
  pure logical function dap_is_set(object)
    class(dap_object), intent(in) :: object
    dap_is_set = c_associated(object%handle)
  end function

  !> Returns a description of an object. The description of a layout has one line for each axis. For an empty
  !> variable, the result is an empty string.
  function dap_describe(object) result(text)
    class(dap_object), intent(in) :: object
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: chars(:)
    integer(c_size_t) :: length
    length = c_describe(object%handle, c_null_ptr, 0_c_size_t)
    allocate(chars(length + 1))
    chars = c_null_char
    length = c_describe(object%handle, c_loc(chars), length + 1)
    text = from_c(chars)
  end function

  !> Returns the build configuration of the library. With `key`, such as 'version', the result is the value of
  !> this key. Without `key`, the result contains a line "key: value" for each key.
  function dap_build_info(key) result(text)
    character(len=*), intent(in), optional :: key
    character(len=:), allocatable :: text
    character(len=:), allocatable :: name
    character(kind=c_char), allocatable, target :: chars(:)
    integer(c_size_t) :: length
    if (present(key)) name = trim(key) // c_null_char ! otherwise not allocated, so not present in the call
    length = c_build_info(name, c_null_ptr, 0_c_size_t)
    allocate(chars(length + 1))
    chars = c_null_char
    length = c_build_info(name, c_loc(chars), length + 1)
    text = from_c(chars)
  end function

  subroutine pointer_r4(object, p, err)
    class(dap_object), intent(in) :: object
    real(c_float), pointer, intent(inout) :: p(..)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_pointer_r4(object%handle, p, e), e, err)
  end subroutine

  subroutine pointer_r8(object, p, err)
    class(dap_object), intent(in) :: object
    real(c_double), pointer, intent(inout) :: p(..)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_pointer_r8(object%handle, p, e), e, err)
  end subroutine

  subroutine pointer_c4(object, p, err)
    class(dap_object), intent(in) :: object
    complex(c_float_complex), pointer, intent(inout) :: p(..)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_pointer_c4(object%handle, p, e), e, err)
  end subroutine

  subroutine pointer_c8(object, p, err)
    class(dap_object), intent(in) :: object
    complex(c_double_complex), pointer, intent(inout) :: p(..)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_pointer_c8(object%handle, p, e), e, err)
  end subroutine

  subroutine pointer_i4(object, p, err)
    class(dap_object), intent(in) :: object
    integer(c_int32_t), pointer, intent(inout) :: p(..)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_pointer_i4(object%handle, p, e), e, err)
  end subroutine

  subroutine pointer_i8(object, p, err)
    class(dap_object), intent(in) :: object
    integer(c_int64_t), pointer, intent(inout) :: p(..)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_pointer_i8(object%handle, p, e), e, err)
  end subroutine

  !> Copies the error `e` of a shim, whose result is `status`, to err. Without err, the procedure ends the
  !> program if there is an error.
  subroutine finish(status, e, err)
    integer(c_int), intent(in) :: status
    type(c_error), intent(in) :: e
    type(dap_error), intent(out), optional :: err
    character(len=:), allocatable :: text
    if (status == DAP_OK) return
    if (.not. present(err)) then
      text = 'dapbridge: ' // in_words(e%text)
      error stop text
    end if
    err%status = status
    err%rank = e%rank
    err%rule = e%rule
    err%text = in_words(e%text)
  end subroutine

  !> Returns the error for the list `name`, which is not allocated, or ends the program if err is missing.
  subroutine refuse_missing(name, err)
    character(len=*), intent(in) :: name
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    character(len=:), allocatable :: text
    integer :: i
    text = name // ' is not allocated'
    do i = 1, len(text)
      e%text(i) = text(i:i)
    end do
    call finish(int(DAP_ERR_ARG, c_int), e, err)
  end subroutine

  !> Converts `chars`, the text of an error or a reason, from C's terms to Fortran's terms.
  function in_words(chars) result(text)
    character(kind=c_char), intent(in) :: chars(text_length)
    character(len=:), allocatable :: text
    character(kind=c_char) :: copy(text_length)
    copy = chars
    call c_words(copy)
    text = from_c(copy)
  end function

  !> Converts the text `chars` from C to Fortran.
  pure function from_c(chars) result(text)
    character(kind=c_char), intent(in) :: chars(:)
    character(len=:), allocatable :: text
    integer :: i, length
    length = 0
    do while (length < size(chars))
      if (chars(length + 1) == c_null_char) exit
      length = length + 1
    end do
    allocate(character(len=length) :: text)
    do i = 1, length
      text(i:i) = chars(i)
    end do
  end function

  !> Returns the handle of an optional object; null if it is left out.
  pure type(c_ptr) function handle_of(object)
    class(dap_object), intent(in), optional :: object
    handle_of = c_null_ptr
    if (present(object)) handle_of = object%handle
  end function
end module
