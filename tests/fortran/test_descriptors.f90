!> Tests ScaLAPACK's descriptors, as arrays in place and made from arrays, on grids of all processes or fewer.
program test_descriptors
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 29, n = 17
  !> Contexts of all processes, in column-major order, and of all except the last one, in one row.
  integer :: square, flat
  integer :: grid(2)
  integer, external :: indxl2g, numroc
  call start()
  grid = grid_of()
  call blacs_get(-1, 0, square)
  call blacs_gridinit(square, 'C', grid(1), grid(2))
  call blacs_get(-1, 0, flat)
  call blacs_gridinit(flat, 'R', 1, max(nprocs - 1, 1))
  call moved()
  call views()
  call own_context()
  call wrong_descriptors()
  call blacs_gridexit(square)
  if (flat >= 0) call blacs_gridexit(flat)
  call conclude()

contains

  ! ---- descriptors, and this process's part of their matrices -----------------------------------------------

  !> Makes a descriptor with one row more of memory than the process's part of the matrix, or with context -1
  !> outside the grid.
  subroutine describe(context, m, n, mb, nb, source, desc)
    integer, intent(in) :: context, m, n, mb, nb, source
    integer, intent(out) :: desc(9)
    integer :: nprow, npcol, myrow, mycol, info
    desc = [1, -1, m, n, mb, nb, 0, 0, 1]
    if (context < 0) return
    call blacs_gridinfo(context, nprow, npcol, myrow, mycol)
    if (myrow < 0) return
    call descinit(desc, m, n, mb, nb, mod(source, nprow), 0, context, numroc(m, mb, myrow, mod(source, &
      nprow), nprow) + 1, &
      info)
    call expect(info == 0, 'descinit')
  end subroutine

  integer function rows_of(desc)
    integer, intent(in) :: desc(9)
    integer :: nprow, npcol, myrow, mycol
    rows_of = 0
    if (desc(2) < 0) return
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    rows_of = numroc(desc(3), desc(5), myrow, desc(7), nprow)
  end function

  integer function columns_of(desc)
    integer, intent(in) :: desc(9)
    integer :: nprow, npcol, myrow, mycol
    columns_of = 0
    if (desc(2) < 0) return
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    columns_of = numroc(desc(4), desc(6), mycol, desc(8), npcol)
  end function

  integer function row(desc, i)
    integer, intent(in) :: desc(9), i
    integer :: nprow, npcol, myrow, mycol
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    row = indxl2g(i, desc(5), myrow, desc(7), nprow)
  end function

  integer function column(desc, j)
    integer, intent(in) :: desc(9), j
    integer :: nprow, npcol, myrow, mycol
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    column = indxl2g(j, desc(6), mycol, desc(8), npcol)
  end function

  pure integer function value(i, j)
    integer, intent(in) :: i, j
    value = 100 * i + j
  end function

  ! ---- tests -----------------------------------------------------------------------------------------------

  !> Moves desc(9) and a(lld, *) to another descriptor on another grid, and to slabs. dap_array_wrap() accepts
  !> the same types.
  subroutine moved()
    real(real64), allocatable, target :: a(:, :), b(:)
    real(real64), pointer :: p(:, :)
    integer :: desca(9), descb(9), i, j, lldb
    type(dap_array) :: from, to, slab
    type(dap_layout) :: slabs
    integer(int64), allocatable :: rows(:)
    call describe(square, m, n, 4, 3, 2, desca)
    allocate(a(max(desca(9), 1), max(columns_of(desca), 1)))
    a = -1
    do j = 1, columns_of(desca)
      do i = 1, rows_of(desca)
        a(i, j) = value(row(desca, i), column(desca, j))
      end do
    end do
    call describe(flat, m, n, 5, 2, 0, descb)
    lldb = max(descb(9), 1)
    allocate(b(lldb * max(columns_of(descb), 1)))
    b = -1
    call dap_array_import(MPI_COMM_WORLD, desca, a, from)
    call dap_array_import(MPI_COMM_WORLD, descb, b(1), to)
    call dap_redistribute(MPI_COMM_WORLD, from, to)
    do j = 1, columns_of(descb)
      do i = 1, rows_of(descb)
        call expect(b(i + (j - 1) * lldb) == value(row(descb, i), column(descb, j)), &
          'element by a descriptor')
      end do
      call expect(all(b((j - 1) * lldb + rows_of(descb) + 1:j * lldb) == -1), 'what lies below the rows')
    end do

    call dap_layout_create([dap_dist(DAP_DIST_EVEN, m, nprocs), dap_dist(DAP_DIST_EVEN, n)], slabs)
    call dap_array_init(slabs, me, DAP_F8, slab)
    call dap_redistribute(MPI_COMM_WORLD, to, slab)
    call dap_pointer(slab, p)
    call dap_array_indices(slab, 1, rows)
    do j = 1, n
      do i = 1, size(rows)
        call expect(p(i, j) == value(int(rows(i)), j), 'element of slabs')
        p(i, j) = -p(i, j)
      end do
    end do
    call dap_redistribute(MPI_COMM_WORLD, slab, from)
    do j = 1, columns_of(desca)
      do i = 1, rows_of(desca)
        call expect(a(i, j) == -value(row(desca, i), column(desca, j)), 'element that came back')
      end do
    end do
  end subroutine

  !> Views an array as a matrix for ScaLAPACK: shared if it is block-cyclic, and moved if not. pdlange computes
  !> the norm.
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

  !> Views arrays on the program's own grid. The array of its descriptor is shared there, and so is a second
  !> view that is aligned with it.
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

  ! ---- refused ---------------------------------------------------------------------------------------------

  !> rank is the rank that the error names, or -1.
  subroutine expect_refused(desc, a, status, rank, parts)
    integer, allocatable, intent(in) :: desc(:)
    type(*), intent(in), target :: a(..)
    integer, intent(in) :: status, rank
    character(len=*), intent(in) :: parts
    type(dap_array) :: array
    type(dap_error) :: err
    call dap_array_import(MPI_COMM_WORLD, desc, a, array, err)
    call expect_error(err, status, parts)
    call expect(.not. dap_is_set(array) .and. (rank < 0 .or. err%rank == rank), parts // ': nothing is made')
  end subroutine

  !> Passes wrong arguments on all processes, and on the last one only, where the others must not wait for ever.
  subroutine wrong_descriptors()
    integer, allocatable :: desc(:), wrong(:)
    real(real64), allocatable, target :: a(:, :), longer(:, :), line(:)
    type(dap_array) :: array
    type(dap_error) :: err
    integer :: last
    last = nprocs - 1
    allocate(desc(9))
    call describe(square, m, n, 4, 4, 0, desc)
    allocate(a(desc(9), columns_of(desc)), longer(2 * m, 2 * n))
    allocate(line(desc(9) * (columns_of(desc) - 1) + rows_of(desc)))
    call expect_refused(desc, longer, DAP_ERR_BUFFER, -1, 'leading dimension|58')
    call expect_refused(desc, a(:, 2:), DAP_ERR_BUFFER, -1, 'columns|descriptor')
    call expect_refused(desc, line(2:), DAP_ERR_BUFFER, -1, 'elements|descriptor')
    call dap_array_import(MPI_COMM_WORLD, desc, a, array, err)
    call expect(err%status == DAP_OK, 'as many columns as are needed')
    call dap_array_import(MPI_COMM_WORLD, desc, line, array, err)
    call expect(err%status == DAP_OK, 'as many elements as are needed')
    wrong = desc
    wrong(5) = 0
    call expect_refused(wrong, a, DAP_ERR_ARG, -1, 'MB')
    wrong = desc
    if (me == last) wrong(2) = 5
    call expect_refused(wrong, a, DAP_ERR_ARG, last, 'desc(2)')
    wrong(2) = huge(1)
    call expect_refused(wrong, a, DAP_ERR_ARG, -1, '-1|outside the grid')
    wrong = desc
    if (me == last) deallocate(wrong)
    call expect_refused(wrong, a, DAP_ERR_ARG, last, 'desc|not allocated')
    if (me == last) deallocate(a)
    call expect_refused(desc, a, DAP_ERR_BUFFER, last, 'a has no memory')
    call describe(square, 0, n, 4, 4, 0, desc)
    if (allocated(a)) deallocate(a)
    call dap_array_import(MPI_COMM_WORLD, desc, a, array, err)
    call expect(err%status == DAP_OK, 'no elements need no memory')
  end subroutine
end program
