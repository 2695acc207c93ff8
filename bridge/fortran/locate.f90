!> Procedures that find the position of an element of a distributed array, and the element at a position.
!>
!> Axes and indices start at 1. Ranks start at 0. No procedure is collective.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_locate
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_layouts
  implicit none
  private

  public :: dap_layout_locate, dap_layout_globalize

  interface
    integer(c_int) function c_locate(layout, global, rank, local, e) bind(c, name='dap_f_layout_locate')
      import
      type(c_ptr), value :: layout
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int), intent(inout) :: rank
      integer(c_int64_t), intent(inout) :: local(*)
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_globalize(layout, rank, local, global, owned, e) bind(c, &
        name='dap_f_layout_globalize')
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: local(*)
      integer(c_int64_t), intent(inout) :: global(*)
      logical(c_bool), intent(inout) :: owned
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Finds the rank of the process that owns element global(:) of `layout`, and the position local(:) of the
  !> element in that process's array.
  !> Errors:
  !> - DAP_ERR_ARG: an index is out of range
  !> - DAP_ERR_REMOTE: only another process knows the owner
  subroutine dap_layout_locate(layout, global, rank, local, err)
    type(dap_layout), intent(in) :: layout
    integer(int64), intent(in) :: global(:)
    integer, intent(out) :: rank
    integer(int64), intent(out) :: local(:)
    type(dap_error), intent(out), optional :: err
    integer(c_int64_t) :: from(DAP_MAX_NDIM), to(DAP_MAX_NDIM)
    type(c_error) :: e
    integer :: n
    rank = -1
    if (has_missing(global, local, err)) return
    n = min(size(global), size(local), DAP_MAX_NDIM)
    from = 0
    to = 0
    from(:n) = global(:n)
    call finish(c_locate(layout%handle, from, rank, to, e), e, err)
    local(:n) = to(:n)
  end subroutine

  !> Finds the global indices of the element at position local(:) of the array of process `rank` of `layout`.
  !> `owned` is set to true if that process owns the element. Positions include communication padding.
  !> Errors:
  !> - DAP_ERR_ARG: a rank or position is out of range
  !> - DAP_ERR_REMOTE: only another process knows the indices
  subroutine dap_layout_globalize(layout, rank, local, global, owned, err)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer(int64), intent(in) :: local(:)
    integer(int64), intent(out) :: global(:)
    logical, intent(out), optional :: owned
    type(dap_error), intent(out), optional :: err
    integer(c_int64_t) :: from(DAP_MAX_NDIM), to(DAP_MAX_NDIM)
    logical(c_bool) :: is_owned
    type(c_error) :: e
    integer :: n
    if (present(owned)) owned = .false.
    if (has_missing(global, local, err)) return
    n = min(size(global), size(local), DAP_MAX_NDIM)
    from = 0
    to = 0
    is_owned = .false.
    from(:n) = local(:n)
    call finish(c_globalize(layout%handle, rank, from, to, is_owned, e), e, err)
    global(:n) = to(:n)
    if (present(owned)) owned = is_owned
  end subroutine

  logical function has_missing(global, local, err)
    integer(int64), intent(in) :: global(:), local(:)
    type(dap_error), intent(out), optional :: err
    logical :: no_global, no_local
    no_global = is_missing(global)
    no_local = is_missing(local)
    has_missing = no_global .or. no_local
    if (has_missing) call refuse_missing(trim(merge('global', 'local ', no_global)), err)
  end function
end module
