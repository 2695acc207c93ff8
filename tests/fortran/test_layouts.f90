!> Checks that every element is where the layout's map says, counted from 1.
program test_layouts
  use, intrinsic :: iso_fortran_env, only: int64
  use checks
  use dapbridge
  implicit none
  call start()
  call block_cyclic()
  call uneven()
  call padded()
  call listed()
  call questions_without_an_answer()
  call each_kind()
  call conclude()

contains

  !> Compares the owner and place of each element with the formulae of ScaLAPACK's INDXG2P and INDXG2L, with
  !> RSRC = 1.
  subroutine block_cyclic()
    integer, parameter :: n = 23, nb = 3, procs = 3
    type(dap_layout) :: layout
    integer(int64) :: local(1), global(1), i
    integer :: rank
    logical :: owned
    call dap_layout_create([dap_dist(DAP_DIST_CYCLIC, n, procs, block_size=nb, first_owner=1)], layout)
    call expect(dap_layout_ndim(layout) == 1 .and. dap_layout_nprocs(layout) == procs, 'extents of a grid')
    call expect(dap_layout_size(layout, 1) == n .and. dap_layout_procs(layout, 1) == procs, 'size')
    do i = 1, n
      call dap_layout_locate(layout, [i], rank, local)
      call expect(rank == mod((i - 1) / nb + 1, int(procs, int64)), 'owner')
      call expect(local(1) == (i - 1) / (nb * procs) * nb + mod(i - 1, int(nb, int64)) + 1, 'place')
      call dap_layout_globalize(layout, rank, local, global, owned)
      call expect(global(1) == i .and. owned, 'and back')
    end do
    call expect(dap_layout_owned(layout, 1, 0) == 6 .and. dap_layout_owned(layout, 1, 2) == 8, 'counts')
    call expect_text(dap_describe(layout), 'cyclic')
  end subroutine

  subroutine uneven()
    integer(int64), target :: lengths(3) = [4, 0, 7]
    type(dap_layout) :: layout, same, other
    integer(int64) :: local(2), i, j
    integer :: rank
    call dap_layout_create([dap_dist(DAP_DIST_LENGTHS, 11, 3, lengths=lengths), dap_dist(DAP_DIST_EVEN, 5, &
      2)], layout)
    do i = 1, 11
      do j = 1, 5
        call dap_layout_locate(layout, [i, j], rank, local)
        call expect(rank == merge(0, 4, i <= 4) + merge(0, 1, j <= 3), 'owner of a block')
        call expect(local(1) == merge(i, i - 4, i <= 4) .and. local(2) == merge(j, j - 3, j <= 3), &
          'place in a block')
      end do
    end do
    call expect(all(dap_layout_coords(layout, 4) == [2, 0]), 'row-major ranks')
    same = layout
    call expect(dap_layout_is_equal(layout, same), 'a layout is equal to itself')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 11, 3), dap_dist(DAP_DIST_EVEN, 5, 2)], other)
    call expect(.not. dap_layout_is_equal(layout, other), 'others are not')
  end subroutine

  subroutine padded()
    type(dap_layout) :: layout
    integer(int64) :: global(1)
    logical :: owned
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 10, 2, halo=1, boundary=[1, 2])], layout)
    call expect(all(dap_layout_halo(layout, 1, 0) == [0, 1]) .and. all(dap_layout_halo(layout, 1, &
      1) == [1, 0]), 'halo')
    call expect(dap_layout_extent(layout, 1, 1) == 6 .and. dap_layout_owned(layout, 1, 1) == 5, &
      'extent with padding')
    call dap_layout_globalize(layout, 1, [1_int64], global, owned)
    call expect(global(1) == 5 .and. .not. owned, 'padding is the neighbour''s')
  end subroutine

  !> Makes two parts of a mesh with one ghost each.
  subroutine listed()
    integer(int64), target :: lengths(2) = 3, owned(2) = 2, indices(6) = [4, 2, 1, 3, 1, 4]
    type(dap_layout) :: layout
    integer(int64) :: local(1)
    integer :: rank
    type(dap_dist) :: dist
    dist = dap_dist(DAP_DIST_UNSTRUCTURED, 4, 2, lengths=lengths, indices=indices, owned=owned)
    call dap_layout_create([dist], layout)
    call dap_layout_locate(layout, [1_int64], rank, local)
    call expect(rank == 1 .and. local(1) == 2, 'element 1 is the second of the other list')
    call dap_layout_locate(layout, [4_int64], rank, local)
    call expect(rank == 0 .and. local(1) == 1, 'element 4 is the first of the first list')
    call expect(dap_layout_owned(layout, 1, 0) == 2 .and. dap_layout_extent(layout, 1, 0) == 3, 'ghosts')
  end subroutine

  subroutine questions_without_an_answer()
    type(dap_layout) :: nothing, layout
    call expect(.not. dap_is_set(nothing) .and. dap_layout_ndim(nothing) == -1, 'a variable that is not set')
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 10, 2)], layout)
    call expect(dap_is_set(layout) .and. dap_layout_size(layout, 2) == -1 .and. dap_layout_size(layout, &
      0) == -1, 'axis')
    call expect(dap_layout_owned(layout, 1, 2) == -1 .and. all(dap_layout_coords(layout, 2) == -1), &
      'coordinate')
    call dap_destroy(layout)
    call dap_destroy(layout)
    call expect(.not. dap_is_set(layout), 'destroyed twice')
  end subroutine

  !> Deals elements in turn, and compares each process's list with that of dap_array_indices(), from which other
  !> tests know their elements.
  subroutine each_kind()
    integer(int64), target :: lengths(3) = [9_int64, 3_int64, 11_int64]
    call deal(dap_dist(DAP_DIST_EVEN, 23, 3), [8_int64, 8_int64, 7_int64], 'even')
    call deal(dap_dist(DAP_DIST_EVEN, 23, 3, halo=2), [8_int64, 8_int64, 7_int64], 'a halo')
    call deal(dap_dist(DAP_DIST_EVEN, 22, 3, halo=3, periodic=.true., wraps=.true.), &
      [8_int64, 7_int64, 7_int64], 'a ring')
    call deal(dap_dist(DAP_DIST_CEIL, 22, 3), [8_int64, 8_int64, 8_int64], 'the last is shorter')
    call deal(dap_dist(DAP_DIST_LENGTHS, 23, 3, lengths=lengths, halo=1), lengths, 'lengths')
    call deal(dap_dist(DAP_DIST_CYCLIC, 23, 3, block_size=2, first_owner=2), &
      [2_int64, 2_int64, 2_int64], 'blocks')
  end subroutine

  !> Each process gets as many elements as `turn` says whenever it is its turn.
  subroutine deal(dist, turn, why)
    type(dap_dist), intent(in) :: dist
    integer(int64), intent(in) :: turn(0:)
    character(len=*), intent(in) :: why
    type(dap_layout) :: layout
    integer(int64) :: i, left
    integer :: owner(dist%size), p
    p = dist%first_owner
    left = turn(p)
    do i = 1, dist%size
      if (left == 0) p = mod(p + 1, dist%procs)
      if (left == 0) left = turn(p)
      owner(i) = p
      left = left - 1
    end do
    call dap_layout_create([dist], layout)
    do p = 0, dist%procs - 1
      call expect_list(layout, p, dist, pack([(i, i = 1, dist%size)], owner == p), why)
    end do
  end subroutine

  !> Checks that process p has `mine`, and halos on both sides, except at outer edges that do not wrap.
  subroutine expect_list(layout, p, dist, mine, why)
    type(dap_layout), intent(in) :: layout
    integer, intent(in) :: p
    type(dap_dist), intent(in) :: dist
    integer(int64), intent(in) :: mine(:)
    character(len=*), intent(in) :: why
    type(dap_array) :: array
    integer(int64), allocatable :: indices(:)
    logical, allocatable :: owned(:)
    integer(int64) :: low, high, i
    low = merge(dist%halo, 0_int64, dist%wraps .or. p > 0)
    high = merge(dist%halo, 0_int64, dist%wraps .or. p < dist%procs - 1)
    call dap_array_init(layout, p, DAP_F8, array)
    call dap_array_indices(array, 1, indices, owned)
    call expect(all([(count(owned) == size(mine)), owned .eqv. [(i > low .and. i <= low + size(mine), &
      i = 1, size(indices))]]), why // ': owned')
    call expect(size(indices) == low + size(mine) + high, why // ': number')
    if (size(indices) /= low + size(mine) + high) return
    call expect(all(indices == [(1 + modulo(mine(1) - 1 - low + i, dist%size), i = 0, low - 1), mine, &
      (1 + modulo(mine(size(mine)) + i, dist%size), i = 0, high - 1)]), why // ': which')
  end subroutine
end program
