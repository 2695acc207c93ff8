!> Parts of arrays as arrays of their own, in the same memory (dapbridge/part.h).
module dapbridge_parts
  use, intrinsic :: iso_c_binding
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_plans, only: dap_part, c_part, c_part_of
  implicit none
  private
  public :: dap_array_part

  interface
    integer(c_int) function c_array_part(whole, part, array, e) bind(c, name='dap_f_array_part')
      import
      type(c_ptr), value :: whole
      type(c_part), intent(in) :: part
      type(c_ptr), intent(inout) :: array
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Makes a part of an array an array of its own, without moving anything: it has the elements from
  !> part%start(:) on, part%shape(:) of them, and the dimensions part%axes(:) of the whole. Its element (1, 1,
  !> ...) is the whole's element part%start(:), and what is written to one is in the other. It keeps memory of
  !> the library's, also when the whole's variables end; the program's own memory is the program's to keep.
  !> Not collective.
  !>
  !> Without part%axes the part is on the whole's processes, of which some may have no elements of it, and
  !> views and problems take it on the same communicator. So they do if axes are only turned, or if one that
  !> is left out is not distributed. If one is, the part is on the processes that own the index, in row-major
  !> order: plans take it on the whole's communicator, views and problems on one of its processes alone, which
  !> are dap_array_ranks(array). All know its layout; the others have no elements.
  !>
  !> Errors, which count dimensions and indices from 0: DAP_ERR_ARG (an array that is not set; other numbers
  !> of start or shape than it has dimensions; axes, a range or an index that it does not have), DAP_ERR_SHARE
  !> (what no layout can say in place, with dimension and reason: of block-cyclic dimensions ranges that begin
  !> inside a block, but for some; of lists such whose elements are not equidistant), DAP_ERR_REMOTE (lists of
  !> an assembled layout, which no process knows all of; plans take any part), DAP_ERR_UNSUPPORTED (a partial
  !> dimension left out), DAP_ERR_RANGE, DAP_ERR_NOMEM. On error the variable holds nothing.
  subroutine dap_array_part(whole, part, array, err)
    type(dap_array), intent(in) :: whole
    type(dap_part), intent(in), target :: part
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_array_part(whole%handle, c_part_of(part), array%handle, e), e, err)
  end subroutine
end module
