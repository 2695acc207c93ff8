!> Takes parts of arrays as arrays. A part must have exactly the elements of the whole at its places, even on
!> fewer processes. Values that are written to the part must appear in the whole.
program test_parts
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 37, n = 11

  !> naxes: -1 means that the part is made without axes.
  type :: trial
    character(len=40) :: why
    integer :: naxes, axes(2)
    integer(int64) :: start(2), shape(2)
  end type

  type(trial), parameter :: trials(14) = [ &
    trial('all of it', -1, [0, 0], [1, 1], [m, n]), &
    trial('rows, which some processes have not', -1, [0, 0], [9, 1], [12, n]), &
    trial('one row', -1, [0, 0], [17, 1], [1, n]), &
    trial('the last element', -1, [0, 0], [m, 10], [1, 1]), &
    trial('no rows', -1, [0, 0], [9, 1], [0, n]), &
    trial('no columns, behind the last one', -1, [0, 0], [1, n + 1], [m, 0]), &
    trial('a corner, to the end', -1, [0, 0], [9, 4], [29, 8]), &
    trial('turned', 2, [2, 1], [1, 1], [m, n]), &
    trial('turned and cut', 2, [2, 1], [9, 4], [12, 6]), &
    trial('row 10, on some processes', 1, [2, 0], [10, 1], [1, n]), &
    trial('column 5, on some or all processes', 1, [1, 0], [1, 5], [m, 1]), &
    trial('a part of column 5', 1, [1, 0], [5, 5], [9, 1]), &
    trial('a row as a matrix', 2, [0, 2], [10, 1], [1, n]), &
    trial('a column as a matrix', 2, [1, 0], [1, 5], [m, 1])]

  integer, parameter :: kinds = 5
  character(len=30), parameter :: names(kinds) = [character(len=30) :: 'slabs', 'blocks', &
    'blocks on a column-major grid', 'padded blocks', 'blocks in C order']
  integer :: i, k
  call start()
  do k = 1, kinds
    do i = 1, size(trials)
      call check(k, trials(i))
    end do
  end do
  call more_dimensions()
  call an_element()
  call part_of_a_part()
  call of_shared_memory()
  call of_a_mesh()
  call refused()
  call conclude()

contains

  subroutine make_layout(kind, layout)
    integer, intent(in) :: kind
    type(dap_layout), intent(inout) :: layout
    type(dap_layout) :: row_major
    integer :: grid(2), k, l
    grid = grid_of()
    select case (kind)
    case (1)
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, m, nprocs), dap_dist(DAP_DIST_EVEN, n)], layout)
    case (4)
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, m, grid(1), halo=2), &
        dap_dist(DAP_DIST_EVEN, n, grid(2), halo=1)], layout)
    case default
      call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, m, grid(1), block_size=4), &
        dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=3)], layout)
    end select
    if (kind /= 3) return
    row_major = layout
    call dap_layout_reorder(row_major, [((k + l * grid(1), l=0, grid(2) - 1), k=0, grid(1) - 1)], layout)
  end subroutine

  !> Returns the whole array, padding included.
  subroutine make(kind, layout, array, p)
    integer, intent(in) :: kind
    type(dap_layout), intent(inout) :: layout
    type(dap_array), intent(inout) :: array
    real(real64), pointer, intent(inout) :: p(:, :)
    call make_layout(kind, layout)
    call make_numbered(layout, array, p, order=merge(DAP_ORDER_C, DAP_ORDER_F, kind == 5))
  end subroutine

  type(dap_part) function part_of(t)
    type(trial), intent(in) :: t
    part_of%start = t%start
    part_of%shape = t%shape
    if (t%naxes >= 0) part_of%axes = t%axes(:t%naxes)
  end function

  !> Moves the part to an array on all processes, and back with another sign. The whole's variable ends
  !> meanwhile.
  subroutine check(kind, t)
    integer, intent(in) :: kind
    type(trial), intent(in) :: t
    type(dap_layout) :: layout
    type(dap_array) :: whole, part, plain
    real(real64), pointer :: p(:, :)
    real(real64), allocatable :: wanted(:, :)
    logical, allocatable :: is_owned(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    character(len=:), allocatable :: what
    integer :: j
    what = trim(names(kind)) // ', ' // trim(t%why)
    call make(kind, layout, whole, p)
    call dap_array_indices(whole, 1, rows)
    call dap_array_indices(whole, 2, columns)
    is_owned = is_owned_of(whole)
    wanted = p
    do j = 1, size(columns)
      if (.not. is_within(columns(j), t, 2)) cycle
      where (is_within(rows, t, 1)) wanted(:, j) = -wanted(:, j)
    end do
    call dap_array_part(whole, part_of(t), part)
    call dap_destroy(whole)
    call dap_array_layout(part, layout)
    call expect(dap_layout_ndim(layout) == merge(2, t%naxes, t%naxes < 0), what // ': dimensions')
    call expect_ranks(part, what)
    if (t%naxes == 1) call make_plain([dap_dist(DAP_DIST_EVEN, dap_layout_size(layout, 1), nprocs)], plain)
    if (t%naxes /= 1) call make_plain([dap_dist(DAP_DIST_EVEN, dap_layout_size(layout, 1), nprocs), &
      dap_dist(DAP_DIST_EVEN, dap_layout_size(layout, 2))], plain)
    call dap_redistribute(MPI_COMM_WORLD, part, plain)
    call expect_elements(t, plain, what)
    call dap_redistribute(MPI_COMM_WORLD, plain, part)
    call expect(all(p == wanted .or. .not. is_owned), what // ': what is written')
  end subroutine

  elemental logical function is_within(index, t, axis)
    integer(int64), intent(in) :: index
    type(trial), intent(in) :: t
    integer, intent(in) :: axis
    is_within = index >= t%start(axis) .and. index < t%start(axis) + t%shape(axis)
  end function

  subroutine make_plain(dists, plain)
    type(dap_dist), intent(in) :: dists(:)
    type(dap_array), intent(inout) :: plain
    type(dap_layout) :: layout
    call dap_layout_create(dists, layout)
    call dap_array_init(layout, me, DAP_F8, plain)
  end subroutine

  !> Compares each element of the moved part, and changes its sign.
  subroutine expect_elements(t, plain, what)
    type(trial), intent(in) :: t
    type(dap_array), intent(in) :: plain
    character(len=*), intent(in) :: what
    real(real64), pointer :: v(:), p(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    integer :: i, j
    call dap_array_indices(plain, 1, rows)
    if (t%naxes == 1) then
      call dap_pointer(plain, v)
      call expect(all(v == [(element_of(t, [rows(i)]), i=1, size(rows))]), what // ': elements')
      v = -v
    else
      call dap_pointer(plain, p)
      call dap_array_indices(plain, 2, columns)
      do j = 1, size(columns)
        call expect(all(p(:, j) == [(element_of(t, [rows(i), columns(j)]), i=1, size(rows))]), what // ': elements')
      end do
      p = -p
    end if
  end subroutine

  !> Returns the element of the whole at a place in the part. Along a new dimension there is one place.
  pure real(real64) function element_of(t, indices)
    type(trial), intent(in) :: t
    integer(int64), intent(in) :: indices(:)
    integer(int64) :: place(2)
    integer :: k, axis
    place = t%start
    do k = 1, size(indices)
      axis = k
      if (t%naxes >= 0) axis = t%axes(k)
      if (axis > 0) place(axis) = t%start(axis) + indices(k) - 1
    end do
    element_of = numbered(place(1), place(2))
  end function

  !> Checks the ranks of a part: each occurs once, and processes that are not among them have no elements.
  subroutine expect_ranks(part, what)
    type(dap_array), intent(in) :: part
    character(len=*), intent(in) :: what
    type(dap_layout) :: layout
    integer, allocatable :: ranks(:)
    integer :: k
    call dap_array_layout(part, layout)
    ranks = dap_array_ranks(part)
    call expect(size(ranks) == dap_layout_nprocs(layout), what // ': as many ranks')
    call expect(all([(count(ranks == ranks(k)) == 1, k=1, size(ranks))]), what // ': ranks differ')
    call expect(all(ranks >= 0 .and. ranks < nprocs), what // ': ranks there are')
    if (size(ranks) == nprocs) call expect(all(ranks == [(k, k=0, nprocs - 1)]), what // ': ranks of all')
    do k = 1, size(ranks)
      if (ranks(k) == me) call expect(extent_at(layout, k - 1, 1) == dap_array_extent(part, 1), &
        what // ': the extent that the layout has there')
    end do
    if (.not. any(ranks == me)) call expect(dap_array_extent(part, 1) == 0, what // ': nothing here')
  end subroutine

  integer(int64) function extent_at(layout, rank, axis)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: rank, axis
    integer :: coords(dap_layout_ndim(layout))
    coords = dap_layout_coords(layout, rank)
    extent_at = dap_layout_extent(layout, axis, coords(axis))
  end function

  !> Adds a new dimension between two others.
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

  !> Takes a part without dimensions: element (10, 5) on the process that owns it.
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

  !> Takes column 5 of rows 9 to 20, of the transpose of a part.
  subroutine part_of_a_part()
    type(dap_layout) :: layout
    type(dap_array) :: array, plain, rows, turned
    real(real64), pointer :: p(:, :), v(:)
    integer(int64), allocatable :: indices(:)
    integer :: i
    call make(2, layout, array, p)
    call dap_array_part(array, dap_part(start=[9_int64, 1_int64], shape=[12_int64, int(n, int64)]), rows)
    call dap_array_part(rows, dap_part(axes=[2, 1]), turned)
    call dap_array_part(turned, dap_part(axes=[2], start=[5_int64, 1_int64]), array)
    call expect_ranks(array, 'a part of a part')
    call make_plain([dap_dist(DAP_DIST_EVEN, 12, nprocs)], plain)
    call dap_redistribute(MPI_COMM_WORLD, array, plain)
    call dap_pointer(plain, v)
    call dap_array_indices(plain, 1, indices)
    call expect(all(v == [(numbered(indices(i) + 8, 5_int64), i=1, size(indices))]), 'elements of a part of a part')
  end subroutine

  !> Uses memory of the node, from which processes copy directly. The layout has one process less than MPI.
  subroutine of_shared_memory()
    type(dap_layout) :: layout, even
    type(dap_array) :: whole, part, vector
    real(real64), pointer :: p(:, :), v(:)
    integer(int64), allocatable :: indices(:)
    integer :: some, j
    some = max(1, nprocs - 1)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 8), dap_dist(DAP_DIST_EVEN, 5 * some, some)], layout)
    call dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, whole)
    call dap_pointer(whole, p)
    call dap_array_indices(whole, 2, indices)
    do j = 1, size(indices)
      p(:, j) = numbered([integer(int64) :: 1, 2, 3, 4, 5, 6, 7, 8], indices(j))
    end do
    call dap_array_part(whole, dap_part(axes=[2], start=[3_int64, 1_int64]), part)
    call dap_destroy(whole)
    call expect(size(dap_array_ranks(part)) == some, 'as many processes')
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, 5 * some, nprocs, block_size=1)], even)
    call dap_array_init(even, me, DAP_F8, vector)
    call dap_redistribute(MPI_COMM_WORLD, part, vector)
    call dap_pointer(vector, v)
    call dap_array_indices(vector, 1, indices)
    call expect(all(v == [(numbered(3_int64, indices(j)), j=1, size(indices))]), 'a row of shared memory')
  end subroutine

  !> Lists points, with one ghost each, and takes the values of one quantity. Other parts of lists are refused,
  !> because no process knows all lists.
  subroutine of_a_mesh()
    type(dap_layout) :: layout
    type(dap_array) :: whole, part
    type(dap_plan) :: update
    type(dap_error) :: err
    integer(int64), target :: points(3)
    integer(int64) :: count
    real(real64), target :: values(2, 3)
    real(real64), pointer :: v(:)
    if (nprocs == 1) return
    count = 2 * nprocs
    points = [integer(int64) :: me + 1, me + 1 + nprocs, mod(me + 1, nprocs) + 1]
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim(' '), dap_dim('u', count, nprocs, me, indices=points, &
      owned=2)], values, layout)
    values(1, :) = -real(points, real64)
    values(2, :) = 100 * real(points, real64)
    values(2, 3) = 0
    call dap_array_wrap(layout, me, values, whole)
    call dap_array_part(whole, dap_part(axes=[2], start=[2_int64, 1_int64]), part)
    call dap_pointer(part, v)
    call expect(all(v == values(2, :)), 'values of points')
    call dap_plan_create_halo(MPI_COMM_WORLD, part, update)
    call dap_plan_run(update, part, part)
    call expect(all(v == 100 * points) .and. all(values(1, :) == -points), 'a halo update of a part')
    call dap_array_part(whole, dap_part(start=[1_int64, 2_int64]), part, err)
    call expect(err%status == DAP_ERR_REMOTE .and. .not. dap_is_set(part), 'no part of lists: ' // trim(err%text))
  end subroutine

  ! ---- refusals ----------------------------------------------------------------------------------------------

  subroutine refused()
    type(dap_layout) :: layout
    type(dap_array) :: whole, part, nothing
    type(dap_error) :: err
    real(real64), pointer :: p(:, :)
    integer(int64), parameter :: one = 1
    call make(2, layout, whole, p)
    call dap_array_part(whole, dap_part(), part)
    call dap_array_part(nothing, dap_part(), part, err)
    call expect_error(err, DAP_ERR_ARG, 'not set')
    call expect(.not. dap_is_set(part) .and. size(dap_array_ranks(part)) == 0, 'nothing is made')
    call refuse(whole, dap_part(start=[one]), 'start|1|2')
    call refuse(whole, dap_part(shape=[one, one, one]), 'shape|3|2')
    call refuse(whole, dap_part(start=[0 * one, one]), 'axis 1|start|0')
    call refuse(whole, dap_part(start=[one, n + 2 * one]), 'axis 2|start|13')
    call refuse(whole, dap_part(start=[2 * one, one], shape=[m * one, one]), 'axis 1|extent|37')
    call refuse(whole, dap_part(shape=[-one, one]), 'axis 1|extent|-1')
    call refuse(whole, dap_part(axes=[1], start=[one, n + one]), 'axis 2|index|12')
    call refuse(whole, dap_part(axes=[1, 3]), 'axes(2)|3')
    call refuse(whole, dap_part(axes=[2, 2]), 'axes(2)|2|axes(1)')
    call refuse(whole, dap_part(axes=[1, 2, 0, 0, 0, 0, 0, 0, 0]), '9|8')
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
