!> Computes the Schur form, eigenvalues and eigenvectors of general matrices.
!>
!> LAPACK runs on process 0, which needs memory for the whole matrix.
!> The module dapbridge_linalg lists the errors, and explains operands and workspace.
!>
!> comm must contain exactly the processes of every operand's layout: rank i is process i of each layout.
!> `options` must be the same on every process. Without it, all options have their defaults. `report` receives
!> how each operand was used. `err` receives the error, or the status DAP_OK. Without `err`, an error ends the
!> program with the error's text. These three arguments are optional.
module dapbridge_linalg_schur
  use, intrinsic :: iso_c_binding
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_linalg
  implicit none
  private

  !@declarations

contains

  !> Computes the Schur form A = Z T Z^H. z (n, n) is unitary, and t (n, n) is upper triangular. If A is real,
  !> T is real and only quasi-triangular: each pair of complex conjugate eigenvalues gives a 2 x 2 block on
  !> the diagonal. w (n), complex, receives the eigenvalues. Each result may be left out. a is only read.
  !@procedure schur

  !> Computes eigenvalues and right eigenvectors. w (n) receives the eigenvalues. v (n, n) receives the
  !> eigenvectors as columns, and may be left out. w and v are complex. a is only read.
  !@procedure eig
end module
