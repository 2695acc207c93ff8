!> Eigenvalues, singular values and Schur forms from Fortran, by every algorithm that has a name here, whole and in part:
!> what they return is compared with the matrices, which every process has in double precision.
program test_eigen
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use linalg_layouts
  use mpi_f08
  implicit none
  integer, parameter :: types(4) = [DAP_F4, DAP_F8, DAP_C8, DAP_C16]
  integer, parameter :: reals(4) = [DAP_F4, DAP_F8, DAP_F4, DAP_F8], wides(4) = [DAP_C8, DAP_C16, DAP_C8, DAP_C16]
  complex(real64), parameter :: i_unit = (0._real64, 1._real64)
  integer :: k
  logical :: is_complex
  real(real64) :: eps
  complex(real64) :: one(n, n), definite(n, n), hermitian(n, n), general(n, n)
  call start()
  do while (next_layouts())
    do k = 1, size(types)
      is_complex = types(k) == wides(k)
      eps = merge(2e-4_real64, 1e-10_real64, reals(k) == DAP_F4)
      call set_matrices()
      call all_eigenvalues()
      call some_eigenvalues()
      call pairs_of_matrices()
      call general_eigenvalues()
      call singular_values()
    end do
  end do
  call conclude()

contains

  !> Of numbers that every type holds exactly, but for the definite one.
  subroutine set_matrices()
    integer(int64) :: i, j
    real(real64) :: upper
    do j = 1, n
      do i = 1, n
        upper = sign(1._real64, real(j - i, real64))
        one(i, j) = merge(1, 0, i == j)
        definite(i, j) = element(i, j)
        hermitian(i, j) = mod(7 * (i + j) + 3 * i * j, 16_int64) - 8
        general(i, j) = hermitian(i, j) + 4 * upper
        if (is_complex .and. i /= j) then
          definite(i, j) = definite(i, j) + 0.125 * upper * i_unit
          hermitian(i, j) = hermitian(i, j) + upper * i_unit
          general(i, j) = general(i, j) + i * i_unit
        end if
      end do
    end do
  end subroutine

  ! ---- arrays ----------------------------------------------------------------------------------------------

  !> An array of the type under test with these elements.
  subroutine make(matrix, array)
    complex(real64), intent(in) :: matrix(:, :)
    type(dap_array), intent(inout) :: array
    type(dap_array) :: wide
    complex(real64), pointer :: p(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    call dap_array_init(square, me, DAP_C16, wide)
    call dap_pointer(wide, p)
    call dap_array_indices(wide, 1, rows)
    call dap_array_indices(wide, 2, columns)
    p = matrix(rows, columns)
    call dap_array_init(square, me, types(k), array)
    call dap_redistribute(MPI_COMM_WORLD, wide, array, dap_plan_options(lossy=.true._c_bool))
  end subroutine

  !> All elements of an array on every process.
  function whole(array, columns) result(matrix)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: columns
    complex(real64) :: matrix(n, columns)
    type(dap_layout) :: everywhere
    type(dap_array) :: all_of_it
    complex(real64), pointer :: p(:, :)
    call dap_layout_create([dap_dist(DAP_DIST_REPLICATED, n, nprocs), dap_dist(DAP_DIST_EVEN, columns)], everywhere)
    call dap_array_init(everywhere, me, DAP_C16, all_of_it)
    call dap_redistribute(MPI_COMM_WORLD, array, all_of_it)
    call dap_pointer(all_of_it, p)
    matrix = p
  end function

  function whole_vector(array, count) result(vector)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: count
    complex(real64) :: vector(count)
    type(dap_layout) :: everywhere
    type(dap_array) :: all_of_it
    complex(real64), pointer :: p(:)
    call dap_layout_create([dap_dist(DAP_DIST_REPLICATED, count, nprocs)], everywhere)
    call dap_array_init(everywhere, me, DAP_C16, all_of_it)
    call dap_redistribute(MPI_COMM_WORLD, array, all_of_it)
    call dap_pointer(all_of_it, p)
    vector = p
  end function

  !> A vector of so many numbers, and n rows of as many columns.
  subroutine make_results(dtype, count, w, z)
    integer, intent(in) :: dtype, count
    type(dap_array), intent(inout) :: w, z
    type(dap_layout) :: short, tall
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, count, nprocs)], short)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, nprocs), dap_dist(DAP_DIST_EVEN, count)], tall)
    call dap_array_init(short, me, dtype, w)
    call dap_array_init(tall, me, types(k), z)
  end subroutine

  ! ---- checks ----------------------------------------------------------------------------------------------

  pure function scaled(matrix, factors) result(product)
    complex(real64), intent(in) :: matrix(:, :), factors(:)
    complex(real64) :: product(size(matrix, 1), size(matrix, 2))
    integer :: j
    do j = 1, size(matrix, 2)
      product(:, j) = factors(j) * matrix(:, j)
    end do
  end function

  subroutine expect_equal(a, b, what)
    complex(real64), intent(in) :: a(:, :), b(:, :)
    character(len=*), intent(in) :: what
    call expect(all(abs(a - b) < 100 * eps), what)
  end subroutine

  pure function adjoint(a)
    complex(real64), intent(in) :: a(:, :)
    complex(real64) :: adjoint(size(a, 2), size(a, 1))
    adjoint = conjg(transpose(a))
  end function

  !> A Z = B Z W, Z^H B Z = 1, and W ascends.
  subroutine expect_pairs(a, b, w, z, what)
    complex(real64), intent(in) :: a(:, :), b(:, :), w(:), z(:, :)
    character(len=*), intent(in) :: what
    integer :: count
    count = size(w)
    call expect_equal(matmul(a, z), scaled(matmul(b, z), w), what // ': A Z = B Z W')
    call expect_equal(matmul(adjoint(z), matmul(b, z)), one(:count, :count), what // ': Z^H B Z = 1')
    call expect(all(real(w(2:)) >= real(w(:count - 1))), what // ': in ascending order')
  end subroutine

  !> The same values, in any order; all of them are different ones.
  subroutine expect_same_values(w, known, what)
    complex(real64), intent(in) :: w(:), known(:)
    character(len=*), intent(in) :: what
    integer :: i
    do i = 1, n
      call expect(minval(abs(w - known(i))) < 100 * eps .and. minval(abs(known - w(i))) < 100 * eps, what)
      call expect(count(abs(known - known(i)) < 1000 * eps) == 1, what // ': are different ones')
    end do
  end subroutine

  ! ---- what is tested --------------------------------------------------------------------------------------

  subroutine all_eigenvalues()
    integer, parameter :: solvers(4) = [DAP_EIGH_AUTO, DAP_EIGH_EV, DAP_EIGH_EVD, DAP_EIGH_EVR]
    type(dap_array) :: a, w, z
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    complex(real64) :: values(n)
    integer :: i
    do i = 1, size(solvers)
      options%eigh%solver = solvers(i)
      call make_results(reals(k), n, w, z)
      call make(hermitian, a)
      call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
      values = whole_vector(w, n)
      call expect(report%found == n .and. (i == 1 .or. took(report%solver, solvers(i))), 'the solver that was asked for')
      call expect_pairs(hermitian, one, values, whole(z, n), 'eigh')
      call make(hermitian, a)
      call make_results(reals(k), n, w, z)
      call dap_linalg_eigh(MPI_COMM_WORLD, 'U', a, w, options=options)
      call expect(all(abs(whole_vector(w, n) - values) < 100 * eps), 'eigh, values alone')
    end do
  end subroutine

  !> Divide and conquer may take over where a vector of MRRR is not exact enough.
  pure logical function took(solver, asked)
    integer, intent(in) :: solver, asked
    took = solver == asked .or. (asked == DAP_EIGH_EVR .and. solver == DAP_EIGH_EVD)
  end function

  !> Numbers 3 to 7, and those between 4 and 5, and 9 and 10.
  subroutine some_eigenvalues()
    type(dap_array) :: a, w, z
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    complex(real64) :: values(n), found(n), vectors(n, n)
    integer :: solver
    call make(hermitian, a)
    call make_results(reals(k), n, w, z)
    call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z)
    values = whole_vector(w, n)
    do solver = DAP_EIGH_EV, DAP_EIGH_EVR
      call make(hermitian, a)
      call make_results(reals(k), 5, w, z)
      options%eigh = dap_eigh_options(solver, DAP_EIGH_BY_INDEX, first=3, last=7)
      call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
      call expect(report%found == 5 .and. took(report%solver, solver), 'numbers of eigenvalues')
      call expect(all(abs(whole_vector(w, 5) - values(3:7)) < 100 * eps), 'eigenvalues by number')
      call expect_pairs(hermitian, one, whole_vector(w, 5), whole(z, 5), 'eigh by number')

      call make(hermitian, a)
      call make_results(reals(k), n, w, z)
      options%eigh = dap_eigh_options(solver, DAP_EIGH_BY_VALUE, above=middle(values, 4), up_to=middle(values, 9))
      call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
      call expect(report%found == 5, 'so many between two values')
      found = whole_vector(w, n)
      vectors = whole(z, n)
      call expect(all(abs(found(:5) - values(5:9)) < 100 * eps), 'eigenvalues between two values')
      call expect(all(found(6:) /= found(6:)) .and. all(vectors(:, 6:) == 0), 'NaN and 0 in the rest')
      call expect_pairs(hermitian, one, found(:5), vectors(:, :5), 'eigh between two values')
    end do
  end subroutine

  pure real(real64) function middle(values, i)
    complex(real64), intent(in) :: values(:)
    integer, intent(in) :: i
    middle = real(values(i) + values(i + 1)) / 2
  end function

  subroutine pairs_of_matrices()
    type(dap_array) :: a, b, w, z
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    complex(real64) :: values(n)
    call make(hermitian, a)
    call make(definite, b)
    call make_results(reals(k), n, w, z)
    call dap_linalg_eigh_generalized(MPI_COMM_WORLD, 'U', a, b, w, z, report=report)
    values = whole_vector(w, n)
    call expect(report%found == n, 'all of a pair')
    call expect_pairs(hermitian, definite, values, whole(z, n), 'a pair')
    call make(hermitian, a)
    call make(definite, b)
    call make_results(reals(k), 3, w, z)
    options%eigh = dap_eigh_options(range=DAP_EIGH_BY_INDEX, first=n - 2, last=n)
    call dap_linalg_eigh_generalized(MPI_COMM_WORLD, 'L', a, b, w, z, options)
    call expect(all(abs(whole_vector(w, 3) - values(n - 2:)) < 100 * eps), 'the largest of a pair')
    call expect_pairs(hermitian, definite, whole_vector(w, 3), whole(z, 3), 'some of a pair')
  end subroutine

  subroutine general_eigenvalues()
    type(dap_array) :: a, w, v
    complex(real64) :: values(n), vectors(n, n)
    call make(general, a)
    call dap_array_init(long, me, wides(k), w)
    call dap_array_init(square, me, wides(k), v)
    call dap_linalg_eig(MPI_COMM_WORLD, a, w, v)
    values = whole_vector(w, n)
    vectors = whole(v, n)
    call expect_equal(matmul(general, vectors), scaled(vectors, values), 'A V = V W')
    call expect(all(abs(sum(abs(vectors)**2, 1) - 1) < eps), 'vectors are of length 1')
    call dap_array_init(long, me, wides(k), w)
    call dap_linalg_eig(MPI_COMM_WORLD, a, w)
    call expect_same_values(whole_vector(w, n), values, 'eig, values alone')
    call expect_equal(whole(a, n), general, 'A is only read')
  end subroutine

  subroutine singular_values()
    type(dap_array) :: a, u, s, vt
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    complex(real64) :: left(n, n), right(n, n), values(n)
    integer :: solver
    do solver = DAP_SVD_GESVD, DAP_SVD_GESDD
      options%svd%solver = solver
      call make(general, a)
      call dap_array_init(square, me, types(k), u)
      call dap_array_init(square, me, types(k), vt)
      call dap_array_init(long, me, reals(k), s)
      call dap_linalg_svd(MPI_COMM_WORLD, a, s, u, vt, options, report)
      left = whole(u, n)
      right = whole(vt, n)
      values = whole_vector(s, n)
      call expect(report%method == 'QR iteration' .eqv. solver == DAP_SVD_GESVD, 'the solver that was asked for')
      call expect_equal(matmul(scaled(left, values), right), general, 'A = U S VT')
      call expect_equal(matmul(adjoint(left), left), one, 'U is unitary')
      call expect_equal(matmul(right, adjoint(right)), one, 'VT is unitary')
      call expect(all(real(values(:n - 1)) >= real(values(2:))) .and. real(values(n)) >= 0, 'S descends')
      call make(general, a)
      call dap_array_init(long, me, reals(k), s)
      call dap_linalg_svd(MPI_COMM_WORLD, a, s, options=options)
      call expect(all(abs(whole_vector(s, n) - values) < 100 * eps), 'singular values alone')
    end do
  end subroutine
end program
