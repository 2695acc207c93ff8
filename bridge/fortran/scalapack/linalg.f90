!> Dense linear algebra (dapbridge/linalg.h).
!>
!> Matrices are arrays of two dimensions and of one type, real or complex, with any layout; right-hand sides
!> may have one dimension. What ScaLAPACK can use it computes in place, other operands are moved. All are
!> collective on comm, whose processes must be exactly those of every operand's layout, in rank order.
!> Workspace may be overwritten, unless options%keep. Errors, beside those of arguments: DAP_ERR_NUMERIC
!> (singular, not positive definite, no convergence; report%info has the number that the text names).
module dapbridge_linalg
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge_base
  use dapbridge_arrays
  implicit none
  private

  integer, parameter, public :: DAP_EIGH_AUTO = 0, DAP_EIGH_EV = 1, DAP_EIGH_EVD = 2, DAP_EIGH_EVR = 3, &
    DAP_EIGH_BACKEND = 4
  integer, parameter, public :: DAP_EIGH_ALL = 0, DAP_EIGH_BY_INDEX = 1, DAP_EIGH_BY_VALUE = 2

  integer, parameter, public :: DAP_SVD_AUTO = 0, DAP_SVD_GESVD = 1, DAP_SVD_GESDD = 2

  !> dap_eigh_options, but for numbers of eigenvalues: first to last, counted from 1.
  type, bind(c), public :: dap_eigh_options
    integer(c_int) :: solver = DAP_EIGH_AUTO
    integer(c_int) :: range = DAP_EIGH_ALL
    integer(c_int64_t) :: first = 1, last = 0 !< of DAP_EIGH_BY_INDEX
    real(c_double) :: above = 0, up_to = 0 !< of DAP_EIGH_BY_VALUE
    type(c_ptr) :: backend = c_null_ptr !< another library: dap_elpa_backend(1)
  end type

  type, bind(c), public :: dap_svd_options
    integer(c_int) :: solver = DAP_SVD_AUTO
  end type

  !> dap_linalg_options as in dapbridge/linalg.h, member by member; the report is an argument.
  type, bind(c), public :: dap_linalg_options
    integer(c_int) :: sharing = DAP_SHARE_IF_POSSIBLE
    logical(c_bool) :: keep = .false.
    integer(c_int64_t) :: block_size = 0
    type(c_ptr), private :: report = c_null_ptr
    type(dap_eigh_options) :: eigh = dap_eigh_options()
    type(dap_svd_options) :: svd = dap_svd_options()
  end type

  !> How an operand was used.
  type, public :: dap_linalg_use
    character(len=8) :: name = ''
    logical :: shared = .false. !< computed in the array's own memory
    integer(int64) :: moved_bytes = 0 !< that this process copied or sent
    character(len=512) :: reason = '' !< why it is shared, or why not
  end type

  type, public :: dap_linalg_report
    integer :: count = 0 !< of uses, in the order of C's arguments
    type(dap_linalg_use) :: uses(4)
    integer(int64) :: info = 0
    integer :: solver = DAP_EIGH_AUTO !< of eigenproblems: what was taken
    integer(int64) :: found = 0 !< of these: eigenvalues in the range
    character(len=512) :: method = '' !< of these, of svd and of schur: the algorithm in words, as 'ELPA, 1 stage'
  end type

  public :: dap_linalg_solve, dap_linalg_cholesky_solve, dap_linalg_least_squares, dap_linalg_inverse, &
    dap_linalg_determinant, dap_linalg_condition, dap_linalg_multiply, dap_linalg_norm, &
    dap_linalg_qr, dap_linalg_eigh, dap_linalg_eigh_generalized, dap_linalg_svd, dap_elpa_backend

  !> Factors are real or complex: generic resolution wants a real one to be required.
  interface dap_linalg_multiply
    procedure dap_linalg_multiply, multiply_alpha, multiply_beta
  end interface

  public :: c_outcome, conclude ! for the modules beside this one; not for users

  type, bind(c) :: c_use
    character(kind=c_char) :: name(8) = c_null_char
    logical(c_bool) :: shared = .false.
    integer(c_int64_t) :: moved_bytes = 0
    character(kind=c_char) :: reason(512) = c_null_char
  end type

  type, bind(c) :: c_report
    integer(c_int) :: count = 0
    type(c_use) :: uses(4)
    integer(c_int64_t) :: info = 0
    integer(c_int) :: solver = DAP_EIGH_AUTO
    integer(c_int64_t) :: found = 0
    character(kind=c_char) :: method(512) = c_null_char
  end type

  !> What a shim says.
  type, bind(c) :: c_outcome
    type(c_error) :: error
    type(c_report), private :: report
  end type

  interface
    !> ELPA for options%eigh%backend; stages: 1, 2, or 0 for ELPA's choice. A program that calls it is linked
    !> with dapbridge's component elpa, which the module itself does not need.
    type(c_ptr) function dap_elpa_backend(stages) bind(c, name='dap_elpa_backend')
      import
      integer(c_int), value :: stages
    end function
  end interface

  interface
    integer(c_int) function c_solve(comm, trans, a, b, options, o) bind(c, name='dap_f_linalg_solve')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: trans
      type(c_ptr), value :: a, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_cholesky_solve(comm, uplo, a, b, options, o) &
        bind(c, name='dap_f_linalg_cholesky_solve')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: uplo
      type(c_ptr), value :: a, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_least_squares(comm, a, b, x, options, o) &
        bind(c, name='dap_f_linalg_least_squares')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a, b, x
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_inverse(comm, a, options, o) bind(c, name='dap_f_linalg_inverse')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_determinant(comm, a, sign, log, options, o) &
        bind(c, name='dap_f_linalg_determinant')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a
      complex(c_double_complex), intent(inout) :: sign
      real(c_double), intent(inout) :: log
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_condition(comm, norm, a, rcond, options, o) &
        bind(c, name='dap_f_linalg_condition')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: norm
      type(c_ptr), value :: a
      real(c_double), intent(inout) :: rcond
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_multiply(comm, trans_a, trans_b, alpha, a, b, beta, c, options, o) &
        bind(c, name='dap_f_linalg_multiply')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: trans_a, trans_b
      complex(c_double_complex), intent(in), optional :: alpha
      type(c_ptr), value :: a, b
      complex(c_double_complex), intent(in), optional :: beta
      type(c_ptr), value :: c
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_norm(comm, norm, a, value, options, o) bind(c, name='dap_f_linalg_norm')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: norm
      type(c_ptr), value :: a
      real(c_double), intent(inout) :: value
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_qr(comm, a, q, r, options, o) bind(c, name='dap_f_linalg_qr')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a, q, r
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_eigh(comm, uplo, a, w, z, options, o) bind(c, name='dap_f_linalg_eigh')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: uplo
      type(c_ptr), value :: a, w, z
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_eigh_generalized(comm, uplo, a, b, w, z, options, o) &
        bind(c, name='dap_f_linalg_eigh_generalized')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: uplo
      type(c_ptr), value :: a, b, w, z
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_svd(comm, a, u, s, vt, options, o) bind(c, name='dap_f_linalg_svd')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a, u, s, vt
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
  end interface

contains

  !> Solves op(A) X = B by LU factorisation; trans: 'N', 'T' or 'C'. A (n, n): workspace. B (n, nrhs) or (n):
  !> becomes X.
  subroutine dap_linalg_solve(comm, trans, a, b, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: trans
    type(dap_array), intent(in) :: a, b
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_solve(comm, trans, a%handle, b%handle, options, o), o, report, err)
  end subroutine

  !> Solves A X = B for a symmetric (Hermitian) positive definite A, of which only the triangle uplo, 'L' or
  !> 'U', is read. A: workspace. B: becomes X.
  subroutine dap_linalg_cholesky_solve(comm, uplo, a, b, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: uplo
    type(dap_array), intent(in) :: a, b
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_cholesky_solve(comm, uplo, a%handle, b%handle, options, o), o, report, err)
  end subroutine

  !> Minimises ||A x - b|| for each column of B, with A (m, n) of full rank. A and B (m, nrhs): workspace. X
  !> (n, nrhs): result.
  subroutine dap_linalg_least_squares(comm, a, b, x, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a, b, x
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_least_squares(comm, a%handle, b%handle, x%handle, options, o), o, report, err)
  end subroutine

  !> Overwrites A (n, n) with its inverse.
  subroutine dap_linalg_inverse(comm, a, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_inverse(comm, a%handle, options, o), o, report, err)
  end subroutine

  !> The determinant of A (n, n) as sign * exp(log), with abs(sign) = 1, or 0 if A is singular. A: workspace.
  subroutine dap_linalg_determinant(comm, a, sign, log, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a
    complex(real64), intent(out) :: sign
    real(real64), intent(out) :: log
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    sign = 0
    log = 0
    call conclude(c_determinant(comm, a%handle, sign, log, options, o), o, report, err)
  end subroutine

  !> Estimates the reciprocal condition number of A (n, n) in the norm '1' or 'I'; 0 if A is singular. A:
  !> workspace.
  subroutine dap_linalg_condition(comm, norm, a, rcond, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: norm
    type(dap_array), intent(in) :: a
    real(real64), intent(out) :: rcond
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    rcond = 0
    call conclude(c_condition(comm, norm, a%handle, rcond, options, o), o, report, err)
  end subroutine

  !> C = alpha op(A) op(B) + beta C; alpha is 1 and beta 0 unless given. Both are complex or both real(real64).
  subroutine dap_linalg_multiply(comm, trans_a, trans_b, a, b, c, alpha, beta, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    type(dap_array), intent(in) :: a, b, c
    complex(real64), intent(in), optional :: alpha, beta
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_multiply(comm, trans_a, trans_b, alpha, a%handle, b%handle, beta, c%handle, options, o), &
      o, report, err)
  end subroutine

  !> With a real alpha, and beta if that is not 0.
  subroutine multiply_alpha(comm, trans_a, trans_b, a, b, c, alpha, beta, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    type(dap_array), intent(in) :: a, b, c
    real(real64), intent(in) :: alpha
    real(real64), intent(in), optional :: beta
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    complex(real64), allocatable :: scale
    if (present(beta)) scale = beta
    call dap_linalg_multiply(comm, trans_a, trans_b, a, b, c, cmplx(alpha, kind=real64), scale, options, &
      report, err)
  end subroutine

  !> With a real beta alone.
  subroutine multiply_beta(comm, trans_a, trans_b, a, b, c, options, beta, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    type(dap_array), intent(in) :: a, b, c
    type(dap_linalg_options), intent(in), optional :: options
    real(real64), intent(in) :: beta
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    call dap_linalg_multiply(comm, trans_a, trans_b, a, b, c, beta=cmplx(beta, kind=real64), &
      options=options, report=report, err=err)
  end subroutine

  !> A norm of A: '1', 'I', 'M' (largest absolute value) or 'F' (Frobenius). A is only read.
  subroutine dap_linalg_norm(comm, norm, a, value, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: norm
    type(dap_array), intent(in) :: a
    real(real64), intent(out) :: value
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    value = 0
    call conclude(c_norm(comm, norm, a%handle, value, options, o), o, report, err)
  end subroutine

  !> A = Q R, k = min(m, n): Q (m, k) or R (k, n) may be left out. A (m, n): workspace.
  subroutine dap_linalg_qr(comm, a, q, r, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a
    type(dap_array), intent(in), optional :: q, r
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_qr(comm, a%handle, handle_of(q), handle_of(r), options, o), o, report, err)
  end subroutine

  !> Eigenvalues W (n), ascending, and eigenvectors, the columns of Z (n, n), if that is given, of a symmetric
  !> (Hermitian) A, of which only the triangle uplo is read. options%eigh: a part of them, W (k) and Z (n, k).
  !> A: workspace.
  subroutine dap_linalg_eigh(comm, uplo, a, w, z, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: uplo
    type(dap_array), intent(in) :: a, w
    type(dap_array), intent(in), optional :: z
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_eigh(comm, uplo, a%handle, w%handle, handle_of(z), options, o), o, report, err)
  end subroutine

  !> The same of A z = w B z with a positive definite B. The vectors are B-orthonormal. A and B: workspace.
  subroutine dap_linalg_eigh_generalized(comm, uplo, a, b, w, z, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: uplo
    type(dap_array), intent(in) :: a, b, w
    type(dap_array), intent(in), optional :: z
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_eigh_generalized(comm, uplo, a%handle, b%handle, w%handle, handle_of(z), options, o), o, &
      report, err)
  end subroutine

  !> A = U diag(S) VT, k = min(m, n): U (m, k), S (k), descending, VT (k, n); U or VT may be left out. A (m,
  !> n): workspace.
  subroutine dap_linalg_svd(comm, a, s, u, vt, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a, s
    type(dap_array), intent(in), optional :: u, vt
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_svd(comm, a%handle, handle_of(u), s%handle, handle_of(vt), options, o), o, report, err)
  end subroutine

  !> Passes on what a shim says: the report first, which an error has, too.
  subroutine conclude(status, o, report, err)
    integer(c_int), intent(in) :: status
    type(c_outcome), intent(in) :: o
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    integer :: k
    if (present(report)) then
      report%count = o%report%count
      report%info = o%report%info
      report%solver = o%report%solver
      report%found = o%report%found
      report%method = from_c(o%report%method)
      do k = 1, o%report%count
        report%uses(k)%name = from_c(o%report%uses(k)%name)
        report%uses(k)%shared = o%report%uses(k)%shared
        report%uses(k)%moved_bytes = o%report%uses(k)%moved_bytes
        report%uses(k)%reason = in_words(o%report%uses(k)%reason)
      end do
    end if
    call finish(status, o%error, err)
  end subroutine
end module
