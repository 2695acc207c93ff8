!> Moves every element of every type between layouts: by plans with options, of parts, many at once, and by halo
!> updates.
program test_moves
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 37, n = 11
  call start()
  call move_i4()
  call move_i8()
  call move_r4()
  call move_r8()
  call move_c4()
  call move_c8()
  call scaled_and_converted()
  call parts()
  call many()
  call in_two_steps()
  call to_one_process()
  call halo()
  call ghosts()
  call conclude()

contains

  !> Makes slabs of rows that grow by 2 from one process to the next, and blocks of 4 x 3.
  subroutine make_layouts(slabs, blocks)
    type(dap_layout), intent(inout) :: slabs, blocks
    integer(int64), target :: lengths(nprocs)
    integer :: k, grid(2)
    lengths = [(2 * k, k=0, nprocs - 1)]
    lengths(nprocs) = m - sum(lengths(:nprocs - 1))
    grid = grid_of()
    call dap_layout_create([dap_dist(DAP_DIST_LENGTHS, m, nprocs, lengths=lengths), &
      dap_dist(DAP_DIST_EVEN, n)], slabs)
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, m, grid(1), block_size=4), &
      dap_dist(DAP_DIST_CYCLIC, n, grid(2), block_size=3)], blocks)
  end subroutine

#include "each_type.inc"

  !> Computes z = (0, 2) conj(z of x) + 3 z, where x has a smaller type, and in C's order.
  subroutine scaled_and_converted()
    type(dap_layout) :: slabs, blocks
    type(dap_array) :: x, z
    type(dap_plan) :: plan
    type(dap_plan_options) :: options
    complex(real32), pointer :: from(:, :)
    complex(real64), pointer :: to(:, :)
    type(dap_plan_stats) :: stats
    call make_layouts(slabs, blocks)
    call dap_array_init(slabs, me, DAP_C8, x)
    call dap_array_init(blocks, me, DAP_C16, z, order=DAP_ORDER_C)
    call dap_pointer(x, from)
    call dap_pointer(z, to)
    from = cmplx(numbers_of(x), 1)
    to = (1, 0)
    options%conjugate = .true.
    options%memory_bytes = 100000
    call dap_plan_create(MPI_COMM_WORLD, x, z, plan, options, alpha=(0._real64, 2._real64), &
      beta=(3._real64, 0._real64))
    call dap_plan_run(plan, x, z)
    call expect(all(to == cmplx(5, 2 * numbers_of(z), real64)), 'scaled elements')
    stats = dap_plan_summarize(plan)
    call expect(stats%bytes_buffer <= 100000 .and. stats%phases == 1, 'the limit of memory')
    call expect(stats%bytes_local + stats%bytes_received == 8 * size(to), 'bytes, in the source''s type')
    call expect_text(dap_describe(plan), 'bytes')
  end subroutine

  !> Moves rows 3 to 12 of columns 2 to 5, transposed, to the array's upper left corner.
  subroutine parts()
    type(dap_layout) :: slabs, blocks
    type(dap_array) :: a, b
    type(dap_plan) :: plan
    real(real64), pointer :: p(:, :), q(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    integer :: i, j
    call make_layouts(slabs, blocks)
    call make_numbered(slabs, a, p)
    call dap_array_init(blocks, me, DAP_F8, b)
    call dap_pointer(b, q)
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan, &
      from_part=dap_part(axes=[2, 1], start=[3_int64, 2_int64], shape=[10_int64, 4_int64]), &
      to_part=dap_part(start=[1_int64, 1_int64], shape=[4_int64, 10_int64]))
    call dap_plan_run(plan, a, b)
    call dap_array_indices(b, 1, rows)
    call dap_array_indices(b, 2, columns)
    do j = 1, size(columns)
      do i = 1, size(rows)
        if (rows(i) <= 4 .and. columns(j) <= 10) then
          call expect(q(i, j) == numbered(columns(j) + 2, rows(i) + 1), 'element of the part')
        else
          call expect(nint(q(i, j)) == 0, 'element outside the part')
        end if
      end do
    end do
  end subroutine

  subroutine many()
    type(dap_layout) :: slabs, blocks
    type(dap_array) :: from(3), to(3), wanted
    type(dap_plan) :: plan
    type(dap_plan_options) :: options
    type(dap_error) :: err
    real(real64), pointer :: p(:, :), q(:, :)
    integer :: k
    call make_layouts(slabs, blocks)
    call make_numbered(blocks, wanted, q)
    do k = 1, 3
      call make_numbered(slabs, from(k), p)
      p = k * p
      call dap_array_init(blocks, me, DAP_F8, to(k))
    end do
    options%arrays = 3
    call dap_plan_create(MPI_COMM_WORLD, from(1), to(1), plan, options)
    call dap_plan_run_many(plan, from, to)
    do k = 1, 3
      call dap_pointer(to(k), p)
      call expect(all(nint(p - k * q) == 0), 'each of several arrays')
    end do
    call dap_plan_run_many(plan, from(:2), to(:2), err)
    call expect(err%status == DAP_ERR_ARG, 'too few arrays')
    call expect_text(err%text, '2 arrays, the plan moves 3')
  end subroutine

  !> Begins two runs at once. A variable that ends meanwhile must not end them.
  subroutine in_two_steps()
    type(dap_layout) :: slabs, blocks
    type(dap_array) :: a, b, c, wanted
    type(dap_plan) :: there, too
    real(real64), pointer :: p(:, :), q(:, :)
    call make_layouts(slabs, blocks)
    call make_numbered(slabs, a, p)
    call make_numbered(blocks, wanted, q)
    call dap_array_init(blocks, me, DAP_F8, b)
    call dap_array_init(blocks, me, DAP_F8, c)
    call dap_plan_create(MPI_COMM_WORLD, a, b, there)
    call dap_plan_create(MPI_COMM_WORLD, a, c, too)
    call dap_plan_begin(there, a, b)
    call dap_plan_begin(too, a, c)
    call dap_destroy(a)
    call dap_plan_end(there)
    call dap_plan_end(too)
    call dap_pointer(b, p)
    call expect(all(nint(p - q) == 0), 'the first run')
    call dap_pointer(c, p)
    call expect(all(nint(p - q) == 0), 'the second run')
  end subroutine

  !> Gathers an array. The other processes have arrays without a part.
  subroutine to_one_process()
    type(dap_layout) :: slabs, blocks, whole
    type(dap_array) :: a, b
    real(real64), pointer :: p(:, :)
    call make_layouts(slabs, blocks)
    call make_numbered(blocks, a, p)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, m), dap_dist(DAP_DIST_EVEN, n)], whole)
    call dap_array_init(whole, me, DAP_F8, b)
    call dap_redistribute(MPI_COMM_WORLD, a, b)
    call dap_pointer(b, p)
    call expect(size(p) == merge(m * n, 0, me == 0), 'who has the whole')
    call expect(all(p == numbers_of(b)), 'elements of the whole')
  end subroutine

  !> Padding receives the neighbours' values, which are then subtracted from the owners' values.
  subroutine halo()
    type(dap_layout) :: layout
    type(dap_array) :: a
    type(dap_plan) :: update, sums
    real(real64), pointer :: u(:, :)
    integer(int64) :: rest
    logical, allocatable :: owned(:, :)
    type(dap_plan_options) :: options
    integer :: grid(2)
    grid = grid_of()
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, m, grid(1), halo=2), dap_dist(DAP_DIST_EVEN, n, grid(2), halo=1)], layout)
    call make_numbered(layout, a, u)
    owned = is_owned_of(a)
    where (.not. owned) u = 0
    options%allow_empty = .true.
    if (nprocs == 1) return
    call dap_plan_create_halo(MPI_COMM_WORLD, a, update, options)
    call dap_plan_run(update, a, a)
    call expect(all(u == numbers_of(a)), 'padding')
    where (owned) u = 0
    call dap_plan_create_halo_reverse(MPI_COMM_WORLD, a, sums)
    call dap_plan_run(sums, a, a)
    call MPI_Allreduce(nint(sum(u, mask=owned) - sum(numbers_of(a), mask=.not. owned), int64), rest, 1, MPI_INTEGER8, &
      MPI_SUM, MPI_COMM_WORLD)
    call expect(rest == 0, 'padding is added up')
  end subroutine

  !> Nodes form a ring: each process has 3 of them, and the first one of the next process.
  subroutine ghosts()
    type(dap_layout) :: layout
    type(dap_array) :: a
    type(dap_plan) :: update
    integer, pointer :: u(:)
    integer(int64), target :: lengths(nprocs), owned_nodes(nprocs), indices(4 * nprocs)
    integer(int64), allocatable :: lists(:, :), nodes(:)
    logical, allocatable :: owned(:)
    integer :: r, k
    if (nprocs == 1) return
    allocate(lists(4, nprocs))
    do r = 1, nprocs
      lists(:, r) = [integer(int64) :: 3 * r - 2, 3 * r - 1, 3 * r, mod(3 * r, 3 * nprocs) + 1]
    end do
    lengths = 4
    owned_nodes = 3
    indices = reshape(lists, [size(lists)])
    call dap_layout_create([dap_dist(DAP_DIST_UNSTRUCTURED, 3 * nprocs, nprocs, &
      lengths=lengths, owned=owned_nodes, indices=indices)], layout)
    call dap_array_init(layout, me, DAP_I4, a)
    call dap_pointer(a, u)
    call dap_array_indices(a, 1, nodes, owned)
    call expect(all(nodes == lists(:, me + 1)) .and. all(owned .eqv. [.true., .true., .true., .false.]), &
      'nodes')
    where (owned) u = int(nodes)
    call dap_plan_create_halo(MPI_COMM_WORLD, a, update)
    call dap_plan_run(update, a, a)
    do k = 1, 4
      call expect(u(k) == nodes(k), 'ghost')
    end do
  end subroutine
end program
