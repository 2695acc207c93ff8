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

  public :: dap_linalg_banded_solve, dap_linalg_positive_banded_solve, dap_linalg_tridiagonal_solve, &
    dap_linalg_positive_tridiagonal_solve, dap_linalg_qr_pivoted, dap_linalg_least_squares_rank

  interface
    integer(c_int) function c_banded_solve(comm, lower, upper, ab, b, options, o) &
        bind(c, name='dap_f_linalg_banded_solve')
      import
      type(*), intent(in) :: comm
      integer(c_int64_t), intent(in) :: lower, upper
      type(c_ptr), value :: ab, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_positive_banded_solve(comm, uplo, ab, b, options, o) &
        bind(c, name='dap_f_linalg_positive_banded_solve')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: uplo
      type(c_ptr), value :: ab, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_tridiagonal_solve(comm, dl, d, du, b, options, o) &
        bind(c, name='dap_f_linalg_tridiagonal_solve')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: dl, d, du, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_positive_tridiagonal_solve(comm, d, e, b, options, o) &
        bind(c, name='dap_f_linalg_positive_tridiagonal_solve')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: d, e, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_qr_pivoted(comm, tolerance, a, q, r, p, rank, options, o) &
        bind(c, name='dap_f_linalg_qr_pivoted')
      import
      type(*), intent(in) :: comm
      real(c_double), intent(in), optional :: tolerance
      type(c_ptr), value :: a, q, r, p
      integer(c_int64_t), intent(inout), optional :: rank
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_least_squares_rank(comm, tolerance, a, b, x, rank, options, o) &
        bind(c, name='dap_f_linalg_least_squares_rank')
      import
      type(*), intent(in) :: comm
      real(c_double), intent(in), optional :: tolerance
      type(c_ptr), value :: a, b, x
      integer(c_int64_t), intent(inout), optional :: rank
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
  end interface

contains

  !> Solves A X = B with a band matrix of lower diagonals below the main one and upper above it:
  !> AB(upper + 1 + i - j, j) is A(i, j). AB (lower + upper + 1, n). B (n, nrhs) or (n): becomes X.
  subroutine dap_linalg_banded_solve(comm, lower, upper, ab, b, options, report, err)
    type(*), intent(in) :: comm
    integer, intent(in) :: lower, upper
    type(dap_array), intent(in) :: ab, b
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_banded_solve(comm, int(lower, int64), int(upper, int64), ab%handle, b%handle, options, &
      o), o, report, err)
  end subroutine

  !> The same of a symmetric (Hermitian) positive definite A, of which AB (k + 1, n) holds one triangle:
  !> AB(k + 1 + i - j, j) with uplo 'U', AB(1 + i - j, j) with 'L'.
  subroutine dap_linalg_positive_banded_solve(comm, uplo, ab, b, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: uplo
    type(dap_array), intent(in) :: ab, b
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_positive_banded_solve(comm, uplo, ab%handle, b%handle, options, o), o, report, err)
  end subroutine

  !> Solves A X = B with A(i + 1, i) = DL(i), A(i, i) = D(i), A(i, i + 1) = DU(i). B: becomes X.
  subroutine dap_linalg_tridiagonal_solve(comm, dl, d, du, b, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: dl, d, du, b
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_tridiagonal_solve(comm, dl%handle, d%handle, du%handle, b%handle, options, o), o, &
      report, err)
  end subroutine

  !> The same of a symmetric (Hermitian) positive definite A with A(i + 1, i) = E(i).
  subroutine dap_linalg_positive_tridiagonal_solve(comm, d, e, b, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: d, e, b
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_positive_tridiagonal_solve(comm, d%handle, e%handle, b%handle, options, o), o, &
      report, err)
  end subroutine

  !> A P = Q R with pivots, k = min(m, n): column j of Q R is column P(j) of A, as LAPACK's JPVT; in C P counts
  !> from 0. Q (m, k), R (k, n) and P (n), DAP_I4 or DAP_I8, may be left out. rank: elements of R's diagonal beyond tolerance times the first
  !> one; without it max(m, n) times the type's epsilon, and for tall matrices 65,536 times epsilon at most. A (m, n): workspace.
  subroutine dap_linalg_qr_pivoted(comm, a, q, r, p, rank, tolerance, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a
    type(dap_array), intent(in), optional :: q, r, p
    integer(int64), intent(out), optional :: rank
    real(real64), intent(in), optional :: tolerance
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    if (present(rank)) rank = 0
    call conclude(c_qr_pivoted(comm, tolerance, a%handle, handle_of(q), handle_of(r), handle_of(p), rank, &
      options, o), o, report, err)
  end subroutine

  !> Minimises ||A x - b|| for each column of B, with A of any rank; of all solutions the shortest. rank and
  !> tolerance as above. A (m, n) and B (m, nrhs): workspace. X (n, nrhs): result.
  subroutine dap_linalg_least_squares_rank(comm, a, b, x, rank, tolerance, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a, b, x
    integer(int64), intent(out), optional :: rank
    real(real64), intent(in), optional :: tolerance
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    if (present(rank)) rank = 0
    call conclude(c_least_squares_rank(comm, tolerance, a%handle, b%handle, x%handle, rank, options, o), o, &
      report, err)
  end subroutine
end module
