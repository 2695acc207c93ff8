!> Band matrices, and the rank of matrices.
!>
!> The module dapbridge_linalg lists the errors, and explains operands and workspace. Band matrices are only
!> read, and are always copied.
!>
!> comm must contain exactly the processes of every operand's layout: rank i is process i of each layout.
!> `options` must be the same on every process. Without it, all options have their defaults. `report` receives
!> how each operand was used. `err` receives the error, or the status DAP_OK. Without `err`, an error ends the
!> program with the error's text. These three arguments are optional.
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

  !> Solves A X = B with a band matrix A by LU factorisation. A has `lower` diagonals below the main diagonal
  !> and `upper` diagonals above it. ab (lower + upper + 1, n) holds the diagonals: AB(upper + 1 + i - j, j)
  !> is A(i, j). b (n, nrhs) or (n) receives X. DAP_ERR_NUMERIC: A is singular.
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

  !> Factors A P = Q R with column pivoting, and finds the rank. Column j of Q R is column P(j) of A, as with
  !> LAPACK's JPVT. With k = min(m, n), q is (m, k) and r is (k, n). p (n) has the type DAP_I4 or DAP_I8. Each
  !> result may be left out. rank is the number of leading elements of R's diagonal whose absolute value
  !> exceeds tolerance * |R(1, 1)|. The default tolerance is max(m, n) times the type's epsilon, but at most
  !> 65,536 times epsilon. a (m, n) is workspace.
  !@procedure qr_pivoted

  !> Minimises ||A x - b|| for each column b of B, where A has any rank. x (n, nrhs) or (n) receives the
  !> solutions of least norm. rank is the number of leading elements of R's diagonal in A P = Q R whose
  !> absolute value exceeds tolerance * |R(1, 1)|. The default tolerance is max(m, n) times the type's
  !> epsilon, but at most 65,536 times epsilon. a (m, n) and b (m, nrhs) or (m) are workspace.
  !@procedure least_squares_rank
end module
