!> Layouts and arrays as text: a layout in words, '100x80 on 2x2: b, c(8)' (dapbridge/parse.h), and the
!> documents that the command dapbridge reads (dapbridge/json.h, export.h).
!>
!> The texts are those of C, of Python and of the command: indices in lists, ranks and first owners in them
!> count from 0.
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

  !> Makes the layout that a text describes: its sizes, its process grid, and how each dimension is
  !> distributed. '100x80 on 2x2: b, c(8)' are 100 x 80 elements on a grid of 2 x 2 processes, the rows in
  !> even blocks, the columns in blocks of 8 dealt round robin. b: blocks, b[30,70] of these lengths, b(halo
  !> 1) with communication padding; c(8, first 1): the first block to coordinate 1; u[0,2,~3][1,3]: these
  !> indices, from 0, ~ a ghost; r: copies; n: not distributed; '; ranks 0 2 1 3': in row-major order on the
  !> grid. All words: dapbridge/parse.h. Blanks at the end do not count. Not collective.
  !> Errors, whose text begins with the place in `text`, 'column 12: ' counted from 1: DAP_ERR_ARG (not such a
  !> text), DAP_ERR_DIM (a distribution that the dimension cannot have), DAP_ERR_RANGE (a number beyond 64
  !> bits, or more than 2^20 processes), DAP_ERR_NOMEM. On error the variable holds nothing.
  subroutine dap_layout_parse(text, layout, err)
    character(len=*), intent(in) :: text
    type(dap_layout), intent(inout) :: layout
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_parse(trim(text) // c_null_char, layout%handle, e), e, err)
  end subroutine

  !> The layout as such a text, in its shortest form, of which dap_layout_parse() makes an equal one: but
  !> lists of an assembled layout that this process does not know are [?]. Without characters if the variable
  !> holds nothing.
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

  !> What this process has of the array as one JSON object on one line: its dictionaries with the protocol's
  !> keys, and the buffer's shape, type and strides; elements are not written. Not collective. Errors:
  !> DAP_ERR_ARG (an array that is not set, or has no part on this process). On error the text has no
  !> characters.
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

  !> Writes what dap_array_json() makes of each process's part to a file, a document that the command reads:
  !> to look at an array that is refused, or moved where it should be shared. Process 0 writes it, in place of
  !> what the file has, or with `append` behind that: the command reads many documents; only its `file` and
  !> `append` count. Blanks at the end of the name do not. Collective on comm, which is the array's processes:
  !> of an array on some, a communicator of these, as dap_context_comm() is for a descriptor's.
  !> Errors, the same on every process: DAP_ERR_ARG (an array that is not set, or has no part on a process),
  !> DAP_ERR_LIBRARY (the file cannot be opened, or written to: then it may have a part of the document; after
  !> all other errors it is as it was), DAP_ERR_NOMEM.
  subroutine dap_array_export(comm, array, file, append, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    character(len=*), intent(in) :: file
    logical, intent(in), optional :: append
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_array_export(comm, array%handle, trim(file) // c_null_char, is(append), e), e, err)
  end subroutine

  !> The same of a layout, and with `array`, which all processes pass or none, also its parts' shapes, types
  !> and strides. version: of the protocol, '0.10.0', '0.9.0' or '0.0.1', the same on all; without it 0.10, or
  !> 0.9 where only that can say it. Collective on comm, whose rank i is process i of the layout.
  !> Errors: as above; DAP_ERR_ARG (comm does not have the layout's processes; layouts or versions that
  !> differ), DAP_ERR_BUFFER (the parts' extents are not the layout's), DAP_ERR_VERSION, DAP_ERR_UNSUPPORTED
  !> (what the version cannot say; a partial dimension).
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
