!> Makes matrices for dense linear algebra, which every process has as a whole, and arrays of their elements.
module matrices
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use mpi_f08
  implicit none
  integer, parameter :: n = 12
  complex(real64), parameter :: i_unit = (0._real64, 1._real64)
  logical :: is_cyclic !< whether arrays are in blocks of 2 x 2 on a grid, or in slabs of rows
  complex(real64) :: one(n, n), definite(n, n), hermitian(n, n), general(n, n), solution(n, 1)

contains

  subroutine set_matrices()
    integer :: i, j
    do j = 1, n
      do i = 1, n
        one(i, j) = merge(1, 0, i == j)
        definite(i, j) = 1 / real(1 + abs(i - j), real64) + merge(2, 0, i == j) + 0.125 * sign(1, j - i) * i_unit
        hermitian(i, j) = mod(7 * (i + j) + 3 * i * j, 16) - 8 + sign(1, j - i) * i_unit
        if (i == j) definite(i, j) = real(definite(i, j))
        if (i == j) hermitian(i, j) = real(hermitian(i, j))
        general(i, j) = hermitian(i, j) + 4 * sign(1, j - i) + i * i_unit
      end do
    end do
    solution(:, 1) = [(i - 3 * i_unit, i=1, n)]
  end subroutine

  type(dap_layout) function layout_of(rows, columns)
    integer, intent(in) :: rows, columns
    integer :: grid(2)
    grid = grid_of()
    if (is_cyclic) then
      call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, rows, grid(1), block_size=2), &
        dap_dist(DAP_DIST_CYCLIC, columns, grid(2), block_size=2)], layout_of)
    else
      call dap_layout_create([dap_dist(DAP_DIST_EVEN, rows, nprocs), dap_dist(DAP_DIST_EVEN, columns)], layout_of)
    end if
  end function

  !> Makes an array of these elements.
  subroutine make(matrix, array)
    complex(real64), intent(in) :: matrix(:, :)
    type(dap_array), intent(inout) :: array
    complex(real64), pointer :: p(:, :)
    integer(int64), allocatable :: rows(:), columns(:)
    call dap_array_init(layout_of(size(matrix, 1), size(matrix, 2)), me, DAP_C16, array)
    call dap_pointer(array, p)
    call dap_array_indices(array, 1, rows)
    call dap_array_indices(array, 2, columns)
    p = matrix(rows, columns)
  end subroutine

  !> Makes an array of zeros with this type.
  subroutine make_vector(dtype, count, array)
    integer, intent(in) :: dtype, count
    type(dap_array), intent(inout) :: array
    type(dap_layout) :: layout
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, count, nprocs)], layout)
    call dap_array_init(layout, me, dtype, array)
  end subroutine

  !> Returns all elements of an array on every process.
  function whole(array, columns) result(matrix)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: columns
    complex(real64) :: matrix(n, columns)
    type(dap_layout) :: everywhere
    type(dap_array) :: all_of_it
    complex(real64), pointer :: p(:, :)
    call dap_layout_create([dap_dist(DAP_DIST_REPLICATED, n, nprocs), dap_dist(DAP_DIST_EVEN, columns)], everywhere)
    call dap_array_init(everywhere, me, DAP_C16, all_of_it)
    call dap_redistribute(MPI_COMM_WORLD, array, all_of_it)
    call dap_pointer(all_of_it, p)
    matrix = p
  end function

  function vector(array, count) result(all)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: count
    complex(real64) :: all(count)
    type(dap_layout) :: everywhere
    type(dap_array) :: all_of_it
    complex(real64), pointer :: p(:)
    call dap_layout_create([dap_dist(DAP_DIST_REPLICATED, count, nprocs)], everywhere)
    call dap_array_init(everywhere, me, DAP_C16, all_of_it)
    ! The option allows integers, too.
    call dap_redistribute(MPI_COMM_WORLD, array, all_of_it, dap_plan_options(lossy=.true._c_bool))
    call dap_pointer(all_of_it, p)
    all = p
  end function

  pure function scaled(matrix, factors) result(product)
    complex(real64), intent(in) :: matrix(:, :), factors(:)
    complex(real64) :: product(size(matrix, 1), size(matrix, 2))
    product = matrix * spread(factors, 1, size(matrix, 1))
  end function

  pure function adjoint(a)
    complex(real64), intent(in) :: a(:, :)
    complex(real64) :: adjoint(size(a, 2), size(a, 1))
    adjoint = conjg(transpose(a))
  end function

  subroutine expect_equal(a, b, what)
    complex(real64), intent(in) :: a(:, :), b(:, :)
    character(len=*), intent(in) :: what
    call expect(all(abs(a - b) < 1e-8), what)
  end subroutine
end module
