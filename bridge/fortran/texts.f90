!> Layouts and arrays as text: a layout as '100x80 on 2x2: b, c(8)', and the documents that the command
!> dapbridge reads.
!>
!> C, Python and the command have the same texts. Indices in lists, ranks and first owners in them count from
!> 0.
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

  !> Makes the layout that a text describes: the sizes, the process grid, and how each axis is distributed.
  !> '100x80 on 2x2: b, c(8)' are 100 x 80 elements on a grid of 2 x 2 processes. The rows are in even blocks,
  !> the columns in blocks of 8 dealt round robin.
  !>
  !> b[30,70] are blocks of these lengths. b(halo 1) has communication padding. c(8, first 1) has the first
  !> block on coordinate 1. u[0,2,~3][1,3] are lists of indices from 0, where ~ marks a ghost. r stands for
  !> copies, and n for an axis that is not distributed. '; ranks 0 2 1 3' are the ranks in row-major order on
  !> the grid. command.md has all words. Blanks at the end do not count. Not collective.
  !>
  !> Errors, whose text begins with the place in `text`, such as 'column 12: ', counted from 1: DAP_ERR_ARG
  !> (the text is not of this form), DAP_ERR_DIM (an axis cannot have the distribution), DAP_ERR_RANGE (a
  !> number exceeds 64 bits, or there are more than 2^20 processes), DAP_ERR_NOMEM. On error the variable
  !> holds nothing.
  subroutine dap_layout_parse(text, layout, err)
    character(len=*), intent(in) :: text
    type(dap_layout), intent(inout) :: layout
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_parse(trim(text) // c_null_char, layout%handle, e), e, err)
  end subroutine

  !> Returns the layout as a text for dap_layout_parse(), in its shortest form. dap_layout_parse() makes an
  !> equal layout from it, unless this process does not know all lists. Unknown lists of an assembled layout
  !> are [?]. The text is empty if the variable holds nothing.
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
  !> protocol's keys, and the buffer's shape, type and strides. Elements are not written. Not collective.
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

  !> Writes the descriptions that dap_array_json() makes of all parts to a file, as a document that the
  !> command reads. Use it to look at an array that is refused, or moved although it should be shared. Process
  !> 0 writes the file. The document replaces the contents, or is added to them with `append`, because the
  !> command reads many documents. Only process 0's `file` and `append` count. Blanks at the end of the name
  !> are ignored. Collective on comm, which must have the array's processes. For an array on some processes
  !> comm contains only these, such as dap_context_comm() for a descriptor's array.
  !>
  !> After other errors the file is as it was.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an array that is not set, or has no part on a process
  !> - DAP_ERR_LIBRARY: the file cannot be opened or written to; then it may have a part of the document
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

  !> Writes a layout to a file, as a document that the command reads. With `array` the document also has the
  !> shapes, types and strides of the parts. Either all processes must pass this argument, or none. version is
  !> the version of the protocol, '0.10.0', '0.9.0' or '0.0.1', the same on all processes. Without it, it is
  !> 0.10, or 0.9 if only that can express the layout. file and append are those of dap_array_export().
  !> Collective on comm, whose rank i is process i of the layout.
  !>
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: comm does not have the layout's processes; layouts or versions differ
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
    if (present(version)) rules = trim(version) // c_null_char ! else not allocated, so not present in the call
    call finish(c_layout_export(comm, rules, layout%handle, logical(present(array), c_bool), &
      handle_of(array), trim(file) // c_null_char, is(append), e), e, err)
  end subroutine

  pure logical(c_bool) function is(wanted)
    logical, intent(in), optional :: wanted
    is = .false.
    if (present(wanted)) is = wanted
  end function
end module
