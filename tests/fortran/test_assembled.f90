!> Tests layouts that are assembled from each process's own part. Every element must be in the place that its
!> process gave, and an error of one process must reach all.
program test_assembled
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  call start()
  call blocks_in_another_order()
  call cyclic_beside_padded()
  call parts_of_a_mesh()
  call an_older_version()
  call refused()
  call lookups_refused()
  call reordered()
  call conclude()

contains

  !> Returns the first index of a block, for the lengths 3, 4, 5 ...; the block after the last gives the index
  !> after the last.
  pure integer function first(coord)
    integer, intent(in) :: coord
    first = 1 + coord * 3 + coord * (coord - 1) / 2
  end function

  !> Rank 0 has the last block. The elements move to a layout that was created.
  subroutine blocks_in_another_order()
    type(dap_layout) :: layout, even
    type(dap_array) :: array, other
    integer(int64), allocatable, target :: data(:)
    integer(int64), pointer :: p(:)
    integer(int64), allocatable :: indices(:)
    integer(int64) :: local(1), n
    integer :: coord, i, rank
    coord = nprocs - 1 - me
    n = first(nprocs) - 1
    data = [(10 * i, i = first(coord), first(coord + 1) - 1)]
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('b', n, nprocs, coord, start=first(coord), &
      stop=first(coord + 1) - 1)], data, layout)
    call expect(dap_layout_size(layout, 1) == n .and. dap_layout_nprocs(layout) == nprocs, 'extents')
    do i = 0, nprocs - 1
      call expect(dap_layout_rank(layout, [i]) == nprocs - 1 - i, 'rank at a coordinate')
      call dap_layout_locate(layout, [int(first(i + 1) - 1, int64)], rank, local)
      call expect(rank == nprocs - 1 - i .and. local(1) == 3 + i, 'owner and place of the last element of a block')
    end do
    call expect(dap_layout_rank(layout, [nprocs]) == -1 .and. dap_layout_rank(layout, [0, 0]) == -1, &
      'no such place')
    call dap_array_wrap(layout, me, data, array)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, n, nprocs)], even)
    call dap_array_init(even, me, DAP_I8, other)
    call dap_redistribute(MPI_COMM_WORLD, array, other)
    call dap_pointer(other, p)
    call dap_array_indices(other, 1, indices)
    call expect(all(p == 10 * indices), 'elements moved')
  end subroutine

  !> Rows are dealt in blocks of two, and columns are on one process with boundary padding, in a section with
  !> gaps.
  subroutine cyclic_beside_padded()
    integer, parameter :: rows = 11, columns = 6
    type(dap_layout) :: layout, same
    type(dap_array) :: array
    real(real64), allocatable, target :: data(:, :)
    integer(int64), allocatable :: indices(:)
    type(dap_dim) :: dims(2)
    integer :: i, count
    count = 0
    do i = 1, rows
      if (mod((i - 1) / 2, nprocs) == me) count = count + 1
    end do
    allocate(data(2 * count + 1, columns))
    dims(1) = dap_dim('c', rows, nprocs, me, start=min(2 * me, rows) + 1, block_size=2)
    dims(2) = dap_dim('b', columns, start=1, stop=columns, padding=[1, 2])
    call dap_layout_assemble(MPI_COMM_WORLD, dims, data(2::2, :), layout)
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, rows, nprocs, block_size=2), &
      dap_dist(DAP_DIST_EVEN, columns, boundary=[1, 2])], same)
    call expect(dap_layout_is_equal(layout, same), 'as created: ' // dap_describe(layout))
    call dap_array_wrap(layout, me, data(2::2, :), array)
    call dap_array_indices(array, 1, indices)
    call expect(size(indices) == count .and. all(mod((indices - 1) / 2, int(nprocs, int64)) == me), 'rows')
  end subroutine

  !> Points form a ring. Each process has two of them, dealt round robin, and lists the next one after them as a
  !> ghost, which a halo update fills.
  subroutine parts_of_a_mesh()
    type(dap_layout) :: layout
    type(dap_array) :: array
    type(dap_plan) :: update
    integer(int64), target :: points(3)
    integer(int64) :: n, asked(1, 4), places(1, 4), other(1)
    real(real64), target :: values(3)
    integer :: ranks(4), i, rank
    type(dap_error) :: err
    n = 2 * nprocs
    points = [integer(int64) :: me + 1, me + 1 + nprocs, mod(me + 1, nprocs) + 1]
    if (nprocs == 1) points(3) = 2
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('u', n, nprocs, me, indices=points(:ghosts()), &
      owned=2)], values(:ghosts()), layout)
    call expect(dap_layout_owned(layout, 1, me) == 2 .and. dap_layout_extent(layout, 1, me) == ghosts(), &
      'owned points and ghosts')
    values = 100 * points
    if (ghosts() == 3) values(3) = -1
    call dap_array_wrap(layout, me, values(:ghosts()), array)
    call dap_plan_create_halo(MPI_COMM_WORLD, array, update)
    call dap_plan_run(update, array, array)
    call expect(all(values(:ghosts()) == 100 * points(:ghosts())), 'ghosts have their owners'' values')

    asked(1, :) = [integer(int64) :: 1, n, me + 1, nprocs]
    call dap_layout_lookup(MPI_COMM_WORLD, layout, asked, ranks, places)
    do i = 1, 4
      call expect(ranks(i) == mod(asked(1, i) - 1, int(nprocs, int64)), 'who owns a point')
      call expect(places(1, i) == (asked(1, i) - 1) / nprocs + 1, 'at which place')
    end do
    call dap_layout_lookup(MPI_COMM_WORLD, layout, asked(:, :me), ranks(:me), places(:, :me))
    call expect(all(ranks(:me) == mod(asked(1, :me) - 1, int(nprocs, int64))), 'each asks for its own number')
    if (nprocs == 1) return
    call dap_layout_locate(layout, [int(mod(me + 1, nprocs) + 1 + nprocs, int64)], rank, other, err)
    call expect(err%status == DAP_ERR_REMOTE .or. err%status == DAP_OK, 'alone a process may not know')
  end subroutine

  integer function ghosts()
    ghosts = merge(2, 3, nprocs == 1)
  end function

  !> In 0.9, start and stop are the owned range, and padding lies beyond it.
  subroutine an_older_version()
    type(dap_layout) :: layout, same
    integer :: low, high
    real(real64), allocatable, target :: data(:)
    low = merge(0, 1, me == 0)
    high = merge(0, 1, me == nprocs - 1)
    allocate(data(4 + low + high))
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('b', 4 * nprocs, nprocs, me, start=4 * me + 1, &
      stop=4 * me + 4, padding=[low, high])], data, layout, version='0.9.0')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs, halo=1)], same)
    call expect(dap_layout_is_equal(layout, same), 'by 0.9: ' // dap_describe(layout))
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('b', 4 * nprocs, nprocs, me, start=4 * me + 1 - low, &
      stop=4 * me + 4 + high, padding=[low, high])], data, layout)
    call expect(dap_layout_is_equal(layout, same), 'by 0.10: ' // dap_describe(layout))
  end subroutine

  !> Arguments are valid on all processes except the last one.
  subroutine refused()
    real(real64), target :: data(3), plane(3, 2)
    character(len=3), target :: words(3)
    type(dap_dim) :: dim, bad
    integer(int64), target :: list(3)
    type(dap_layout) :: layout
    type(dap_error) :: err
    logical :: last
    last = me == nprocs - 1
    dim = dap_dim('b', 3 * nprocs, nprocs, me, start=3 * me + 1, stop=3 * me + 3)
    bad = dim
    if (last) bad%dist_type = 'x'
    call try('no such type', [bad], data, DAP_ERR_DIM, "dist_type")
    bad = dim
    if (last) bad%start = 0
    call try('an index 0', [bad], data, DAP_ERR_DIM, 'start')
    if (last) call try('more dimensions than dictionaries', [dim], plane, DAP_ERR_BUFFER, '')
    if (.not. last) call try('more dimensions than dictionaries', [dim], data, DAP_ERR_BUFFER, '')
    ! try() cannot pass this: gfortran 12 takes the length of words for that of the next text.
    if (last) call dap_layout_assemble(MPI_COMM_WORLD, [dim], words, layout, err=err)
    if (.not. last) call dap_layout_assemble(MPI_COMM_WORLD, [dim], data, layout, err=err)
    call expect_same_error(err, DAP_ERR_BUFFER, 'data|CHARACTER', 'no type of the library''s')
    call try('no such version', [dim], data, DAP_ERR_VERSION, '0.11', version=merge('0.11.0', '0.10.0', last))
    call try('nine dictionaries', spread(dim, 1, 9), data, DAP_ERR_ARG, '9')
    list = [3 * me + 1, 3 * me + 2, 3 * me + 3]
    dim = dap_dim('u', 3 * nprocs, nprocs, me, indices=list, owned=3)
    bad = dim
    if (last) bad%owned = 4
    call try('more owned than there are', [bad], data, DAP_ERR_ARG, 'owned is 4')
    bad%owned = merge(2, 3, last)
    call try('an index that nobody owns', [bad], data, DAP_ERR_LAYOUT, '')
    if (nprocs == 1) return
    bad%owned = merge(-1, 3, last)
    call try('owners of some processes only', [bad], data, DAP_ERR_ARG, '')
  end subroutine

  subroutine try(why, dims, data, status, part, version)
    character(len=*), intent(in) :: why, part
    type(dap_dim), intent(in) :: dims(:)
    type(*), intent(in), target :: data(..)
    integer, intent(in) :: status
    character(len=*), intent(in), optional :: version
    type(dap_layout) :: layout
    type(dap_error) :: err
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 1)], layout) ! must be replaced
    call dap_layout_assemble(MPI_COMM_WORLD, dims, data, layout, version, err)
    call expect_same_error(err, status, part, why)
    call expect(.not. dap_is_set(layout), why // ': nothing is made')
  end subroutine

  subroutine lookups_refused()
    type(dap_layout) :: layout, nothing
    type(dap_error) :: err
    integer(int64) :: asked(1, 2), places(1, 2)
    integer :: ranks(2)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 5, nprocs)], layout)
    asked(1, :) = [1, 5]
    if (me == nprocs - 1) asked(1, 2) = 6
    call dap_layout_lookup(MPI_COMM_WORLD, layout, asked, ranks, places, err)
    call expect_same_error(err, DAP_ERR_ARG, '', 'an index out of range')
    asked = 1
    call dap_layout_lookup(MPI_COMM_WORLD, layout, asked, ranks(:merge(1, 2, me == 0)), places, err)
    call expect_same_error(err, DAP_ERR_ARG, 'as many elements', 'too few ranks')
    call dap_layout_lookup(MPI_COMM_WORLD, nothing, asked, ranks, places, err)
    call expect_same_error(err, DAP_ERR_ARG, '', 'no layout')
  end subroutine

  !> Uses a column-major grid of 2 x 3, for any number of processes.
  subroutine reordered()
    integer, parameter :: p = 2, q = 3
    type(dap_layout) :: layout, columns
    type(dap_error) :: err
    integer :: i, j
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 10, p), dap_dist(DAP_DIST_EVEN, 10, q)], layout)
    call dap_layout_reorder(layout, [((i + j * p, j = 0, q - 1), i = 0, p - 1)], columns)
    do i = 0, p - 1
      do j = 0, q - 1
        call expect(dap_layout_rank(columns, [i, j]) == i + j * p, 'column-major ranks')
        call expect(all(dap_layout_coords(columns, i + j * p) == [i, j]), 'and back')
        call expect(dap_layout_rank(layout, [i, j]) == i * q + j, 'row-major ranks')
      end do
    end do
    call dap_layout_reorder(layout, [0, 1, 2, 3, 4], columns, err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(columns), 'too few ranks')
    call expect_text(err%text, '5 ranks')
    call dap_layout_reorder(layout, [0, 1, 2, 3, 4, 4], columns, err)
    call expect(err%status == DAP_ERR_ARG, 'a rank twice')
  end subroutine
end program
