! Assignment: both variables hold the same object.
!
! Where a program assigns its own type, x = y, gfortran 12 copies all of y's bits and then calls these for the
! members of ours. If `left` is INTENT(INOUT), it calls them for a temporary instead, which it copies to x and
! finalises at the end of the scope: x would hold what has ended. So the modules declare INTENT(OUT). But a
! procedure compiled so finalises `left` when it begins, and x = t(x%array) would end what it is about to
! assign. So these are external procedures, compiled with INTENT(INOUT), which is passed in the same way:
! what x held is given up when it holds the new object. (resolve.c of gcc 12, generate_component_assignments;
! test_objects.F90 shows all that.)
impure elemental subroutine dap_f_assign_layout(left, right)
  use dapbridge_base, only: share
  use dapbridge_layouts, only: dap_layout
  implicit none
  class(dap_layout), intent(inout) :: left
  type(dap_layout), intent(in) :: right
  call share(left%handle, right%handle)
end subroutine

impure elemental subroutine dap_f_assign_array(left, right)
  use dapbridge_base, only: share
  use dapbridge_arrays, only: dap_array
  implicit none
  class(dap_array), intent(inout) :: left
  type(dap_array), intent(in) :: right
  call share(left%handle, right%handle)
end subroutine

impure elemental subroutine dap_f_assign_plan(left, right)
  use dapbridge_base, only: share
  use dapbridge_plans, only: dap_plan
  implicit none
  class(dap_plan), intent(inout) :: left
  type(dap_plan), intent(in) :: right
  call share(left%handle, right%handle)
end subroutine
