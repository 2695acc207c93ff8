!> Checks that the optional argument receives the same error on every process, that nothing hangs, and that
!> variables stay empty.
program test_errors
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  call start()
  call of_layouts()
  call of_arrays()
  call of_pointers()
  call of_plans()
  call of_one_process()
  call of_other_arrays()
  call of_other_ranks()
  call of_waits()
  call the_build()
  call conclude()

contains

  !> The last process comes late, and the others report it.
  subroutine of_waits()
    type(MPI_Comm) :: comm
    type(dap_error) :: err
    character(len=40) :: who
    integer :: rank, ranks
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, ranks)
    call dap_wait_limit(comm, -1d0, err)
    call expect_error(err, DAP_ERR_ARG, 'seconds')
    call dap_wait_limit(comm, 1d0, err)
    call expect(err%status == DAP_OK, 'a limit')
    if (ranks > 1) then
      write (who, '(a, i0, a)') 'rank ', ranks - 1, ' has not answered'
      if (rank < ranks - 1) then
        call dap_wait_limit(comm, 0d0, err)
        call expect_error(err, DAP_ERR_LIBRARY, trim(who))
      end if
      call MPI_Barrier(MPI_COMM_WORLD)
      call dap_wait_limit(comm, 0d0, err)
      call expect_error(err, DAP_ERR_LIBRARY, 'has not answered')
    end if
    call MPI_Comm_free(comm)
  end subroutine

  subroutine the_build()
    call expect_text(dap_build_info(), 'compiler: ')
    call expect_text('(' // dap_build_info('kernels ') // ')', '(' // trim(dap_build_info('kernels')) // ')')
    call expect(len(dap_build_info('kernels')) > 0, 'kernels have a name')
    call expect(len(dap_build_info('no such key')) == 0, 'no value without a key')
  end subroutine

  subroutine of_layouts()
    type(dap_layout) :: layout
    type(dap_error) :: err
    integer(int64) :: local(1)
    integer :: rank
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, 10, 2)], layout, err)
    call expect_error(err, DAP_ERR_DIM, 'block_size')
    call dap_layout_create([dap_dist :: (dap_dist(DAP_DIST_EVEN, 2), rank=1, 9)], layout, err)
    call expect_error(err, DAP_ERR_ARG, '9')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 10, 2)], layout, err)
    call expect(err%status == DAP_OK .and. err%text == '', 'no error')
    call dap_layout_locate(layout, [11_int64], rank, local, err)
    call expect_error(err, DAP_ERR_ARG, '')
    call dap_layout_locate(layout, [0_int64], rank, local, err)
    call expect_error(err, DAP_ERR_ARG, '')
  end subroutine

  subroutine of_arrays()
    type(dap_layout) :: nothing, layout
    type(dap_array) :: array
    type(dap_error) :: err
    real(real64), target :: short(3, 2)
    character(len=4), target :: words(5)
    call dap_array_init(nothing, 0, DAP_F8, array, err=err)
    call expect_error(err, DAP_ERR_ARG, '')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 5)], layout)
    call dap_array_init(layout, 0, 99, array, err=err)
    call expect_error(err, DAP_ERR_ARG, '')
    call dap_array_wrap(layout, 0, short, array, err)
    call expect_error(err, DAP_ERR_BUFFER, 'rank|2|1')
    call dap_array_wrap(layout, 0, short(:, 1), array, err)
    call expect_error(err, DAP_ERR_BUFFER, '3')
    words = ''
    call dap_array_wrap(layout, 0, words, array, err)
    call expect(err%status /= DAP_OK, 'a type that the library does not have')
    call expect(.not. dap_is_set(array), 'nothing was made')
    call dap_array_layout(array, layout, err)
    call expect(err%status == DAP_ERR_ARG, 'the layout of nothing')
  end subroutine

  subroutine of_pointers()
    type(dap_layout) :: layout
    type(dap_array) :: array
    type(dap_error) :: err
    real(real32), pointer :: single(:)
    real(real64), pointer :: line(:), plane(:, :)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 5)], layout)
    call dap_array_init(layout, 0, DAP_F8, array)
    call dap_pointer(array, single, err)
    call expect_error(err, DAP_ERR_BUFFER, 'float64|float32')
    call dap_pointer(array, plane, err)
    call expect_error(err, DAP_ERR_BUFFER, '1|2')
    call dap_pointer(layout, line, err)
    call expect_error(err, DAP_ERR_ARG, 'layout|no elements')
    call dap_destroy(array)
    call dap_pointer(array, line, err)
    call expect_error(err, DAP_ERR_ARG, 'not set')
  end subroutine

  subroutine of_plans()
    type(dap_layout) :: layout
    type(dap_array) :: a, b, nothing
    type(dap_plan) :: plan
    type(dap_error) :: err
    type(dap_plan_options) :: options
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 5, nprocs)], layout)
    call dap_array_init(layout, me, DAP_F8, a)
    call dap_plan_run(plan, a, a, err)
    call expect_error(err, DAP_ERR_ARG, '')
    call dap_plan_create(MPI_COMM_WORLD, a, nothing, plan, err=err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(plan), 'no destination')
    call dap_array_init(layout, me, DAP_F4, b)
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan, err=err)
    call expect_error(err, DAP_ERR_ARG, 'lossy')
    options%lossy = .true.
    call dap_redistribute(MPI_COMM_WORLD, a, b, options, err)
    call expect(err%status == DAP_OK, 'a lossy cast that is allowed')
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan, options, from_part=dap_part(start=[0_int64]), err=err)
    call expect(err%status == DAP_ERR_ARG, 'indices count from 1')
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan, options, from_part=dap_part(start=[1_int64, &
      1_int64]), err=err)
    call expect(err%status == DAP_ERR_ARG, 'a start of another number of dimensions')
    call dap_plan_create(MPI_COMM_NULL, a, b, plan, options, err=err)
    call expect(err%status == DAP_ERR_ARG, 'no communicator')
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan, options)
    call dap_plan_end(plan, err)
    call expect(err%status == DAP_ERR_ARG, 'a plan that has not been begun')
  end subroutine

  !> Passes arrays that do not match the plan's, on one process or on all.
  subroutine of_other_arrays()
    type(dap_layout) :: even, cyclic
    type(dap_array) :: a, b, c, other
    type(dap_plan) :: plan
    type(dap_error) :: err
    real(real64), pointer :: p(:)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs)], even)
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, 4 * nprocs, nprocs, block_size=2)], cyclic)
    call dap_array_init(even, me, DAP_F8, a)
    call dap_array_init(cyclic, me, DAP_F8, b)
    call dap_array_init(even, me, DAP_F4, c)
    call dap_pointer(a, p)
    p = 3
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan)
    if (nprocs > 1) then ! on one process, both layouts are equal
      call dap_plan_run(plan, b, a, err)
      call expect_error(err, DAP_ERR_ARG, 'from|to|exchanged')
    end if
    call dap_plan_run(plan, c, b, err)
    call expect_error(err, DAP_ERR_ARG, 'from')
    other = a
    if (me == nprocs - 1) other = c
    call dap_plan_run(plan, other, b, err)
    call expect(err%status == DAP_ERR_ARG .and. err%rank == nprocs - 1 .or. &
      err%status == DAP_OK .and. me < nprocs - 1, 'on one process') ! processes that receive from it notice it
    call dap_plan_run(plan, a, b)
    call dap_pointer(b, p)
    call expect(all(p == 3), 'the right ones are moved')
  end subroutine

  !> Passes arrays that were made as another rank's part. All parts are equal, so only the array tells its rank.
  subroutine of_other_ranks()
    type(dap_layout) :: even, cyclic
    type(dap_array) :: a, b, right
    type(dap_plan) :: plan
    type(dap_error) :: err
    real(real64), pointer :: p(:)
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 4 * nprocs, nprocs)], even)
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, 4 * nprocs, nprocs, block_size=2)], cyclic)
    call dap_array_init(cyclic, me, DAP_F8, b)
    call dap_array_init(even, me, DAP_F8, right)
    if (nprocs > 1) then
      call dap_array_init(even, mod(me + 1, nprocs), DAP_F8, a)
      call dap_redistribute(MPI_COMM_WORLD, a, b, err=err)
      call expect_error(err, DAP_ERR_BUFFER, 'another rank')
      call dap_plan_create(MPI_COMM_WORLD, b, a, plan, err=err)
      call expect_error(err, DAP_ERR_BUFFER, 'to|axis 1|proc_grid_rank')
      call dap_plan_create(MPI_COMM_WORLD, right, b, plan)
      call dap_plan_run(plan, a, b, err)
      call expect(err%status == DAP_ERR_ARG, 'a plan of right arrays, run with another rank''s')
    end if
    call dap_array_init(even, me + 1, DAP_F8, a)
    call dap_redistribute(MPI_COMM_WORLD, a, b, err=err)
    call expect_error(err, DAP_ERR_BUFFER, 'another rank')
    call dap_array_init(even, DAP_F8, me, a, err=err)
    if (me == 0) call expect_error(err, DAP_ERR_ARG, 'rank and dtype')
    call dap_redistribute(MPI_COMM_WORLD, a, b, err=err)
    call expect(err%status /= DAP_OK, 'rank and dtype exchanged')
    call dap_pointer(b, p)
    call expect(all(p == 0), 'nothing was moved')
  end subroutine

  !> Passes a wrong argument on the last process only. All processes must report it.
  subroutine of_one_process()
    type(dap_layout) :: layout
    type(dap_array) :: a, b
    type(dap_plan) :: plan
    type(dap_plan_options) :: options
    type(dap_error) :: err
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 5, nprocs)], layout)
    call dap_array_init(layout, me, DAP_F8, a)
    call dap_array_init(layout, me, DAP_F8, b)
    if (me == nprocs - 1) options%message_bytes = -5
    call dap_plan_create(MPI_COMM_WORLD, a, b, plan, options, err=err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(plan), 'an option on one process')
    call expect(err%rank >= 0, 'the rank is known')
  end subroutine
end program
