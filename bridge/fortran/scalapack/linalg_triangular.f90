!> Triangular matrices, and products of a matrix with itself (dapbridge/linalg_triangular.h).
!>
!> Of triangular and symmetric matrices only the triangle uplo is read: 'L' is on and below the diagonal, 'U'
!> on and above it. What dapbridge_linalg says of all procedures is true of these, too.
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

  !> Solves op(A) X = alpha B (side 'L') or X op(A) = alpha B ('R') with a triangular A; diag 'U': its
  !> diagonal is ones and not read. B (m, n) or (m): becomes X. alpha is 1 unless given.
  !@procedure triangular_solve

  !> B = alpha op(A) B (side 'L') or alpha B op(A) ('R') with a triangular A; arguments as above.
  !@procedure triangular_multiply

  !> C = alpha A A' + beta C (trans 'N') or alpha A' A + beta C ('T'), ' being the conjugate transpose (form
  !> 'H') or the transpose ('S'). uplo: the triangle of C that is computed, 'L' or 'U', or both ('A'). alpha
  !> is 1 and beta 0 unless given.
  !@procedure rank_k
end module
