!> Dense linear algebra. Each procedure solves a complete problem with ScaLAPACK.
!>
!> Matrices are arrays with two axes and any layout. All matrices of a call have the same type, real or
!> complex. Right-hand sides may have one axis. Operands with a layout that ScaLAPACK supports are used in
!> place. Other operands are copied. Workspace may be overwritten, unless options%keep is true. All procedures
!> are collective on comm, which must contain exactly the processes of every operand's layout: rank i is
!> process i of each layout.
!>
!> `options` must be the same on every process. Without it, all options have their defaults. `report` receives
!> how each operand was used. `err` receives the error, or the status DAP_OK. Without `err`, an error ends the
!> program with the error's text. These three arguments are optional.
!>
!> Errors, the same on every process:
!> - DAP_ERR_ARG: an argument is invalid or differs between processes, extents do not match, or operands
!>   overlap
!> - DAP_ERR_BUFFER: an element type is unsupported or differs, or a result is read-only
!> - DAP_ERR_SHARE: an operand needs a copy, but DAP_SHARE_OR_FAIL forbids copies
!> - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
!> - DAP_ERR_UNSUPPORTED: an axis is partial, or options%eigh%backend cannot use the type or options%block_size
!> - DAP_ERR_NUMERIC: a matrix is singular, not positive definite or not finite, an algorithm does not
!> converge, or a result exceeds its type's range; report%info is the number in the error's text
!> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
module dapbridge_linalg
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge_base
  use dapbridge_arrays
  implicit none
  private

  !> The algorithm for eigenproblems. DAP_EIGH_AUTO: dapbridge chooses. DAP_EIGH_EV: QR iteration.
  !> DAP_EIGH_EVD: divide and conquer. DAP_EIGH_EVR: MRRR. DAP_EIGH_BACKEND: options%eigh%backend.
  integer, parameter, public :: DAP_EIGH_AUTO = 0, DAP_EIGH_EV = 1, DAP_EIGH_EVD = 2, DAP_EIGH_EVR = 3, &
    DAP_EIGH_BACKEND = 4

  !> The eigenvalues that are computed: all eigenvalues, the eigenvalues with numbers first to last, or the
  !> eigenvalues in a range.
  integer, parameter, public :: DAP_EIGH_ALL = 0, DAP_EIGH_BY_INDEX = 1, DAP_EIGH_BY_VALUE = 2

  !> The algorithm for singular values. DAP_SVD_AUTO: dapbridge chooses. DAP_SVD_GESVD: QR iteration.
  !> DAP_SVD_GESDD: divide and conquer. Process 0 then needs memory for 5 k^2 numbers, where k = min(m, n).
  integer, parameter, public :: DAP_SVD_AUTO = 0, DAP_SVD_GESVD = 1, DAP_SVD_GESDD = 2

  !> Options of dap_linalg_eigh and dap_linalg_eigh_generalized. By default all eigenvalues are computed, and
  !> dapbridge chooses the algorithm.
  type, bind(c), public :: dap_eigh_options
    integer(c_int) :: solver = DAP_EIGH_AUTO !< algorithm
    integer(c_int) :: range = DAP_EIGH_ALL !< how the eigenvalues that are wanted are selected
    integer(c_int64_t) :: first = 1, last = 0 !< DAP_EIGH_BY_INDEX: numbers of the eigenvalues, counted from 1
    real(c_double) :: above = 0, up_to = 0 !< DAP_EIGH_BY_VALUE: above < w <= up_to
    type(c_ptr) :: backend = c_null_ptr !< another library, such as dap_elpa_backend(1)
  end type

  !> Options of dap_linalg_svd.
  type, bind(c), public :: dap_svd_options
    integer(c_int) :: solver = DAP_SVD_AUTO !< algorithm
  end type

  !> Options of all procedures. They must be the same on every process.
  type, bind(c), public :: dap_linalg_options
    integer(c_int) :: sharing = DAP_SHARE_IF_POSSIBLE !< whether dapbridge may copy matrices and right-hand sides
    logical(c_bool) :: keep = .false. !< preserve operands that are workspace, by copying them
    integer(c_int64_t) :: block_size = 0 !< block size of moved matrices; 0 means the default
    type(c_ptr), private :: report = c_null_ptr
    type(dap_eigh_options) :: eigh = dap_eigh_options() !< for eigenproblems
    type(dap_svd_options) :: svd = dap_svd_options() !< for dap_linalg_svd
  end type

  !> Describes how a procedure used one of its operands.
  type, public :: dap_linalg_use
    character(len=8) :: name = '' !< name of the operand, such as 'A'
    logical :: shared = .false. !< whether the procedure computed in the array's memory
    integer(int64) :: moved_bytes = 0 !< bytes that this process copied or sent
    character(len=512) :: reason = '' !< why the operand was shared, or why not
  end type

  !> The report of a procedure. After an error, the report describes the steps that were completed.
  type, public :: dap_linalg_report
    integer :: count = 0 !< number of operands, which are in the order of C's arguments
    type(dap_linalg_use) :: uses(4) !< how each operand was used
    integer(int64) :: info = 0 !< after DAP_ERR_NUMERIC: the number that the error's text names, from 1; else 0
    integer :: solver = DAP_EIGH_AUTO !< eigenproblems: the algorithm that was used
    integer(int64) :: found = 0 !< eigenproblems: number of eigenvalues in the range
    character(len=512) :: method = '' !< eigenproblems, svd, schur, eig: the algorithm in words
  end type

  public :: dap_elpa_backend

  public :: c_outcome, conclude ! for other modules of dapbridge, not for programs

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

  !> The error and the report of a shim.
  type, bind(c) :: c_outcome
    type(c_error) :: error
    type(c_report), private :: report
  end type

  interface
    !> Returns ELPA for options%eigh%backend. stages is 1, 2, or 0 for ELPA's choice. A program that calls
    !> this function must be linked with dapbridge's component elpa. The module itself does not need this
    !> component.
    type(c_ptr) function dap_elpa_backend(stages) bind(c, name='dap_elpa_backend')
      import
      integer(c_int), value :: stages
    end function
  end interface

  !@declarations

contains

  !> Solves op(A) X = B by LU factorisation with partial pivoting. trans: op(A) is A ('N'), its transpose
  !> ('T') or its conjugate transpose ('C'). a (n, n) is workspace. b (n, nrhs) or (n) receives X.
  !> DAP_ERR_NUMERIC: A is singular, and report%info is the first k with U(k, k) = 0; or b is finite and X
  !> exceeds its type's range. In the latter case, a shared b has been overwritten.
  !@procedure solve

  !> Solves A X = B for a symmetric (Hermitian) positive definite A by Cholesky factorisation. Only the
  !> triangle of A that uplo names ('L' or 'U') is read. a (n, n) is workspace. b (n, nrhs) or (n) receives X.
  !> DAP_ERR_NUMERIC: the leading minor of order report%info is not positive; or b is finite and X exceeds its
  !> type's range. In the latter case, a shared b has been overwritten.
  !@procedure cholesky_solve

  !> Minimises ||A x - b|| for each column b of B, where A has full rank. If A has more columns than rows, X
  !> is the solution of least norm. a (m, n) and b (m, nrhs) or (m) are workspace. x (n, nrhs) or (n) receives
  !> the solutions.
  !@procedure least_squares

  !> Overwrites a matrix with its inverse. a (n, n) receives the inverse. DAP_ERR_NUMERIC: A is singular.
  !@procedure inverse

  !> Computes the determinant of a matrix as sign * exp(log). sign has absolute value 1, or is 0 if A is
  !> singular. a (n, n) is workspace.
  !@procedure determinant

  !> Estimates the reciprocal condition number of a matrix. norm is '1' (column sums) or 'I' (row sums). rcond
  !> is 0 if A is singular. a (n, n) is workspace.
  !@procedure condition

  !> Computes C = alpha op(A) op(B) + beta C. trans_a and trans_b: op is the matrix itself ('N'), its
  !> transpose ('T') or its conjugate transpose ('C'). op(A) is (m, k), op(B) is (k, n), and c (m, n) receives
  !> C. a and b are only read. By default alpha is 1 and beta is 0. Both are complex(real64) or real(real64).
  !@procedure multiply

  !> Computes a norm of a matrix. norm is '1' (largest column sum), 'I' (largest row sum), 'M' (largest
  !> absolute value) or 'F' (Frobenius norm). a (m, n) is only read. value receives the norm.
  !@procedure norm

  !> Factors A = Q R, where the columns of Q are orthonormal. With k = min(m, n), q (m, k) receives Q, and r
  !> (k, n) receives R, which is upper triangular. q or r may be left out. a (m, n) is workspace.
  !@procedure qr

  !> Computes eigenvalues and eigenvectors of a symmetric (Hermitian) matrix. uplo names the triangle of A
  !> that is read ('L' or 'U'). With 'A' all of A is read. w (n) receives the eigenvalues in ascending order.
  !> z (n, n) receives the eigenvectors as columns, and may be left out. options%eigh can choose k
  !> eigenvalues. Then w is (k) and z is (n, k). a (n, n) is workspace.
  !@procedure eigh

  !> Solves A z = w B z with a symmetric (Hermitian) A and a positive definite B. uplo names the triangle of A
  !> and B that is read: 'L' or 'U'. w (n) receives the eigenvalues in ascending order. z (n, n) receives the
  !> eigenvectors as columns, and may be left out. The eigenvectors are B-orthonormal. options%eigh can choose
  !> k eigenvalues. Then w is (k) and z is (n, k). a and b (n, n) are workspace. DAP_ERR_NUMERIC: B is not
  !> positive definite, or the computation does not converge.
  !@procedure eigh_generalized

  !> Computes the singular value decomposition A = U diag(S) VT. With k = min(m, n), U is (m, k) and VT is (k,
  !> n). s (k) receives the singular values in descending order. u or vt may be left out. a (m, n) is
  !> workspace. options%svd chooses the algorithm.
  !@procedure svd

  !> Copies the report and the error of a shim. There is a report even after an error.
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
