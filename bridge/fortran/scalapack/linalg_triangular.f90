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
  public :: dap_linalg_triangular_solve, dap_linalg_triangular_multiply, dap_linalg_rank_k

  !> Factors are real or complex: generic resolution wants a real one to be required.
  interface dap_linalg_triangular_solve
    procedure dap_linalg_triangular_solve, solve_real
  end interface
  interface dap_linalg_triangular_multiply
    procedure dap_linalg_triangular_multiply, multiply_real
  end interface
  interface dap_linalg_rank_k
    procedure dap_linalg_rank_k, rank_k_alpha, rank_k_beta
  end interface

  !> How a triangular matrix enters a product or an equation.
  type, bind(c) :: c_triangle
    character(kind=c_char) :: side, uplo, trans, diag
  end type

  interface
    integer(c_int) function c_solve(comm, t, alpha, a, b, options, o) &
        bind(c, name='dap_f_linalg_triangular_solve')
      import
      type(*), intent(in) :: comm
      type(c_triangle), intent(in) :: t
      complex(c_double_complex), intent(in), optional :: alpha
      type(c_ptr), value :: a, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_multiply(comm, t, alpha, a, b, options, o) &
        bind(c, name='dap_f_linalg_triangular_multiply')
      import
      type(*), intent(in) :: comm
      type(c_triangle), intent(in) :: t
      complex(c_double_complex), intent(in), optional :: alpha
      type(c_ptr), value :: a, b
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
    integer(c_int) function c_rank_k(comm, form, uplo, trans, alpha, a, beta, c, options, o) &
        bind(c, name='dap_f_linalg_rank_k')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: form, uplo, trans
      complex(c_double_complex), intent(in), optional :: alpha
      type(c_ptr), value :: a
      complex(c_double_complex), intent(in), optional :: beta
      type(c_ptr), value :: c
      type(dap_linalg_options), intent(in), optional :: options
      type(c_outcome), intent(inout) :: o
    end function
  end interface

contains

  !> Solves op(A) X = alpha B (side 'L') or X op(A) = alpha B ('R') with a triangular A; diag 'U': its
  !> diagonal is ones and not read. B (m, n) or (m): becomes X. alpha is 1 unless given.
  subroutine dap_linalg_triangular_solve(comm, side, uplo, trans, diag, a, b, alpha, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: side, uplo, trans, diag
    type(dap_array), intent(in) :: a, b
    complex(real64), intent(in), optional :: alpha
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_solve(comm, c_triangle(side, uplo, trans, diag), alpha, a%handle, b%handle, options, &
      o), o, report, err)
  end subroutine

  !> With a real alpha.
  subroutine solve_real(comm, side, uplo, trans, diag, a, b, alpha, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: side, uplo, trans, diag
    type(dap_array), intent(in) :: a, b
    real(real64), intent(in) :: alpha
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    call dap_linalg_triangular_solve(comm, side, uplo, trans, diag, a, b, cmplx(alpha, kind=real64), options, report, err)
  end subroutine

  !> B = alpha op(A) B (side 'L') or alpha B op(A) ('R') with a triangular A; arguments as above.
  subroutine dap_linalg_triangular_multiply(comm, side, uplo, trans, diag, a, b, alpha, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: side, uplo, trans, diag
    type(dap_array), intent(in) :: a, b
    complex(real64), intent(in), optional :: alpha
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_multiply(comm, c_triangle(side, uplo, trans, diag), alpha, a%handle, b%handle, options, &
      o), o, report, err)
  end subroutine

  !> With a real alpha.
  subroutine multiply_real(comm, side, uplo, trans, diag, a, b, alpha, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: side, uplo, trans, diag
    type(dap_array), intent(in) :: a, b
    real(real64), intent(in) :: alpha
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    call dap_linalg_triangular_multiply(comm, side, uplo, trans, diag, a, b, cmplx(alpha, kind=real64), options, report, err)
  end subroutine

  !> C = alpha A A' + beta C (trans 'N') or alpha A' A + beta C ('T'), ' being the conjugate transpose (form
  !> 'H') or the transpose ('S'). uplo: the triangle of C that is computed, 'L' or 'U', or both ('A'). alpha
  !> is 1 and beta 0 unless given.
  subroutine dap_linalg_rank_k(comm, form, uplo, trans, a, c, alpha, beta, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: form, uplo, trans
    type(dap_array), intent(in) :: a, c
    complex(real64), intent(in), optional :: alpha, beta
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    type(c_outcome) :: o
    call conclude(c_rank_k(comm, form, uplo, trans, alpha, a%handle, beta, c%handle, options, o), o, &
      report, err)
  end subroutine

  !> With a real alpha, and beta if that is not 0.
  subroutine rank_k_alpha(comm, form, uplo, trans, a, c, alpha, beta, options, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: form, uplo, trans
    type(dap_array), intent(in) :: a, c
    real(real64), intent(in) :: alpha
    real(real64), intent(in), optional :: beta
    type(dap_linalg_options), intent(in), optional :: options
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    complex(real64), allocatable :: scale
    if (present(beta)) scale = beta
    call dap_linalg_rank_k(comm, form, uplo, trans, a, c, cmplx(alpha, kind=real64), scale, options, report, &
      err)
  end subroutine

  !> With a real beta alone.
  subroutine rank_k_beta(comm, form, uplo, trans, a, c, options, beta, report, err)
    type(*), intent(in) :: comm
    character, intent(in) :: form, uplo, trans
    type(dap_array), intent(in) :: a, c
    type(dap_linalg_options), intent(in), optional :: options
    real(real64), intent(in) :: beta
    type(dap_linalg_report), intent(out), optional :: report
    type(dap_error), intent(out), optional :: err
    call dap_linalg_rank_k(comm, form, uplo, trans, a, c, beta=cmplx(beta, kind=real64), options=options, &
      report=report, err=err)
  end subroutine
end module
