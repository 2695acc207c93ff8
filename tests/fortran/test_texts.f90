!> Tests layouts in words, and arrays and layouts as documents. A file contains the document of each process,
!> and must not change if an array is refused.
!>
!> An argument is the name of a file, in which two documents remain.
program test_texts
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: most = 2000 !< most characters of a line
  character(len=40) :: file
  character(len=200) :: kept
  call start()
  write (file, '(a, i0, a)') 'test_texts.', nprocs, '.json'
  call words()
  call words_that_are_wrong()
  call one_process()
  call documents()
  call documents_of_layouts()
  call refused()
  call remove_file()
  call get_command_argument(1, kept)
  if (kept /= '') call keep()
  call conclude()

contains

  ! ---- words -----------------------------------------------------------------------------------------

  subroutine words()
    integer(int64), target :: two(2) = [4, 6], three(2) = 3, owned(2) = 2, indices(6) = [4, 2, 1, 1, 3, 4]
    type(dap_layout) :: layout, turned
    call expect_words('100x80 on 2x2: b, c(8)', [dap_dist(DAP_DIST_EVEN, 100, 2), &
      dap_dist(DAP_DIST_CYCLIC, 80, 2, block_size=8)])
    call expect_words('37x11x2 on 2x3x1: b, c(4, first 1), b', [dap_dist(DAP_DIST_EVEN, 37, 2), &
      dap_dist(DAP_DIST_CYCLIC, 11, 3, block_size=4, first_owner=1), dap_dist(DAP_DIST_EVEN, 2)])
    call expect_words('10 on 2: b[4,6](halo 1, boundary 1 2)', [dap_dist(DAP_DIST_LENGTHS, 10, 2, &
      lengths=two, halo=1, boundary=[1, 2])])
    call expect_words('5 on 2: r', [dap_dist(DAP_DIST_REPLICATED, 5, 2)])
    ! Indices count from 0 in words, and from 1 in a program. The last index of each list is a ghost.
    call expect_words('4 on 2: u[3,1,~0][0,2,~3]', [dap_dist(DAP_DIST_UNSTRUCTURED, 4, 2, lengths=three, &
      indices=indices, owned=owned)])
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 6, 2), dap_dist(DAP_DIST_EVEN, 4, 2)], layout)
    call dap_layout_reorder(layout, [0, 2, 1, 3], turned)
    call dap_layout_parse('6x4 on 2x2; ranks 0 2 1 3', layout)
    call expect(dap_layout_is_equal(layout, turned), 'ranks')
    call expect(dap_layout_format(turned) == '6x4 on 2x2: b, b; ranks 0 2 1 3', 'ranks in words')
    call dap_layout_parse('  6 x 4 over 2 x 2 : block , block ; ranks 0 2 1 3', layout)
    call expect(dap_layout_is_equal(layout, turned), 'long words')
    call dap_destroy(layout)
    call expect(len(dap_layout_format(layout)) == 0, 'nothing has no words')
  end subroutine

  subroutine expect_words(text, dists)
    character(len=*), intent(in) :: text
    type(dap_dist), intent(in) :: dists(:)
    type(dap_layout) :: created, parsed
    call dap_layout_create(dists, created)
    call dap_layout_parse(text // '   ', parsed)
    call expect(dap_layout_is_equal(parsed, created), text)
    call expect(dap_layout_format(created) == text, text // ', not ' // dap_layout_format(created))
  end subroutine

  !> In texts of errors, axes and the columns of the words count from 1. No layout is made.
  subroutine words_that_are_wrong()
    type(dap_layout) :: layout
    type(dap_error) :: err
    call dap_layout_parse('4', layout)
    call dap_layout_parse('4 on 2: q', layout, err)
    call expect_error(err, DAP_ERR_ARG, 'column 9|axis 1')
    call expect(.not. dap_is_set(layout), 'no layout of wrong words')
    call dap_layout_parse('4 on 2: b(halo 3)', layout, err)
    call expect_error(err, DAP_ERR_DIM, 'column 9|axis 1|padding 3')
    call expect(err%rule == 10, 'the rule')
    call dap_layout_parse('', layout, err)
    call expect_error(err, DAP_ERR_ARG, 'column 1')
  end subroutine

  ! ---- documents ---------------------------------------------------------------------------------------

  !> Makes blocks of rows. The first process has one row more.
  subroutine make(array, layout, dtype, order)
    type(dap_array), intent(inout) :: array
    type(dap_layout), intent(inout) :: layout
    integer, intent(in) :: dtype
    character, intent(in), optional :: order
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 2 * nprocs + 1, nprocs), dap_dist(DAP_DIST_EVEN, 6)], layout)
    call dap_array_init(layout, me, dtype, array, order)
  end subroutine

  subroutine one_process()
    type(dap_array) :: array
    type(dap_layout) :: layout
    type(dap_error) :: err
    character(len=:), allocatable :: text
    character(len=100) :: buffer
    integer(int64) :: rows
    call make(array, layout, DAP_F8)
    rows = dap_array_extent(array, 1)
    call dap_array_json(array, text)
    write (buffer, '(a, i0, a, i0, a)') '"buffer": {"shape": [', rows, ', 6], "dtype": "<f8", "strides": [8, ', &
      8 * rows, ']}}'
    call expect(text(1:39) == '{"__version__": "0.10.0", "dim_data": [', text)
    call expect_text(text, '"proc_grid_rank": ' // achar(iachar('0') + me) // ',')
    call expect_text(text, trim(buffer))
    call dap_array_json(array, text, err)
    call expect(err%status == DAP_OK .and. len(text) > 100, 'no error')
    call dap_array_init(layout, nprocs, DAP_F8, array)
    call dap_array_json(array, text, err)
    call expect(err%status == DAP_ERR_ARG .and. len(text) == 0, 'no part')
    call expect_text(err%text, 'no part')
    call dap_destroy(array)
    call dap_array_json(array, text, err)
    call expect(err%status == DAP_ERR_ARG .and. len(text) == 0, 'no array')
    call expect_text(err%text, 'not set')
  end subroutine

  !> Returns the document with these texts, one of each process.
  function document_of(text) result(lines)
    character(len=*), intent(in) :: text
    character(len=most) :: lines(nprocs), mine
    mine = merge('[', ' ', me == 0) // text // merge(']', ',', me == nprocs - 1)
    call MPI_Allgather(mine, most, MPI_CHARACTER, lines, most, MPI_CHARACTER, MPI_COMM_WORLD)
  end function

  subroutine expect_file(lines, what)
    character(len=*), intent(in) :: lines(:), what
    character(len=most) :: line
    integer :: unit, i, code
    if (me > 0) return
    open (newunit=unit, file=file, status='old', action='read', iostat=code)
    call expect(code == 0, what // ': there is a file')
    if (code /= 0) return
    do i = 1, size(lines)
      read (unit, '(a)', iostat=code) line
      call expect(code == 0 .and. line == lines(i), what // ': ' // trim(line))
    end do
    read (unit, '(a)', iostat=code) line
    call expect(code < 0, what // ': no more lines')
    close (unit)
  end subroutine

  subroutine documents()
    type(dap_array) :: array, other, part
    type(dap_layout) :: layout
    character(len=:), allocatable :: text, text_of_other, text_of_part
    call make(array, layout, DAP_F8)
    call make(other, layout, DAP_C8, order=DAP_ORDER_C)
    call dap_array_part(array, dap_part(start=[2_int64, 3_int64]), part)
    call dap_array_json(array, text)
    call dap_array_json(other, text_of_other)
    call dap_array_json(part, text_of_part)
    call dap_array_export(MPI_COMM_WORLD, array, file)
    call expect_file(document_of(text), 'an array')
    call dap_array_export(MPI_COMM_WORLD, other, trim(file))
    call expect_file(document_of(text_of_other), 'another one in its place')
    call dap_array_export(MPI_COMM_WORLD, part, file, append=.true.)
    call expect_file([document_of(text_of_other), document_of(text_of_part)], 'a part behind it')
    if (me == 0) then
      call dap_array_export(MPI_COMM_WORLD, array, file, append=.false.)
    else
      call dap_array_export(MPI_COMM_WORLD, array, 'only process 0 says where', append=.true.)
    end if
    call expect_file(document_of(text), 'where process 0 says')
  end subroutine

  subroutine documents_of_layouts()
    type(dap_array) :: array
    type(dap_layout) :: layout
    character(len=:), allocatable :: text
    integer :: at
    call make(array, layout, DAP_F8)
    call dap_array_json(array, text)
    call dap_layout_export(MPI_COMM_WORLD, layout, file, array=array)
    call expect_file(document_of(text), 'a layout with its array')
    at = index(text, '"buffer"')
    text = text(:at - 1) // '"buffer_shape"' // text(index(text, '"shape"') + 7:index(text, ', "dtype"') - 1) // '}'
    call dap_layout_export(MPI_COMM_WORLD, layout, file)
    call expect_file(document_of(text), 'a layout alone')
    text = '{"__version__": "0.9.0"' // text(index(text, ', "dim_data"'):)
    call dap_layout_export(MPI_COMM_WORLD, layout, file, version='0.9.0 ')
    call expect_file(document_of(text), 'by an older version')
  end subroutine

  ! ---- errors --------------------------------------------------------------------------------------------

  !> A refused call must not change the file. Tests in C cover layouts that C refuses.
  subroutine refused()
    type(dap_array) :: array, nothing, single
    type(dap_layout) :: layout, alone, no_layout
    type(dap_error) :: err
    character(len=:), allocatable :: text
    logical :: last
    last = me == nprocs - 1
    call make(array, layout, DAP_F8)
    call dap_array_json(array, text)
    call dap_array_export(MPI_COMM_WORLD, array, file)
    call dap_array_export(MPI_COMM_WORLD, nothing, file, err=err)
    call expect_same_error(err, DAP_ERR_ARG, 'not set')
    if (last) call dap_array_export(MPI_COMM_WORLD, nothing, file, err=err)
    if (.not. last) call dap_array_export(MPI_COMM_WORLD, array, file, err=err)
    call expect_same_error(err, DAP_ERR_ARG, 'not set')
    call expect(err%rank == nprocs - 1, 'the process is named')
    call dap_layout_export(MPI_COMM_WORLD, no_layout, file, err=err)
    call expect_same_error(err, DAP_ERR_ARG, '')
    call dap_layout_export(MPI_COMM_WORLD, layout, file, array=nothing, err=err)
    call expect_same_error(err, DAP_ERR_ARG, 'not set')
    call dap_layout_export(MPI_COMM_WORLD, layout, file, version='3.0', err=err)
    call expect_same_error(err, DAP_ERR_VERSION, '3.0')
    call dap_array_export(MPI_COMM_NULL, array, file, err=err)
    call expect_same_error(err, DAP_ERR_ARG, '')
    call dap_array_export(MPI_COMM_WORLD, array, 'no such folder/a.json', err=err)
    call expect_same_error(err, DAP_ERR_LIBRARY, 'rank 0|no such folder/a.json|No such file')
    if (nprocs > 1) then
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, 9)], alone)
      call dap_array_init(alone, me, DAP_F8, single)
      call dap_array_export(MPI_COMM_WORLD, single, file, err=err)
      call expect_same_error(err, DAP_ERR_ARG, 'rank 1|no part')
      if (me == 0) call dap_layout_export(MPI_COMM_WORLD, layout, file, array=array, err=err)
      if (me > 0) call dap_layout_export(MPI_COMM_WORLD, layout, file, err=err)
      call expect_same_error(err, DAP_ERR_ARG, 'a part')
    end if
    call expect_file(document_of(text), 'a file that is kept')
  end subroutine

  subroutine remove_file()
    integer :: unit
    if (me > 0) return
    open (newunit=unit, file=file, status='old')
    close (unit, status='delete')
  end subroutine

  ! ---- for the command -------------------------------------------------------------------------------------

  subroutine keep()
    type(dap_array) :: array
    type(dap_layout) :: layout
    call make(array, layout, DAP_F8)
    call dap_array_export(MPI_COMM_WORLD, array, kept)
    call dap_layout_parse('9 on 3: c(2, first 1)', layout)
    call dap_layout_export(MPI_COMM_WORLD, layout, kept, append=.true.)
  end subroutine
end program
