!> Moves elements between two groups of processes, in each direction, by plans over an intercommunicator. Each
!> group passes an empty variable for the other group's array.
program test_coupled
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 23, n = 7
  type(MPI_Comm) :: group, both
  type(dap_layout) :: layout
  type(dap_array) :: mine, nothing
  type(dap_plan) :: there, back
  type(dap_error) :: err
  integer :: rank, procs
  logical :: is_left
  call start()
  if (nprocs > 1) then
    is_left = me < (nprocs + 1) / 2
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, 1, is_left), me, group)
    call MPI_Comm_rank(group, rank)
    call MPI_Comm_size(group, procs)
    call MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, merge((nprocs + 1) / 2, 0, is_left), 1, both)
    if (is_left) then
      call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, m, procs, block_size=3), dap_dist(DAP_DIST_EVEN, n)], &
        layout)
    else
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, m), dap_dist(DAP_DIST_CEIL, n, procs)], layout)
    end if
    call dap_array_init(layout, rank, DAP_F8, mine)
    if (is_left) call set(1)
    if (is_left) then
      call dap_plan_create(both, mine, nothing, there)
      call dap_plan_create(both, nothing, mine, back)
      call dap_plan_run(there, mine, nothing)
      call dap_plan_run(back, nothing, mine)
      call expect_all(-1, 'what came back')
    else
      call dap_plan_create(both, nothing, mine, there)
      call dap_plan_create(both, mine, nothing, back)
      call dap_plan_run(there, nothing, mine)
      call expect_all(1, 'what came over')
      call set(-1)
      call dap_plan_run(back, mine, nothing)
    end if
    call dap_plan_create(both, mine, nothing, there, err=err)
    call expect(err%status == DAP_ERR_ARG, 'both groups bring a source')
    call dap_destroy(there)
    call dap_destroy(back)
    call MPI_Comm_free(both)
    call MPI_Comm_free(group)
  end if
  call conclude()

contains

  subroutine set(sign)
    integer, intent(in) :: sign
    real(real64), pointer :: p(:, :)
    call dap_pointer(mine, p)
    p = sign * numbers_of(mine)
  end subroutine

  subroutine expect_all(sign, what)
    integer, intent(in) :: sign
    character(len=*), intent(in) :: what
    real(real64), pointer :: p(:, :)
    call dap_pointer(mine, p)
    call expect(all(p == sign * numbers_of(mine)), what)
  end subroutine
end program
