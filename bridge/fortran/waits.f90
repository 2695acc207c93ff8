!> Limits on the time that procedures wait for other processes.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_waits
  use, intrinsic :: iso_c_binding
  use dapbridge_base
  implicit none
  private
  public :: dap_wait_limit

  interface
    integer(c_int) function c_wait_limit(comm, seconds, e) bind(c, name='dap_f_wait_limit')
      import
      type(*), intent(in) :: comm
      real(c_double), value :: seconds
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Limits how long collective procedures of the core library wait for other processes on comm. 0, the
  !> default, means no limit. If a process waits longer than `seconds`, all processes that wait in this call
  !> return DAP_ERR_LIBRARY with a text such as "rank 2 has not answered for 10 s ...". From then on each
  !> collective procedure on comm fails with this error. Other communicators can still be used. `seconds` must
  !> be the same on all processes. A later call changes the limit. Collective on comm.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: seconds is negative, not a number, or differs between processes
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_wait_limit(comm, seconds, err)
    type(*), intent(in) :: comm
    real(c_double), intent(in) :: seconds
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_wait_limit(comm, seconds, e), e, err)
  end subroutine
end module
