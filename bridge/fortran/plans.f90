!> Plans move elements from one array to another. A plan is made once and can be run many times.
!>
!> All processes of a communicator must call these procedures in the same order. comm is an INTEGER or a
!> type(MPI_Comm).
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_plans
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use dapbridge_base
  use dapbridge_arrays
  implicit none
  private

  !> How elements move. DAP_TRANSPORT_DIRECT: processes on the same node copy elements from or to shared
  !> memory. DAP_TRANSPORT_STAGED: processes on the same node copy elements through a buffer in shared memory.
  !> DAP_TRANSPORT_MESSAGES: MPI sends the elements.
  integer, parameter, public :: DAP_TRANSPORT_DIRECT = 1, DAP_TRANSPORT_STAGED = 2, &
    DAP_TRANSPORT_MESSAGES = 4

  !> How the values that several processes have for an element are combined. DAP_COMBINE_NONE: the element has
  !> the owner's value. DAP_COMBINE_MAX and DAP_COMBINE_MIN require real elements.
  integer, parameter, public :: DAP_COMBINE_NONE = 0, DAP_COMBINE_SUM = 1, DAP_COMBINE_MAX = 2, &
    DAP_COMBINE_MIN = 3

  !> What happens to padding and ghosts in a reverse halo update. DAP_PADDING_KEEP: the values are not
  !> changed. DAP_PADDING_CLEAR: the values are set to 0. DAP_PADDING_REFRESH: the values are set to the
  !> owners' new values.
  integer, parameter, public :: DAP_PADDING_KEEP = 0, DAP_PADDING_CLEAR = 1, DAP_PADDING_REFRESH = 2

  !> Plan options, which must be the same on every process. The factors alpha and beta are not options, but
  !> arguments of dap_plan_create().
  type, bind(c), public :: dap_plan_options
    logical(c_bool) :: fill_halos = .false. !< also fill the destination's communication padding
    integer(c_int64_t) :: message_bytes = 0 !< size of the longest message, in bytes; 0 means the default
    integer(c_int64_t) :: memory_bytes = 0 !< limit on bytes for messages on each process; 0 means 64 MiB
    integer(c_int) :: transports = 0 !< sum of the allowed DAP_TRANSPORT_ constants; 0 means all
    logical(c_bool) :: conjugate = .false. !< conjugate complex elements
    logical(c_bool) :: from_owners = .false. !< read replicated elements from their owner
    logical(c_bool) :: lossy = .false. !< allow conversions that can lose values
    logical(c_bool) :: allow_empty = .false. !< allow a halo update that has nothing to fill
    type(c_ptr), private :: alpha = c_null_ptr, beta = c_null_ptr
    integer(c_int) :: combine = DAP_COMBINE_NONE !< how several values for an element are combined
    integer(c_int) :: padding = DAP_PADDING_KEEP !< what a reverse halo update does to padding and ghosts
    integer(c_int64_t) :: arrays = 0 !< number of arrays that one run moves together; 0 means 1
  end type

  !> Statistics of one run of a plan on this process.
  type, bind(c), public :: dap_plan_stats
    integer(c_int64_t) :: bytes_local !< bytes copied from source to destination on this process
    integer(c_int64_t) :: bytes_sent !< bytes sent to other processes, including bytes_handed_on
    integer(c_int64_t) :: bytes_received !< bytes received from other processes
    integer(c_int64_t) :: messages_sent !< messages sent; direct copies do not count
    integer(c_int64_t) :: messages_received !< messages received; direct copies do not count
    integer(c_int64_t) :: rounds !< largest number of messages to or from one process
    integer(c_int64_t) :: bytes_buffer !< memory for messages, in bytes
    integer(c_int64_t) :: bytes_plan !< all other memory of the plan, in bytes
    integer(c_int64_t) :: bytes_handed_on !< bytes received only to be sent on, included in bytes_sent
    integer(c_int64_t) :: phases !< 2 if elements pass through a third process, else 1
  end type

  !> A part of an array: a range of indices along each axis. Axes may be permuted, left out, or new.
  type, public :: dap_part
    !> (axes of the part) Axis j of the part is the array's axis axes(j); 0 means a new axis of extent 1. If
    !> not allocated: all axes
    integer, allocatable :: axes(:)
    !> (axes of the array) First index along each axis, counted from 1. For an axis that is left out: the
    !> index of the part along this axis. If not allocated: 1
    integer(int64), allocatable :: start(:)
    !> (axes of the array) Extents along the axes that are kept; ignored along other axes. If not allocated:
    !> up to the end of each axis
    integer(int64), allocatable :: shape(:)
  end type

  !> A plan. After an assignment both variables refer to the same plan.
  type, extends(dap_object), public :: dap_plan
  contains
    procedure, private :: assign => dap_f_assign_plan
    generic :: assignment(=) => assign
    final :: end_plan
  end type

  public :: dap_plan_create, dap_plan_create_halo, dap_plan_create_halo_reverse, dap_plan_run, &
    dap_plan_run_many, &
    dap_plan_begin, dap_plan_end, dap_plan_summarize, dap_redistribute
  !> Creates a plan whose factors are complex or real.
  interface dap_plan_create
    procedure dap_plan_create, create_alpha, create_beta
  end interface

  public :: c_part, c_part_of ! for the other modules of dapbridge

  !> The C form of dap_part.
  type, bind(c) :: c_part
    integer(c_int) :: naxes = -1, nstart = -1, nshape = -1
    type(c_ptr) :: axes = c_null_ptr, start = c_null_ptr, shape = c_null_ptr
  end type

  !> A side of a plan. Its factor is alpha or beta.
  type, bind(c) :: c_side
    type(c_ptr) :: array = c_null_ptr
    type(c_part) :: part
    type(c_ptr) :: factor = c_null_ptr
  end type

  interface
    !> This is not a procedure of the module: assign.f90 says why.
    impure elemental subroutine dap_f_assign_plan(left, right)
      import
      class(dap_plan), intent(out) :: left
      type(dap_plan), intent(in) :: right
    end subroutine
  end interface

  interface
    integer(c_int) function c_create(comm, from, to, options, plan, e) bind(c, name='dap_f_plan_create')
      import
      type(*), intent(in) :: comm
      type(c_side), intent(in) :: from, to
      type(dap_plan_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_create_halo(comm, array, is_reverse, options, plan, e) &
        bind(c, name='dap_f_plan_create_halo')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: array
      logical(c_bool), value :: is_reverse
      type(dap_plan_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_begin(plan, from, to, e) bind(c, name='dap_f_plan_begin')
      import
      type(c_ptr), value :: plan, from, to
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_end(plan, e) bind(c, name='dap_f_plan_end')
      import
      type(c_ptr), value :: plan
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_run(plan, from, to, e) bind(c, name='dap_f_plan_run')
      import
      type(c_ptr), value :: plan, from, to
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_run_many(plan, sources, from, destinations, to, e) bind(c, name='dap_f_plan_run_many')
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: sources, destinations
      type(c_ptr), intent(in) :: from(*), to(*)
      type(c_error), intent(inout) :: e
    end function
    subroutine c_summarize(plan, stats) bind(c, name='dap_f_plan_summarize')
      import
      type(c_ptr), value :: plan
      type(dap_plan_stats), intent(out) :: stats
    end subroutine
  end interface

contains

  !> Creates a plan that moves the elements of `from` to the same indices of `to`. With from_part and to_part,
  !> the plan moves a part of `from` to a part of `to` that has the same shape. The plan can be run with any
  !> arrays that have these layouts, strides and types. Elements are converted if the types differ. With alpha
  !> or beta the plan computes to = alpha * from + beta * to. Both factors are complex(real64), or both are
  !> real(real64). Without `options`, all options have their defaults. Collective on comm, which contains the
  !> processes of both layouts.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid or differs between processes, a lossy conversion was not allowed, or
  !>   memory_bytes is too small
  !> - DAP_ERR_BUFFER: elements of `to` overlap
  !> - DAP_ERR_UNSUPPORTED: two processes that exchange elements have no allowed transport in common
  !> - DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_plan_create(comm, from, to, plan, options, from_part, to_part, alpha, beta, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: from, to
    type(dap_plan), intent(inout) :: plan
    type(dap_plan_options), intent(in), optional :: options
    type(dap_part), intent(in), target, optional :: from_part, to_part
    complex(real64), intent(in), target, optional :: alpha, beta
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_create(comm, side_of(from, from_part, alpha), side_of(to, to_part, beta), options, &
      plan%handle, e), e, err)
  end subroutine

  !> Creates a plan with a real alpha, and with a real beta if this argument is present.
  subroutine create_alpha(comm, from, to, plan, options, from_part, to_part, alpha, beta, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: from, to
    type(dap_plan), intent(inout) :: plan
    type(dap_plan_options), intent(in), optional :: options
    type(dap_part), intent(in), target, optional :: from_part, to_part
    real(real64), intent(in) :: alpha
    real(real64), intent(in), optional :: beta
    type(dap_error), intent(out), optional :: err
    complex(real64), allocatable :: scale
    if (present(beta)) scale = beta
    call dap_plan_create(comm, from, to, plan, options, from_part, to_part, cmplx(alpha, kind=real64), scale, &
      err)
  end subroutine

  !> Creates a plan with a real beta and without alpha.
  subroutine create_beta(comm, from, to, plan, beta, options, from_part, to_part, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: from, to
    type(dap_plan), intent(inout) :: plan
    real(real64), intent(in) :: beta
    type(dap_plan_options), intent(in), optional :: options
    type(dap_part), intent(in), target, optional :: from_part, to_part
    type(dap_error), intent(out), optional :: err
    call dap_plan_create(comm, from, to, plan, options, from_part, to_part, &
      beta=cmplx(beta, kind=real64), err=err)
  end subroutine

  !> Creates a plan for the halo update of an array. A run fills communication padding, ghosts and copies with
  !> the owners' values. Without `options`, all options have their defaults. Run the plan with the same array
  !> as source and destination. Collective on comm.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid, or there is nothing to update and options%allow_empty is false
  !> - DAP_ERR_BUFFER, DAP_ERR_UNSUPPORTED, DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_plan_create_halo(comm, array, plan, options, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    type(dap_plan), intent(inout) :: plan
    type(dap_plan_options), intent(in), optional :: options
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_create_halo(comm, array%handle, .false._c_bool, options, plan%handle, e), &
      e, err)
  end subroutine

  !> Creates a plan that adds the values in padding and ghosts to the corresponding elements on the owning
  !> processes, for example to assemble finite elements. `options` may be left out. options%combine can
  !> replace the sum with another operation. Run the plan with the same array as source and destination.
  !> Collective on comm.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid, or there is nothing to add and options%allow_empty is false
  !> - DAP_ERR_BUFFER, DAP_ERR_UNSUPPORTED, DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_plan_create_halo_reverse(comm, array, plan, options, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    type(dap_plan), intent(inout) :: plan
    type(dap_plan_options), intent(in), optional :: options
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_create_halo(comm, array%handle, .true._c_bool, options, plan%handle, e), &
      e, err)
  end subroutine

  !> Runs a plan, which moves the elements of `from` to `to`. When the call returns, all elements have
  !> arrived. Collective on the plan's communicator.
  !> Errors:
  !> - DAP_ERR_ARG: an array does not have the layout, type or strides that the plan was made for; all
  !>   processes return this error
  !> - DAP_ERR_LIBRARY: MPI failed, or a process did not answer; the plan cannot be run again
  subroutine dap_plan_run(plan, from, to, err)
    type(dap_plan), intent(in) :: plan
    type(dap_array), intent(in) :: from, to
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_run(plan%handle, from%handle, to%handle, e), e, err)
  end subroutine

  !> Runs a plan on several arrays, and moves the elements of from(i) to to(i). `from` and `to` must each have
  !> options%arrays elements. When the call returns, all elements have arrived. Collective on the plan's
  !> communicator.
  !> Errors:
  !> - DAP_ERR_ARG: an array does not have the layout, type or strides that the plan was made for; all
  !>   processes return this error
  !> - DAP_ERR_LIBRARY: MPI failed, or a process did not answer; the plan cannot be run again
  subroutine dap_plan_run_many(plan, from, to, err)
    type(dap_plan), intent(in) :: plan
    type(dap_array), intent(in), target :: from(:), to(:)
    type(dap_error), intent(out), optional :: err
    type(c_ptr), allocatable :: sources(:), destinations(:)
    type(c_error) :: e
    call get_handles(from, sources)
    call get_handles(to, destinations)
    call finish(c_run_many(plan%handle, size(sources, kind=c_int64_t), sources, &
      size(destinations, kind=c_int64_t), destinations, e), e, err)
  end subroutine

  !> Returns the handles of the arrays. The result is empty if `arrays` is not allocated.
  subroutine get_handles(arrays, list)
    type(dap_array), intent(in), target :: arrays(:)
    type(c_ptr), allocatable, intent(out) :: list(:)
    integer :: i, count
    count = 0
    if (c_associated(c_loc(arrays))) count = size(arrays)
    allocate(list(count))
    do i = 1, count
      list(i) = arrays(i)%handle
    end do
  end subroutine

  !> Starts a run, which moves the elements of `from` to `to`. Until dap_plan_end() the program must not
  !> change elements of `from`, and must not access elements of `to`. Declare these arrays ASYNCHRONOUS, so
  !> that the compiler does not move accesses across the calls. Collective on the plan's communicator.
  !> Errors:
  !> - DAP_ERR_ARG: an array does not have the layout, type or strides that the plan was made for, or a run
  !>   of the plan is already active
  !> - DAP_ERR_LIBRARY
  subroutine dap_plan_begin(plan, from, to, err)
    type(dap_plan), intent(in) :: plan
    type(dap_array), intent(in) :: from, to
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_begin(plan%handle, from%handle, to%handle, e), e, err)
  end subroutine

  !> Completes the run that dap_plan_begin() started. Collective on the plan's communicator.
  !> Errors:
  !> - DAP_ERR_ARG: no run of the plan is active
  !> - DAP_ERR_LIBRARY: MPI failed, or a process did not answer; the plan cannot be run again
  subroutine dap_plan_end(plan, err)
    type(dap_plan), intent(in) :: plan
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_end(plan%handle, e), e, err)
  end subroutine

  !> Moves the elements of `from` to the same indices of `to`, with a plan that is made for this one run.
  !> Without `options`, all options have their defaults. Collective on comm, which contains the processes of
  !> both layouts.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid or differs between processes, a lossy conversion was not allowed, or
  !>   memory_bytes is too small
  !> - DAP_ERR_BUFFER: elements of `to` overlap
  !> - DAP_ERR_UNSUPPORTED: two processes that exchange elements have no allowed transport in common
  !> - DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_redistribute(comm, from, to, options, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: from, to
    type(dap_plan_options), intent(in), optional :: options
    type(dap_error), intent(out), optional :: err
    type(dap_plan) :: plan
    type(dap_error) :: own
    if (.not. present(err)) then
      call dap_plan_create(comm, from, to, plan, options)
      call dap_plan_run(plan, from, to)
    else
      call dap_plan_create(comm, from, to, plan, options, err=own)
      if (own%status == DAP_OK) call dap_plan_run(plan, from, to, own)
      err = own
    end if
    call dap_destroy(plan)
  end subroutine

  !> Returns this process's statistics of one run of a plan (bytes, messages, memory).
  type(dap_plan_stats) function dap_plan_summarize(plan)
    type(dap_plan), intent(in) :: plan
    call c_summarize(plan%handle, dap_plan_summarize)
  end function

  type(c_side) function side_of(array, part, factor) result(c)
    type(dap_array), intent(in) :: array
    type(dap_part), intent(in), target, optional :: part
    complex(real64), intent(in), target, optional :: factor
    c%array = array%handle
    c%part = c_part_of(part)
    if (present(factor)) c%factor = c_loc(factor)
  end function

  type(c_part) function c_part_of(part) result(c)
    type(dap_part), intent(in), target, optional :: part
    if (.not. present(part)) return
    if (allocated(part%axes)) then
      c%naxes = size(part%axes)
      c%axes = c_loc(part%axes)
    end if
    if (allocated(part%start)) then
      c%nstart = size(part%start)
      c%start = c_loc(part%start)
    end if
    if (allocated(part%shape)) then
      c%nshape = size(part%shape)
      c%shape = c_loc(part%shape)
    end if
  end function

  impure elemental subroutine end_plan(plan)
    type(dap_plan), intent(inout) :: plan
    call release(plan%handle)
  end subroutine
end module
