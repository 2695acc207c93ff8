!> Computes the eigenvalues of diag(1, 2, ..., 40) by ELPA.
program hello_elpa
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: n = 40
  type(dap_layout) :: rows, long
  type(dap_array) :: a, w
  type(dap_linalg_options) :: options
  type(dap_linalg_report) :: report
  integer(int64), allocatable :: indices(:)
  real(8), pointer :: p(:, :), values(:)
  integer :: me, procs, i
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, procs), dap_dist(DAP_DIST_EVEN, n)], rows)
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, procs)], long)
  call dap_array_init(rows, me, DAP_F8, a)
  call dap_array_init(long, me, DAP_F8, w)
  call dap_pointer(a, p)
  call dap_array_indices(a, 1, indices)
  do i = 1, size(indices)
    p(i, indices(i)) = indices(i)
  end do
  options%eigh%backend = dap_elpa_backend(1)
  call dap_linalg_eigh(MPI_COMM_WORLD, 'L', a, w, options=options, report=report)
  call dap_pointer(w, values)
  call dap_array_indices(w, 1, indices)
  if (any(abs(values - indices) > 1e-12 * n) .or. index(report%method, 'ELPA') == 0) error stop 'not ELPA''s'
  call MPI_Finalize()
end program
