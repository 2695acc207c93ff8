!> ScaLAPACK's descriptors, what this process has by them, and elements.
module descriptors
  use checks
  implicit none
  private
  public :: describe, rows_of, columns_of, row, column, value
  integer, external :: indxl2g, numroc

contains

  !> A descriptor with one row more of memory than the process has of the matrix; -1 outside the grid.
  subroutine describe(context, m, n, mb, nb, source, desc)
    integer, intent(in) :: context, m, n, mb, nb, source
    integer, intent(out) :: desc(9)
    integer :: nprow, npcol, myrow, mycol, info
    desc = [1, -1, m, n, mb, nb, 0, 0, 1]
    if (context < 0) return
    call blacs_gridinfo(context, nprow, npcol, myrow, mycol)
    if (myrow < 0) return
    call descinit(desc, m, n, mb, nb, mod(source, nprow), 0, context, numroc(m, mb, myrow, mod(source, &
      nprow), nprow) + 1, &
      info)
    call expect(info == 0, 'descinit')
  end subroutine

  integer function rows_of(desc)
    integer, intent(in) :: desc(9)
    integer :: nprow, npcol, myrow, mycol
    rows_of = 0
    if (desc(2) < 0) return
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    rows_of = numroc(desc(3), desc(5), myrow, desc(7), nprow)
  end function

  integer function columns_of(desc)
    integer, intent(in) :: desc(9)
    integer :: nprow, npcol, myrow, mycol
    columns_of = 0
    if (desc(2) < 0) return
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    columns_of = numroc(desc(4), desc(6), mycol, desc(8), npcol)
  end function

  integer function row(desc, i)
    integer, intent(in) :: desc(9), i
    integer :: nprow, npcol, myrow, mycol
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    row = indxl2g(i, desc(5), myrow, desc(7), nprow)
  end function

  integer function column(desc, j)
    integer, intent(in) :: desc(9), j
    integer :: nprow, npcol, myrow, mycol
    call blacs_gridinfo(desc(2), nprow, npcol, myrow, mycol)
    column = indxl2g(j, desc(6), mycol, desc(8), npcol)
  end function

  pure integer function value(i, j)
    integer, intent(in) :: i, j
    value = 100 * i + j
  end function
end module
