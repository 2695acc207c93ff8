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

  public :: dap_elpa_backend

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

  !@declarations

contains

  !> Solves op(A) X = B by LU factorisation; trans: 'N', 'T' or 'C'. A (n, n): workspace. B (n, nrhs) or (n):
  !> becomes X.
  !@procedure solve

  !> Solves A X = B for a symmetric (Hermitian) positive definite A, of which only the triangle uplo, 'L' or
  !> 'U', is read. A: workspace. B: becomes X.
  !@procedure cholesky_solve

  !> Minimises ||A x - b|| for each column of B, with A (m, n) of full rank. A and B (m, nrhs): workspace. X
  !> (n, nrhs): result.
  !@procedure least_squares

  !> Overwrites A (n, n) with its inverse.
  !@procedure inverse

  !> The determinant of A (n, n) as sign * exp(log), with abs(sign) = 1, or 0 if A is singular. A: workspace.
  !@procedure determinant

  !> Estimates the reciprocal condition number of A (n, n) in the norm '1' or 'I'; 0 if A is singular. A:
  !> workspace.
  !@procedure condition

  !> C = alpha op(A) op(B) + beta C; alpha is 1 and beta 0 unless given. Both are complex or both real(real64).
  !@procedure multiply

  !> A norm of A: '1', 'I', 'M' (largest absolute value) or 'F' (Frobenius). A is only read.
  !@procedure norm

  !> A = Q R, k = min(m, n): Q (m, k) or R (k, n) may be left out. A (m, n): workspace.
  !@procedure qr

  !> Eigenvalues W (n), ascending, and eigenvectors, the columns of Z (n, n), if that is given, of a symmetric
  !> (Hermitian) A, of which only the triangle uplo is read. options%eigh: a part of them, W (k) and Z (n, k).
  !> A: workspace.
  !@procedure eigh

  !> The same of A z = w B z with a positive definite B. The vectors are B-orthonormal. A and B: workspace.
  !@procedure eigh_generalized

  !> A = U diag(S) VT, k = min(m, n): U (m, k), S (k), descending, VT (k, n); U or VT may be left out. A (m,
  !> n): workspace.
  !@procedure svd

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
