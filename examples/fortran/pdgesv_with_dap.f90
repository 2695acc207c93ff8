!> Solves A x = b, 9 x 9 in blocks of 2 x 2, on a grid of 2 x 3 processes, like ScaLAPACK's
!> EXAMPLE/example1.f. pdgesv.f90 uses only ScaLAPACK. pdgesv_with_dap.f90 is the same program, ported to
!> dapbridge.
program pdgesv_example
  use dapbridge
  implicit none
  integer, parameter :: n = 9, nb = 2, nprow = 2, npcol = 3
  integer, external :: numroc, indxl2g
  double precision, external :: pdlange, pdlamch
  double precision, allocatable, target :: a(:, :), b(:, :), a0(:, :), b0(:, :), work(:)
  double precision :: residual
  integer :: context, rows, columns, myrow, mycol, info, i, j
  integer :: desca(9), descb(9)
  type(dap_array) :: matrix, right

  call sl_init(context, nprow, npcol)
  call blacs_gridinfo(context, rows, columns, myrow, mycol)
  rows = numroc(n, nb, myrow, 0, nprow)
  columns = numroc(n, nb, mycol, 0, npcol)
  allocate(a(rows, columns), b(rows, 1), work(rows))
  call descinit(desca, n, n, nb, nb, 0, 0, context, rows, info)
  call descinit(descb, n, 1, nb, nb, 0, 0, context, rows, info)
  do j = 1, columns
    do i = 1, rows
      a(i, j) = element(indxl2g(i, nb, myrow, 0, nprow), indxl2g(j, nb, mycol, 0, npcol))
    end do
  end do
  do i = 1, rows
    b(i, 1) = merge(1, 0, indxl2g(i, nb, myrow, 0, nprow) == 3)
  end do
  a0 = a
  b0 = b

  call dap_array_import(dap_context_comm(context), desca, a, matrix)
  call dap_array_import(dap_context_comm(context), descb, b, right)
  call dap_linalg_solve(dap_context_comm(context), 'N', matrix, right)

  ! ||A x - b|| / (||A|| ||x|| n eps)
  residual = pdlange('I', n, n, a0, 1, 1, desca, work) * pdlange('I', n, 1, b, 1, 1, descb, work)
  residual = residual * n * pdlamch(context, 'Epsilon')
  call pdgemm('N', 'N', n, 1, n, 1d0, a0, 1, 1, desca, b, 1, 1, descb, -1d0, b0, 1, 1, descb)
  residual = pdlange('I', n, 1, b0, 1, 1, descb, work) / residual
  if (myrow == 0 .and. mycol == 0) print '(a, f0.6)', 'residual ', residual
  call blacs_gridexit(context)
  call blacs_exit(0)
  if (.not. residual < 10) error stop 1

contains

  pure double precision function element(i, j)
    integer, intent(in) :: i, j
    element = sin(dble(10 * i + j)**2) + merge(4, 0, i == j)
  end function
end program
