!> ScaLAPACK's descriptors: as arrays, in place, on grids of all processes or of fewer; arrays as descriptors.
program test_descriptors
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use dapbridge
  use descriptors
  use mpi_f08
  implicit none
  integer, parameter :: m = 29, n = 17
  !> Contexts: of all processes, in column-major order; of all but the last one, in one row.
  integer :: square, flat
  integer :: grid(2)
  call start()
  grid = grid_of()
  call blacs_get(-1, 0, square)
  call blacs_gridinit(square, 'C', grid(1), grid(2))
  call blacs_get(-1, 0, flat)
  call blacs_gridinit(flat, 'R', 1, max(nprocs - 1, 1))
  call move_i4()
  call move_r4()
  call move_r8()
  call move_c4()
  call move_c8()
  call views()
  call own_context()
  call wrong_descriptors()
  call blacs_gridexit(square)
  if (flat >= 0) call blacs_gridexit(flat)
  call conclude()

contains

#define NO_I8
#define BODY "descriptor_of.inc"
#include "each_type.inc"

  !> An array as a matrix for ScaLAPACK: shared where it is block-cyclic, moved where it is not; pdlange is
  !> asked.
  subroutine views()
    type(dap_layout) :: blocks, slabs
    type(dap_array) :: a
    type(dap_matrix) :: matrix, another
    real(real64), pointer :: p(:, :), q(:, :)
    integer(int64), target :: lengths(nprocs)
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, m, grid(1), block_size=4), &
      dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=4)], blocks)
    call dap_array_init(blocks, me, DAP_F8, a)
    call dap_pointer(a, p)
    p = me + 1
    call dap_scalapack_get(MPI_COMM_WORLD, a, DAP_READ_WRITE, matrix, sharing=DAP_SHARE_OR_FAIL, &
      routine='pdgetrf')
    call expect(matrix%shared .and. matrix%op == 'N' .and. matrix%m == m .and. matrix%n == n, 'shared')
    call dap_pointer(matrix, q)
    call expect(all(shape(q) == shape(p)), 'the local part of a view')
    if (size(p) > 0) call expect(associated(p, q), 'is the array''s memory')
    call expect(largest(matrix, q) == nprocs, 'pdlange')
    call expect_text(dap_describe(matrix), 'shared')
    another = matrix
    call dap_scalapack_restore(matrix)
    call expect(matrix%shared .and. matrix%desc(3) == 0, 'a view that has ended still tells')
    call dap_scalapack_restore(matrix)

    lengths = 1
    lengths(nprocs) = m - nprocs + 1
    call dap_layout_create([dap_dist(DAP_DIST_LENGTHS, m, nprocs, lengths=lengths), &
      dap_dist(DAP_DIST_EVEN, n)], slabs)
    call dap_array_init(slabs, me, DAP_F8, a)
    call dap_pointer(a, p)
    p = me + 1
    call dap_scalapack_get(MPI_COMM_WORLD, a, DAP_READ_WRITE, matrix, sharing=DAP_SHARE_NEVER, &
      block_size=[6_int64, 6_int64], &
      grid=[nprocs, 1])
    call expect(.not. matrix%shared .and. matrix%desc(5) == 6, 'moved')
    call expect(len_trim(matrix%reason) > 0, 'for a reason')
    call dap_pointer(matrix, q)
    call expect(largest(matrix, q) == nprocs, 'pdlange of what was moved')
    q = -q
    call dap_scalapack_restore(matrix)
    call expect(all(p == -(me + 1)), 'written back')
    call dap_scalapack_get(MPI_COMM_WORLD, a, DAP_READ_WRITE, matrix, sharing=DAP_SHARE_NEVER)
    call dap_pointer(matrix, q)
    q = 0
    call dap_scalapack_load(matrix)
    q = q + q
    call dap_scalapack_store(matrix)
    call expect(all(p == -2 * (me + 1)), 'loaded and stored')
    q = 0
    call dap_scalapack_discard(matrix)
    call expect(all(p == -2 * (me + 1)), 'discarded')
  end subroutine

  real(real64) function largest(matrix, p)
    type(dap_matrix), intent(in) :: matrix
    real(real64), intent(in) :: p(*)
    real(real64), external :: pdlange
    real(real64) :: work(m + n)
    largest = pdlange('M', matrix%m, matrix%n, p, matrix%ia, matrix%ja, matrix%desc, work)
  end function

  !> On the program's own grid; the array of its descriptor is shared there, and so is a second view aligned
  !> with it.
  subroutine own_context()
    integer :: desc(9)
    real(real64), allocatable, target :: a(:, :)
    type(dap_array) :: array
    type(dap_matrix) :: first, second
    real(real64), pointer :: p(:, :)
    call describe(square, n, n, 3, 3, 0, desc)
    allocate(a(desc(9), max(columns_of(desc), 1)))
    a = 1
    call dap_array_import(MPI_COMM_WORLD, desc, a, array)
    call dap_scalapack_get(MPI_COMM_WORLD, array, DAP_READ, first, context=square)
    call expect(first%shared .and. all(first%desc([1, 2, 3, 4, 7, 8, 9]) == desc([1, 2, 3, 4, 7, 8, 9])), &
      'the same descriptor, but for blocks of what is on one process')
    call dap_scalapack_get(MPI_COMM_WORLD, array, DAP_READ, second, aligned_with=first, op='N')
    call expect(second%desc(2) == square, 'on the grid of another view')
    call dap_pointer(second, p)
    call expect(size(p, 2) == columns_of(desc), 'columns')
    call dap_scalapack_restore(second)
    call dap_scalapack_restore(first)
    call expect(dap_context_comm(square) /= MPI_COMM_NULL%mpi_val, 'the communicator of a context')
  end subroutine

  !> No context of BLACS's: on all processes, and on the last one only, where the others wait for nobody.
  subroutine no_context()
    integer :: desc(9)
    real(real64), allocatable, target :: a(:, :)
    type(dap_array) :: array
    type(dap_error) :: err
    call describe(square, n, n, 3, 3, 0, desc)
    allocate(a(desc(9), max(columns_of(desc), 1)))
    if (me == nprocs - 1) desc(2) = 5
    call dap_array_import(MPI_COMM_WORLD, desc, a, array, err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(array), 'a context of all but one process')
    call expect_text(err%text, 'desc(2)')
    call expect(err%rank == nprocs - 1, 'which process that is')
    desc(2) = huge(1)
    call dap_array_import(MPI_COMM_WORLD, desc, a, array, err)
    call expect(err%status == DAP_ERR_ARG, 'a number that is no context')
    call expect_text(err%text, '-1 on processes outside the grid')
  end subroutine

  !> A column less than the descriptor needs, and a vector that is too short by an element; all of it is right.
  subroutine too_little_memory(desc)
    integer, intent(in) :: desc(9)
    real(real64), allocatable, target :: matrix(:, :), vector(:)
    type(dap_array) :: array
    type(dap_error) :: err
    allocate(matrix(desc(9), columns_of(desc)), vector(desc(9) * (columns_of(desc) - 1) + rows_of(desc)))
    call dap_array_import(MPI_COMM_WORLD, desc, matrix(:, 2:), array, err)
    call expect(err%status == DAP_ERR_BUFFER .and. .not. dap_is_set(array), 'too few columns')
    call expect_text(err%text, 'columns, the descriptor needs')
    call dap_array_import(MPI_COMM_WORLD, desc, vector(2:), array, err)
    call expect(err%status == DAP_ERR_BUFFER, 'too few elements')
    call expect_text(err%text, 'elements, the descriptor needs')
    call dap_array_import(MPI_COMM_WORLD, desc, matrix, array, err)
    call expect(err%status == DAP_OK, 'as many columns as are needed')
    call dap_array_import(MPI_COMM_WORLD, desc, vector, array, err)
    call expect(err%status == DAP_OK, 'as many elements as are needed')
  end subroutine

  !> An array that was deallocated, on the last process; a process without elements needs none.
  subroutine no_memory(desc)
    integer, intent(in) :: desc(9)
    real(real64), allocatable, target :: a(:, :)
    integer :: empty(9)
    type(dap_array) :: array
    type(dap_error) :: err
    allocate(a(desc(9), columns_of(desc)))
    if (me == nprocs - 1) deallocate(a)
    call dap_array_import(MPI_COMM_WORLD, desc, a, array, err)
    call expect(err%status == DAP_ERR_BUFFER .and. .not. dap_is_set(array), 'no memory')
    call expect_text(err%text, 'a has no memory')
    call expect(err%rank == nprocs - 1, 'whose memory that is')
    call describe(square, 0, n, 4, 4, 0, empty)
    if (allocated(a)) deallocate(a)
    call dap_array_import(MPI_COMM_WORLD, empty, a, array, err)
    call expect(err%status == DAP_OK, 'no elements')
  end subroutine

  !> A descriptor that is not allocated, on the last process.
  subroutine no_descriptor(desc)
    integer, intent(in) :: desc(9)
    real(real64), allocatable, target :: a(:, :)
    integer, allocatable :: missing(:)
    type(dap_array) :: array
    type(dap_error) :: err
    allocate(a(desc(9), columns_of(desc)))
    if (me < nprocs - 1) missing = desc
    call dap_array_import(MPI_COMM_WORLD, missing, a, array, err)
    call expect(err%status == DAP_ERR_ARG .and. err%rank == nprocs - 1 .and. .not. dap_is_set(array), 'no desc')
    call expect_text(err%text, 'desc is not allocated')
  end subroutine

  subroutine wrong_descriptors()
    integer :: desc(9)
    real(real64), target :: a(2 * m, 2 * n)
    type(dap_array) :: array
    type(dap_error) :: err
    call describe(square, m, n, 4, 4, 0, desc)
    a = 0
    call dap_array_import(MPI_COMM_WORLD, desc, a, array, err)
    call expect(err%status == DAP_ERR_BUFFER .and. .not. dap_is_set(array), 'another leading dimension')
    call expect_text(err%text, 'leading dimension is 58')
    call too_little_memory(desc)
    call no_memory(desc)
    call no_descriptor(desc)
    desc(5) = 0
    call dap_array_import(MPI_COMM_WORLD, desc, a(1, 1), array, err)
    call expect(err%status == DAP_ERR_ARG, 'MB = 0')
    call no_context()
    call expect_text(err%text, 'MB')
  end subroutine
end program
