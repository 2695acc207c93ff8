!> Calls each procedure of dense linear algebra on block-cyclic arrays and on slabs, in complex numbers. Tests
!> in C check the results, and the build generates most of these procedures. So this test checks that the right
!> operands are passed and returned.
program test_linalg
  use, intrinsic :: iso_fortran_env, only: int64, real64
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
    call systems()
    call numbers_of_matrices()
    call factors()
    call refined()
    call triangles()
    call bands()
    call orthogonal_factors()
    call pivots(DAP_I4)
    call pivots(DAP_I8)
  end do
  call real_factors()
  call options_and_report()
  call conclude()

contains

  ! ---- systems ---------------------------------------------------------------------------------------------

  !> Makes a matrix and the right side for a known solution, with the matrix itself or with its op.
  subroutine make_system(matrix, used_as, a, b)
    complex(real64), intent(in) :: matrix(:, :), used_as(:, :)
    type(dap_array), intent(inout) :: a, b
    call make(matrix, a)
    call make(matmul(used_as, solution), b)
  end subroutine

  subroutine systems()
    type(dap_array) :: a, b, x
    integer(int64) :: rank
    call make_system(general, general, a, b)
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b)
    call expect_equal(whole(b, 1), solution, 'solve')
    call make_system(general, adjoint(general), a, b)
    call dap_linalg_solve(MPI_COMM_WORLD, 'C', a, b)
    call expect_equal(whole(b, 1), solution, 'solve with the adjoint')
    call make_system(definite, definite, a, b)
    call dap_linalg_cholesky_solve(MPI_COMM_WORLD, 'L', a, b)
    call expect_equal(whole(b, 1), solution, 'cholesky_solve')
    call make(0 * solution, x)
    call make_system(general, general, a, b)
    call dap_linalg_least_squares(MPI_COMM_WORLD, a, b, x)
    call expect_equal(whole(x, 1), solution, 'least_squares')
    call make(0 * solution, x)
    call make_system(general, general, a, b)
    call dap_linalg_least_squares_rank(MPI_COMM_WORLD, a, b, x, rank)
    call expect_equal(whole(x, 1), solution, 'least_squares_rank')
    call expect(rank == n, 'rank')
    call make(general, a)
    call dap_linalg_inverse(MPI_COMM_WORLD, a)
    call expect_equal(matmul(whole(a, n), general), one, 'inverse')
  end subroutine

  !> Computes a determinant, norms, conditions and products. The diagonal of the matrix has -2i once and 2
  !> eleven times.
  subroutine numbers_of_matrices()
    type(dap_array) :: a, b, c
    complex(real64) :: sign
    real(real64) :: log_of, rcond, norm
    call make(scaled(one, [-2 * i_unit, spread((2._real64, 0._real64), 1, n - 1)]), a)
    call dap_linalg_determinant(MPI_COMM_WORLD, a, sign, log_of)
    call expect(abs(sign + i_unit) < 1e-12 .and. abs(log_of - n * log(2._real64)) < 1e-12, 'determinant')
    call make(definite, a)
    call dap_linalg_condition(MPI_COMM_WORLD, '1', a, rcond)
    call expect(rcond > 0.01 .and. rcond < 1, 'condition')
    call make(general, a)
    call dap_linalg_norm(MPI_COMM_WORLD, 'I', a, norm)
    call expect(abs(norm - maxval(sum(abs(general), 2))) < 1e-10, 'norm')
    call make(hermitian, b)
    call make(definite, c)
    call dap_linalg_multiply(MPI_COMM_WORLD, 'C', 'N', a, b, c, alpha=2 * i_unit, beta=(-1._real64, 0._real64))
    call expect_equal(whole(c, n), 2 * i_unit * matmul(adjoint(general), hermitian) - definite, 'multiply')
  end subroutine

  subroutine factors()
    type(dap_linalg_factors) :: f, same
    type(dap_linalg_report) :: report
    type(dap_array) :: a, b
    real(real64) :: rcond, log_of(2)
    complex(real64) :: sign
    integer :: k
    do k = 1, 2
      call make(definite, a)
      if (k == 1) call dap_linalg_lu(MPI_COMM_WORLD, a, f, report=report)
      if (k == 2) call dap_linalg_cholesky(MPI_COMM_WORLD, 'U', a, f, report=report)
      call expect(report%count == 1 .and. report%uses(1)%name == 'A', 'report of factors')
      same = f
      call dap_destroy(f)
      call dap_destroy(a) ! factors in its memory keep it alive
      call make(matmul(definite, solution), b)
      call dap_linalg_factors_solve(same, 'N', b, report=report)
      call expect_equal(whole(b, 1), solution, 'factors_solve')
      call expect(report%uses(1)%name == 'factors' .and. report%uses(2)%name == 'B', 'report of a solution')
      call make(matmul(transpose(definite), solution), b)
      call dap_linalg_factors_solve(same, 'T', b, options=dap_linalg_options(sharing=DAP_SHARE_NEVER))
      call expect_equal(whole(b, 1), solution, 'factors_solve with the transpose')
      call make(0 * one, a)
      call dap_linalg_factors_inverse(same, a)
      call expect_equal(matmul(whole(a, n), definite), one, 'factors_inverse')
      call dap_linalg_factors_determinant(same, sign, log_of(k))
      call expect(abs(sign - 1) < 1e-10, 'sign of factors')
      call dap_linalg_factors_condition(same, 'I', rcond)
      call expect(rcond > 0.01 .and. rcond < 1, 'condition of factors')
      call expect_text(dap_describe(same), '12 x 12')
    end do
    call expect(abs(log_of(1) - log_of(2)) < 1e-10, 'determinants of both factors')
    call dap_destroy(same)
  end subroutine

  subroutine refined()
    type(dap_array) :: a, b, x
    type(dap_linalg_refinement) :: refinement
    real(real64) :: forward(1), backward(1)
    call make_system(general, general, a, b)
    call make(0 * solution, x)
    call dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', a, b, x, forward, backward, refinement)
    call expect_equal(whole(x, 1), solution, 'solve_refined')
    call expect(forward(1) < 1e-10 .and. forward(1) > 0 .and. backward(1) < 1e-14, 'bounds of errors')
    call expect(refinement%rcond > 0 .and. .not. refinement%scaled_rows .and. refinement%steps < 5, 'what was refined')
    call dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', a, b, x)
  end subroutine

  subroutine triangles()
    type(dap_array) :: a, b, c
    complex(real64) :: lower(n, n)
    integer :: i, j
    lower = reshape([((merge(general(i, j), 0 * i_unit, i >= j), i=1, n), j=1, n)], [n, n])
    call make(general, a)
    call make(solution, b)
    call dap_linalg_triangular_multiply(MPI_COMM_WORLD, 'L', 'L', 'C', 'N', a, b, alpha=i_unit)
    call expect_equal(whole(b, 1), i_unit * matmul(adjoint(lower), solution), 'triangular_multiply')
    call make(solution, b)
    call dap_linalg_triangular_multiply(MPI_COMM_WORLD, 'L', 'L', 'N', 'U', a, b)
    call dap_linalg_triangular_solve(MPI_COMM_WORLD, 'L', 'L', 'N', 'U', a, b, alpha=2 * i_unit)
    call expect(all(abs(whole(b, 1) - 2 * i_unit * solution) < 1e-6 * abs(solution)), 'triangular_solve')
    call make(definite, c)
    call dap_linalg_rank_k(MPI_COMM_WORLD, 'H', 'A', 'N', a, c, beta=(2._real64, 0._real64))
    call expect_equal(whole(c, n), matmul(general, adjoint(general)) + 2 * definite, 'rank_k')
  end subroutine

  !> Solves systems with 3 on the diagonal and 1 beside it, in each form.
  subroutine bands()
    type(dap_array) :: ab, b, d, e
    complex(real64), pointer :: p(:)
    complex(real64) :: band(3, n), right(n, 1)
    band(1, :) = 1
    band(2, :) = 3
    band(3, :) = 1
    right = 3 * solution + eoshift(solution, 1) + eoshift(solution, -1)
    call make_band(band, ab)
    call make(right, b)
    call dap_linalg_banded_solve(MPI_COMM_WORLD, 1, 1, ab, b)
    call expect_equal(whole(b, 1), solution, 'banded_solve')
    call make_band(band(:2, :), ab)
    call make(right, b)
    call dap_linalg_positive_banded_solve(MPI_COMM_WORLD, 'U', ab, b)
    call expect_equal(whole(b, 1), solution, 'positive_banded_solve')
    call make_vector(DAP_C16, n, d)
    call make_vector(DAP_C16, n - 1, e)
    call dap_pointer(d, p)
    p = 3
    call dap_pointer(e, p)
    p = 1
    call make(right, b)
    call dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, e, d, e, b)
    call expect_equal(whole(b, 1), solution, 'tridiagonal_solve')
    call make(right, b)
    call dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, d, e, b)
    call expect_equal(whole(b, 1), solution, 'positive_tridiagonal_solve')
  end subroutine

  !> Distributes columns over the processes.
  subroutine make_band(band, ab)
    complex(real64), intent(in) :: band(:, :)
    type(dap_array), intent(inout) :: ab
    type(dap_layout) :: layout
    complex(real64), pointer :: p(:, :)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, size(band, 1)), dap_dist(DAP_DIST_EVEN, n, nprocs)], layout)
    call dap_array_init(layout, me, DAP_C16, ab)
    call dap_pointer(ab, p)
    p = band(:, :size(p, 2)) ! all columns are equal
  end subroutine

  ! ---- factors ---------------------------------------------------------------------------------------------

  subroutine orthogonal_factors()
    type(dap_array) :: a, q, r
    call make(general, a)
    call make(0 * one, q)
    call make(0 * one, r)
    call dap_linalg_qr(MPI_COMM_WORLD, a, q, r)
    call expect_equal(matmul(whole(q, n), whole(r, n)), general, 'A = Q R')
    call expect_equal(matmul(adjoint(whole(q, n)), whole(q, n)), one, 'Q is unitary')
    call make(general, a)
    call dap_linalg_qr(MPI_COMM_WORLD, a, r=r)
    call make(general, a)
    call dap_linalg_schur(MPI_COMM_WORLD, a, t=r, z=q)
    call expect_equal(matmul(whole(q, n), matmul(whole(r, n), adjoint(whole(q, n)))), general, 'A = Z T Z^H')
  end subroutine

  !> Checks that A with its columns in P's order, counted from 1, is Q R. P is a permutation that moves the
  !> largest column to the front. It may be distributed or not.
  subroutine pivots(kind)
    integer, intent(in) :: kind
    type(dap_array) :: a, q, r, p
    complex(real64) :: matrix(n, n)
    integer :: order(n), j
    integer(int64) :: rank
    matrix = general
    matrix(:, 7) = 10 * matrix(:, 7)
    call make(matrix, a)
    call make(0 * one, q)
    call make(0 * one, r)
    call make_vector(kind, n, p)
    call dap_linalg_qr_pivoted(MPI_COMM_WORLD, a, q, r, p)
    order = nint(real(vector(p, n)))
    call expect(order(1) == 7 .and. all([(any(order == j), j=1, n)]), 'pivots are 1 to n')
    call expect_equal(matmul(whole(q, n), whole(r, n)), matrix(:, order), 'A P = Q R')
    call make(matrix, a)
    call dap_linalg_qr_pivoted(MPI_COMM_WORLD, a, p=p, rank=rank, tolerance=1.5_real64)
    call expect(rank == 0, 'rank by a tolerance')
  end subroutine

  ! ---- options ---------------------------------------------------------------------------------------------

  !> Uses real alpha and beta in products with the unit matrix, so the result has the elements of the other
  !> operand.
  subroutine real_factors()
    type(dap_layout) :: layout
    type(dap_array) :: unit, b, c
    real(real64), pointer :: e(:, :), p(:, :), q(:, :)
    integer(int64), allocatable :: rows(:)
    integer :: i
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, nprocs), dap_dist(DAP_DIST_EVEN, n)], layout)
    call dap_array_init(layout, me, DAP_F8, unit)
    call dap_array_init(layout, me, DAP_F8, b)
    call dap_array_init(layout, me, DAP_F8, c)
    call dap_pointer(unit, e)
    call dap_pointer(b, p)
    call dap_pointer(c, q)
    call dap_array_indices(unit, 1, rows)
    do i = 1, size(rows)
      e(i, rows(i)) = 1
    end do
    p = 10 + me
    q = 1
    call dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', unit, b, c, alpha=3._real64, beta=4._real64)
    call expect(all(abs(q - (3 * p + 4)) < 1e-12), 'a product with real factors')
    call dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', unit, b, c, alpha=3._real64)
    call expect(all(abs(q - 3 * p) < 1e-12), 'a real alpha')
    call dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', unit, b, c, beta=2._real64)
    call expect(all(abs(q - 7 * p) < 1e-12), 'a real beta')
    q = 1
    call dap_linalg_triangular_multiply(MPI_COMM_WORLD, 'L', 'L', 'N', 'U', unit, c, alpha=5._real64)
    call dap_linalg_triangular_solve(MPI_COMM_WORLD, 'L', 'L', 'N', 'U', unit, c, alpha=2._real64)
    call expect(all(abs(q - 10) < 1e-12), 'of triangles')
    call dap_linalg_rank_k(MPI_COMM_WORLD, 'S', 'A', 'N', unit, c, alpha=3._real64, beta=2._real64)
    call expect(all(abs(q - (20 + 3 * e)) < 1e-12), 'of a product with its transpose')
  end subroutine

  subroutine options_and_report()
    type(dap_array) :: a, b
    type(dap_linalg_options) :: options
    type(dap_linalg_report) :: report
    type(dap_error) :: err
    is_cyclic = .true.
    call make_system(general, general, a, b)
    options%keep = .true.
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, options, report)
    call expect(report%count == 2 .and. report%uses(1)%name == 'A' .and. .not. report%uses(1)%shared, 'keep copies A')
    call expect(report%uses(2)%name == 'B' .and. report%uses(2)%shared, 'B is shared')
    call expect(len_trim(report%uses(1)%reason) > 0, 'for a reason')
    call expect(all(whole(a, n) == general), 'kept')
    options%sharing = DAP_SHARE_OR_FAIL
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, options, err=err)
    call expect(err%status == DAP_ERR_SHARE, 'workspace that must be kept and must not be copied')
    options = dap_linalg_options(sharing=DAP_SHARE_NEVER)
    options%block_size = -1
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, options, err=err)
    call expect(err%status == DAP_ERR_ARG, 'a block size below 0')
    call make(0 * one, a)
    call dap_linalg_solve(MPI_COMM_WORLD, 'N', a, b, report=report, err=err)
    call expect(report%info == 1, 'where it is singular')
    call expect_error(err, DAP_ERR_NUMERIC, 'singular')
  end subroutine
end program
