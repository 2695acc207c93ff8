!> Saves an array as a .npy file that numpy reads, and continues with one process less, as after a restart.
!> The program queries the file's shape and type, and loads the whole array and then some columns. Runs on any
!> number of processes.
program checkpoint
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none
  integer(int64), parameter :: rows = 1000, columns = 600
  character(len=*), parameter :: path = 'fortran_checkpoint.npy'
  integer :: rank, procs, color, wrong, unit
  type(MPI_Comm) :: fewer
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, procs)
  call save()

  wrong = 0
  color = 0
  if (rank == procs - 1 .and. procs > 1) color = MPI_UNDEFINED
  call MPI_Comm_split(MPI_COMM_WORLD, color, rank, fewer)
  if (fewer /= MPI_COMM_NULL) then
    call load(dap_part(), 0_int64)
    call load(dap_part(start=[1_int64, 11_int64], shape=[rows, 5_int64]), 10_int64)
    call MPI_Comm_free(fewer)
  end if
  if (rank == 0) then
    open (newunit=unit, file=path)
    close (unit, status='delete')
    open (newunit=unit, file=path // '.dap')
    close (unit, status='delete')
  end if
  call MPI_Finalize()
  if (wrong > 0) error stop 1

contains

  subroutine save()
    type(dap_layout) :: layout
    type(dap_array) :: array
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, rows, procs, block_size=64), &
      dap_dist(DAP_DIST_EVEN, columns)], layout)
    call dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, array)
    call visit(array, 0_int64, .true.)
    call dap_file_save(MPI_COMM_WORLD, array, path)
  end subroutine

  !> Loads a part, whose first column is number first + 1 of the file.
  subroutine load(part, first)
    type(dap_part), intent(in) :: part
    integer(int64), intent(in) :: first
    type(dap_file_info) :: info
    type(dap_layout) :: layout
    type(dap_array) :: array
    character(len=:), allocatable :: note
    call dap_file_query(fewer, path, info, layout, part=part) ! and a layout for this many processes
    call dap_array_alloc(fewer, layout, info%dtype, array)
    call dap_file_load(fewer, array, path, part=part)
    call visit(array, first, .false.)
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, fewer)
    note = info%note
    if (info%has_layout) note = 'as stored'
    if (rank == 0) print '(2(i0, a), i0, a)', dap_layout_size(layout, 1), ' x ', dap_layout_size(layout, 2), &
      ', ' // note // ': ', wrong, ' wrong'
  end subroutine

  !> Sets this process's elements, or counts those that are wrong.
  subroutine visit(array, first, sets)
    type(dap_array), intent(in) :: array
    integer(int64), intent(in) :: first
    logical, intent(in) :: sets
    real(real64), pointer :: p(:, :)
    integer(int64), allocatable :: row(:), column(:)
    integer :: i, j
    call dap_pointer(array, p)
    call dap_array_indices(array, 1, row)
    call dap_array_indices(array, 2, column)
    do j = 1, size(column)
      do i = 1, size(row)
        if (sets) p(i, j) = real(rows * (column(j) + first) + row(i), real64)
        if (nint(p(i, j), int64) /= rows * (column(j) + first) + row(i)) wrong = wrong + 1
      end do
    end do
  end subroutine
end program
