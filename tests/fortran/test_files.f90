!> Saves arrays in one layout and loads them in another. Also tests parts, types, raw files and refusals. Each
!> element is known by its indices.
program test_files
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 23, n = 17
  character(len=40) :: path, raw
  call start()
  write (path, '(a, i0, a)') 'test_files.', nprocs, '.npy'
  write (raw, '(a, i0, a)') 'test_files.', nprocs, '.bin'
  call layouts()
  call on_fewer_processes()
  call parts()
  call types()
  call raw_files()
  call refused()
  if (me == 0) then
    call remove(path)
    call remove(trim(path) // '.dap')
    call remove(raw)
    call remove(trim(raw) // '.dap')
  end if
  call conclude()

contains

  ! ---- arrays -----------------------------------------------------------------------------------------

  !> Makes the layout with this number, up to 3, of rows x columns.
  subroutine make_layout(number, rows, columns, layout)
    integer, intent(in) :: number
    integer(int64), intent(in) :: rows, columns
    type(dap_layout), intent(inout) :: layout
    integer :: grid(2)
    grid = grid_of()
    if (number == 1) call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, rows, nprocs, block_size=1), &
      dap_dist(DAP_DIST_EVEN, columns)], layout)
    if (number == 2) call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, rows, grid(1), block_size=2), &
      dap_dist(DAP_DIST_CYCLIC, columns, grid(2), block_size=3)], layout)
    if (number == 3) call dap_layout_create([dap_dist(DAP_DIST_EVEN, rows, nprocs, halo=1), &
      dap_dist(DAP_DIST_REPLICATED, columns)], layout)
  end subroutine

  !> Sets element (i, j) to that of a numbered matrix at (i + row, j + column).
  subroutine fill(array, row, column)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: row, column
    real(real64), pointer :: p(:, :)
    call dap_pointer(array, p)
    p = numbers_of(array) + 100 * row + column
  end subroutine

  !> Returns whether the array has the elements of fill(), also in padding and all copies. Places of padding
  !> where nothing is owned have no index, and do not count.
  logical function is_filled(array, row, column)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: row, column
    real(real64), pointer :: p(:, :)
    real(real64), allocatable :: numbers(:, :)
    call dap_pointer(array, p)
    numbers = numbers_of(array)
    is_filled = all(p == numbers + 100 * row + column .or. numbers == 0)
  end function

  subroutine save_one()
    type(dap_layout) :: layout
    type(dap_array) :: array
    call make_layout(2, int(m, int64), int(n, int64), layout)
    call dap_array_init(layout, me, DAP_F8, array)
    call fill(array, 0, 0)
    call dap_file_save(MPI_COMM_WORLD, array, path)
  end subroutine

  subroutine remove(name)
    character(len=*), intent(in) :: name
    integer :: unit, code
    open (newunit=unit, file=name, status='old', iostat=code)
    if (code == 0) close (unit, status='delete')
  end subroutine

  ! ---- tests --------------------------------------------------------------------------------------------

  subroutine layouts()
    type(dap_layout) :: one, other, found
    type(dap_array) :: from, to
    type(dap_file_options) :: options
    type(dap_file_info) :: info
    integer :: i, j
    do i = 1, 3
      call make_layout(i, int(m, int64), int(n, int64), one)
      call dap_array_alloc(MPI_COMM_WORLD, one, DAP_F8, from)
      call fill(from, 0, 0)
      options%order = merge(DAP_ORDER_C, DAP_ORDER_F, i == 2)
      call dap_file_save(MPI_COMM_WORLD, from, path, options)
      call dap_file_query(MPI_COMM_WORLD, path, info, found)
      call expect(all(info%shape == [m, n]) .and. info%dtype == DAP_F8 .and. .not. info%swapped, 'info')
      call expect(info%order == merge(DAP_ORDER_C, DAP_ORDER_F, i == 2) .and. info%offset == 128, 'order')
      call expect(info%has_layout .and. dap_layout_is_equal(found, one) .and. info%note == '', &
        'the layout is stored')
      do j = 1, 3
        call make_layout(j, int(m, int64), int(n, int64), other)
        call dap_array_init(other, me, DAP_F8, to)
        call dap_file_load(MPI_COMM_WORLD, to, path)
        call expect(is_filled(to, 0, 0), 'from one layout to another')
      end do
    end do
  end subroutine

  subroutine on_fewer_processes()
    type(MPI_Comm) :: fewer
    type(dap_layout) :: layout
    type(dap_array) :: array
    type(dap_file_info) :: info
    integer :: color
    call save_one()
    color = merge(MPI_UNDEFINED, 0, me == nprocs - 1 .and. nprocs > 1)
    call MPI_Comm_split(MPI_COMM_WORLD, color, me, fewer)
    if (color == MPI_UNDEFINED) return
    call dap_file_query(fewer, path, info, layout)
    call dap_array_alloc(fewer, layout, info%dtype, array)
    call dap_file_load(fewer, array, path)
    call expect(is_filled(array, 0, 0), 'on one process less')
    call expect(info%has_layout .eqv. nprocs == 1, 'whether the stored layout fits')
    if (nprocs > 1) call expect_text(info%note, 'the communicator')
    call MPI_Comm_free(fewer)
  end subroutine

  subroutine parts()
    type(dap_layout) :: layout
    type(dap_array) :: array, one
    type(dap_file_options) :: options
    call save_one()
    call make_layout(1, 4_int64, 3_int64, layout)
    call dap_array_init(layout, me, DAP_F8, array)
    call dap_file_load(MPI_COMM_WORLD, array, path, &
      part=dap_part(start=[6_int64, 10_int64], shape=[4_int64, 3_int64]))
    call expect(is_filled(array, 5, 9), 'a part')

    options%mode = DAP_FILE_UPDATE
    call fill(array, 1000, 0)
    call dap_file_save(MPI_COMM_WORLD, array, path, options, part=dap_part(start=[1_int64, 1_int64], &
      shape=[4_int64, 3_int64]))
    call dap_file_load(MPI_COMM_WORLD, array, path, &
      part=dap_part(start=[1_int64, 1_int64], shape=[4_int64, 3_int64]))
    call expect(is_filled(array, 1000, 0), 'a part that was overwritten')
    call make_layout(1, 4_int64, 1_int64, layout)
    call dap_array_init(layout, me, DAP_F8, one)
    call dap_file_load(MPI_COMM_WORLD, one, path, &
      part=dap_part(start=[1_int64, 4_int64], shape=[4_int64, 1_int64]))
    call expect(is_filled(one, 0, 3), 'what is beside it')
  end subroutine

  subroutine types()
    type(dap_layout) :: layout
    type(dap_array) :: array
    type(dap_file_options) :: options
    type(dap_file_info) :: info
    type(dap_error) :: err
    call make_layout(2, int(m, int64), int(n, int64), layout)
    call dap_array_init(layout, me, DAP_F8, array)
    call fill(array, 0, 0)
    options%dtype = DAP_F4
    call dap_file_save(MPI_COMM_WORLD, array, path, options, err=err)
    call expect_error(err, DAP_ERR_ARG, 'options%lossy')
    options%lossy = .true.
    call dap_file_save(MPI_COMM_WORLD, array, path, options)
    call dap_file_query(MPI_COMM_WORLD, path, info, layout)
    call expect(info%dtype == DAP_F4, 'the type in the file')
    call dap_file_load(MPI_COMM_WORLD, array, path)
    call expect(is_filled(array, 0, 0), 'converted twice')
  end subroutine

  subroutine raw_files()
    type(dap_layout) :: layout
    type(dap_array) :: array, part
    type(dap_file_options) :: options
    type(dap_file_info) :: info
    real(real64) :: values(m, n)
    integer :: unit, i, j
    call make_layout(2, int(m, int64), int(n, int64), layout)
    call dap_array_init(layout, me, DAP_F8, array)
    call fill(array, 0, 0)
    options%format = dap_file_raw()
    options%offset = 24
    call dap_file_save(MPI_COMM_WORLD, array, raw, options)
    if (me == 0) then ! reads the file as a program without the library does
      open (newunit=unit, file=raw, access='stream', form='unformatted', status='old', action='read')
      read (unit, pos=25) values
      close (unit)
      call expect(all(nint(values) == reshape([((100 * i + j, i=1, m), j=1, n)], [m, n])), &
        'elements in Fortran order')
    end if
    options%dtype = DAP_F8
    call dap_file_query(MPI_COMM_WORLD, raw, info, layout, options, shape=[int(m, int64), int(n, int64)])
    call expect(all(info%shape == [m, n]) .and. info%offset == 24, 'what is said of a raw file')
    call make_layout(1, 2_int64, 2_int64, layout)
    call dap_array_init(layout, me, DAP_F8, part)
    call dap_file_load(MPI_COMM_WORLD, part, raw, options, &
      dap_part(start=[3_int64, 4_int64], shape=[2_int64, 2_int64]), &
      [int(m, int64), int(n, int64)])
    call expect(is_filled(part, 2, 3), 'a part of a raw file')
  end subroutine

  ! ---- refused --------------------------------------------------------------------------------------------

  subroutine refused()
    type(dap_layout) :: layout, none
    type(dap_array) :: array, nothing
    type(dap_file_options) :: options
    type(dap_file_info) :: info
    type(dap_error) :: err
    call save_one()
    call make_layout(2, int(m, int64), int(n, int64), layout)
    call dap_array_init(layout, me, DAP_F8, array)
    call dap_file_load(MPI_COMM_WORLD, array, 'no_such_file.npy', err=err)
    call expect_error(err, DAP_ERR_FILE, 'no_such_file.npy')
    call dap_file_query(MPI_COMM_WORLD, 'no_such_file.npy', info, none, err=err)
    call expect_error(err, DAP_ERR_FILE, 'no_such_file.npy')
    call expect(.not. dap_is_set(none) .and. .not. allocated(info%shape), 'nothing is made')
    call dap_file_save(MPI_COMM_WORLD, array, 'no_such_directory/a.npy', err=err)
    call expect_error(err, DAP_ERR_FILE, 'no_such_directory/a.npy')
    call dap_file_save(MPI_COMM_WORLD, array, 'a.txt', err=err)
    call expect_error(err, DAP_ERR_UNSUPPORTED, 'options%format')
    call dap_file_save(MPI_COMM_WORLD, nothing, path, err=err)
    call expect(err%status == DAP_ERR_ARG, 'an array that is not set')
    call dap_file_load(MPI_COMM_WORLD, array, path, part=dap_part(start=[1_int64]), err=err)
    call expect(err%status == DAP_ERR_ARG, 'a part with one number')
    options%memory_bytes = -merge(1, 0, me == nprocs - 1)
    call dap_file_load(MPI_COMM_WORLD, array, path, options, err=err)
    call expect_error(err, DAP_ERR_ARG, 'memory_bytes')
    options = dap_file_options(mode=DAP_FILE_APPEND)
    call dap_file_save(MPI_COMM_WORLD, array, path, options, err=err)
    call expect(err%status == DAP_ERR_UNSUPPORTED, 'a step of a .npy file')
    call dap_file_load(MPI_COMM_WORLD, array, path)
    call expect(is_filled(array, 0, 0), 'the file is as it was')
  end subroutine
end program
