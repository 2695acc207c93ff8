!> Helps the tests in Fortran: counts failed conditions, fails on all ranks at the end, and numbers the elements
!> of matrices by their place.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  private
  public :: start, expect, expect_text, expect_error, expect_same_error, conclude, grid_of, numbered, numbers_of, is_owned_of, make_numbered

  integer, public :: me = -1, nprocs = 0
  integer :: failures = 0

contains

  subroutine start()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, nprocs)
  end subroutine

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    if (failures <= 10) write (error_unit, '(a, i0, 2a)') 'rank ', me, ': not so: ', what
  end subroutine

  !> Checks that the text contains these parts, separated by "|", in their order.
  subroutine expect_text(text, parts)
    character(len=*), intent(in) :: text, parts
    integer :: from, first, last, place
    from = 1
    first = 1
    do
      last = index(parts(first:), '|') + first - 2
      if (last < first - 1) last = len(parts)
      place = index(text(from:), parts(first:last))
      call expect(place > 0, '"' // parts // '" in "' // trim(text) // '"')
      if (place == 0 .or. last == len(parts)) return
      from = from + place - 1 + last - first + 1
      first = last + 2
    end do
  end subroutine

  subroutine expect_error(err, status, part)
    type(dap_error), intent(in) :: err
    integer, intent(in) :: status
    character(len=*), intent(in) :: part
    call expect(err%status == status, 'status of "' // trim(err%text) // '"')
    call expect_text(err%text, part)
  end subroutine

  !> Checks that all processes received the same error.
  subroutine expect_same_error(err, status, part, why)
    type(dap_error), intent(in) :: err
    integer, intent(in) :: status
    character(len=*), intent(in) :: part
    character(len=*), intent(in), optional :: why
    character(len=len(err%text)) :: text
    call expect_error(err, status, part)
    text = err%text
    call MPI_Bcast(text, len(text), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call expect(text == err%text, 'the same text as on process 0: ' // trim(err%text))
    if (present(why)) call expect(err%status == status .and. text == err%text, why)
  end subroutine

  subroutine conclude()
    integer :: all_failures
    call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (all_failures > 0) error stop 1
  end subroutine

  !> Returns the extents of a grid of all processes: 2 x 2 for 4.
  function grid_of() result(grid)
    integer :: grid(2)
    grid = [nprocs, 1]
    if (mod(nprocs, 2) == 0) grid = [2, nprocs / 2]
  end function

  !> Returns element (i, j) of a numbered matrix.
  elemental real(real64) function numbered(i, j)
    integer(int64), intent(in) :: i, j
    numbered = real(100 * i + j, real64)
  end function

  !> Returns the elements of a numbered matrix at each position of an array, padding included, and 0 at
  !> positions without an index.
  function numbers_of(array) result(numbers)
    type(dap_array), intent(in) :: array
    real(real64), allocatable :: numbers(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    integer :: j
    call dap_array_indices(array, 1, rows)
    call dap_array_indices(array, 2, columns)
    allocate(numbers(size(rows), size(columns)))
    do j = 1, size(columns)
      numbers(:, j) = merge(numbered(rows, columns(j)), 0._real64, rows > 0 .and. columns(j) > 0)
    end do
  end function

  !> Returns which positions are owned.
  function is_owned_of(array) result(is_owned)
    type(dap_array), intent(in) :: array
    logical, allocatable :: is_owned(:, :), of_rows(:), of_columns(:)
    integer(int64), allocatable :: indices(:)
    integer :: j
    call dap_array_indices(array, 1, indices, of_rows)
    call dap_array_indices(array, 2, indices, of_columns)
    allocate(is_owned(size(of_rows), size(of_columns)))
    do j = 1, size(of_columns)
      is_owned(:, j) = of_rows .and. of_columns(j)
    end do
  end function

  !> Makes an array of a numbered matrix, padding included.
  subroutine make_numbered(layout, array, p, order)
    type(dap_layout), intent(in) :: layout
    type(dap_array), intent(inout) :: array
    real(real64), pointer, intent(out) :: p(:, :)
    character, intent(in), optional :: order
    call dap_array_init(layout, me, DAP_F8, array, order)
    call dap_pointer(array, p)
    p = numbers_of(array)
  end subroutine
end module
