!> Band matrices and ranks (dapbridge/linalg_banded.h, dapbridge/linalg_rank.h). What dapbridge_linalg says of
!> operands, options, reports and errors holds here, too; bands are only read, and always moved.
module dapbridge_linalg_banded
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_linalg
  implicit none
  private

  !@declarations

contains

  !> Solves A X = B with a band matrix of lower diagonals below the main one and upper above it:
  !> AB(upper + 1 + i - j, j) is A(i, j). AB (lower + upper + 1, n). B (n, nrhs) or (n): becomes X.
  !@procedure banded_solve

  !> The same of a symmetric (Hermitian) positive definite A, of which AB (k + 1, n) holds one triangle:
  !> AB(k + 1 + i - j, j) with uplo 'U', AB(1 + i - j, j) with 'L'.
  !@procedure positive_banded_solve

  !> Solves A X = B with A(i + 1, i) = DL(i), A(i, i) = D(i), A(i, i + 1) = DU(i). B: becomes X.
  !@procedure tridiagonal_solve

  !> The same of a symmetric (Hermitian) positive definite A with A(i + 1, i) = E(i).
  !@procedure positive_tridiagonal_solve

  !> A P = Q R with pivots, k = min(m, n): column j of Q R is column P(j) of A, as LAPACK's JPVT; in C P counts
  !> from 0. Q (m, k), R (k, n) and P (n), DAP_I4 or DAP_I8, may be left out. rank: elements of R's diagonal beyond tolerance times the first
  !> one; without it max(m, n), but at most 65,536, times the type's epsilon. A (m, n): workspace.
  !@procedure qr_pivoted

  !> Minimises ||A x - b|| for each column of B, with A of any rank; of all solutions the shortest. rank and
  !> tolerance as above. A (m, n) and B (m, nrhs): workspace. X (n, nrhs): result.
  !@procedure least_squares_rank
end module
