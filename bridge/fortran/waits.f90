!> How long is waited for other processes (dapbridge/comm.h).
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

  !> Limits how long the core's collective procedures on comm wait for other processes; 0, as without this
  !> call: for ever. A process that waits for so many seconds gives up, and with it all that wait there, with
  !> DAP_ERR_LIBRARY: "rank 2 has not answered for 10 s ...". From then on each collective procedure on comm
  !> fails so; other communicators work. Collective on comm, with the same seconds; may be called again to
  !> change them. Errors, the same on every process: DAP_ERR_ARG (seconds that are negative, no number, or not
  !> the same everywhere), DAP_ERR_NOMEM, DAP_ERR_LIBRARY.
  subroutine dap_wait_limit(comm, seconds, err)
    type(*), intent(in) :: comm
    real(c_double), intent(in) :: seconds
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_wait_limit(comm, seconds, e), e, err)
  end subroutine
end module
