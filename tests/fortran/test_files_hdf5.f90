!> Tests datasets of HDF5 files: appends steps, loads one of them, and checks the storage order.
program test_files_hdf5
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 9, n = 7
  character(len=60) :: path
  type(dap_layout) :: layout, found
  type(dap_array) :: array
  type(dap_file_options) :: options
  type(dap_file_info) :: info
  type(dap_error) :: err
  integer :: step, unit
  call start()
  write (path, '(a, i0, a)') 'test_files.', nprocs, '.h5:/fields/u'
  call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, m, nprocs, block_size=2), dap_dist(DAP_DIST_EVEN, n)], layout)
  call dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, array)
  options%format = dap_file_hdf5()
  options%mode = DAP_FILE_APPEND
  do step = 1, 3
    call expect(visit(array, step, .true.), 'filled')
    call dap_file_save(MPI_COMM_WORLD, array, path, options)
  end do
  call dap_file_query(MPI_COMM_WORLD, path, info, found, options)
  call expect(all(info%shape == [3, m, n]) .and. info%order == DAP_ORDER_C, 'three steps')
  call dap_file_load(MPI_COMM_WORLD, array, path, options, &
    part=dap_part(axes=[2, 3], start=[2_int64, 1_int64, 1_int64], shape=[1_int64, int(m, int64), int(n, int64)]))
  call expect(visit(array, 2, .false.), 'the second step')

  options%mode = DAP_FILE_UPDATE
  options%order = DAP_ORDER_F
  call dap_file_save(MPI_COMM_WORLD, array, trim(path) // '_other', options, err=err)
  call expect(err%status == DAP_ERR_UNSUPPORTED, 'Fortran order')
  call expect_text(err%text, 'options%order')
  if (me == 0) then
    open (newunit=unit, file=path(:index(path, ':') - 1), status='old')
    close (unit, status='delete')
  end if
  call conclude()

contains

  !> Sets elements to those of a numbered matrix times the step, or returns whether they equal them.
  logical function visit(a, step, sets)
    type(dap_array), intent(in) :: a
    integer, intent(in) :: step
    logical, intent(in) :: sets
    real(real64), pointer :: p(:, :)
    call dap_pointer(a, p)
    if (sets) p = step * numbers_of(a)
    visit = all(p == step * numbers_of(a))
  end function
end program
