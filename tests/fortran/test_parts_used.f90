!> Parts of arrays in use: what is written to one is in the whole, plans and halo updates take it, and it may be a part
!> of a part, or in memory of the node.
program test_parts_used
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  use part_trials
  implicit none
  call start()
  call written_through()
  call moved()
  call part_of_a_part()
  call of_shared_memory()
  call of_a_mesh()
  call conclude()

contains

  !> Rows 9 to 20 of columns 4 to 9 of the whole, and no other elements.
  subroutine written_through()
    type(dap_layout) :: layout
    type(dap_array) :: whole, part
    real(real64), pointer :: p(:, :), q(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    integer :: kind, j
    do kind = 1, kinds
      call make(kind, layout, whole, p)
      call dap_array_part(whole, dap_part(axes=[2, 1], start=[9_int64, 4_int64], shape=[12_int64, 6_int64]), part)
      call dap_pointer(part, q)
      q = -q
      call dap_array_indices(whole, 1, rows)
      call dap_array_indices(whole, 2, columns)
      do j = 1, size(columns)
        if (kind == 4) cycle ! padding of the whole is not in the part where that has none
        call expect(all(p(:, j) == numbered(rows, columns(j)) * merge(-1, 1, rows >= 9 .and. rows <= 20 .and. &
          columns(j) >= 4 .and. columns(j) <= 9)), trim(names(kind)) // ', what is written')
      end do
    end do
  end subroutine

  !> Row 10 and column 5, which some processes have, to vectors on all processes and back: plans take them on the
  !> communicator of all.
  subroutine moved()
    type(dap_layout) :: layout, even
    type(dap_array) :: whole, part, vector
    real(real64), pointer :: p(:, :), v(:)
    integer(int64), allocatable :: indices(:), rows(:), columns(:)
    type(trial) :: t
    integer :: kind, axis, i, j
    do kind = 1, kinds
      do axis = 1, 2
        t = trials(merge(11, 10, axis == 1))
        call make(kind, layout, whole, p)
        call dap_array_part(whole, part_of(t), part)
        call dap_layout_create([dap_dist(DAP_DIST_EVEN, t%shape(axis), nprocs)], even)
        call dap_array_init(even, me, DAP_F8, vector)
        call dap_redistribute(MPI_COMM_WORLD, part, vector)
        call dap_pointer(vector, v)
        call dap_array_indices(vector, 1, indices)
        do i = 1, size(indices)
          if (axis == 1) call expect(v(i) == numbered(indices(i), 5_int64), trim(names(kind)) // ', column moved')
          if (axis == 2) call expect(v(i) == numbered(10_int64, indices(i)), trim(names(kind)) // ', row moved')
        end do
        v = -v
        call dap_redistribute(MPI_COMM_WORLD, vector, part)
        call dap_array_indices(whole, 1, rows)
        call dap_array_indices(whole, 2, columns)
        if (kind == 4) cycle ! the neighbours' padding keeps what it had
        do j = 1, size(columns)
          call expect(all(p(:, j) == numbered(rows, columns(j)) * merge(-1, 1, &
            (axis == 1 .and. columns(j) == 5) .or. (axis == 2 .and. rows == 10))), trim(names(kind)) // ', moved back')
        end do
      end do
    end do
  end subroutine

  !> Column 5 of rows 9 to 20 turned: rows of a part of a part.
  subroutine part_of_a_part()
    type(dap_layout) :: layout, even
    type(dap_array) :: array, vector
    real(real64), pointer :: p(:, :), v(:)
    integer(int64), allocatable :: indices(:)
    integer :: kind, i
    do kind = 1, kinds
      call make(kind, layout, array, p)
      block
        type(dap_array) :: rows, turned
        call dap_array_part(array, dap_part(start=[9_int64, 1_int64], shape=[12_int64, int(n, int64)]), rows)
        call dap_array_part(rows, dap_part(axes=[2, 1]), turned)
        call dap_array_part(turned, dap_part(axes=[2], start=[5_int64, 1_int64]), array)
      end block
      call expect_ranks(array, trim(names(kind)) // ', a part of a part')
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, 12, nprocs)], even)
      call dap_array_init(even, me, DAP_F8, vector)
      call dap_redistribute(MPI_COMM_WORLD, array, vector)
      call dap_pointer(vector, v)
      call dap_array_indices(vector, 1, indices)
      do i = 1, size(indices)
        call expect(v(i) == numbered(indices(i) + 8, 5_int64), trim(names(kind)) // ', an element of a part of a part')
      end do
    end do
  end subroutine

  !> In memory of the node, of which processes copy directly; the layout's processes are fewer than there are.
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

  !> Points in lists, with a ghost each, of which only the values of one quantity are wanted; other lists than
  !> whole ones no process knows.
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
end program
