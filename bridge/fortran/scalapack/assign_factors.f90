! Assignment of factors. assign.f90 says why this is an external procedure.
impure elemental subroutine dap_f_assign_factors(left, right)
  use dapbridge_base, only: share
  use dapbridge_linalg_factors, only: dap_linalg_factors
  implicit none
  class(dap_linalg_factors), intent(inout) :: left
  type(dap_linalg_factors), intent(in) :: right
  call share(left%handle, right%handle)
end subroutine
