!> Moves a 1000 x 600 matrix from rows, in an allocatable array on each process, to ScaLAPACK's desc(9) and
!> a(lld, *) on a process grid. Checks every element there, and moves the matrix on to another descriptor.
!> Runs on any number of processes.
program redistribute
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: m = 1000, n = 600
  integer :: rank, procs, grid(2), i, j, wrong
  integer :: desca(9), descb(9)
  real(real64), allocatable, target :: rows(:, :), a(:, :), b(:, :)
  integer(int64), allocatable :: mine(:)
  type(dap_layout) :: layout
  type(dap_array) :: slab, from, to
  type(dap_plan) :: plan
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)
  grid = 0
  call MPI_Dims_create(procs, 2, grid)

  ! What this process has: some rows, all columns.
  call dap_layout_create([dap_dist(DAP_DIST_EVEN, m, procs), dap_dist(DAP_DIST_EVEN, n)], layout)
  allocate(rows(dap_layout_extent(layout, 1, rank), n))
  call dap_array_wrap(layout, rank, rows, slab)
  call dap_array_indices(slab, 1, mine)
  do j = 1, n
    rows(:, j) = [((mine(i) - 1) * n + j, i=1, size(mine))]
  end do

  ! The destination is for ScaLAPACK. The plan is created once, and could run many times.
  call make(64, 64, grid, desca, a)
  call dap_array_import(MPI_COMM_WORLD, desca, a, from)
  call dap_plan_create(MPI_COMM_WORLD, slab, from, plan)
  call dap_plan_run(plan, slab, from)
  wrong = mistakes(desca, a)

  call make(100, 7, [1, procs], descb, b)
  call dap_array_import(MPI_COMM_WORLD, descb, b, to)
  call dap_redistribute(MPI_COMM_WORLD, from, to)
  wrong = wrong + mistakes(descb, b)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a, i0, a)', 'moved ', m * n, ' elements twice, ', wrong, ' wrong'
  call MPI_Finalize()
  if (wrong > 0) error stop 1

contains

  !> Makes a descriptor for blocks of mb x nb on a new grid, and the local part.
  subroutine make(mb, nb, grid, desc, a)
    integer, intent(in) :: mb, nb, grid(2)
    integer, intent(out) :: desc(9)
    real(real64), allocatable, intent(out) :: a(:, :)
    integer, external :: numroc
    integer :: context, myrow, mycol, info, nprow, npcol
    call blacs_get(-1, 0, context)
    call blacs_gridinit(context, 'R', grid(1), grid(2))
    call blacs_gridinfo(context, nprow, npcol, myrow, mycol)
    allocate(a(max(1, numroc(m, mb, myrow, 0, nprow)), max(1, numroc(n, nb, mycol, 0, npcol))), &
      source=0._real64)
    call descinit(desc, m, n, mb, nb, 0, 0, context, size(a, 1), info)
  end subroutine

  integer function mistakes(desc, a)
    integer, intent(in) :: desc(9)
    real(real64), intent(in) :: a(:, :)
    integer, external :: indxl2g, numroc
    integer :: nprow, npcol, myrow, mycol, i, j
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    mistakes = 0
    do j = 1, numroc(n, desc(6), mycol, 0, npcol)
      do i = 1, numroc(m, desc(5), myrow, 0, nprow)
        if (nint(a(i, j)) /= (indxl2g(i, desc(5), myrow, 0, nprow) - 1) * n + indxl2g(j, desc(6), mycol, &
          0, npcol)) &
          mistakes = mistakes + 1
      end do
    end do
  end function
end program
