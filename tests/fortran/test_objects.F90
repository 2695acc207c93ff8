!> Checks that objects are freed when the variables of the module's types end, and not before. Options must
!> match C's, member by member.
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
    integer(c_int64_t) function last_of_plan_options(options) bind(c, name='test_last_of_plan_options')
      import
      type(dap_plan_options), intent(in) :: options
    end function
    integer(c_int64_t) function last_of_linalg_options(options) bind(c, name='test_last_of_linalg_options')
      import
      type(dap_linalg_options), intent(in) :: options
    end function
  end interface

  type :: field !< a type of the program
    type(dap_layout) :: layout
    type(dap_array) :: array
  end type

  type :: domain
    type(field) :: parts(2), inner
    type(field), allocatable :: more(:)
  end type

  type :: solver
    type(dap_linalg_factors) :: factors
    integer :: steps = 0
  end type

  call start()
  call structs()
  call assignment_shares()
  call own_types_are_assigned(1, 1)
  call nested_types_are_assigned()
  call factors_are_assigned(1, 1)
  call copies_without_a_word()
#ifdef LEAKS_ARE_FAULTS
  call leaks(.false., 20, 'objects of one process') ! a sanitizer finds each leak
  call leaks(.true., 20, 'plans and views')
#else
  call leaks(.false., 2000, 'objects of one process')
  call leaks(.true., 400, 'plans and views')
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
    plan_options%arrays = 7
    call expect(last_of_plan_options(plan_options) == 7, 'dap_plan_options')
    linalg_options%eigh%backend = transfer(77_c_intptr_t, linalg_options%eigh%backend)
    linalg_options%svd%solver = DAP_SVD_GESDD
    call expect(last_of_linalg_options(linalg_options) == 277, 'dap_linalg_options')
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
    real(real64), pointer :: p(:, :), q(:, :)
    call make(layout, a)
    call dap_pointer(a, p)
    b = a
    call dap_destroy(a)
    call dap_destroy(layout)
    p = 7
    call dap_pointer(b, q)
    call expect(associated(p, q) .and. all(q == 7), 'the elements are there as long as one variable is')
  end subroutine

  !> Assigns variables whose types have members of the module's types. Both sides must share these, whatever is
  !> assigned.
  subroutine own_types_are_assigned(i, j)
    integer, intent(in) :: i, j !< both 1, but the compiler does not know it
    type(field) :: one, other
    type(field), allocatable :: some(:), single
    type(field) :: from_function
    real(real64), pointer :: p(:, :), q(:, :)
    call make(one%layout, one%array)
    call make(other%layout, other%array) ! replaced by the assignment
    call dap_pointer(one%array, p)
    p = 3
    other = one
    call dap_destroy(one%array)
    call dap_destroy(one%layout)
    call expect_field(other, p, 'the other one has it')
    other = field(other%layout, other%array)
    call expect_field(other, p, 'by a constructor')

    allocate(some(3))
    some = other
    some(i) = some(j)
    call make(other%layout, other%array)
    call dap_pointer(other%array, q)
    q = 4
    some(2) = other
    call expect_field(some(1), p, 'to itself')
    call expect_field(some(2), q, 'an element')
    call expect_field(some(3), p, 'all elements')
    single = some(2)
    deallocate(some)
    call dap_destroy(other%array)
    call expect_field(single, q, 'allocated by assignment')
    some = [single, single]
    call expect_field(some(2), q, 'an array of them')

    from_function = made()
    call expect(dap_layout_size(from_function%layout, 2) == 10, 'the result of a function')
    from_function = made()
    call expect(dap_array_extent(from_function%array, 2) == 10, 'and another one')
  end subroutine

  !> Does the same with factors of a 10 x 10 matrix with 2 on the diagonal, whose determinant is 2^10.
  subroutine factors_are_assigned(i, j)
    integer, intent(in) :: i, j !< both 1
    type(solver) :: one, other, some(2)
    type(dap_layout) :: layout
    type(dap_array) :: a
    real(real64), pointer :: p(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    integer :: r, c
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 10, nprocs), dap_dist(DAP_DIST_EVEN, 10)], layout)
    call dap_array_init(layout, me, DAP_F8, a)
    call dap_pointer(a, p)
    call dap_array_indices(a, 1, rows)
    call dap_array_indices(a, 2, columns)
    do c = 1, size(columns)
      do r = 1, size(rows)
        p(r, c) = merge(2, 0, rows(r) == columns(c))
      end do
    end do
    call dap_linalg_lu(MPI_COMM_WORLD, a, one%factors, options=dap_linalg_options(keep=.true._c_bool))
    call dap_linalg_lu(MPI_COMM_WORLD, a, other%factors, options=dap_linalg_options(keep=.true._c_bool))
    call assign(other, one) ! `other` loses its own factors
    call dap_destroy(one%factors)
    call expect_determinant(other, 'the other one has the factors')
    some = other
    some(i) = some(j)
    call dap_destroy(other%factors)
    call expect_determinant(some(1), 'to itself')
    call expect_determinant(some(2), 'all elements')
    call dap_destroy(some(1)%factors)
    call dap_destroy(some(2)%factors)
  end subroutine

  !> Has its own scope, because gfortran 12 finalises temporaries at its end.
  subroutine assign(x, y)
    type(solver), intent(inout) :: x
    type(solver), intent(in) :: y
    x = y
  end subroutine

  subroutine expect_determinant(of, what)
    type(solver), intent(inout) :: of
    character(len=*), intent(in) :: what
    complex(real64) :: sign
    real(real64) :: log_of
    type(dap_error) :: err
    log_of = 0
    call dap_linalg_factors_determinant(of%factors, sign, log_of, err=err)
    call expect(err%status == DAP_OK .and. abs(log_of - 10 * log(2._real64)) < 1e-12_real64, what)
  end subroutine

  !> Assigns types within types. gfortran 12 finalises members of fixed extents at wrong addresses, so their
  !> objects remain. This leaks once and not in each turn.
  subroutine nested_types_are_assigned()
    type(domain) :: whole, again
    type(field) :: one
    real(real64), pointer :: p(:, :)
    call make(one%layout, one%array)
    call dap_pointer(one%array, p)
    whole%parts(1) = one
    whole%parts(2) = one
    whole%inner = one
    allocate(whole%more(2))
    whole%more(1) = one
    again = whole
    call dap_destroy(one%array)
    call dap_destroy(whole%parts(1)%array)
    call dap_destroy(whole%inner%array)
    call expect_field(again%parts(1), p, 'an array of members')
    call expect_field(again%parts(2), p, 'all of it')
    call expect_field(again%inner, p, 'a member')
    call expect_field(again%more(1), p, 'an allocatable member is the same as long as the other is')
  end subroutine

  type(field) function made()
    call make(made%layout, made%array)
  end function

  subroutine expect_field(one, p, what)
    type(field), intent(in) :: one
    real(real64), pointer, intent(in) :: p(:, :)
    character(len=*), intent(in) :: what
    real(real64), pointer :: q(:, :)
    call dap_pointer(one%array, q)
    call expect(associated(p, q) .and. dap_layout_size(one%layout, 1) == 40, what)
  end subroutine

  !> Compilers copy variables bit by bit in places. Such a copy refers to the same object, and its end must not
  !> free it.
  subroutine copies_without_a_word()
    type(dap_array) :: a
    type(dap_array), allocatable :: b
    type(dap_layout) :: layout
    real(real64), pointer :: p(:, :), q(:, :)
    call make(layout, a)
    call dap_pointer(a, p)
    p = 5
    allocate(b, source=a)
    call dap_pointer(b, q)
    call expect(associated(p, q), 'a copy is the same')
    deallocate(b)
    call dap_pointer(a, q)
    call expect(associated(p, q) .and. all(q == 5), 'and ends alone')
    allocate(b, source=a)
    call dap_array_init(layout, me, DAP_F8, b)
    call dap_pointer(b, q)
    call expect(.not. associated(p, q) .and. all(p == 5), 'or gets another object')
  end subroutine

  !> Checks that turns of either kind leave nothing: less than 32 bytes a turn, the smallest piece of memory.
  !> MPI's own memory also grows at times, for example if messages arrive before a process waits for them. A
  !> leak grows in each series of turns, so one of three series without growth is enough.
  subroutine leaks(is_collective, times, what)
    logical, intent(in) :: is_collective
    integer, intent(in) :: times
    character(len=*), intent(in) :: what
    integer(int64) :: least
    integer :: series
    call turns(is_collective, times)
    least = huge(least)
    do series = 1, 3
      least = min(least, growth(is_collective, times))
    end do
    call expect(least < 8000, 'nothing is left of ' // what)
  end subroutine

  !> Returns how many bytes more are in use after the turns than before.
  integer(int64) function growth(is_collective, times)
    logical, intent(in) :: is_collective
    integer, intent(in) :: times
    growth = -memory_in_use()
    call turns(is_collective, times)
    growth = growth + memory_in_use()
  end function

  subroutine turns(is_collective, times)
    logical, intent(in) :: is_collective
    integer, intent(in) :: times
    integer :: i
    do i = 1, times
      if (is_collective) then
        call collective()
      else
        call local()
      end if
    end do
  end subroutine

  subroutine local()
    type(dap_layout) :: layout, another, layouts(3)
    type(dap_array) :: array, again, part, part_of_part
    type(field) :: own
    type(dap_array), allocatable :: arrays(:)
    type(dap_error) :: err
    character(len=:), allocatable :: text
    integer :: k
    integer(int64), target :: lengths(nprocs)
    call make(layout, array)
    call make(layout, array) ! replaces the first objects
    again = array
    layouts = layout
    call own_types_are_assigned(1, 1)
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
    call dap_array_part(array, dap_part(axes=[2, 1]), part)
    call dap_array_part(part, dap_part(axes=[2], start=[2_int64, 1_int64]), part_of_part)
    call dap_array_part(part, dap_part(start=[2_int64]), part_of_part, err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(part_of_part), 'a part that cannot be')
    call dap_layout_parse(dap_layout_format(layout), another)
    call dap_layout_parse('40 on', another, err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(another), 'words without a layout')
    call dap_array_json(part, text)
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
    call dap_array_export(MPI_COMM_WORLD, array, '/dev/null')
    call dap_layout_export(MPI_COMM_WORLD, layout, '/dev/null', array=array)
  end subroutine

  !> A variable may end while its object is in use. This must neither wait for other processes nor free the
  !> object.
  subroutine what_is_in_use_stays()
    type(dap_plan) :: plan
    type(dap_layout) :: layout
    type(dap_array) :: a
    call make(layout, a)
    block
      type(dap_matrix) :: matrix
      call dap_scalapack_get(MPI_COMM_WORLD, a, DAP_READ_WRITE, matrix)
    end block
    call dap_plan_create(MPI_COMM_WORLD, a, a, plan)
    call dap_plan_begin(plan, a, a)
    call dap_destroy(plan)
    call expect(.not. dap_is_set(plan), 'the variable is free for another')
  end subroutine
end program
