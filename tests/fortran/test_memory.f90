!> Passes arguments without memory, to which compilers give the extents of an earlier allocation or undefined
!> ones. Also passes components of arrays of types, which only a pointer passes in place.

!> Contains procedures that are passed as arguments. Internal procedures of a program would need a trampoline on
!> the stack, which sanitizers do not allow.
module memory_calls
  use, intrinsic :: iso_fortran_env, only: compiler_version
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 8, n = 6
  !> gfortran keeps the extents of a deallocated array, and flang sets them to 0.
  logical, parameter :: keeps_extents = index(compiler_version(), 'GCC') > 0

contains

  subroutine wrap(layout, data, err)
    type(dap_layout), intent(inout) :: layout
    type(*), intent(inout), target :: data(..)
    type(dap_error), intent(out) :: err
    type(dap_array) :: array
    call dap_array_wrap(layout, me, data, array, err)
    call expect(dap_is_set(array) .eqv. err%status == DAP_OK, 'no array is made of an error')
  end subroutine

  subroutine assemble(layout, data, err)
    type(dap_layout), intent(inout) :: layout
    type(*), intent(inout), target :: data(..)
    type(dap_error), intent(out) :: err
    call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('b', m * nprocs, nprocs, me, start=m * me + 1, &
      stop=m * (me + 1)), dap_dim(' ')], data, layout, err=err)
  end subroutine
end module

program test_memory
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use memory_calls
  use mpi_f08
  implicit none

  !> State of an array: how it was made, and for which parts it can be wrapped.
  type :: state
    character(len=12) :: made
    integer :: rows
    logical :: full, empty !< accepted for a part of m x n elements, and of 0 x n
    character(len=60) :: why
  end type
  type(state), parameter :: states(*) = [ &
    state('allocated', m, .true., .false., 'an array with elements'), &
    state('allocated', 0, .false., .true., 'an array without elements has memory'), &
    state('deallocated', m, .false., .false., 'the extents of the part are left from before'), &
    state('deallocated', 0, .false., keeps_extents, 'no elements are left from before'), &
    state('never', m, .false., .false., 'the extents are undefined'), &
    state('null', m, .false., .false., 'a pointer that is not associated'), &
    state('freed', m, .false., .false., 'a pointer that keeps the extents of what it had'), &
    state('from C', 0, .false., .true., 'NULL is right where there are no elements'), &
    state('from C', m, .false., .false., 'NULL with extents')]

  type :: point
    real(real64) :: u = 0, v = 0
    integer :: kind = 0
  end type

  !> Lists that were deallocated, and pointers to deallocated memory.
  type(dap_dist), allocatable :: no_dists(:)
  type(dap_dist), pointer :: freed_dists(:)
  type(dap_dim), allocatable :: no_dims(:)
  type(dap_array), allocatable :: no_arrays(:)
  integer(int64), allocatable :: no_indices(:), no_places(:, :)
  integer(int64), pointer :: freed_indices(:)
  integer, allocatable :: no_ranks(:)
  integer, pointer :: freed_ranks(:)

  integer :: i
  call start()
  call free_lists()
  do i = 1, size(states)
    call wrapped(states(i))
    call assembled(states(i))
  end do
  call lists()
  call lists_of_one_process()
  call nothing_asked()
  call components()
  call conclude()

contains

  !> Passes on an array in the state `s`, as an allocatable array or as a pointer.
  subroutine in_state(s, work, layout, err)
    type(state), intent(in) :: s
    interface
      subroutine work(layout, data, err)
        import :: dap_error, dap_layout
        type(dap_layout), intent(inout) :: layout
        type(*), intent(inout), target :: data(..)
        type(dap_error), intent(out) :: err
      end subroutine
    end interface
    type(dap_layout), intent(inout) :: layout
    type(dap_error), intent(out) :: err
    real(real64), allocatable, target :: x(:, :)
    real(real64), pointer :: p(:, :)
    if (s%made == 'allocated' .or. s%made == 'deallocated') allocate(x(s%rows, n))
    if (s%made == 'deallocated') deallocate(x)
    nullify(p)
    if (s%made == 'freed') then
      allocate(p(s%rows, n))
      deallocate(p)
    else if (s%made == 'from C') then
      call c_f_pointer(c_null_ptr, p, [s%rows, n])
    end if
    if (any(s%made == [character(len=12) :: 'null', 'freed', 'from C'])) then
      call work(layout, p, err)
    else
      call work(layout, x, err)
    end if
  end subroutine

  !> has_layout: the procedure knows whether elements must exist.
  subroutine expect_memory(s, accepted, has_layout, err)
    type(state), intent(in) :: s
    logical, intent(in) :: accepted, has_layout
    type(dap_error), intent(in) :: err
    call expect(err%status == merge(DAP_OK, DAP_ERR_BUFFER, accepted), trim(s%made) // ': ' // s%why)
    if (s%made == 'allocated' .or. s%made == 'never' .or. s%rows == 0) return ! the text may be about extents
    if (.not. has_layout .and. .not. keeps_extents) return
    call expect_text(err%text, 'data has no memory')
  end subroutine

  subroutine wrapped(s)
    type(state), intent(in) :: s
    type(dap_layout) :: full, empty
    type(dap_error) :: err
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, m * nprocs, nprocs), dap_dist(DAP_DIST_EVEN, n)], full)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 0, nprocs), dap_dist(DAP_DIST_EVEN, n)], empty)
    call in_state(s, wrap, full, err)
    call expect_memory(s, s%full, .true., err)
    call in_state(s, wrap, empty, err)
    call expect_memory(s, s%empty, s%rows == m .and. keeps_extents, err)
  end subroutine

  !> The last process's part is in the state `s`, and the others' have elements.
  subroutine assembled(s)
    type(state), intent(in) :: s
    type(dap_layout) :: layout
    type(dap_error) :: err
    real(real64), target :: x(m, n)
    x = 0
    if (me == nprocs - 1) then
      call in_state(s, assemble, layout, err)
    else
      call assemble(layout, x, err)
    end if
    if (s%rows == 0 .and. s%empty) return ! the extents are wrong, and the text is about them
    call expect_memory(s, s%full, .false., err)
    if (.not. s%full) call expect(err%rank == nprocs - 1, 'the process whose part it is')
  end subroutine

  subroutine free_lists()
    allocate(no_dists(2), no_dims(2), no_arrays(2), no_indices(2), no_places(2, 2), no_ranks(2))
    deallocate(no_dists, no_dims, no_arrays, no_indices, no_places, no_ranks)
    allocate(freed_dists(2), freed_indices(2), freed_ranks(2))
    deallocate(freed_dists, freed_indices, freed_ranks)
  end subroutine

  !> Lists without memory must be refused: their length is taken for the number of dimensions or elements, or C
  !> reads and writes them.
  subroutine lists()
    type(dap_layout) :: layout, other
    type(dap_error) :: err
    integer(int64) :: there(2)
    integer :: rank
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs), dap_dist(DAP_DIST_EVEN, 3)], layout)
    there = 1
    rank = -1
    call dap_layout_create(no_dists, other, err)
    call expect_missing(err, 'dists')
    call dap_layout_create(freed_dists, other, err)
    call expect_missing(err, 'dists')
    call dap_grid_from_cart(MPI_COMM_WORLD, no_dists, err)
    call expect_missing(err, 'dists')
    call dap_layout_reorder(layout, no_ranks, other, err)
    call expect_missing(err, 'ranks')
    call dap_layout_reorder(layout, freed_ranks, other, err)
    call expect_missing(err, 'ranks')
    call expect(.not. dap_is_set(other), 'no layout is made of an error')
    call dap_layout_locate(layout, no_indices, rank, there, err)
    call expect_missing(err, 'global')
    call dap_layout_locate(layout, there, rank, freed_indices, err)
    call expect_missing(err, 'local')
    call expect(rank == -1, 'no rank has it')
    call dap_layout_globalize(layout, 0, no_indices, there, err=err)
    call expect_missing(err, 'local')
    call dap_layout_globalize(layout, 0, there, freed_indices, err=err)
    call expect_missing(err, 'global')
    call expect(dap_layout_rank(layout, no_ranks) == -1 .and. dap_layout_rank(layout, freed_ranks) == -1, 'no coords')
  end subroutine

  subroutine expect_missing(err, list)
    type(dap_error), intent(in) :: err
    character(len=*), intent(in) :: list
    call expect_error(err, DAP_ERR_ARG, list // '|not allocated')
  end subroutine

  !> The last process lacks a list that the others wait for. Their text may be about their own part.
  subroutine lists_of_one_process()
    type(dap_layout) :: layout
    type(dap_array) :: arrays(2)
    type(dap_plan) :: plan
    type(dap_plan_options) :: options
    type(dap_error) :: err
    integer(int64) :: there(1, 2), places(1, 2)
    integer :: ranks(2), x(4)
    logical :: last
    last = me == nprocs - 1
    x = 0
    if (last) call dap_layout_assemble(MPI_COMM_WORLD, no_dims, x, layout, err=err)
    if (.not. last) call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('b', 4 * nprocs, nprocs, me, start=4 * me + 1, &
      stop=4 * (me + 1))], x, layout, err=err)
    call expect_missing_on_last(err, 'dims')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs)], layout)
    there = 1
    if (last) call dap_layout_lookup(MPI_COMM_WORLD, layout, no_places, ranks, places, err)
    if (.not. last) call dap_layout_lookup(MPI_COMM_WORLD, layout, there, ranks, places, err)
    call expect_missing_on_last(err, 'global')
    if (last) call dap_layout_lookup(MPI_COMM_WORLD, layout, there, no_ranks, places, err)
    if (.not. last) call dap_layout_lookup(MPI_COMM_WORLD, layout, there, ranks, places, err)
    call expect_missing_on_last(err, 'ranks')
    if (last) call dap_layout_lookup(MPI_COMM_WORLD, layout, there, ranks, no_places, err)
    if (.not. last) call dap_layout_lookup(MPI_COMM_WORLD, layout, there, ranks, places, err)
    call expect_missing_on_last(err, 'local')
    do i = 1, 2
      call dap_array_init(layout, me, DAP_F8, arrays(i))
    end do
    options%arrays = 2
    call dap_plan_create(MPI_COMM_WORLD, arrays(1), arrays(2), plan, options)
    call dap_plan_run_many(plan, no_arrays, arrays, err) ! the run sends nothing, so no process waits
    call expect_missing(err, 'from')
    call dap_plan_run_many(plan, arrays, no_arrays, err)
    call expect_missing(err, 'to')
  end subroutine

  subroutine expect_missing_on_last(err, list)
    type(dap_error), intent(in) :: err
    character(len=*), intent(in) :: list
    call expect(err%status == DAP_ERR_ARG, list // ' of one process')
    if (me == nprocs - 1) call expect_missing(err, list)
  end subroutine

  !> A question about no elements must not count as a missing list.
  subroutine nothing_asked()
    type(dap_layout) :: layout
    type(dap_error) :: err
    integer(int64) :: local(1, 0)
    integer :: ranks(0)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs)], layout)
    call dap_layout_lookup(MPI_COMM_WORLD, layout, reshape([integer(int64) ::], [1, 0]), ranks, local, err)
    call expect(err%status == DAP_OK, 'a question about no elements')
  end subroutine

  !> Wraps every second or third number in memory: the array must have the values of the components.
  subroutine components()
    type(dap_layout) :: layout
    type(dap_array) :: array, other
    type(point), allocatable, target :: points(:)
    complex(real64), target :: z(m)
    real(real64), pointer :: p(:)
    allocate(points(m))
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, m * nprocs, nprocs)], layout)
    call wrap_in_place(layout, me, points%u, array)
    points%u = [(i, i = 1, m)]
    call dap_array_init(layout, me, DAP_F8, other)
    call dap_redistribute(MPI_COMM_WORLD, array, other)
    call dap_pointer(other, p)
    call expect(all(p == points%u), 'components are read where they are')
    p = -p
    call dap_redistribute(MPI_COMM_WORLD, other, array)
    call expect(all(points%u == [(-i, i = 1, m)]) .and. all(points%v == 0), 'and written')
    z = (1, 2)
    call wrap_in_place(layout, me, z%re, array)
    call dap_redistribute(MPI_COMM_WORLD, other, array)
    call expect(all(z%re == points%u) .and. all(z%im == 2), 'real parts')
  end subroutine

  !> Wraps an array in place, as fortran.md shows.
  subroutine wrap_in_place(layout, rank, data, array)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: rank
    real(real64), pointer, intent(in) :: data(:)
    type(dap_array), intent(inout) :: array
    call dap_array_wrap(layout, rank, data, array)
  end subroutine
end program
