!> PETSc: arrays as fields on a DMDA, as vectors or as matrices.
!>
!> The module is for programs that use PETSc's Fortran modules. `use dapbridge_petsc` also gives access to the
!> modules dapbridge_petsc_views and dapbridge_petsc_imports. For each build of PETSc there is a separate
!> library with these modules. All procedures are collective. comm must contain exactly the processes of the
!> array's layout: rank i is process i of the layout.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_petsc
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_plans, only: dap_part
  use dapbridge_petsc_views
  use dapbridge_petsc_imports
  use petscdm, only: tDM
  implicit none
  private

  !> The vectors of a field: DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL, or their sum if both are wanted.
  integer, parameter, public :: DAP_PETSC_GLOBAL = 1, DAP_PETSC_LOCAL = 2

  !> The kind of a Mat. DAP_PETSC_ANY: a kind that shares the array's memory if possible. DAP_PETSC_DENSE: a
  !> MATDENSE. DAP_PETSC_SCALAPACK: a MATSCALAPACK.
  integer, parameter, public :: DAP_PETSC_ANY = 0, DAP_PETSC_DENSE = 1, DAP_PETSC_SCALAPACK = 2

  public :: dap_petsc_field_get, dap_petsc_vector_get, dap_petsc_matrix_get

  ! From the modules of the other files.
  public :: dap_petsc_view, dap_petsc_field, dap_petsc_vector, dap_petsc_matrix, dap_petsc_restore, &
    dap_petsc_discard, dap_petsc_load, dap_petsc_store, dap_petsc_halo, dap_petsc_halo_reverse, &
    dap_petsc_field_import, dap_petsc_field_import_local, dap_petsc_vector_import, dap_petsc_matrix_import

  ! ---- arguments of the shims ----------------------------------------------------------------------

  integer(c_int), parameter :: as_field = 0, as_vector = 1, as_matrix = 2

  type, bind(c) :: c_part
    integer(c_int) :: naxes = -1, nstart = -1
    type(c_ptr) :: axes = c_null_ptr, start = c_null_ptr
  end type

  type, bind(c) :: c_options
    integer(c_int) :: sharing = DAP_SHARE_IF_POSSIBLE
    logical(c_bool) :: lossy = .false.
    type(c_part) :: part
    integer(c_int) :: vectors = 0, dof_axes = 0
    integer(c_int64_t) :: width = 0
    integer(c_int64_t) :: matrix_width = 0
    logical(c_bool) :: star = .false., matrix_star = .false., ghosted = .false., strip_periodic = .false.
    integer(c_int64_t) :: dm = 0
    character(kind=c_char) :: order = DAP_ORDER_F
    logical(c_bool) :: natural = .false.
    integer(c_int) :: form = DAP_PETSC_ANY
    integer(c_int64_t) :: block_size(2) = 0
  end type

  interface
    integer(c_int) function c_get(comm, kind, array, access, options, view, info, e) &
        bind(c, name='dap_f_petsc_get')
      import
      type(*), intent(in) :: comm
      integer(c_int), value :: kind, access
      type(c_ptr), value :: array
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: view
      type(c_info), intent(inout) :: info
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Gets an array of one to three axes as a field. The array's first axis becomes the DMDA's x axis, unless
  !> order is DAP_ORDER_C.
  !>
  !> access is DAP_READ, DAP_WRITE or DAP_READ_WRITE. sharing specifies whether vectors may be copies. vectors
  !> is DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL, or their sum, which is the default. width is the width of the
  !> stencil in points. By default the stencil is as wide as the array's widest padding. If star is true,
  !> ghost points at corners are not filled. matrix_width and matrix_star describe the stencil of dm's
  !> matrices. By default this is the stencil of the ghost points. dof_axes is the number of last axes that
  !> are degrees of freedom. If part%axes is given, these are the last axes of the part.
  !>
  !> If ghosted is true, boundary padding becomes ghost points. If strip_periodic is true, the boundary
  !> padding of periodic axes becomes ghost points that repeat the elements at the other end. lossy allows
  !> conversions that can lose values. part must select complete axes, so part%shape must not be allocated. dm
  !> is an existing DMDA that the field uses, such as the DMDA of an earlier field.
  !>
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid, or differs between processes
  !> - DAP_ERR_BUFFER: the buffer does not match its layout or is read-only, or a cast needs lossy
  !> - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
  !> - DAP_ERR_RANGE: there are more elements than PETSc can count
  !> - DAP_ERR_UNSUPPORTED: a field cannot have the array's axes or padding, or the dm's boundaries
  !> - DAP_ERR_REMOTE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_field_get(comm, array, access, field, sharing, vectors, width, star, order, dof_axes, &
      ghosted, strip_periodic, lossy, part, dm, err, matrix_width, matrix_star)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    integer, intent(in) :: access
    type(dap_petsc_field), intent(inout) :: field
    integer, intent(in), optional :: sharing, vectors, dof_axes
    integer(int64), intent(in), optional :: width, matrix_width
    logical, intent(in), optional :: star, matrix_star, ghosted, strip_periodic, lossy
    character, intent(in), optional :: order
    type(dap_part), intent(in), target, optional :: part
    type(tDM), intent(in), optional :: dm
    type(dap_error), intent(out), optional :: err
    type(c_options) :: o
    o = common(sharing, lossy, part)
    if (present(vectors)) o%vectors = vectors
    if (present(dof_axes)) o%dof_axes = dof_axes
    if (present(width)) o%width = width
    if (present(star)) o%star = star
    if (present(matrix_width)) o%matrix_width = matrix_width
    if (present(matrix_star)) o%matrix_star = matrix_star
    if (present(ghosted)) o%ghosted = ghosted
    if (present(strip_periodic)) o%strip_periodic = strip_periodic
    if (present(order)) o%order = order
    if (present(dm)) o%dm = dm%v
    call get(comm, as_field, array, access, o, field, err)
  end subroutine

  !> Gets an array as a vector of all its elements. The first axis varies fastest, unless order is
  !> DAP_ORDER_C. access is DAP_READ, DAP_WRITE or DAP_READ_WRITE. sharing specifies whether the vector may be
  !> a copy. If natural is true, entry g of the vector is element g of the array. block_size is the block size
  !> of the vector. It must divide the number of elements. lossy allows conversions that can lose values. part
  !> is the part of the array that becomes the vector.
  !>
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid, or differs between processes
  !> - DAP_ERR_BUFFER: the buffer does not match its layout or is read-only, or a cast needs lossy
  !> - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
  !> - DAP_ERR_RANGE: there are more elements than PETSc can count
  !> - DAP_ERR_UNSUPPORTED: an axis is partial, or block_size does not divide the number of elements
  !> - DAP_ERR_REMOTE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_vector_get(comm, array, access, vector, sharing, order, natural, block_size, lossy, &
      part, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    integer, intent(in) :: access
    type(dap_petsc_vector), intent(inout) :: vector
    integer, intent(in), optional :: sharing
    character, intent(in), optional :: order
    logical, intent(in), optional :: natural, lossy
    integer(int64), intent(in), optional :: block_size
    type(dap_part), intent(in), target, optional :: part
    type(dap_error), intent(out), optional :: err
    type(c_options) :: o
    o = common(sharing, lossy, part)
    if (present(order)) o%order = order
    if (present(natural)) o%natural = natural
    if (present(block_size)) o%block_size(1) = block_size
    call get(comm, as_vector, array, access, o, vector, err)
  end subroutine

  !> Gets an array of two axes as a matrix. access is DAP_READ, DAP_WRITE or DAP_READ_WRITE. sharing specifies
  !> whether the matrix may be a copy. form is DAP_PETSC_ANY, DAP_PETSC_DENSE or DAP_PETSC_SCALAPACK.
  !> block_size (2) is the block size of a MATSCALAPACK. lossy allows conversions that can lose values. part
  !> is the part of the array that becomes the matrix. The part must have two axes.
  !>
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid, or differs between processes
  !> - DAP_ERR_BUFFER: the buffer does not match its layout or is read-only, or a cast needs lossy
  !> - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
  !> - DAP_ERR_RANGE: there are more elements than PETSc can count
  !> - DAP_ERR_UNSUPPORTED: there are not two axes, an axis is partial, or a MATSCALAPACK is not possible
  !> - DAP_ERR_REMOTE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_matrix_get(comm, array, access, matrix, sharing, form, block_size, lossy, part, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    integer, intent(in) :: access
    type(dap_petsc_matrix), intent(inout) :: matrix
    integer, intent(in), optional :: sharing, form
    integer(int64), intent(in), optional :: block_size(2)
    logical, intent(in), optional :: lossy
    type(dap_part), intent(in), target, optional :: part
    type(dap_error), intent(out), optional :: err
    type(c_options) :: o
    o = common(sharing, lossy, part)
    if (present(form)) o%form = form
    if (present(block_size)) o%block_size = block_size
    call get(comm, as_matrix, array, access, o, matrix, err)
  end subroutine

  ! ---- helpers -------------------------------------------------------------------------------------

  type(c_options) function common(sharing, lossy, part) result(o)
    integer, intent(in), optional :: sharing
    logical, intent(in), optional :: lossy
    type(dap_part), intent(in), target, optional :: part
    if (present(sharing)) o%sharing = sharing
    if (present(lossy)) o%lossy = lossy
    if (.not. present(part)) return
    if (allocated(part%axes)) then
      o%part%naxes = size(part%axes)
      o%part%axes = c_loc(part%axes)
    end if
    if (allocated(part%start)) then
      o%part%nstart = size(part%start)
      o%part%start = c_loc(part%start)
    end if
    if (allocated(part%shape)) o%part%naxes = DAP_MAX_NDIM + 1 ! is refused, because axes must be complete
  end function

  subroutine get(comm, kind, array, access, options, view, err)
    type(*), intent(in) :: comm
    integer(c_int), intent(in) :: kind
    type(dap_array), intent(in) :: array
    integer, intent(in) :: access
    type(c_options), intent(in) :: options
    class(dap_petsc_view), intent(inout) :: view
    type(dap_error), intent(out), optional :: err
    type(c_info) :: info
    type(c_error) :: e
    integer(c_int) :: status
    status = c_get(comm, kind, array%handle, access, options, view%handle, info, e)
    call tell(info, view)
    call finish(status, e, err)
  end subroutine
end module
