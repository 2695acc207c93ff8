!> Lists that are not allocated, of every procedure that takes one: an error that names the list, on all
!> processes where the procedure is collective, or -1. Compilers pass such a list with the extents that it had,
!> or with undefined ones.
program test_lists
  use, intrinsic :: iso_fortran_env, only: int64
  use checks
  use dapbridge
  use mpi_f08
  implicit none

  !> How a list came to be without memory.
  character(len=11), parameter :: states(*) = [character(len=11) :: 'never', 'deallocated', 'null', 'freed']

  !> A procedure, and which of its lists is missing: of the last process where it is collective.
  type :: row
    character(len=10) :: procedure
    character(len=6) :: list
    logical :: collective
    character(len=50) :: why
  end type
  type(row), parameter :: rows(*) = [ &
    row('create', 'dists', .false., 'the number of dimensions is that of the list'), &
    row('from_cart', 'dists', .false., 'the list is read and written'), &
    row('rank', 'coords', .false., 'the answer is -1'), &
    row('reorder', 'ranks', .false., 'the list is read by C'), &
    row('locate', 'global', .false., 'the list is read'), &
    row('locate', 'local', .false., 'the list is written'), &
    row('globalize', 'local', .false., 'the list is read'), &
    row('globalize', 'global', .false., 'the list is written'), &
    row('assemble', 'dims', .true., 'the others wait for this process'), &
    row('lookup', 'global', .true., 'a section may be copied for C'), &
    row('lookup', 'ranks', .true., 'the list is written by C'), &
    row('lookup', 'local', .true., 'the list is written by C'), &
    row('run_many', 'from', .true., 'a list of objects'), &
    row('run_many', 'to', .true., 'a list of objects')]

  integer :: i, k
  call start()
  do i = 1, size(rows)
    do k = 1, size(states)
      call missing(rows(i), states(k))
    end do
  end do
  call nothing_asked()
  call conclude()

contains

  !> A question about no elements is not a list that is missing.
  subroutine nothing_asked()
    type(dap_layout) :: layout
    type(dap_error) :: err
    integer(int64) :: local(1, 0)
    integer :: ranks(0)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs)], layout)
    call dap_layout_lookup(MPI_COMM_WORLD, layout, reshape([integer(int64) ::], [1, 0]), ranks, local, err)
    call expect(err%status == DAP_OK, 'a question about no elements')
  end subroutine

  !> The other lists of the procedure are right.
  subroutine missing(r, state)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: state
    type(dap_error) :: err
    character(len=80) :: what
    what = trim(r%procedure) // ', ' // trim(r%list) // ' ' // trim(state) // ': ' // r%why
    select case (r%procedure)
    case ('assemble', 'create', 'from_cart')
      call of_records(r, state, err)
    case ('run_many')
      call of_arrays(r, state, err)
    case default
      call of_integers(r, state, err)
    end select
    ! nothing crosses in the run, so only the last process learns of its list
    call expect(err%status == DAP_ERR_ARG .or. (r%procedure == 'run_many' .and. me < nprocs - 1), what)
    if (r%collective .and. me < nprocs - 1) return ! the text may be of this process's part in it
    call expect_text(err%text, trim(r%list) // ' is not allocated')
  end subroutine

  logical function is_missing_here(r, list)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: list
    is_missing_here = r%list == list .and. (.not. r%collective .or. me == nprocs - 1)
  end function

  logical function is_pointer(state)
    character(len=*), intent(in) :: state
    is_pointer = state == 'null' .or. state == 'freed'
  end function

  subroutine of_integers(r, state, err)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: state
    type(dap_error), intent(out) :: err
    type(dap_layout) :: layout
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs), dap_dist(DAP_DIST_EVEN, 3)], layout)
    select case (r%procedure)
    case ('lookup')
      call look_up(r, state, layout, err)
    case ('rank', 'reorder')
      call of_places(r, state, layout, err)
    case default
      call of_indices(r, state, layout, err)
    end select
  end subroutine

  subroutine of_indices(r, state, layout, err)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: state
    type(dap_layout), intent(in) :: layout
    type(dap_error), intent(out) :: err
    integer(int64) :: there(2)
    integer(int64), allocatable :: x(:)
    integer(int64), pointer :: p(:)
    nullify(p)
    there = 1
    if (state == 'deallocated') then
      allocate(x(2))
      deallocate(x)
    else if (state == 'freed') then
      allocate(p(2))
      deallocate(p)
    end if
    if (is_pointer(state)) then
      call ask(r, layout, there, p, err)
    else
      call ask(r, layout, there, x, err)
    end if
  end subroutine

  !> Passes the list that has no memory on, in the other one's place.
  subroutine ask(r, layout, there, nowhere, err)
    type(row), intent(in) :: r
    type(dap_layout), intent(in) :: layout
    integer(int64), intent(inout) :: there(:), nowhere(:)
    type(dap_error), intent(out) :: err
    integer :: rank
    rank = -1
    if (r%procedure == 'locate') then
      if (r%list == 'global') call dap_layout_locate(layout, nowhere, rank, there, err)
      if (r%list == 'local') call dap_layout_locate(layout, there, rank, nowhere, err)
    else
      if (r%list == 'local') call dap_layout_globalize(layout, 0, nowhere, there, err=err)
      if (r%list == 'global') call dap_layout_globalize(layout, 0, there, nowhere, err=err)
    end if
    call expect(rank == -1, 'no rank has it')
  end subroutine

  !> Coordinates, and ranks of a grid, which are default integers.
  subroutine of_places(r, state, layout, err)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: state
    type(dap_layout), intent(in) :: layout
    type(dap_error), intent(out) :: err
    integer, allocatable :: x(:)
    integer, pointer :: p(:)
    type(dap_layout) :: other
    integer :: answer
    answer = -1
    nullify(p)
    if (state == 'deallocated') then
      allocate(x(2))
      deallocate(x)
    else if (state == 'freed') then
      allocate(p(2))
      deallocate(p)
    end if
    if (r%procedure == 'rank') then
      if (is_pointer(state)) answer = dap_layout_rank(layout, p)
      if (.not. is_pointer(state)) answer = dap_layout_rank(layout, x)
      err = dap_error(status=merge(DAP_ERR_ARG, DAP_OK, answer == -1), text='coords is not allocated')
    else
      if (is_pointer(state)) call dap_layout_reorder(layout, p, other, err)
      if (.not. is_pointer(state)) call dap_layout_reorder(layout, x, other, err)
      call expect(.not. dap_is_set(other), 'no layout is made of an error')
    end if
  end subroutine

  !> Not by pointers, which compilers may copy for an argument that is contiguous.
  subroutine look_up(r, state, layout, err)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: state
    type(dap_layout), intent(in) :: layout
    type(dap_error), intent(out) :: err
    integer(int64), allocatable :: global(:, :), local(:, :)
    integer, allocatable :: ranks(:)
    if (state /= 'never' .or. .not. is_missing_here(r, 'global')) allocate(global(2, 2), source=1_int64)
    if (state /= 'never' .or. .not. is_missing_here(r, 'local')) allocate(local(2, 2))
    if (state /= 'never' .or. .not. is_missing_here(r, 'ranks')) allocate(ranks(2))
    if (is_missing_here(r, 'global') .and. allocated(global)) deallocate(global)
    if (is_missing_here(r, 'local') .and. allocated(local)) deallocate(local)
    if (is_missing_here(r, 'ranks') .and. allocated(ranks)) deallocate(ranks)
    call dap_layout_lookup(MPI_COMM_WORLD, layout, global, ranks, local, err)
  end subroutine

  !> Distributions and dictionaries.
  subroutine of_records(r, state, err)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: state
    type(dap_error), intent(out) :: err
    type(dap_dist), allocatable :: dists(:)
    type(dap_dist), pointer :: p(:)
    type(dap_dim), allocatable :: dims(:)
    type(dap_dim), pointer :: q(:)
    type(dap_layout) :: layout
    integer :: x(4, 3)
    nullify(p, q)
    if (state == 'deallocated') then
      allocate(dists(2), dims(2))
      deallocate(dists, dims)
    else if (state == 'freed') then
      allocate(p(2), q(2))
      deallocate(p, q)
    end if
    x = 0
    if (r%procedure == 'create') then
      if (is_pointer(state)) call dap_layout_create(p, layout, err)
      if (.not. is_pointer(state)) call dap_layout_create(dists, layout, err)
    else if (r%procedure == 'from_cart') then
      if (is_pointer(state)) call dap_grid_from_cart(MPI_COMM_WORLD, p, err)
      if (.not. is_pointer(state)) call dap_grid_from_cart(MPI_COMM_WORLD, dists, err)
    else if (.not. is_missing_here(r, 'dims')) then
      call dap_layout_assemble(MPI_COMM_WORLD, [dap_dim('b', 4 * nprocs, nprocs, me, start=4 * me + 1, &
        stop=4 * (me + 1)), dap_dim(' ')], x, layout, err=err)
    else if (is_pointer(state)) then
      call dap_layout_assemble(MPI_COMM_WORLD, q, x, layout, err=err)
    else
      call dap_layout_assemble(MPI_COMM_WORLD, dims, x, layout, err=err)
    end if
    call expect(.not. dap_is_set(layout), 'no layout is made of an error')
  end subroutine

  subroutine of_arrays(r, state, err)
    type(row), intent(in) :: r
    character(len=*), intent(in) :: state
    type(dap_error), intent(out) :: err
    type(dap_array), target :: arrays(2)
    type(dap_array), allocatable :: x(:)
    type(dap_array), pointer :: p(:)
    type(dap_layout) :: layout
    type(dap_plan) :: plan
    type(dap_plan_options) :: options
    integer :: k
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs)], layout)
    do k = 1, 2
      call dap_array_init(layout, me, DAP_F8, arrays(k))
    end do
    options%arrays = 2
    call dap_plan_create(MPI_COMM_WORLD, arrays(1), arrays(2), plan, options)
    nullify(p)
    if (state == 'deallocated') then
      allocate(x(2))
      deallocate(x)
    else if (state == 'freed') then
      allocate(p(2))
      deallocate(p)
    end if
    if (me < nprocs - 1) then
      call dap_plan_run_many(plan, arrays, arrays, err)
    else if (is_pointer(state)) then
      if (r%list == 'from') call dap_plan_run_many(plan, p, arrays, err)
      if (r%list == 'to') call dap_plan_run_many(plan, arrays, p, err)
    else
      if (r%list == 'from') call dap_plan_run_many(plan, x, arrays, err)
      if (r%list == 'to') call dap_plan_run_many(plan, arrays, x, err)
    end if
  end subroutine
end program
