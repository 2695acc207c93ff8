!> Parts of arrays as arrays: every element of each is that of the whole at its place, and as many are owned as the
!> part has.
program test_parts
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  use part_trials
  implicit none
  integer :: i, k
  call start()
  do k = 1, kinds
    do i = 1, size(trials)
      call check(k, trials(i))
    end do
  end do
  call more_dimensions()
  call an_element()
  call refused()
  call conclude()

contains

  !> The whole's variables end before the part is looked at.
  subroutine check(kind, t)
    integer, intent(in) :: kind
    type(trial), intent(in) :: t
    type(dap_layout) :: layout
    type(dap_array) :: whole, part
    real(real64), pointer :: p(:, :), vector(:), matrix(:, :)
    character(len=:), allocatable :: what
    integer(int64) :: owned
    what = trim(names(kind)) // ', ' // trim(t%why)
    call make(kind, layout, whole, p)
    call dap_array_part(whole, part_of(t), part)
    call dap_destroy(whole)
    call dap_array_layout(part, layout)
    call expect(dap_layout_ndim(layout) == merge(2, t%naxes, t%naxes < 0), what // ': dimensions')
    call expect_ranks(part, what)
    if (t%naxes == 1) then
      call dap_pointer(part, vector)
      owned = owned_of_vector(t, part, vector, what)
    else
      call dap_pointer(part, matrix)
      owned = owned_of_matrix(t, part, matrix, what)
    end if
    call expect(total(owned) == elements_of(t), what // ': as many elements')
  end subroutine

  integer(int64) function elements_of(t)
    type(trial), intent(in) :: t
    integer :: k
    elements_of = 1
    do k = 1, 2
      if (t%naxes < 0 .or. any(t%axes == k)) elements_of = elements_of * t%shape(k)
    end do
  end function

  integer(int64) function total(count)
    integer(int64), intent(in) :: count
    call MPI_Allreduce(count, total, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  end function

  !> Where index i of a part's dimension is in the whole; of a new dimension nowhere.
  pure subroutine set_place(t, dimension, i, place)
    type(trial), intent(in) :: t
    integer, intent(in) :: dimension
    integer(int64), intent(in) :: i
    integer(int64), intent(inout) :: place(2)
    integer :: axis
    axis = dimension
    if (t%naxes >= 0) axis = t%axes(dimension)
    if (axis > 0) place(axis) = t%start(axis) + i - 1
  end subroutine

  integer(int64) function owned_of_vector(t, part, p, what) result(owned)
    type(trial), intent(in) :: t
    type(dap_array), intent(in) :: part
    real(real64), intent(in) :: p(:)
    character(len=*), intent(in) :: what
    integer(int64), allocatable :: indices(:)
    logical, allocatable :: is_owned(:)
    integer(int64) :: place(2)
    integer :: i
    call dap_array_indices(part, 1, indices, is_owned)
    call expect(size(p) == size(indices), what // ': size')
    do i = 1, size(indices)
      place = t%start
      call set_place(t, 1, indices(i), place)
      call expect(p(i) == numbered(place(1), place(2)), what // ': element')
    end do
    owned = count(is_owned)
  end function

  integer(int64) function owned_of_matrix(t, part, p, what) result(owned)
    type(trial), intent(in) :: t
    type(dap_array), intent(in) :: part
    real(real64), intent(in) :: p(:, :)
    character(len=*), intent(in) :: what
    integer(int64), allocatable :: rows(:), columns(:)
    logical, allocatable :: owns_rows(:), owns_columns(:)
    integer(int64) :: place(2)
    integer :: i, j
    call dap_array_indices(part, 1, rows, owns_rows)
    call dap_array_indices(part, 2, columns, owns_columns)
    call expect(all(shape(p) == [size(rows), size(columns)]), what // ': shape')
    do j = 1, size(columns)
      do i = 1, size(rows)
        place = t%start
        call set_place(t, 1, rows(i), place)
        call set_place(t, 2, columns(j), place)
        if (rows(i) > 0 .and. columns(j) > 0) call expect(p(i, j) == numbered(place(1), place(2)), what // ': element')
      end do
    end do
    owned = count(owns_rows, kind=int64) * count(owns_columns, kind=int64)
  end function

  !> A new dimension between two.
  subroutine more_dimensions()
    type(dap_layout) :: layout
    type(dap_array) :: whole, part
    real(real64), pointer :: p(:, :), q(:, :, :)
    call make(2, layout, whole, p)
    call dap_array_part(whole, dap_part(axes=[1, 0, 2]), part)
    call dap_pointer(part, q)
    call expect(all(shape(q) == [size(p, 1), 1, size(p, 2)]), 'three dimensions')
    call expect(all(q(:, 1, :) == p), 'their elements')
  end subroutine

  !> No dimensions: element (10, 5) on the process that owns it.
  subroutine an_element()
    type(dap_layout) :: layout
    type(dap_array) :: whole, part
    real(real64), pointer :: p(:, :), x
    integer(int64) :: local(2)
    integer :: rank, none(0)
    call make(3, layout, whole, p)
    call dap_layout_locate(layout, [10_int64, 5_int64], rank, local)
    call dap_array_part(whole, dap_part(axes=none, start=[10_int64, 5_int64]), part)
    call expect(all(dap_array_ranks(part) == [rank]), 'who has the element')
    if (me /= rank) return
    call dap_pointer(part, x)
    call expect(x == numbered(10_int64, 5_int64), 'the element')
    x = -1
    call expect(p(local(1), local(2)) == -1, 'the whole''s memory')
  end subroutine

  ! ---- what is refused ---------------------------------------------------------------------------------------

  subroutine refused()
    type(dap_layout) :: layout
    type(dap_array) :: whole, part, nothing
    type(dap_error) :: err
    real(real64), pointer :: p(:, :)
    integer(int64), parameter :: one = 1
    call make(2, layout, whole, p)
    call dap_array_part(whole, dap_part(), part)
    call dap_array_part(nothing, dap_part(), part, err)
    call expect_error(err, DAP_ERR_ARG, 'the array is not set')
    call expect(.not. dap_is_set(part) .and. size(dap_array_ranks(part)) == 0, 'nothing is made')
    call refuse(whole, dap_part(start=[one]), 'start has 1 numbers, the array''s rank is 2')
    call refuse(whole, dap_part(shape=[one, one, one]), 'shape has 3 numbers, the array''s rank is 2')
    call refuse(whole, dap_part(start=[0 * one, one]), 'axis 1: start 0')
    call refuse(whole, dap_part(start=[one, n + 2 * one]), 'axis 2: start 13')
    call refuse(whole, dap_part(start=[2 * one, one], shape=[m * one, one]), 'axis 1: extent 37')
    call refuse(whole, dap_part(shape=[-one, one]), 'axis 1: extent -1')
    call refuse(whole, dap_part(axes=[1], start=[one, n + one]), 'axis 2: index 12')
    call refuse(whole, dap_part(axes=[1, 3]), 'axes(2) = 3')
    call refuse(whole, dap_part(axes=[2, 2]), 'axes(2) = 2 is axes(1) too')
    call refuse(whole, dap_part(axes=[1, 2, 0, 0, 0, 0, 0, 0, 0]), '9 axes, more than 8')
    if (dap_layout_procs(layout, 1) > 1) then
      call dap_array_part(whole, dap_part(start=[2 * one, one], shape=[30 * one, n * one]), part, err)
      call expect_error(err, DAP_ERR_SHARE, 'axis 1')
    end if
    call expect(all(shape(p) == [dap_array_extent(whole, 1), dap_array_extent(whole, 2)]), 'the whole is there')
  end subroutine

  subroutine refuse(whole, part, text)
    type(dap_array), intent(in) :: whole
    type(dap_part), intent(in) :: part
    character(len=*), intent(in) :: text
    type(dap_array) :: made
    type(dap_error) :: err
    call dap_array_part(whole, part, made, err)
    call expect_error(err, DAP_ERR_ARG, text)
    call expect(.not. dap_is_set(made), 'no part: ' // text)
  end subroutine
end program
