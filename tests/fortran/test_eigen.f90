!> Computes eigenvalues and singular values by each algorithm that the module names, all of them and some.
program test_eigen
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  use dapbridge
  use matrices
  use mpi_f08
  implicit none
  integer :: turn
  call start()
  call set_matrices()
  do turn = 1, 2
    is_cyclic = turn == 1
    call general_eigenvalues()
    call all_eigenvalues()
    call some_eigenvalues()
    call pairs_of_matrices()
    call singular_values()
  end do
  call conclude()

contains

  subroutine general_eigenvalues()
    type(dap_array) :: a, w, v
    type(dap_linalg_report) :: report
    complex(real64) :: values(n), vectors(n, n)
    call make(general, a)
    call make_vector(DAP_C16, n, w)
    call make(0 * one, v)
    call dap_linalg_eig(MPI_COMM_WORLD, a, w, v)
    values = vector(w, n)
    vectors = whole(v, n)
    call expect_equal(matmul(general, vectors), scaled(vectors, values), 'A V = V W')
    call dap_linalg_eig(MPI_COMM_WORLD, a, w, report=report)
    call expect(report%count == 3 .and. report%uses(2)%name == 'W', 'report of eigenvalues')
    call expect(abs(sum(vector(w, n)) - sum(values)) < 1e-8, 'eigenvalues alone')
    call expect_equal(whole(a, n), general, 'A is only read')
  end subroutine

  !> Checks that A Z = B Z W, that Z^H B Z = 1, and that W ascends.
  subroutine expect_pairs(a, b, w, z, what)
    complex(real64), intent(in) :: a(:, :), b(:, :), w(:), z(:, :)
    character(len=*), intent(in) :: what
    integer :: count
    count = size(w)
    call expect_equal(matmul(a, z), scaled(matmul(b, z), w), what // ': A Z = B Z W')
    call expect_equal(matmul(adjoint(z), matmul(b, z)), one(:count, :count), what // ': Z^H B Z = 1')
    call expect(all(real(w(2:)) >= real(w(:count - 1))), what // ': in ascending order')
  end subroutine

  !> Makes a matrix, a vector for `count` values, and `count` columns for vectors.
  subroutine make_problem(count, a, w, z)
    integer, intent(in) :: count
    type(dap_array), intent(inout) :: a, w, z
    call make(hermitian, a)
    call make_vector(DAP_F8, count, w)
    call make(0 * one(:, :count), z)
  end subroutine

  subroutine all_eigenvalues()
    integer, parameter :: solvers(4) = [DAP_EIGH_AUTO, DAP_EIGH_EV, DAP_EIGH_EVD, DAP_EIGH_EVR]
    type(dap_array) :: a, w, z
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    integer :: i
    do i = 1, size(solvers)
      options%eigh%solver = solvers(i)
      call make_problem(n, a, w, z)
      call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
      call expect(report%found == n .and. (i == 1 .or. took(report%solver, solvers(i))), 'the solver that was asked for')
      call expect(solvers(i) /= DAP_EIGH_EVD .or. report%method == 'divide and conquer', 'in words')
      call expect_pairs(hermitian, one, vector(w, n), whole(z, n), 'eigh')
    end do
  end subroutine

  !> Divide and conquer may replace MRRR if a vector is not exact enough.
  pure logical function took(solver, asked)
    integer, intent(in) :: solver, asked
    took = solver == asked .or. (asked == DAP_EIGH_EVR .and. solver == DAP_EIGH_EVD)
  end function

  !> Selects numbers 3 to 7, the values between 4 and 5, and numbers 9 and 10.
  subroutine some_eigenvalues()
    type(dap_array) :: a, w, z
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    complex(real64) :: values(n), found(n), vectors(n, n)
    call make_problem(n, a, w, z)
    call dap_linalg_eigh(MPI_COMM_WORLD, 'U', a, w)
    values = vector(w, n)
    call make_problem(5, a, w, z)
    options%eigh = dap_eigh_options(DAP_EIGH_EVD, DAP_EIGH_BY_INDEX, first=3, last=7)
    call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
    call expect(report%found == 5 .and. report%solver == DAP_EIGH_EVD, 'numbers of eigenvalues')
    call expect(all(abs(vector(w, 5) - values(3:7)) < 1e-8), 'eigenvalues by number')
    call expect_pairs(hermitian, one, vector(w, 5), whole(z, 5), 'eigh by number')
    call make_problem(n, a, w, z)
    options%eigh = dap_eigh_options(range=DAP_EIGH_BY_VALUE, above=middle(values, 4), up_to=middle(values, 9))
    call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
    call expect(report%found == 5, 'so many between two values')
    found = vector(w, n)
    vectors = whole(z, n)
    call expect(all(abs(found(:5) - values(5:9)) < 1e-8), 'eigenvalues between two values')
    call expect(all(found(6:) /= found(6:)) .and. all(vectors(:, 6:) == 0), 'NaN and 0 in the rest')
  end subroutine

  pure real(real64) function middle(values, i)
    complex(real64), intent(in) :: values(:)
    integer, intent(in) :: i
    middle = real(values(i) + values(i + 1)) / 2
  end function

  subroutine pairs_of_matrices()
    type(dap_array) :: a, b, w, z
    type(dap_linalg_report) :: report
    call make_problem(n, a, w, z)
    call make(definite, b)
    call dap_linalg_eigh_generalized(MPI_COMM_WORLD, 'U', a, b, w, z, report=report)
    call expect(report%found == n, 'all of a pair')
    call expect_pairs(hermitian, definite, vector(w, n), whole(z, n), 'a pair')
  end subroutine

  subroutine singular_values()
    type(dap_array) :: a, u, s, vt
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    complex(real64) :: left(n, n), values(n)
    integer :: solver
    do solver = DAP_SVD_GESVD, DAP_SVD_GESDD
      options%svd%solver = solver
      call make(general, a)
      call make(0 * one, u)
      call make(0 * one, vt)
      call make_vector(DAP_F8, n, s)
      call dap_linalg_svd(MPI_COMM_WORLD, a, s, u, vt, options, report)
      left = whole(u, n)
      values = vector(s, n)
      call expect(report%method == 'QR iteration' .eqv. solver == DAP_SVD_GESVD, 'the solver that was asked for')
      call expect_equal(matmul(scaled(left, values), whole(vt, n)), general, 'A = U S VT')
      call expect_equal(matmul(adjoint(left), left), one, 'U is unitary')
      call expect(all(real(values(:n - 1)) >= real(values(2:))) .and. real(values(n)) >= 0, 'S descends')
    end do
  end subroutine
end program
