!> Views parts of arrays, and parts of a descriptor's array, as matrices. ScaLAPACK shares them, and computes
!> their norms on the processes that have them.
program test_part_views
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer(int64), parameter :: n = 24, first = 5, count = 12
  type(dap_layout) :: square
  integer :: grid(2)
  call start()
  grid = grid_of()
  call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, n, grid(1), block_size=2), &
    dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=2)], square)
  call shared()
  call on_some_processes()
  call of_a_descriptor()
  call conclude()

contains

  !> Takes the square from (first, first) on.
  type(dap_part) function inner()
    inner = dap_part(start=[first, first], shape=[count, count])
  end function

  subroutine shared()
    type(dap_array) :: a, part
    type(dap_matrix) :: matrix
    real(real64), pointer :: p(:, :)
    real(real64) :: norm, wanted
    integer(int64) :: j
    call make_numbered(square, a, p)
    call dap_array_part(a, inner(), part)
    call dap_destroy(a)
    call dap_scalapack_get(MPI_COMM_WORLD, part, DAP_READ_WRITE, matrix, sharing=DAP_SHARE_OR_FAIL, &
      routine='pdgetrf')
    call dap_destroy(part)
    call expect(matrix%shared .and. matrix%op == 'N' .and. matrix%m == count .and. matrix%n == count, 'shared')
    call dap_scalapack_restore(matrix)
    call make_numbered(square, a, p)
    call dap_array_part(a, dap_part(axes=[2, 1], start=[first, first], shape=[count, count]), part)
    call dap_scalapack_get(MPI_COMM_WORLD, part, DAP_READ, matrix)
    call expect(matrix%shared .and. matrix%op == 'T', 'turned: ' // trim(matrix%reason))
    call dap_scalapack_restore(matrix)
    call dap_array_part(a, dap_part(start=[first, first], shape=[count, 1_int64]), part)
    wanted = sum([(numbered(j, first), j=first, first + count - 1)])
    call dap_linalg_norm(MPI_COMM_WORLD, '1', part, norm)
    call expect(abs(norm - wanted) < 1e-9_real64, 'norm of a column as a matrix')
  end subroutine

  !> Takes row 7, a matrix of one row on a row of the grid. These processes compute its norm; on all processes
  !> it is refused.
  subroutine on_some_processes()
    type(dap_array) :: a, row
    type(dap_matrix) :: matrix
    type(dap_error) :: err
    type(MPI_Comm) :: some
    real(real64), pointer :: p(:, :)
    real(real64) :: norm
    integer(int64) :: j
    integer, allocatable :: ranks(:)
    call make_numbered(square, a, p)
    call dap_array_part(a, dap_part(axes=[0, 2], start=[7_int64, 1_int64]), row)
    ranks = dap_array_ranks(row)
    call expect(size(ranks) == grid(2), 'a row of the grid')
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, any(ranks == me)), findloc(ranks, me, 1), some)
    if (any(ranks == me)) then
      norm = -1
      call dap_linalg_norm(some, 'M', row, norm)
      call expect(norm == maxval([(numbered(7_int64, j), j=1, n)]), 'the largest element of a row')
      call dap_linalg_norm(some, 'F', row, norm)
      call expect(abs(norm - norm2([(numbered(7_int64, j), j=1, n)])) < 1e-9_real64, 'norm of a row')
      call MPI_Comm_free(some)
    end if
    if (size(ranks) == nprocs) return
    call dap_linalg_norm(MPI_COMM_WORLD, 'F', row, norm, err=err)
    call expect(err%status == DAP_ERR_ARG, 'on all processes: ' // trim(err%text))
    call dap_scalapack_get(MPI_COMM_WORLD, row, DAP_READ, matrix, err=err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(matrix), 'a view on all: ' // trim(err%text))
  end subroutine

  !> Uses a grid of all processes except the last, which knows nothing of the array. A row moves to all
  !> processes.
  subroutine of_a_descriptor()
    integer, parameter :: rows = 9, columns = 14
    real(real64), target :: a(rows, columns)
    real(real64), pointer :: v(:)
    type(dap_array) :: array, part, vector
    type(dap_layout) :: even
    integer(int64), allocatable :: indices(:)
    integer :: flat, desc(9), info, j, procs, nprow, npcol, myrow, mycol
    integer, external :: indxl2g
    procs = max(nprocs - 1, 1)
    call blacs_get(-1, 0, flat)
    call blacs_gridinit(flat, 'R', 1, procs)
    desc = [1, -1, rows, columns, 3, 2, 0, 0, rows]
    a = 0
    if (me < procs) then
      call descinit(desc, rows, columns, 3, 2, 0, 0, flat, rows, info)
      call blacs_gridinfo(flat, nprow, npcol, myrow, mycol)
      do j = 1, columns
        a(:, j) = 100 * [1, 2, 3, 4, 5, 6, 7, 8, 9] + indxl2g(j, 2, mycol, 0, npcol)
      end do
    end if
    call dap_array_import(MPI_COMM_WORLD, desc, a, array)
    call dap_array_part(array, dap_part(axes=[2], start=[4_int64, 1_int64]), part)
    call dap_destroy(array)
    call expect(size(dap_array_ranks(part)) == merge(procs, 0, me < procs), 'known by the processes of the grid')
    if (me < procs) call expect(all(dap_array_ranks(part) == [(j, j=0, procs - 1)]), 'their ranks')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, columns, nprocs)], even)
    call dap_array_init(even, me, DAP_F8, vector)
    call dap_redistribute(MPI_COMM_WORLD, part, vector)
    call dap_pointer(vector, v)
    call dap_array_indices(vector, 1, indices)
    call expect(all(v == 400 + indices), 'row 4 of a descriptor''s matrix')
    if (me < procs) call blacs_gridexit(flat)
  end subroutine
end program
