! Assigns objects: both variables then hold the same object.

! A program may assign a derived type with components of dapbridge's types, x = y. gfortran 12 then copies all
! bits of y, and calls these procedures for the components. If `left` is INTENT(INOUT), the compiler calls
! them for a temporary instead. It copies the temporary to x, and finalises it at the end of the scope, so x
! would refer to an object that has ended. So the modules declare INTENT(OUT). But a procedure compiled with
! INTENT(OUT) finalises `left` when it begins, and x = t(x%array) would end the object that it is about to
! assign. So these are external procedures, compiled with INTENT(INOUT), which is passed in the same way. They
! release the old object of x after x refers to the new one. See resolve.c of gcc 12,
! generate_component_assignments, and test_objects.F90.
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
