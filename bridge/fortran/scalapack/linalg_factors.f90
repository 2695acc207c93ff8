!> Factors of a matrix, which are computed once and used many times, and the expert solver.
!>
!> The module dapbridge_linalg lists the errors, and explains operands and workspace. Factors may be stored in
!> the memory of their matrix (report%uses(1)%shared). The factors keep this memory alive. The program must
!> not write to this memory while the factors exist.
!>
!> comm must contain exactly the processes of every operand's layout: rank i is process i of each layout.
!> `options` must be the same on every process. Without it, all options have their defaults. `report` receives
!> how each operand was used. `err` receives the error, or the status DAP_OK. Without `err`, an error ends the
!> program with the error's text. These three arguments are optional.
module dapbridge_linalg_factors
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_linalg
  implicit none
  private

  !> Factors of a matrix. After an assignment both variables refer to the same factors. The factors on this
  !> process are freed by dap_destroy(), or when the last variable goes out of scope.
  type, extends(dap_object), public :: dap_linalg_factors
  contains
    procedure, private :: assign => dap_f_assign_factors
    generic :: assignment(=) => assign
    final :: end_factors
  end type

  !> The report of dap_linalg_solve_refined.
  type, bind(c), public :: dap_linalg_refinement
    real(c_double) :: rcond = 0 !< estimated reciprocal condition number of A
    logical(c_bool) :: scaled_rows = .false., scaled_columns = .false. !< whether A was equilibrated
    integer(c_int) :: steps = 0 !< number of corrections of X
  end type

  public :: dap_linalg_lu, dap_linalg_cholesky, dap_linalg_factors_solve, dap_linalg_factors_inverse, &
    dap_linalg_factors_determinant, dap_linalg_factors_condition, dap_linalg_solve_refined

  interface
    !> This is not a procedure of the module: assign.f90 says why.
    impure elemental subroutine dap_f_assign_factors(left, right)
      import
      class(dap_linalg_factors), intent(out) :: left
      type(dap_linalg_factors), intent(in) :: right
    end subroutine
  end interface

  interface
    integer(c_int) function c_lu(comm, a, factors, options, o) bind(c, name='dap_f_linalg_lu')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: a
      type(c_ptr), intent(inout) :: factors
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_cholesky(comm, uplo, a, factors, options, o) &
        bind(c, name='dap_f_linalg_cholesky')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: uplo
      type(c_ptr), value :: a
      type(c_ptr), intent(inout) :: factors
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_solve(factors, trans, b, options, o) bind(c, name='dap_f_linalg_factors_solve')
      import
      type(c_ptr), value :: factors
      character(kind=c_char), intent(in) :: trans
      type(c_ptr), value :: b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_inverse(factors, x, options, o) bind(c, name='dap_f_linalg_factors_inverse')
      import
      type(c_ptr), value :: factors, x
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_determinant(factors, sign, log, e) &
        bind(c, name='dap_f_linalg_factors_determinant')
      import
      type(c_ptr), value :: factors
      complex(c_double_complex), intent(inout) :: sign
      real(c_double), intent(inout) :: log
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_condition(factors, norm, rcond, e) &
        bind(c, name='dap_f_linalg_factors_condition')
      import
      type(c_ptr), value :: factors
      character(kind=c_char), intent(in) :: norm
      real(c_double), intent(inout) :: rcond
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_solve_refined(comm, trans, a, b, x, nrhs, forward, backward, refinement, &
      options, &
        o) bind(c, name='dap_f_linalg_solve_refined')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: trans
      type(c_ptr), value :: a, b, x
      integer(c_int64_t), intent(in) :: nrhs
      type(c_ptr), value :: forward, backward
      type(dap_linalg_refinement), intent(inout) :: refinement
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
  end interface

contains

  !> Computes the `factors` of A = P L U with partial pivoting. a (n, n) is workspace, and the factors may be
  !> stored in it. DAP_ERR_NUMERIC: A is singular.
  subroutine dap_linalg_lu(comm, a, factors, options, report, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: a
    type(dap_linalg_factors), intent(inout) :: factors
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_lu(comm, a%handle, factors%handle, options, o), o, report, err)
  end subroutine

  !> Computes the Cholesky `factors` of a symmetric (Hermitian) positive definite A. Only the triangle of A
  !> that uplo names ('L' or 'U') is read. a (n, n) is workspace, and the factors may be stored in it.
  !> DAP_ERR_NUMERIC: A is not positive definite.
  subroutine dap_linalg_cholesky(comm, uplo, a, factors, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: uplo
    type(dap_array), intent(in) :: a
    type(dap_linalg_factors), intent(inout) :: factors
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_cholesky(comm, uplo, a%handle, factors%handle, options, o), o, report, err)
  end subroutine

  !> Solves op(A) X = B with the factors of A. trans: op(A) is A ('N'), its transpose ('T') or its conjugate
  !> transpose ('C'). b (n, nrhs) or (n) receives X. Collective on the communicator of the factors.
  !> DAP_ERR_NUMERIC: b is finite and X exceeds its type's range. A shared b has then been overwritten.
  subroutine dap_linalg_factors_solve(factors, trans, b, options, report, err)
    type(dap_linalg_factors), intent(in) :: factors
    character, intent(in) :: trans
    type(dap_array), intent(in) :: b
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_solve(factors%handle, trans, b%handle, options, o), o, report, err)
  end subroutine

  !> Writes the inverse of A to x (n, n). The factors stay valid. Collective on the communicator of the
  !> factors.
  subroutine dap_linalg_factors_inverse(factors, x, options, report, err)
    type(dap_linalg_factors), intent(in) :: factors
    type(dap_array), intent(in) :: x
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_inverse(factors%handle, x%handle, options, o), o, report, err)
  end subroutine

  !> Computes the determinant of A as sign * exp(log), where sign has absolute value 1. Collective on the
  !> communicator of the factors.
  subroutine dap_linalg_factors_determinant(factors, sign, log, err)
    type(dap_linalg_factors), intent(in) :: factors
    complex(real64), intent(out) :: sign
    real(real64), intent(out) :: log
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    sign = 0
    log = 0
    call finish(c_determinant(factors%handle, sign, log, e), e, err)
  end subroutine

  !> Estimates the reciprocal condition number `rcond` of A. norm is '1' (column sums) or 'I' (row sums).
  !> Collective on the communicator of the factors.
  subroutine dap_linalg_factors_condition(factors, norm, rcond, err)
    type(dap_linalg_factors), intent(in) :: factors
    character, intent(in) :: norm
    real(real64), intent(out) :: rcond
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    rcond = 0
    call finish(c_condition(factors%handle, norm, rcond, e), e, err)
  end subroutine

  !> Solves op(A) X = B with equilibration and iterative refinement. trans: op(A) is A ('N'), its transpose
  !> ('T') or its conjugate transpose ('C'). a (n, n) and b (n, nrhs) or (n) are only read. x has the extents
  !> of b, and receives the solutions. forward (nrhs) receives a bound of the relative error of each solution.
  !> backward (nrhs) receives the backward errors. refinement receives rcond of A, whether A was equilibrated,
  !> and the number of corrections. Pass forward and backward on all processes or on none. DAP_ERR_NUMERIC: A
  !> is singular.
  subroutine dap_linalg_solve_refined(comm, trans, a, b, x, forward, backward, refinement, options, &
    report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: trans
    type(dap_array), intent(in) :: a, b, x
    real(real64), intent(inout), contiguous, target, optional :: forward(:), backward(:)
    type(dap_linalg_refinement), intent(out), optional :: refinement
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(dap_linalg_refinement) :: own
    type(c_ptr) :: to_forward, to_backward
    integer(c_int64_t) :: room
    integer(c_int) :: status
    real(real64), target :: nothing(1)
    type(c_outcome) :: o
    room = huge(room)
    to_forward = c_null_ptr
    to_backward = c_null_ptr
    if (present(forward)) then
      room = min(room, size(forward, kind=c_int64_t))
      to_forward = address(forward)
    end if
    if (present(backward)) then
      room = min(room, size(backward, kind=c_int64_t))
      to_backward = address(backward)
    end if
    status = c_solve_refined(comm, trans, a%handle, b%handle, x%handle, room, to_forward, to_backward, own, &
      options, o)
    if (present(refinement)) refinement = own
    call conclude(status, o, report, err)

  contains

    !> Returns the address of the values. If there are no values, the address is not null, because null means
    !> that the argument is not given.
    type(c_ptr) function address(values)
      real(real64), intent(in), contiguous, target :: values(:)
      address = c_loc(nothing)
      if (size(values) > 0) address = c_loc(values)
    end function
  end subroutine

  impure elemental subroutine end_factors(factors)
    type(dap_linalg_factors), intent(inout) :: factors
    call release(factors%handle)
  end subroutine
end module
