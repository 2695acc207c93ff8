!> Checks texts in Fortran's words. The library's texts count from 0 and name C's options, and a program must
!> receive Fortran's.
program test_words
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use dapbridge_base, only: in_words
  use mpi_f08
  implicit none

  type :: row
    character(len=70) :: c, fortran
    character(len=50) :: why
  end type
  type(row), parameter :: rows(*) = [ &
    row('axis 0: start -1 is outside 0 .. size = 5', 'axis 1: start 0 is outside 1 .. size + 1 = 6', 'a part'), &
    row('axis 1: process 0 owns nothing', 'axis 2: process 0 owns nothing', 'ranks count from 0'), &
    row('to: axis 7 is partial', 'to: axis 8 is partial', 'the last dimension'), &
    row('axes[1] = 2 is outside -1 .. 1', 'axes(2) = 3 is outside 0 .. 2', '0 is a new dimension'), &
    row('part: start[9] is 7, outside 0 .. 4', 'part: start(10) is 8, outside 1 .. 5', 'one more digit'), &
    row('axis 0: lengths[2] -3 is negative', 'axis 1: lengths(3) -3 is negative', 'a length is no index'), &
    row('axis 0: indices[2] -3 is negative', 'axis 1: indices(3) -2 is less than 1', 'an index'), &
    row('axis 0: start 3 is not a multiple of block_size 2', 'axis 1: start - 1 = 3 is not a multiple of block_size 2', &
      'blocks before the first one'), &
    row('axis 0: stop 2 is less than start 4', 'axis 1: stop 2 is less than start - 1 = 4', 'first .. last'), &
    row('column 9: axis 0: index 4', 'column 9: axis 1: index 4', 'indices in words count from 0'), &
    row('options: eigh.start .. stop is 3 .. 9', 'options%eigh%first .. last is 4 .. 9', 'eigenvalues'), &
    row('options: eigh.above 2 is not less than eigh.up_to 1', &
      'options%eigh%above 2 is not less than options%eigh%up_to 1', 'two names'), &
    row('can lose something; options.lossy allows it', 'can lose something; options%lossy allows it', 'a plan'), &
    row('something of them; options.lossy allows it', 'something of them; lossy= allows it', 'a view'), &
    row('redim 0: width 3', 'redim 0: width 3', 'another word'), &
    row('index 9223372036854775807', 'index 9223372036854775807', 'the largest number'), &
    row('[0] dim  0: x[] a[b] c[1', '[0] dim  0: x[] a[b] c[1', 'nothing that is counted'), &
    row('', '', 'no text')]

  integer :: i
  call start()
  do i = 1, size(rows)
    call expect(in_words(chars(trim(rows(i)%c))) == trim(rows(i)%fortran), '"' // &
      in_words(chars(trim(rows(i)%c))) // '" for ' // trim(rows(i)%why))
  end do
  call expect(in_words(chars(repeat('a[0] ', 102))) == repeat('a(1) ', 102), 'a long text')
  call expect(in_words(chars(repeat('a[9] ', 102))) == repeat('a(10) ', 85) // 'a', 'a text that grows is cut')
  call of_types()
  call of_lists()
  call of_factors()
  call of_ranges()
  call after_mpi()

contains

  pure function chars(text)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: chars(512)
    integer :: k
    chars = c_null_char
    do k = 1, len(text)
      chars(k) = text(k:k)
    end do
  end function

  !> The text must name types that the library does not have.
  subroutine of_types()
    logical, target :: switches(4)
    logical(1), target :: bytes(4)
    logical, parameter :: has_wide = selected_real_kind(30) > 0 ! flang lacks it on x86
    integer, parameter :: wide_kind = merge(selected_real_kind(30), real64, has_wide)
    real(wide_kind), target :: wide(4)
    complex(wide_kind), target :: wide_pairs(4)
    character(len=3), target :: words(4)
    type :: point
      real(real64) :: u = 0, v = 0
    end type
    type(point), target :: points(4)
    switches = .true.
    bytes = .true.
    wide = 0
    wide_pairs = 0
    words = ''
    call refused(switches, 'data is LOGICAL(4)|INTEGER|REAL')
    call refused(bytes, 'data is LOGICAL(1)')
    if (has_wide) call refused(wide, 'data is REAL')
    if (has_wide) call refused(wide_pairs, 'data is COMPLEX')
    call refused(words, 'data is CHARACTER')
    call refused(points, 'data is of a derived type')
  end subroutine

  subroutine refused(data, text)
    type(*), intent(in), target :: data(:)
    character(len=*), intent(in) :: text
    type(dap_layout) :: layout, assembled
    type(dap_array) :: array
    type(dap_error) :: err
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs)], layout)
    call dap_array_wrap(layout, me, data, array, err)
    call expect_error(err, DAP_ERR_BUFFER, text)
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('b', 4 * nprocs, nprocs, me, start=4 * me + 1, &
      stop=4 * me + 4)], data, assembled, err=err)
    call expect_error(err, DAP_ERR_BUFFER, text)
  end subroutine

  subroutine of_lists()
    integer(int64), target :: one(2) = [1, 2], two(2) = [2, 3], four(4) = [1, 2, 3, 4]
    type(dap_layout) :: layout
    type(dap_error) :: err
    call dap_layout_create([dap_dist(DAP_DIST_LENGTHS, 9, 3, lengths=two)], layout, err)
    call expect_error(err, DAP_ERR_ARG, 'axis 1|lengths|2|3')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4), dap_dist(DAP_DIST_UNSTRUCTURED, 5, 2, lengths=two, &
      indices=four)], layout, err)
    call expect_error(err, DAP_ERR_ARG, 'axis 2|indices|4')
    call dap_layout_create([dap_dist(DAP_DIST_UNSTRUCTURED, 4, 2, lengths=one, indices=four, &
      owned=two(:1))], layout, err)
    call expect_error(err, DAP_ERR_ARG, 'axis 1|owned|1|2')
    call dap_layout_create([dap_dist(DAP_DIST_UNSTRUCTURED, 4, 2, indices=four)], layout, err)
    call expect_error(err, DAP_ERR_ARG, 'axis 1|lengths')
  end subroutine

  !> Computes 3 x + 2 y, with factors of each kind.
  subroutine of_factors()
    type(dap_layout) :: layout
    type(dap_array) :: x, y
    real(real64), pointer :: p(:), q(:)
    type(dap_plan) :: plans(5)
    integer, parameter :: alphas(5) = [3, 3, 3, 1, 1], betas(5) = [2, 2, 0, 2, 0]
    integer :: k
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 2 * nprocs, nprocs)], layout)
    call dap_array_init(layout, me, DAP_F8, x)
    call dap_array_init(layout, me, DAP_F8, y)
    call dap_pointer(x, p)
    call dap_pointer(y, q)
    call dap_plan_create(MPI_COMM_WORLD, x, y, plans(1), alpha=(3._real64, 0._real64), beta=(2._real64, 0._real64))
    call dap_plan_create(MPI_COMM_WORLD, x, y, plans(2), alpha=3._real64, beta=2._real64)
    call dap_plan_create(MPI_COMM_WORLD, x, y, plans(3), alpha=3._real64)
    call dap_plan_create(MPI_COMM_WORLD, x, y, plans(4), beta=2._real64)
    call dap_plan_create(MPI_COMM_WORLD, x, y, plans(5))
    do k = 1, size(plans)
      p = [10, 20] + me
      q = me
      call dap_plan_run(plans(k), x, y)
      call expect(all(q == alphas(k) * ([10, 20] + me) + betas(k) * me), 'scaled sums')
    end do
  end subroutine

  !> Tests texts about layouts and options.
  subroutine of_ranges()
    type(dap_layout) :: layout
    type(dap_array) :: a, part
    type(dap_error) :: err
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 3), dap_dist(DAP_DIST_CYCLIC, 9, nprocs)], layout, err)
    call expect_error(err, DAP_ERR_DIM, 'axis 2|block_size|0')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 3)], layout)
    call dap_array_init(layout, 0, DAP_F8, a)
    call dap_array_part(a, dap_part(axes=[2]), part, err)
    call expect_error(err, DAP_ERR_ARG, 'axes(1)|2|0 .. 1')
  end subroutine

  !> A call after MPI's end must return an error, and must not end the program.
  subroutine after_mpi()
    type(dap_layout) :: layout
    type(dap_array) :: a, b
    type(dap_plan) :: plan
    type(dap_error) :: err
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 2 * nprocs, nprocs)], layout)
    call dap_array_init(layout, me, DAP_F8, a)
    call dap_array_init(layout, me, DAP_F8, b)
    call conclude()
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan, err=err)
    call last(err)
    call dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, b, err=err)
    call last(err)
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim(' ')], [1], layout, err=err)
    call last(err)
  end subroutine

  subroutine last(err)
    type(dap_error), intent(in) :: err
    if (err%status == DAP_ERR_LIBRARY .and. err%text == 'MPI has been finalised') return
    error stop 'not an error: a call behind MPI_Finalize()'
  end subroutine
end program
