!> PETSc: arrays as fields on a DMDA, as vectors or as matrices, and PETSc's vectors and matrices as arrays.
!>
!> The module is for programs that use PETSc's Fortran modules. Components such as dm, global and vec have
!> PETSc's types. For each build of PETSc there is a separate library with this module. All procedures are
!> collective. comm must contain exactly the processes of the array's layout: rank i is process i of the
!> layout.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_petsc
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_arrays
  use dapbridge_plans, only: dap_part, DAP_COMBINE_SUM, DAP_PADDING_KEEP
  use petscdm, only: tDM
  use petscmat, only: tMat
  use petscvec, only: tVec
  implicit none
  private

  !> The vectors of a field: DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL, or their sum if both are wanted.
  integer, parameter, public :: DAP_PETSC_GLOBAL = 1, DAP_PETSC_LOCAL = 2

  !> The kind of a Mat. DAP_PETSC_ANY: a kind that shares the array's memory if possible. DAP_PETSC_DENSE: a
  !> MATDENSE. DAP_PETSC_SCALAPACK: a MATSCALAPACK.
  integer, parameter, public :: DAP_PETSC_ANY = 0, DAP_PETSC_DENSE = 1, DAP_PETSC_SCALAPACK = 2

  !> A view of an array. dap_petsc_restore() or dap_petsc_discard() ends the view. A copy of the variable is
  !> not a view. The PETSc objects belong to the view, and are null on a process that has none of the
  !> requested elements.
  type, abstract, extends(dap_object), public :: dap_petsc_view
    integer(int64) :: moved_bytes = 0 !< bytes that this process has copied or sent for the view
  end type

  !> An array as a field: a DMDA with its vectors.
  type, extends(dap_petsc_view), public :: dap_petsc_field
    type(tDM) :: dm !< the DMDA
    type(tVec) :: global !< global vector: the points that each process owns
    type(tVec) :: local !< local vector: the owned points with ghost points around them
    logical :: shared_global = .false., shared_local = .false. !< true if the vector uses the array's memory
    character(len=512) :: reason_global = '', reason_local = '' !< why the vector is shared, or why not
  contains
    final :: end_field
  end type

  !> An array as a vector without a grid.
  type, extends(dap_petsc_view), public :: dap_petsc_vector
    type(tVec) :: vec !< the vector
    !> The AO that maps elements of the array to entries of the vector, if their orders differ; otherwise 0.
    !> In PETSc 3.18 an AO is an integer. In later releases an AO has this integer as its component v
    integer(c_intptr_t) :: ao = 0
    logical :: shared = .false. !< true if the vector uses the array's memory
    character(len=512) :: reason = '' !< why the vector is shared, or why not
  contains
    final :: end_vector
  end type

  !> An array of two axes as a matrix.
  type, extends(dap_petsc_view), public :: dap_petsc_matrix
    type(tMat) :: mat !< the matrix
    logical :: shared = .false. !< true if the matrix uses the array's memory
    character(len=512) :: reason = '' !< why the matrix is shared, or why not
  contains
    final :: end_matrix
  end type

  public :: dap_petsc_field_get, dap_petsc_vector_get, dap_petsc_matrix_get, dap_petsc_restore, &
    dap_petsc_discard, dap_petsc_load, dap_petsc_store, dap_petsc_halo, dap_petsc_halo_reverse, &
    dap_petsc_field_import, dap_petsc_field_import_local, dap_petsc_vector_import, dap_petsc_matrix_import

  ! ---- arguments of the shims ----------------------------------------------------------------------

  integer(c_int), parameter :: as_field = 0, as_vector = 1, as_matrix = 2
  integer(c_int), parameter :: restoring = 0, discarding = 1, loading = 2, storing = 3, updating = 4
  integer(c_int), parameter :: of_field = 0, of_local = 1, of_vector = 2, of_matrix = 3

  type, bind(c) :: c_info
    integer(c_int64_t) :: objects(3) = 0
    logical(c_bool) :: shared(2) = .false.
    integer(c_int64_t) :: moved_bytes = 0
    character(kind=c_char) :: global(512) = c_null_char, local(512) = c_null_char
  end type

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
    integer(c_int) function c_act(view, action, info, e) bind(c, name='dap_f_petsc_act')
      import
      type(c_ptr), value :: view
      integer(c_int), value :: action
      type(c_info), intent(inout) :: info
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_halo_reverse(view, combine, padding, e) &
        bind(c, name='dap_f_petsc_halo_reverse')
      import
      type(c_ptr), value :: view
      integer(c_int), value :: combine, padding
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_import(object, kind, array, e) bind(c, name='dap_f_petsc_import')
      import
      integer(c_int64_t), value :: object
      integer(c_int), value :: kind
      type(c_ptr), intent(inout) :: array
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

  !> Ends a view. With DAP_WRITE the array receives the elements of PETSc's objects, and its padding receives
  !> the owners' values. Afterwards shared, reason and moved_bytes can still be read. A variable without a
  !> live view is accepted. Collective.
  !> Errors:
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_restore(view, err)
    class(dap_petsc_view), intent(inout) :: view
    type(dap_error), intent(out), optional :: err
    call act(view, restoring, err)
  end subroutine

  !> Ends a view without writing to the array. Changes to shared memory remain in the array. Collective.
  subroutine dap_petsc_discard(view, err)
    class(dap_petsc_view), intent(inout) :: view
    type(dap_error), intent(out), optional :: err
    call act(view, discarding, err)
  end subroutine

  !> Copies the array's current elements to PETSc's objects. The view needs DAP_READ. Collective.
  !> Errors:
  !> - DAP_ERR_ARG: the view is not live, or does not have DAP_READ
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_load(view, err)
    class(dap_petsc_view), intent(inout) :: view
    type(dap_error), intent(out), optional :: err
    call act(view, loading, err)
  end subroutine

  !> Writes the elements of PETSc's objects to the array and its padding. The view needs DAP_WRITE, and stays
  !> live. Collective.
  !> Errors:
  !> - DAP_ERR_ARG: the view is not live, or does not have DAP_WRITE
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_store(view, err)
    class(dap_petsc_view), intent(inout) :: view
    type(dap_error), intent(out), optional :: err
    call act(view, storing, err)
  end subroutine

  !> Fills the array's padding and ghosts with the owners' values. The view needs DAP_WRITE. Collective.
  !> Errors:
  !> - DAP_ERR_ARG: the view is not live, or does not have DAP_WRITE
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_halo(view, err)
    class(dap_petsc_view), intent(inout) :: view
    type(dap_error), intent(out), optional :: err
    call act(view, updating, err)
  end subroutine

  !> Adds the values in padding and ghosts to the corresponding elements on the owning processes. The view
  !> must be a field or a vector. combine is DAP_COMBINE_SUM, which is the default, DAP_COMBINE_MAX or
  !> DAP_COMBINE_MIN. padding is DAP_PADDING_KEEP, which is the default, DAP_PADDING_CLEAR or
  !> DAP_PADDING_REFRESH. The view needs DAP_WRITE. Collective.
  !> Errors:
  !> - DAP_ERR_ARG: the view is not live or does not have DAP_WRITE, or an argument is invalid
  !> - DAP_ERR_UNSUPPORTED: padding is stripped, and combine is not DAP_COMBINE_SUM
  !> - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_petsc_halo_reverse(view, combine, padding, err)
    class(dap_petsc_view), intent(inout) :: view
    integer, intent(in), optional :: combine, padding
    type(dap_error), intent(out), optional :: err
    integer(c_int) :: how(2)
    type(c_error) :: e
    how = [DAP_COMBINE_SUM, DAP_PADDING_KEEP]
    if (present(combine)) how(1) = combine
    if (present(padding)) how(2) = padding
    call finish(c_halo_reverse(view%handle, how(1), how(2), e), e, err)
  end subroutine

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

  subroutine act(view, action, err)
    class(dap_petsc_view), intent(inout) :: view
    integer(c_int), intent(in) :: action
    type(dap_error), intent(out), optional :: err
    type(c_info) :: info
    type(c_error) :: e
    integer(c_int) :: status
    logical :: was_set
    was_set = dap_is_set(view)
    status = c_act(view%handle, action, info, e)
    if (was_set) call tell(info, view)
    if (action == restoring .or. action == discarding) call dap_destroy(view)
    call finish(status, e, err)
  end subroutine

  subroutine tell(info, view)
    type(c_info), intent(in) :: info
    class(dap_petsc_view), intent(inout) :: view
    view%moved_bytes = info%moved_bytes
    select type (view)
    type is (dap_petsc_field)
      view%dm%v = int(info%objects(1), kind(view%dm%v))
      view%global%v = int(info%objects(2), kind(view%global%v))
      view%local%v = int(info%objects(3), kind(view%local%v))
      view%shared_global = info%shared(1)
      view%shared_local = info%shared(2)
      view%reason_global = in_words(info%global)
      view%reason_local = in_words(info%local)
    type is (dap_petsc_vector)
      view%vec%v = int(info%objects(1), kind(view%vec%v))
      view%ao = int(info%objects(2), c_intptr_t)
      view%shared = info%shared(1)
      view%reason = in_words(info%global)
    type is (dap_petsc_matrix)
      view%mat%v = int(info%objects(1), kind(view%mat%v))
      view%shared = info%shared(1)
      view%reason = in_words(info%global)
    end select
  end subroutine

  impure elemental subroutine end_field(field)
    type(dap_petsc_field), intent(inout) :: field
    call release(field%handle)
  end subroutine

  impure elemental subroutine end_vector(vector)
    type(dap_petsc_vector), intent(inout) :: vector
    call release(vector%handle)
  end subroutine

  impure elemental subroutine end_matrix(matrix)
    type(dap_petsc_matrix), intent(inout) :: matrix
    call release(matrix%handle)
  end subroutine
end module
