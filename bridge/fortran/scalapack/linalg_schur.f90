!> Schur form, eigenvalues and eigenvectors of general matrices (dapbridge/linalg_schur.h), by LAPACK on
!> process 0. A is only read; eigenvalues are complex.
module dapbridge_linalg_schur
  use, intrinsic :: iso_c_binding
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_linalg
  implicit none
  private

  !@declarations

contains

  !> A = Z T Z^H with a unitary Z (n, n) and an upper triangular T (n, n), which has blocks of 2 x 2 for pairs
  !> of complex eigenvalues if A is real; W (n), complex. Each result may be left out.
  !@procedure schur

  !> Eigenvalues W (n) and, if it is given, right eigenvectors, the columns of V (n, n), both complex.
  !@procedure eig
end module
