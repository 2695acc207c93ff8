!> Descriptions of layouts in the short form '100x80 on 2x2: b, c(8)', and of layouts and arrays as documents
!> that the command dapbridge reads.
!>
!> C, Python and the command use the same descriptions. In a description, indices, ranks and first owners
!> start at 0.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_texts
  use, intrinsic :: iso_c_binding
  use dapbridge_base
  use dapbridge_layouts
  use dapbridge_arrays
  implicit none
  private
  public :: dap_layout_parse, dap_layout_format, dap_array_json, dap_array_export, dap_layout_export

  interface
    integer(c_int) function c_parse(text, layout, e) bind(c, name='dap_f_layout_parse')
      import
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), intent(inout) :: layout
      type(c_error), intent(inout) :: e
    end function
    integer(c_size_t) function c_format(layout, text, capacity) bind(c, name='dap_f_layout_format')
      import
      type(c_ptr), value :: layout, text
      integer(c_size_t), value :: capacity
    end function
    integer(c_int) function c_json(array, text, capacity, length, e) bind(c, name='dap_f_array_json')
      import
      type(c_ptr), value :: array, text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: length
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_array_export(comm, array, file, appends, e) bind(c, name='dap_f_array_export')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: array
      character(kind=c_char), intent(in) :: file(*)
      logical(c_bool), value :: appends
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_layout_export(comm, version, layout, has_array, array, file, appends, e) &
        bind(c, name='dap_f_layout_export')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in), optional :: version(*)
      type(c_ptr), value :: layout, array
      logical(c_bool), value :: has_array, appends
      character(kind=c_char), intent(in) :: file(*)
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Makes a layout from a short description, which contains the sizes, the process grid, and the distribution
  !> of each axis. '100x80 on 2x2: b, c(8)' means 100 x 80 elements on a grid of 2 x 2 processes. The rows are
  !> in even blocks, and the columns are in blocks of 8, dealt round robin.
  !>
  !> b[30,70] means blocks of 30 and 70 elements. b(halo 1) adds communication padding. c(8, first 1) puts the
  !> first block on coordinate 1. u[0,2,~3][1,3] means lists of indices, where ~ marks a ghost. r means that
  !> each process has a copy, and n means that the axis is not distributed. '; ranks 0 2 1 3' gives the rank
  !> at each position of the grid, in row-major order. command.md explains all words. Blanks at the end are
  !> ignored. Not collective.
  !>
  !> Errors, whose text begins with the column in `text`, such as 'column 12: ' (the first column is 1):
  !> DAP_ERR_ARG (`text` does not have this form), DAP_ERR_DIM (an axis cannot have the distribution),
  !> DAP_ERR_RANGE (a number exceeds 64 bits, or there are more than 2^20 processes), DAP_ERR_NOMEM. On error
  !> the variable holds nothing.
  subroutine dap_layout_parse(text, layout, err)
    character(len=*), intent(in) :: text
    type(dap_layout), intent(inout) :: layout
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_parse(trim(text) // c_null_char, layout%handle, e), e, err)
  end subroutine

  !> Returns the shortest description of a layout for dap_layout_parse(), which makes an equal layout from the
  !> description if this process knows all index lists. Unknown lists of an assembled layout are written as
  !> [?]. The result is empty if the variable holds nothing.
  function dap_layout_format(layout) result(text)
    type(dap_layout), intent(in) :: layout
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: chars(:)
    integer(c_size_t) :: length
    length = c_format(layout%handle, c_null_ptr, 0_c_size_t)
    allocate(chars(length + 1))
    chars = c_null_char
    length = c_format(layout%handle, c_loc(chars), length + 1)
    text = from_c(chars)
  end function

  !> Describes this process's part of an array as one JSON object on one line: its dictionaries with the
  !> protocol's keys, and the buffer's shape, type and strides. Elements are not included. Not collective.
  !> Errors: DAP_ERR_ARG (the array is not set, or has no part on this process). On error the text is empty.
  subroutine dap_array_json(array, text, err)
    type(dap_array), intent(in) :: array
    character(len=:), allocatable, intent(out) :: text
    type(dap_error), intent(out), optional :: err
    character(kind=c_char), allocatable, target :: chars(:)
    integer(c_size_t) :: length
    integer(c_int) :: status
    type(c_error) :: e
    length = 0
    status = c_json(array%handle, c_null_ptr, 0_c_size_t, length, e)
    allocate(chars(length + 1))
    chars = c_null_char
    if (status == DAP_OK) status = c_json(array%handle, c_loc(chars), length + 1, length, e)
    text = from_c(chars)
    call finish(status, e, err)
  end subroutine

  !> Writes a description of all parts of an array to a file, as a document that the command reads.
  !> dap_array_json() makes the description of each part. Use the document to find out why an array causes an
  !> error, or is copied although it should be shared. Process 0 writes the file. The document replaces the
  !> contents of the file. With `append` the document is added at the end. The command can read several
  !> documents from one file. Only the arguments `file` and `append` of process 0 are used. Blanks at the end
  !> of the name are ignored. Collective on comm, which must contain exactly the array's processes. If only
  !> some processes have the array, pass a communicator of these processes, such as dap_context_comm() for an
  !> array from a ScaLAPACK descriptor.
  !>
  !> After all errors except DAP_ERR_LIBRARY the file is unchanged.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: the array is not set, or a process has no part
  !> - DAP_ERR_LIBRARY: the file cannot be opened or written to, and may contain a part of the document
  !> - DAP_ERR_NOMEM
  subroutine dap_array_export(comm, array, file, append, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    character(len=*), intent(in) :: file
    logical, intent(in), optional :: append
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_array_export(comm, array%handle, trim(file) // c_null_char, is(append), e), e, err)
  end subroutine

  !> Writes a layout to a file, as a document that the command reads. If `array` is given, the document also
  !> contains the shapes, types and strides of the parts. Pass `array` on all processes or on none. version is
  !> the version of the protocol, the same on all processes: '0.10.0', '0.9.0' or '0.0.1'. The default is
  !> 0.10, or 0.9 if only 0.9 can express the layout. Process 0 writes `file`, and the document replaces the
  !> contents of the file. With `append` the document is added at the end. Only the arguments `file` and
  !> `append` of process 0 are used. Blanks at the end of the name are ignored. Collective on comm, whose rank
  !> i is process i of the layout.
  !>
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: comm does not contain the layout's processes, or layouts or versions differ
  !> - DAP_ERR_BUFFER: a part does not have the layout's extents
  !> - DAP_ERR_UNSUPPORTED: the version cannot express the layout, or an axis is partial
  !> - DAP_ERR_VERSION, DAP_ERR_LIBRARY, DAP_ERR_NOMEM
  subroutine dap_layout_export(comm, layout, file, array, version, append, err)
    type(*), intent(in) :: comm
    type(dap_layout), intent(in) :: layout
    character(len=*), intent(in) :: file
    type(dap_array), intent(in), optional :: array
    character(len=*), intent(in), optional :: version
    logical, intent(in), optional :: append
    type(dap_error), intent(out), optional :: err
    character(len=:), allocatable :: rules
    type(c_error) :: e
    if (present(version)) rules = trim(version) // c_null_char ! else not allocated, and not present in the call
    call finish(c_layout_export(comm, rules, layout%handle, logical(present(array), c_bool), &
      handle_of(array), trim(file) // c_null_char, is(append), e), e, err)
  end subroutine

  pure logical(c_bool) function is(wanted)
    logical, intent(in), optional :: wanted
    is = .false.
    if (present(wanted)) is = wanted
  end function
end module
