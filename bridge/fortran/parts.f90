!> Parts of arrays as separate arrays, in the same memory.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
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

  !> Makes an array from a part of an array, without moving anything. The part begins at part%start(:), has
  !> the extents part%shape(:), and has the axes part%axes(:) of the whole array. Element (1, 1, ...) of the
  !> part is element part%start(:) of the whole array. The part and the whole array use the same memory. If
  !> the library allocated this memory, the part keeps it alive, even after the whole array's variables have
  !> been destroyed. If the program owns the memory, it must exist as long as the part. Not collective.
  !>
  !> Without part%axes the part is on all processes of the whole array, even if some processes have no
  !> elements of the part. Views and solvers then accept the part with the whole array's communicator. This
  !> also applies if axes are only permuted, or if an axis that is left out is not distributed. If an axis
  !> that is left out is distributed, the part is on the processes that own its index in part%start, in
  !> row-major order. Plans accept the part with the whole array's communicator. Views and solvers accept the
  !> part with a communicator of the part's processes, whose ranks are dap_array_ranks(array). All processes
  !> know the layout of the part. Processes that do not own this index have no elements.
  !>
  !> On error the variable holds nothing.
  !> Errors (in the texts, axes and indices start at 0):
  !> - DAP_ERR_ARG: the array is not set, or start, shape, axes or an index is invalid
  !> - DAP_ERR_SHARE: no layout can express the part in place; the text names the axis and the reason
  !> - DAP_ERR_REMOTE: the layout is assembled, and no process knows all index lists; a plan can still move
  !>   the part
  !> - DAP_ERR_UNSUPPORTED: an axis that is left out is partial
  !> - DAP_ERR_RANGE, DAP_ERR_NOMEM
  subroutine dap_array_part(whole, part, array, err)
    type(dap_array), intent(in) :: whole
    type(dap_part), intent(in), target :: part
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_array_part(whole%handle, c_part_of(part), array%handle, e), e, err)
  end subroutine
end module
