! Assignment of a matrix. assign.f90 says why this is an external procedure.
impure elemental subroutine dap_f_assign_matrix(left, right)
  use dapbridge_base, only: share
  use dapbridge_matrices, only: dap_matrix
  implicit none
  class(dap_matrix), intent(inout) :: left
  type(dap_matrix), intent(in) :: right
  call share(left%handle, right%handle)
  left%desc = right%desc
  left%m = right%m
  left%n = right%n
  left%ia = right%ia
  left%ja = right%ja
  left%op = right%op
  left%shared = right%shared
  left%moved_bytes = right%moved_bytes
  left%reason = right%reason
end subroutine
