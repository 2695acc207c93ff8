!> Band matrices, and the rank of matrices.
!>
!> The rules of dapbridge_linalg on operands, options, reports and errors apply here, too. Bands are only
!> read, and always moved.
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

  !> Solves A X = B with a band matrix A by LU factorisation. It has `lower` diagonals below the main one and
  !> `upper` above it. ab (lower + upper + 1, n) holds the diagonals: AB(upper + 1 + i - j, j) is A(i, j). b
  !> (n, nrhs) or (n) receives X. DAP_ERR_NUMERIC: A is singular.
  !@procedure banded_solve

  !> Solves A X = B with a symmetric (Hermitian) positive definite band matrix A by Cholesky factorisation. ab
  !> (k + 1, n) holds one triangle: A(i, j) is AB(k + 1 + i - j, j) with uplo 'U' and AB(1 + i - j, j) with
  !> 'L'. b (n, nrhs) or (n) receives X. DAP_ERR_NUMERIC: A is not positive definite.
  !@procedure positive_banded_solve

  !> Solves A X = B with a tridiagonal matrix A. dl (n - 1), d (n) and du (n - 1) hold its diagonals: A(i + 1,
  !> i) is DL(i), A(i, i) is D(i) and A(i, i + 1) is DU(i). b (n, nrhs) or (n) receives X. DAP_ERR_NUMERIC: A
  !> is singular.
  !@procedure tridiagonal_solve

  !> Solves A X = B with a symmetric (Hermitian) positive definite tridiagonal matrix A. d (n) and e (n - 1)
  !> hold its diagonals: A(i, i) is D(i) and A(i + 1, i) is E(i). b (n, nrhs) or (n) receives X.
  !> DAP_ERR_NUMERIC: A is not positive definite.
  !@procedure positive_tridiagonal_solve

  !> Factors A P = Q R with column pivoting, and finds the rank. Column j of Q R is column P(j) of A, as
  !> LAPACK's JPVT counts. With k = min(m, n) q is (m, k), r is (k, n), and p (n) is of type DAP_I4 or DAP_I8.
  !> Each result may be left out. rank counts the leading elements of R's diagonal beyond tolerance times the
  !> first one. The default tolerance is max(m, n), but at most 65,536, times the type's epsilon. a (m, n) is
  !> workspace.
  !@procedure qr_pivoted

  !> Minimises ||A x - b|| for each column b of B, with A of any rank. x (n, nrhs) or (n) receives the
  !> shortest solutions. rank counts the leading elements of R's diagonal beyond tolerance times the first
  !> one, where R is from A P = Q R. The default tolerance is max(m, n), but at most 65,536, times the type's
  !> epsilon. a (m, n) and b (m, nrhs) or (m) are workspace.
  !@procedure least_squares_rank
end module
