!> Solves eigenproblems by ELPA, with the options of ScaLAPACK's solvers.
program test_elpa
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  use dapbridge
  use matrices
  use mpi_f08
  implicit none
  type(dap_array) :: a, w, z
  type(dap_linalg_options) :: options
  type(dap_linalg_report) :: report
  integer, parameter :: m = 75 !< larger than the band of two stages
  real(real64), parameter :: pi = acos(-1._real64)
  complex(real64) :: values(n), second(m, m)
  integer :: i
  call start()
  call set_matrices()
  is_cyclic = .true.
  call make(hermitian, a)
  call make(0 * one, z)
  call make_vector(DAP_F8, n, w)
  options%eigh%backend = dap_elpa_backend(1)
  call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, z, options, report)
  call expect(report%solver == DAP_EIGH_BACKEND .and. report%method == 'ELPA, 1 stage', 'ELPA')
  call expect(report%found == n .and. report%uses(1)%shared, 'all, in place')
  values = vector(w, n)
  call expect_equal(matmul(hermitian, whole(z, n)), scaled(whole(z, n), values), 'A Z = Z W')

  ! Computes numbers 5 to 9, in two stages, of the second difference. Its eigenvalues are
  ! 2 - 2 cos(k pi / (m + 1)).
  second = 0
  do i = 1, m
    second(i, i) = 2
    second(min(i + 1, m), i) = merge(-1, 2, i < m)
  end do
  call make(second, a)
  call make_vector(DAP_F8, 5, w)
  options%eigh = dap_eigh_options(DAP_EIGH_BACKEND, DAP_EIGH_BY_INDEX, first=5, last=9, backend=dap_elpa_backend(2))
  call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, options=options, report=report)
  call expect(report%method == 'ELPA, 2 stages' .and. report%found == 5, 'some, in two stages')
  call expect(all(abs(vector(w, 5) - [(2 - 2 * cos(i * pi / (m + 1)), i=5, 9)]) < 1e-8), 'their values')
  call conclude()
end program
