!> Variables of the module's types: what they hold is freed when they end, and not before; options are C's,
!> member by member.
program test_objects
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none

  interface
    integer(c_int64_t) function memory_in_use() bind(c, name='test_memory_in_use')
      import
    end function
    subroutine sizes_of_structs(sizes) bind(c, name='test_sizes_of_structs')
      import
      integer(c_int64_t), intent(out) :: sizes(3)
    end subroutine
    real(c_double) function last_of_plan_options(options) bind(c, name='test_last_of_plan_options')
      import
      type(dap_plan_options), intent(in) :: options
    end function
    integer(c_int64_t) function last_of_linalg_options(options) bind(c, name='test_last_of_linalg_options')
      import
      type(dap_linalg_options), intent(in) :: options
    end function
  end interface

  type :: field !< a program's own type
    type(dap_layout) :: layout
    type(dap_array) :: array
  end type

  call start()
  call structs()
  call assignment_shares()
  call leaks(.false., 1000, 'objects of one process')
  call leaks(.true., 200, 'plans and views')
#ifndef LEAKS_ARE_FAULTS
  call what_is_in_use_stays()
#endif
  call conclude()

contains

  subroutine structs()
    type(dap_plan_options) :: plan_options
    type(dap_linalg_options) :: linalg_options
    type(dap_plan_stats) :: stats
    integer(c_int64_t) :: sizes(3)
    call sizes_of_structs(sizes)
    call expect(all(sizes == [c_sizeof(plan_options), c_sizeof(linalg_options), c_sizeof(stats)]), &
      'sizes of structs')
    plan_options%wait_seconds = 2.5
    call expect(last_of_plan_options(plan_options) == 2.5, 'dap_plan_options')
    linalg_options%block_size = 77
    call expect(last_of_linalg_options(linalg_options) == 77, 'dap_linalg_options')
  end subroutine

  subroutine make(layout, array)
    type(dap_layout), intent(inout) :: layout
    type(dap_array), intent(inout) :: array
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 40, nprocs), dap_dist(DAP_DIST_EVEN, 10)], layout)
    call dap_array_init(layout, me, DAP_F8, array)
  end subroutine

  subroutine assignment_shares()
    type(dap_layout) :: layout
    type(dap_array) :: a, b
    type(field) :: one, other
    real(real64), pointer :: p(:, :), q(:, :)
    call make(layout, a)
    call dap_pointer(a, p)
    b = a
    call dap_destroy(a)
    call dap_destroy(layout)
    p = 7
    call dap_pointer(b, q)
    call expect(associated(p, q) .and. all(q == 7), 'the elements are there as long as one variable is')
    call make(one%layout, one%array)
    other%layout = one%layout ! other = one copies bits (gfortran 12): docs/fortran.md
    other%array = one%array
    call dap_destroy(one%array)
    call dap_pointer(other%array, p)
    call expect(size(p, 2) == 10, 'members are assigned one by one')
    other%array = other%array
    call expect(dap_is_set(other%array), 'to itself')
  end subroutine

  !> What a turn of either kind leaves is less than an object is; MPI may need some memory more as it goes.
  subroutine leaks(is_collective, times, what)
    logical, intent(in) :: is_collective
    integer, intent(in) :: times
    character(len=*), intent(in) :: what
    integer(int64) :: before
    integer :: i
    do i = -times, times
      if (i == 1) before = memory_in_use()
      if (is_collective) then
        call collective()
      else
        call local()
      end if
    end do
    call expect(memory_in_use() - before < 40 * times, 'nothing is left of ' // what)
  end subroutine

  subroutine local()
    type(dap_layout) :: layout, another, layouts(3)
    type(dap_array) :: array, again
    type(field) :: own
    type(dap_array), allocatable :: arrays(:)
    type(dap_error) :: err
    integer :: k
    integer(int64), target :: lengths(nprocs)
    call make(layout, array)
    call make(layout, array) ! takes the place of the first
    again = array
    again = again
    layouts = layout
    allocate(arrays(2))
    do k = 1, 2
      call dap_array_init(layout, me, DAP_F8, arrays(k))
    end do
    call make(own%layout, own%array)
    lengths = 3
    call dap_layout_create([dap_dist(DAP_DIST_LENGTHS, 3 * nprocs, nprocs, lengths=lengths)], another)
    call dap_array_layout(array, another)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, -1, nprocs)], another, err)
    call expect(err%status /= DAP_OK .and. .not. dap_is_set(another), 'a layout that cannot be')
  end subroutine

  subroutine collective()
    type(dap_layout) :: layout, blocks
    type(dap_array) :: array, other, shared
    type(dap_plan) :: plan
    type(dap_matrix) :: matrix
    call make(layout, array)
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, 40, nprocs, block_size=3), dap_dist(DAP_DIST_EVEN, &
      10)], blocks)
    call dap_array_init(blocks, me, DAP_F8, other)
    call dap_array_alloc(MPI_COMM_WORLD, blocks, DAP_F8, shared)
    call dap_plan_create(MPI_COMM_WORLD, array, other, plan)
    call dap_plan_run(plan, array, other)
    call dap_plan_create(MPI_COMM_WORLD, array, shared, plan)
    call dap_scalapack_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, matrix, sharing=DAP_SHARE_NEVER)
    call dap_scalapack_restore(matrix)
  end subroutine

  !> A variable that ends while what it holds is in use neither waits for others nor takes anything away.
  subroutine what_is_in_use_stays()
    type(dap_plan) :: plan
    type(dap_layout) :: layout
    type(dap_array) :: a
    call make(layout, a)
    block
      type(dap_matrix) :: matrix
      if (me == 0) call wait_a_little()
      call dap_scalapack_get(MPI_COMM_WORLD, a, DAP_READ_WRITE, matrix)
    end block
    call dap_plan_create(MPI_COMM_WORLD, a, a, plan)
    call dap_plan_begin(plan, a, a)
    call dap_destroy(plan)
    call expect(.not. dap_is_set(plan), 'the variable is free for another')
  end subroutine

  subroutine wait_a_little()
    real(real64) :: from
    from = MPI_Wtime()
    do while (MPI_Wtime() - from < 0.05)
    end do
  end subroutine
end program
