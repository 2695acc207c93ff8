!> Views of arrays as PETSc objects, and the procedures that load, store, update and end these views.
!>
!> `use dapbridge_petsc` gives access to this module. Components such as dm, global and vec have PETSc's types.
!> All procedures are collective.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_petsc_views
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_plans, only: DAP_COMBINE_SUM, DAP_PADDING_KEEP
  use petscdm, only: tDM
  use petscmat, only: tMat
  use petscvec, only: tVec
  implicit none
  private

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
    !> In PETSc 3.18 an AO is an integer. In later releases an AO has this integer as its component v.
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

  public :: dap_petsc_restore, dap_petsc_discard, dap_petsc_load, dap_petsc_store, dap_petsc_halo, &
    dap_petsc_halo_reverse

  ! ---- for the other modules of dapbridge ----------------------------------------------------------

  public :: tell

  type, bind(c), public :: c_info
    integer(c_int64_t) :: objects(3) = 0
    logical(c_bool) :: shared(2) = .false.
    integer(c_int64_t) :: moved_bytes = 0
    character(kind=c_char) :: global(512) = c_null_char, local(512) = c_null_char
  end type

  ! ---- arguments of the shims ----------------------------------------------------------------------

  integer(c_int), parameter :: restoring = 0, discarding = 1, loading = 2, storing = 3, updating = 4

  interface
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
  end interface

contains

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

  ! ---- helpers -------------------------------------------------------------------------------------

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
