!> Runs bridge/docs/ghosts.md in Fortran: a ring of nodes in parts, each with the next part's first node as a
!> ghost. Each edge adds to each of its ends the value of the other. Every sum is compared with the sum over the
!> whole ring.
module ghosts_page
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge
  use mpi_f08
  implicit none

contains

  include 'ghosts_fortran.inc'

  !> Adds as a program does, without owners and without clearing. The last edge adds to the ghost, or to node 1.
  subroutine add_elements(values, sums)
    real(real64), intent(in) :: values(:, :)
    real(real64), intent(inout) :: sums(:, :)
    integer :: k, n, other
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    n = size(values, 2) - merge(1, 0, n > 1)
    do k = 1, n
      other = mod(k, size(values, 2)) + 1
      sums(:, k) = sums(:, k) + values(:, other)
      sums(:, other) = sums(:, other) + values(:, k)
    end do
  end subroutine
end module

program ghosts
  use ghosts_page
  use checks
  implicit none
  integer(int64), parameter :: nodes = 23
  integer(int64) :: first, owned, k, last, next
  integer(int64), allocatable, target :: list(:)
  real(real64), allocatable, target :: values(:, :), sums(:, :)
  call start()
  first = nodes * me / nprocs
  owned = nodes * (me + 1) / nprocs - first
  list = [(mod(first + k, nodes) + 1, k = 0, owned - merge(0, 1, nprocs > 1))]
  allocate (values(3, size(list)), sums(3, size(list)))
  values = -1
  do k = 1, owned
    values(:, k) = values_of(list(k))
  end do
  sums = 1000 ! from an earlier step
  call step(MPI_COMM_WORLD, nodes, list, owned, values, sums)
  do k = 1, size(list, kind=int64)
    call expect(all(values(:, k) == values_of(list(k))), 'values of nodes')
    next = modulo(list(k), nodes) + 1
    last = modulo(list(k) - 2, nodes) + 1
    call expect(all(sums(:, k) == values_of(last) + values_of(next)), 'sums of nodes')
  end do
  deallocate (list, values, sums) ! variables of a main program are never freed, and the test looks for leaks
  call conclude()

contains

  function values_of(node) result(values)
    integer(int64), intent(in) :: node
    real(real64) :: values(3)
    values = [10, 20, 30] + real(node, real64)
  end function
end program
