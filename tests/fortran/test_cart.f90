!> Tests dap_grid_from_cart, which takes the grid of a layout from a communicator's Cartesian topology. Every
!> element must be on the rank that MPI_Cart_rank() returns for the coordinates of its block.
program test_cart
  use, intrinsic :: iso_fortran_env, only: int64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: rows = 12, columns = 24
  call start()
  call elements([nprocs, 1])
  call elements([1, nprocs])
  call elements(grid_of())
  call rings()
  call refused()
  call conclude()

contains

  !> Makes even blocks of sizes that all numbers of processes divide. The first dimension is a ring.
  subroutine elements(dims)
    integer, intent(in) :: dims(2)
    type(MPI_Comm) :: cart
    type(dap_dist) :: dists(2)
    type(dap_layout) :: layout
    integer(int64) :: local(2)
    integer :: i, j, rank, wanted, coords(2)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .true., cart)
    dists = [dap_dist(DAP_DIST_EVEN, rows, 0, halo=1), dap_dist(DAP_DIST_CEIL, columns, 0)]
    call dap_grid_from_cart(cart, dists)
    call expect(all(dists%procs == dims), 'procs are the dimensions')
    call expect(dists(1)%periodic .and. dists(1)%wraps .and. .not. dists(2)%periodic, 'a ring')
    call expect(dists(1)%halo == 1 .and. dists(2)%kind == DAP_DIST_CEIL, 'other components stay')
    call dap_layout_create(dists, layout)
    do i = 1, rows
      do j = 1, columns
        coords = [(i - 1) * dims(1) / rows, (j - 1) * dims(2) / columns]
        call MPI_Cart_rank(cart, coords, wanted)
        call dap_layout_locate(layout, int([i, j], int64), rank, local)
        call expect(rank == wanted, 'the rank of a block')
      end do
    end do
    call MPI_Comm_free(cart)
  end subroutine

  !> Tests a dimension without a halo, and one that is not distributed.
  subroutine rings()
    type(MPI_Comm) :: cart
    type(dap_dist) :: dists(2)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [nprocs], [.true.], .true., cart)
    dists = [dap_dist(DAP_DIST_EVEN, rows), dap_dist(DAP_DIST_EVEN, columns, 0)]
    call dap_grid_from_cart(cart, dists)
    call expect(all(dists%procs == [1, nprocs]), 'along the dimension that is distributed')
    call expect(dists(2)%periodic .and. .not. dists(2)%wraps .and. .not. dists(1)%periodic, 'which is a ring')
    call MPI_Comm_free(cart)
  end subroutine

  subroutine refused()
    type(MPI_Comm) :: cart
    type(dap_dist) :: dists(1)
    type(dap_dist), allocatable :: none(:)
    type(dap_error) :: err
    dists = [dap_dist(DAP_DIST_EVEN, rows, nprocs + 1)]
    call dap_grid_from_cart(MPI_COMM_WORLD, dists, err)
    call expect(err%status == DAP_ERR_ARG, 'a communicator without a topology')
    call expect_text(err%text, 'MPI_Cart_create')
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [nprocs], [.false.], .true., cart)
    call dap_grid_from_cart(cart, dists, err)
    call expect(err%status == DAP_ERR_ARG .and. dists(1)%procs == nprocs + 1, 'another number of processes')
    call expect_text(err%text, 'axis 1: procs is')
    call dap_grid_from_cart(cart, none, err)
    call expect(err%status == DAP_ERR_ARG, 'a list that is not allocated')
    call expect_text(err%text, 'dists is not allocated')
    call MPI_Comm_free(cart)
  end subroutine
end program
