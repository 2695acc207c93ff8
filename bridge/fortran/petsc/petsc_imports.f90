!> PETSc's vectors and matrices as arrays.
!>
!> `use dapbridge_petsc` gives access to this module. All procedures are collective.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_petsc_imports
  use, intrinsic :: iso_c_binding
  use dapbridge_base
  use dapbridge_arrays
  use petscmat, only: tMat
  use petscvec, only: tVec
  implicit none
  private

  public :: dap_petsc_field_import, dap_petsc_field_import_local, dap_petsc_vector_import, &
    dap_petsc_matrix_import

  integer(c_int), parameter :: of_field = 0, of_local = 1, of_vector = 2, of_matrix = 3

  interface
    integer(c_int) function c_import(object, kind, array, e) bind(c, name='dap_f_petsc_import')
      import
      integer(c_int64_t), value :: object
      integer(c_int), value :: kind
      type(c_ptr), intent(inout) :: array
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Makes an array from a DMDA's global vector. The array uses the vector's memory. The axes are in C's
  !> order: x is the last axis before the degrees of freedom. Destroy the array before the vector is used
  !> again. Collective on the vector's communicator.
  !> Errors:
  !> - DAP_ERR_ARG: the vector is not a global vector of a DMDA
  !> - DAP_ERR_UNSUPPORTED: the DMDA's processes are not in the usual order
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_field_import(vector, array, err)
    type(tVec), intent(in) :: vector
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_import(int(vector%v, c_int64_t), of_field, array%handle, e), e, err)
  end subroutine

  !> Makes an array from a DMDA's local vector. The array uses the vector's memory. The vector's ghost points
  !> become the array's padding. Destroy the array before the vector is used again. Collective on the DMDA's
  !> communicator.
  !> Errors:
  !> - DAP_ERR_ARG: the vector is not a local vector of a DMDA
  !> - DAP_ERR_UNSUPPORTED: the DMDA has twisted boundaries, or ghost points that differ from the stencil
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_field_import_local(vector, array, err)
    type(tVec), intent(in) :: vector
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_import(int(vector%v, c_int64_t), of_local, array%handle, e), e, err)
  end subroutine

  !> Makes an array with one axis from a vector of type VECSEQ or VECMPI. The array uses the vector's memory.
  !> Destroy the array before the vector is used again. Collective on the vector's communicator.
  !> Errors:
  !> - DAP_ERR_ARG: the vector is null
  !> - DAP_ERR_UNSUPPORTED: the vector has another type
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_vector_import(vector, array, err)
    type(tVec), intent(in) :: vector
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_import(int(vector%v, c_int64_t), of_vector, array%handle, e), e, err)
  end subroutine

  !> Makes an array with two axes from a matrix. The array uses the memory of a MATDENSE. For a MATSCALAPACK
  !> the array is a copy. Destroy the array before the matrix is used again. Collective on the matrix's
  !> communicator.
  !> Errors:
  !> - DAP_ERR_ARG: the matrix is not assembled
  !> - DAP_ERR_UNSUPPORTED: the matrix has another type or is factored
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_matrix_import(matrix, array, err)
    type(tMat), intent(in) :: matrix
    type(dap_array), intent(inout) :: array
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_import(int(matrix%v, c_int64_t), of_matrix, array%handle, e), e, err)
  end subroutine
end module
