!> Triangular matrices, and products of a matrix with itself.
!>
!> Only the triangle of a triangular or symmetric matrix that uplo names is read: 'L' (on and below the
!> diagonal) or 'U' (on and above it). The module dapbridge_linalg lists the errors, and explains operands and
!> workspace.
!>
!> comm must contain exactly the processes of every operand's layout: rank i is process i of each layout.
!> `options` must be the same on every process. Without it, all options have their defaults. `report` receives
!> how each operand was used. `err` receives the error, or the status DAP_OK. Without `err`, an error ends the
!> program with the error's text. These three arguments are optional.
module dapbridge_linalg_triangular
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_linalg
  implicit none
  private

  !@declarations

contains

  !> Solves op(A) X = alpha B (side 'L') or X op(A) = alpha B ('R') with a triangular A. trans: op(A) is A
  !> ('N'), its transpose ('T') or its conjugate transpose ('C'). diag is 'U' if the diagonal elements are
  !> assumed to be 1 and are not read, and 'N' if the diagonal is read. A is (m, m), or (n, n) with side 'R'.
  !> b (m, n) or (m) receives X. By default alpha is 1. DAP_ERR_NUMERIC: A is singular.
  !@procedure triangular_solve

  !> Computes B = alpha op(A) B (side 'L') or alpha B op(A) ('R') with a triangular A. trans: op(A) is A
  !> ('N'), its transpose ('T') or its conjugate transpose ('C'). diag is 'U' if the diagonal elements are
  !> assumed to be 1 and are not read, and 'N' if the diagonal is read. A is (m, m), or (n, n) with side 'R'.
  !> b (m, n) or (m) receives the product. By default alpha is 1.
  !@procedure triangular_multiply

  !> Computes C = alpha A A' + beta C (trans 'N') or alpha A' A + beta C ('T'). A' is the conjugate transpose
  !> (form 'H') or the transpose ('S'). uplo names the triangle of C that is computed ('L' or 'U'), or both
  !> ('A'). A is (n, k), or (k, n) with trans 'T', and c (n, n) receives C. By default alpha is 1 and beta is
  !> 0.
  !@procedure rank_k
end module
