!> Schur form, eigenvalues and eigenvectors of general matrices (dapbridge/linalg_schur.h), by LAPACK on
!> process 0. A is only read; eigenvalues are complex.
module dapbridge_linalg_schur
  use, intrinsic :: iso_c_binding
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_linalg
  implicit none
  private

  public :: dap_linalg_schur, dap_linalg_eig

  interface
    integer(c_int) function c_schur(comm, a, t, z, w, options, o) bind(c, name='dap_f_linalg_schur')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a, t, z, w
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_eig(comm, a, w, v, options, o) bind(c, name='dap_f_linalg_eig')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a, w, v
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
  end interface

contains

  !> A = Z T Z^H with a unitary Z (n, n) and an upper triangular T (n, n), which has blocks of 2 x 2 for pairs
  !> of complex eigenvalues if A is real; W (n), complex. Each result may be left out.
  subroutine dap_linalg_schur(comm, a, t, z, w, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a
    type(dap_array), intent(in), optional :: t, z, w
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_schur(comm, a%handle, handle_of(t), handle_of(z), handle_of(w), options, o), o, &
      report, err)
  end subroutine

  !> Eigenvalues W (n) and, if it is given, right eigenvectors, the columns of V (n, n), both complex.
  subroutine dap_linalg_eig(comm, a, w, v, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a, w
    type(dap_array), intent(in), optional :: v
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_eig(comm, a%handle, w%handle, handle_of(v), options, o), o, report, err)
  end subroutine
end module
