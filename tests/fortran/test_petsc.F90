!> Views arrays as PETSc's fields, vectors and matrices, in a program that uses PETSc's own modules. Tests in C
!> check the adapter, and this test checks that objects and numbers are passed correctly.
#include <petsc/finclude/petscdmda.h>
#include <petsc/finclude/petscmat.h>
program test_petsc
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use dapbridge
  use dapbridge_petsc
  use petscdmda
  use petscmat
  implicit none
#ifdef PETSC_USE_COMPLEX
  integer, parameter :: dtype = DAP_C16
#else
  integer, parameter :: dtype = DAP_F8
#endif
  PetscInt, parameter :: n = 13, m = 11
  integer :: grid(2)
  PetscErrorCode :: ierr
  call start()
  call before_petsc()
  PetscCallA(PetscInitialize(ierr))
  grid = grid_of()
  call fields()
  call padded_fields()
  call degrees_of_freedom()
  call vectors()
  call matrices()
  call imports()
  call refusals()
  call copies()
  PetscCallA(PetscFinalize(ierr))
  call conclude()

contains

  pure PetscScalar function element(i, j)
    integer(int64), intent(in) :: i, j
    element = 100 * i + j
  end function

  subroutine make(dists, array)
    type(dap_dist), intent(in) :: dists(:)
    type(dap_array), intent(inout) :: array
    type(dap_layout) :: layout
    PetscScalar, pointer :: p(:, :)
    call dap_layout_create(dists, layout)
    call dap_array_init(layout, me, dtype, array)
    call dap_pointer(array, p)
    where (is_owned_of(array)) p = numbers_of(array)
  end subroutine

  !> Checks that the array's own elements, or with padding all of them, are `factor` times their first values.
  subroutine expect_array(array, factor, what, padding)
    type(dap_array), intent(in) :: array
    integer, intent(in) :: factor
    character(len=*), intent(in) :: what
    logical, intent(in), optional :: padding
    PetscScalar, pointer :: p(:, :)
    logical, allocatable :: checked(:, :)
    call dap_pointer(array, p)
    checked = is_owned_of(array)
    if (present(padding)) checked = checked .or. padding
    call expect(all(p == factor * numbers_of(array) .or. .not. checked), what)
  end subroutine

  subroutine fields()
    type(dap_array) :: array
    type(dap_petsc_field) :: field, again
    PetscInt :: x0, y0, nx, ny, i, j
    PetscScalar, pointer :: p(:, :)
    DM :: kept
    call make([dap_dist(DAP_DIST_EVEN, n, grid(1)), dap_dist(DAP_DIST_EVEN, m, grid(2))], array)
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ_WRITE, field, width=1_int64)
    call expect(field%shared_global .and. field%reason_global /= '', 'the global vector is the array')
    call expect(field%shared_local .eqv. nprocs == 1, 'the local one has ghost points')
    call expect(index(dap_describe(field), 'DMDA') > 0, 'a description')
    PetscCallA(DMDAGetGhostCorners(field%dm, x0, y0, PETSC_NULL_INTEGER, nx, ny, PETSC_NULL_INTEGER, ierr))
    PetscCallA(DMDAVecGetArrayF90(field%dm, field%local, p, ierr))
    do j = y0, y0 + ny - 1
      do i = x0, x0 + nx - 1
        call expect(p(i, j) == element(i + 1_int64, j + 1_int64), 'x is the first dimension')
      end do
    end do
    PetscCallA(DMDAVecRestoreArrayF90(field%dm, field%local, p, ierr))
    PetscCallA(VecScale(field%global, 3 * (1 + 0 * element(1_int64, 1_int64)), ierr))
    kept = field%dm
    PetscCallA(PetscObjectReference(kept, ierr))
    call dap_petsc_restore(field)
    call expect(field%shared_global .and. .not. dap_is_set(field), 'what was shared is still told')
    call expect_array(array, 3, 'a field is restored')
    call dap_petsc_restore(field)

    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ, again, vectors=DAP_PETSC_GLOBAL, dm=kept)
    call expect(again%dm%v == kept%v .and. again%local%v == 0, 'an earlier DMDA, without a local vector')
    call dap_petsc_discard(again)
    PetscCallA(DMDestroy(kept, ierr))
  end subroutine

  !> The local vector is the padded array.
  subroutine padded_fields()
    type(dap_array) :: array
    type(dap_petsc_field) :: field
    type(dap_error) :: err
    PetscScalar, pointer :: p(:, :)
    call make([dap_dist(DAP_DIST_EVEN, n, grid(1), halo=1), dap_dist(DAP_DIST_EVEN, m, grid(2), halo=1)], array)
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ, field, width=1_int64, matrix_width=2_int64, err=err)
    call expect(err%status == DAP_ERR_ARG .and. index(err%text, 'matrix_width 2') > 0, 'matrices wider than the padding')
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ, field, vectors=DAP_PETSC_LOCAL, width=1_int64, &
      matrix_width=1_int64, matrix_star=.true.)
    call expect(field%shared_local, 'in place whatever the stencil of matrices is')
    call expect(index(dap_describe(field), 'of matrices 1 (star)') > 0, dap_describe(field))
    call dap_petsc_discard(field)
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ_WRITE, field, vectors=DAP_PETSC_LOCAL)
    call expect(field%shared_local, 'the local vector is the padded array')
    call dap_petsc_halo(field)
    call expect_array(array, 1, 'padding is filled', padding=.true.)
    call dap_petsc_halo_reverse(field, padding=DAP_PADDING_CLEAR)
    call dap_pointer(array, p)
    call expect(all(p == 0 .or. is_owned_of(array)), 'padding is added to its owners, and cleared')
    call dap_petsc_store(field)
    call dap_petsc_load(field)
    call dap_petsc_restore(field)
  end subroutine

  !> Uses u(component, x, y), the usual order in Fortran.
  subroutine degrees_of_freedom()
    type(dap_layout) :: layout
    type(dap_array) :: array
    type(dap_petsc_field) :: field
    type(dap_part) :: part
    PetscScalar, pointer :: u(:, :, :), p(:, :, :)
    integer(int64), allocatable :: x(:), y(:)
    PetscInt :: first(2), extent(2), dof, i, j, c
    call dap_layout_create([dap_dist(DAP_DIST_EVEN, 2), dap_dist(DAP_DIST_EVEN, n, grid(1)), &
      dap_dist(DAP_DIST_EVEN, m, grid(2))], layout)
    call dap_array_init(layout, me, dtype, array)
    call dap_pointer(array, u)
    call dap_array_indices(array, 2, x)
    call dap_array_indices(array, 3, y)
    do j = 1, size(y)
      do i = 1, size(x)
        u(:, i, j) = [element(x(i), y(j)), -element(x(i), y(j))]
      end do
    end do
    part%axes = [2, 3, 1]
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ_WRITE, field, vectors=DAP_PETSC_GLOBAL, &
      dof_axes=1, part=part, width=1_int64)
    call expect(field%shared_global, 'components of each point: ' // trim(field%reason_global))
    PetscCallA(VecGetBlockSize(field%global, dof, ierr))
    call expect(dof == 2, 'two degrees of freedom')
    PetscCallA(DMDAGetCorners(field%dm, first(1), first(2), PETSC_NULL_INTEGER, extent(1), extent(2), PETSC_NULL_INTEGER, ierr))
    PetscCallA(DMDAVecGetArrayF90(field%dm, field%global, p, ierr))
    do j = first(2), first(2) + extent(2) - 1
      do i = first(1), first(1) + extent(1) - 1
        do c = 0, 1
          call expect(p(c, i, j) == (1 - 2 * c) * element(i + 1_int64, j + 1_int64), 'components')
        end do
      end do
    end do
    PetscCallA(DMDAVecRestoreArrayF90(field%dm, field%global, p, ierr))
    call dap_petsc_restore(field)
  end subroutine

  subroutine vectors()
    type(dap_array) :: array, cyclic
    type(dap_petsc_vector) :: vector
    PetscScalar, pointer :: p(:)
    PetscInt :: low, high, g
    call make([dap_dist(DAP_DIST_EVEN, n), dap_dist(DAP_DIST_EVEN, m, nprocs)], array)
    call dap_petsc_vector_get(PETSC_COMM_WORLD, array, DAP_READ_WRITE, vector)
    call expect(vector%shared, 'columns are ranges of entries: ' // trim(vector%reason))
    call expect(vector%ao == 0 .and. vector%moved_bytes == 0, 'neither renumbered nor moved')
    PetscCallA(VecScale(vector%vec, 2 * (1 + 0 * element(1_int64, 1_int64)), ierr))
    call dap_petsc_restore(vector)
    call expect_array(array, 2, 'a vector is restored')

    call make([dap_dist(DAP_DIST_CYCLIC, n, grid(1), block_size=2), &
      dap_dist(DAP_DIST_CYCLIC, m, grid(2), block_size=3)], cyclic)
    call dap_petsc_vector_get(PETSC_COMM_WORLD, cyclic, DAP_READ_WRITE, vector, block_size=int(n, int64))
    call expect(.not. vector%shared .or. nprocs == 1, 'blocks are moved')
    PetscCallA(VecGetOwnershipRange(vector%vec, low, high, ierr))
    PetscCallA(VecGetArrayF90(vector%vec, p, ierr))
    do g = low, high - 1
      call expect(p(g - low + 1) == element(mod(g, n) + 1_int64, g / n + 1_int64), 'the first dimension is fastest')
    end do
    p = 5 * p
    PetscCallA(VecRestoreArrayF90(vector%vec, p, ierr))
    call dap_petsc_restore(vector)
    call expect_array(cyclic, 5, 'a moved vector is restored')
    call dap_petsc_vector_get(PETSC_COMM_WORLD, cyclic, DAP_READ_WRITE, vector, natural=.true.)
    PetscCallA(VecScale(vector%vec, 0 * element(1_int64, 1_int64), ierr))
    call dap_petsc_discard(vector)
    call expect(nprocs == 1 .or. vector%moved_bytes > 0, 'bytes were moved')
    if (nprocs > 1) call expect_array(cyclic, 5, 'a discarded one is not')
  end subroutine

  !> A times ones gives the sums of rows.
  subroutine matrices()
    type(dap_array) :: array
    type(dap_petsc_matrix) :: matrix
    integer :: form
    Vec :: ones, sums
    PetscInt :: low, high, i
    PetscScalar :: one
    PetscScalar, pointer :: p(:)
    one = 1
    do form = DAP_PETSC_ANY, DAP_PETSC_DENSE
      call make([dap_dist(DAP_DIST_EVEN, n, nprocs), dap_dist(DAP_DIST_EVEN, m)], array)
      call dap_petsc_matrix_get(PETSC_COMM_WORLD, array, DAP_READ_WRITE, matrix, form=form)
      call expect(matrix%shared .and. matrix%reason /= '', 'rows in Fortran order are a MATDENSE')
      PetscCallA(MatCreateVecs(matrix%mat, ones, sums, ierr))
      PetscCallA(VecSet(ones, one, ierr))
      PetscCallA(MatMult(matrix%mat, ones, sums, ierr))
      PetscCallA(VecGetOwnershipRange(sums, low, high, ierr))
      PetscCallA(VecGetArrayReadF90(sums, p, ierr))
      do i = low, high - 1
        call expect(p(i - low + 1) == 100 * (i + 1) * m + m * (m + 1) / 2, 'sums of rows')
      end do
      PetscCallA(VecRestoreArrayReadF90(sums, p, ierr))
      PetscCallA(MatScale(matrix%mat, 4 * one, ierr))
      PetscCallA(VecDestroy(ones, ierr))
      PetscCallA(VecDestroy(sums, ierr))
      call dap_petsc_restore(matrix)
      call expect_array(array, 4, 'a matrix is restored')
    end do
  end subroutine

  subroutine imports()
    DM :: da
    Vec :: global, local
    Mat :: dense
    PetscScalar :: two, entry
    type(dap_array) :: array, flat, all
    type(dap_layout) :: whole
    PetscScalar, pointer :: p(:, :), q(:)
    PetscInt, parameter :: one = 1, plane = 2
    PetscInt :: first, last, i
    two = 2
    ! Not DMDACreate2d(), because PETSc renamed the constant for missing ranges in 3.22.
    PetscCallA(DMDACreate(PETSC_COMM_WORLD, da, ierr))
    PetscCallA(DMSetDimension(da, plane, ierr))
    PetscCallA(DMDASetSizes(da, n, m, one, ierr))
    PetscCallA(DMDASetDof(da, one, ierr))
    PetscCallA(DMDASetStencilType(da, DMDA_STENCIL_BOX, ierr))
    PetscCallA(DMDASetStencilWidth(da, one, ierr))
    PetscCallA(DMSetUp(da, ierr))
    PetscCallA(DMCreateGlobalVector(da, global, ierr))
    PetscCallA(DMCreateLocalVector(da, local, ierr))
    PetscCallA(VecSet(global, two, ierr))
    call dap_petsc_field_import(global, array)
    call dap_array_layout(array, whole)
    call expect(dap_layout_size(whole, 1) == m .and. dap_layout_size(whole, 2) == n, 'x is last')
    call dap_pointer(array, p)
    call expect(all_are(p, two), 'its elements')
    p = 7
    call dap_destroy(array)
    call dap_petsc_vector_import(global, flat)
    call dap_layout_create([dap_dist(DAP_DIST_REPLICATED, n * m, nprocs)], whole)
    call dap_array_init(whole, me, dtype, all)
    call dap_redistribute(PETSC_COMM_WORLD, flat, all)
    call dap_pointer(all, q)
    call expect(size(q) == n * m .and. minval(abs(q - 7)) == 0 .and. maxval(abs(q - 7)) == 0, 'all of the vector')
    call dap_destroy(flat)
    PetscCallA(DMGlobalToLocalBegin(da, global, INSERT_VALUES, local, ierr))
    PetscCallA(DMGlobalToLocalEnd(da, global, INSERT_VALUES, local, ierr))
    call dap_petsc_field_import_local(local, array)
    call dap_pointer(array, p)
    call expect(all_are(p, 7 + 0 * two), 'ghost points are padding')
    call dap_destroy(array)

    PetscCallA(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, m, PETSC_NULL_SCALAR, dense, ierr))
    PetscCallA(MatGetOwnershipRange(dense, first, last, ierr))
    do i = first, last - 1
      entry = i + 1
      PetscCallA(MatSetValue(dense, i, i / 2, entry, INSERT_VALUES, ierr))
    end do
    PetscCallA(MatAssemblyBegin(dense, MAT_FINAL_ASSEMBLY, ierr))
    PetscCallA(MatAssemblyEnd(dense, MAT_FINAL_ASSEMBLY, ierr))
    call dap_petsc_matrix_import(dense, array)
    call dap_pointer(array, p)
    call expect(size(p, 1) == last - first .and. size(p, 2) == m, 'rows of the matrix')
    do i = first, last - 1
      call expect(p(i - first + 1, i / 2 + 1) == i + 1, 'elements of the matrix')
      call expect(abs(sum(p(i - first + 1, :)) - (i + 1)) == 0, 'and no others')
    end do
    call dap_destroy(array)
    PetscCallA(MatDestroy(dense, ierr))
    PetscCallA(VecDestroy(local, ierr))
    PetscCallA(VecDestroy(global, ierr))
    PetscCallA(DMDestroy(da, ierr))
  end subroutine

  pure logical function all_are(p, value)
    PetscScalar, intent(in) :: p(:, :), value
    all_are = all(p == value)
  end function

  !> Views are refused before the program starts PETSc, and its options are kept.
  subroutine before_petsc()
    type(dap_array) :: array
    type(dap_petsc_field) :: field
    type(dap_petsc_vector) :: vector
    type(dap_petsc_matrix) :: matrix
    type(dap_error) :: err
    call make([dap_dist(DAP_DIST_EVEN, n, nprocs), dap_dist(DAP_DIST_EVEN, m)], array)
    call dap_petsc_field_get(MPI_COMM_WORLD, array, DAP_READ, field, err=err)
    call expect(is_first(err) .and. .not. dap_is_set(field), 'a field before PetscInitialize')
    call dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_READ, vector, err=err)
    call expect(is_first(err) .and. .not. dap_is_set(vector), 'a vector before PetscInitialize')
    call dap_petsc_matrix_get(MPI_COMM_WORLD, array, DAP_READ, matrix, err=err)
    call expect(is_first(err) .and. .not. dap_is_set(matrix), 'a matrix before PetscInitialize')
  end subroutine

  logical function is_first(err)
    type(dap_error), intent(in) :: err
    is_first = err%status == DAP_ERR_LIBRARY .and. index(err%text, 'call PetscInitialize() first') > 0
  end function

  subroutine refusals()
    type(dap_array) :: array
    type(dap_petsc_field) :: field
    type(dap_petsc_matrix) :: matrix
    type(dap_part) :: part
    type(dap_error) :: err
    Vec :: none
    call make([dap_dist(DAP_DIST_CYCLIC, n, nprocs, block_size=1), dap_dist(DAP_DIST_EVEN, m)], array)
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ, field, sharing=DAP_SHARE_OR_FAIL, err=err)
    call expect(nprocs == 1 .or. (err%status == DAP_ERR_SHARE .and. .not. dap_is_set(field)), 'not to be shared')
    call dap_petsc_discard(field)
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ, field, vectors=8, err=err)
    call expect(err%status == DAP_ERR_ARG, 'no such vectors')
    part%start = [1_int64]
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ, field, part=part, err=err)
    call expect(err%status == DAP_ERR_ARG, 'a part of one dimension')
    part = dap_part(shape=[2_int64, 2_int64])
    call dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ, field, part=part, err=err)
    call expect(err%status /= DAP_OK, 'a part with a shape')
    call dap_petsc_load(field, err)
    call expect(err%status == DAP_ERR_ARG, 'no live view')
    call dap_petsc_restore(field, err)
    call expect(err%status == DAP_OK, 'which may end')
    call dap_petsc_matrix_get(PETSC_COMM_WORLD, array, DAP_READ, matrix)
    call dap_petsc_halo_reverse(matrix, err=err)
    call expect(err%status == DAP_ERR_ARG, 'not of matrices')
    call dap_petsc_discard(matrix)
    none%v = 0
    call dap_petsc_vector_import(none, array, err)
    call expect(err%status == DAP_ERR_ARG .and. .not. dap_is_set(array), 'no vector')
  end subroutine

  !> A copied variable has the same objects, and its end must not end the view.
  subroutine copies()
    type(dap_array) :: array
    type(dap_petsc_vector) :: vector
    PetscReal :: norm
    call make([dap_dist(DAP_DIST_EVEN, n), dap_dist(DAP_DIST_EVEN, m, nprocs)], array)
    call dap_petsc_vector_get(PETSC_COMM_WORLD, array, DAP_READ, vector)
    block
      type(dap_petsc_vector) :: other
      other = vector
      call expect(other%vec%v == vector%vec%v, 'the same')
    end block
    PetscCallA(VecNorm(vector%vec, NORM_INFINITY, norm, ierr))
    call expect(norm == abs(element(int(n, int64), int(m, int64))), 'the view lives on')
    call dap_petsc_restore(vector)
  end subroutine
end program
