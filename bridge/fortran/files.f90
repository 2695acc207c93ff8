!> Arrays in files that other programs can read and write.
!>
!> The optional argument `err` receives the error of a procedure, or the status DAP_OK. Without `err`, an
!> error ends the program with the error's text.
module dapbridge_files
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use dapbridge_base
  use dapbridge_layouts
  use dapbridge_arrays
  use dapbridge_plans, only: dap_part, c_part, c_part_of
  implicit none
  private

  !> How dap_file_save() treats an existing file. DAP_FILE_REPLACE replaces the whole file. DAP_FILE_UPDATE
  !> overwrites elements in place. DAP_FILE_APPEND adds the array as one more step along the first axis of an
  !> HDF5 dataset.
  integer, parameter, public :: DAP_FILE_REPLACE = 0, DAP_FILE_UPDATE = 1, DAP_FILE_APPEND = 2

  !> Options of all file procedures, which must be the same on every process. `part` and `shape` are not
  !> options, but arguments of the procedures.
  type, bind(c), public :: dap_file_options
    integer(c_int) :: mode = DAP_FILE_REPLACE !< how dap_file_save() treats an existing file
    integer(c_int) :: dtype = 0 !< type in a new or a raw file, such as DAP_F4; 0 means the type of the array
    integer(c_int) :: writers = 0 !< processes on each node that read or write; 0 means two
    logical(c_bool) :: lossy = .false. !< allow a conversion that can lose values
    logical(c_bool) :: swapped = .false. !< a raw file's byte order is opposite to this machine's
    logical(c_bool) :: drop_layout = .false. !< do not store the layout with the data
    !> Storage order of a new or a raw file; ' ' means DAP_ORDER_C for HDF5 datasets, else DAP_ORDER_F
    character(kind=c_char) :: order = ' '
    integer(c_int64_t) :: offset = 0 !< number of bytes before the first element of a raw file
    integer(c_int64_t) :: align = 0 !< pieces of the file begin at multiples of this many bytes; 0 means 1 MiB
    integer(c_int64_t) :: memory_bytes = 0 !< limit on extra memory per process, in bytes; 0 means 64 MiB
    type(c_ptr) :: format = c_null_ptr !< such as dap_file_raw(); null if the path ends with .npy
  end type

  !> The description of an array in a file.
  type, public :: dap_file_info
    integer(int64), allocatable :: shape(:) !< extents
    integer :: dtype = 0 !< type of the elements, such as DAP_F8
    logical :: swapped = .false. !< the byte order is opposite to this machine's
    character :: order = DAP_ORDER_F !< storage order in the file
    integer(int64) :: offset = 0 !< bytes before the first element; -1: elements are not contiguous
    logical :: has_layout = .false. !< the layout was stored and fits the number of processes
    character(len=:), allocatable :: note !< why the stored layout was not used, or ''
  end type

  public :: dap_file_save, dap_file_load, dap_file_query, dap_file_npy, dap_file_raw, dap_file_hdf5

  !> The arguments of a procedure, except its array.
  type, bind(c) :: c_given
    type(dap_file_options) :: options
    type(c_part) :: part
    integer(c_int) :: nshape = -1 !< -1: there is no shape
    integer(c_int64_t) :: shape(DAP_MAX_NDIM) = 0
  end type

  !> The C form of dap_file_info.
  type, bind(c) :: c_info
    integer(c_int) :: ndim
    integer(c_int64_t) :: shape(DAP_MAX_NDIM)
    integer(c_int) :: dtype
    logical(c_bool) :: swapped
    integer(c_int) :: order
    integer(c_int64_t) :: offset
    logical(c_bool) :: has_layout
    character(kind=c_char) :: note(512)
  end type

  interface
    !> Returns the format of numpy's .npy files, for options%format.
    type(c_ptr) function dap_file_npy() bind(c, name='dap_file_npy')
      import
    end function
    !> Returns the format of files that contain only elements, for options%format.
    type(c_ptr) function dap_file_raw() bind(c, name='dap_file_raw')
      import
    end function
    !> Returns the format of HDF5 files, for options%format. A program that calls this function must be linked
    !> with dapbridge_hdf5.
    type(c_ptr) function dap_file_hdf5() bind(c, name='dap_file_hdf5')
      import
    end function
  end interface

  interface
    integer(c_int) function c_save(comm, array, path, given, e) bind(c, name='dap_f_file_save')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: array
      character(kind=c_char), intent(in) :: path(*)
      type(c_given), intent(in) :: given
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_load(comm, array, path, given, e) bind(c, name='dap_f_file_load')
      import
      type(*), intent(in) :: comm
      type(c_ptr), value :: array
      character(kind=c_char), intent(in) :: path(*)
      type(c_given), intent(in) :: given
      type(c_error), intent(inout) :: e
    end function
    integer(c_int) function c_query(comm, path, given, info, layout, e) bind(c, name='dap_f_file_query')
      import
      type(*), intent(in) :: comm
      character(kind=c_char), intent(in) :: path(*)
      type(c_given), intent(in) :: given
      type(c_info), intent(inout) :: info
      type(c_ptr), intent(inout) :: layout
      type(c_error), intent(inout) :: e
    end function
  end interface

contains

  !> Saves an array to a file. By default an existing file is replaced when the new one is complete.
  !> options%mode selects another treatment. Without `options`, all options have their defaults. With
  !> DAP_FILE_UPDATE, part selects the elements of the file's array that are overwritten. If only a part of a
  !> raw file is overwritten, `shape` is the shape of the whole array in the file. Collective on comm.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid or differs between processes, a lossy conversion was not allowed,
  !>   or memory_bytes is too small
  !> - DAP_ERR_UNSUPPORTED: the path has an unknown extension, or the format does not support the type or the
  !>   mode
  !> - DAP_ERR_FILE: the file cannot be written
  !> - DAP_ERR_BUFFER, DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_file_save(comm, array, path, options, part, shape, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    character(len=*), intent(in) :: path
    type(dap_file_options), intent(in), optional :: options
    type(dap_part), intent(in), target, optional :: part
    integer(int64), intent(in), optional :: shape(:)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_save(comm, array%handle, trim(path) // c_null_char, given_by(options, part, shape), e), e, &
      err)
  end subroutine

  !> Loads an array from a file. part selects the elements of the file's array that are loaded. For a raw
  !> file, `shape` contains the extents of the whole array in the file. Without `options`, all options have
  !> their defaults. Collective on comm.
  !> Errors, the same on every process:
  !> - DAP_ERR_ARG: an argument is invalid or differs between processes, shapes differ, a lossy conversion was
  !>   not allowed, or memory_bytes is too small
  !> - DAP_ERR_UNSUPPORTED: the path has an unknown extension, or the type of the file's elements is unknown
  !> - DAP_ERR_FILE: the file cannot be read, or is too short
  !> - DAP_ERR_BUFFER, DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_file_load(comm, array, path, options, part, shape, err)
    type(*), intent(in) :: comm
    type(dap_array), intent(in) :: array
    character(len=*), intent(in) :: path
    type(dap_file_options), intent(in), optional :: options
    type(dap_part), intent(in), target, optional :: part
    integer(int64), intent(in), optional :: shape(:)
    type(dap_error), intent(out), optional :: err
    type(c_error) :: e
    call finish(c_load(comm, array%handle, trim(path) // c_null_char, given_by(options, part, shape), e), e, &
      err)
  end subroutine

  !> Reads the shape, type and order of the array in a file into `info`, and makes a layout for the array or
  !> for a part of it. If the layout that was saved with the array has as many processes as comm, this layout
  !> is used. Otherwise the layout has even blocks along the first axis. For a raw file, `shape` contains the
  !> extents of the whole array in the file. Without `options`, all options have their defaults. Collective on
  !> comm.
  !> Errors, the same on every process:
  !> - DAP_ERR_UNSUPPORTED: the path has an unknown extension, or the type of the file's elements is unknown
  !> - DAP_ERR_FILE: the file cannot be read, or is too short
  !> - DAP_ERR_ARG, DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
  subroutine dap_file_query(comm, path, info, layout, options, part, shape, err)
    type(*), intent(in) :: comm
    character(len=*), intent(in) :: path
    type(dap_file_info), intent(out) :: info
    type(dap_layout), intent(inout) :: layout
    type(dap_file_options), intent(in), optional :: options
    type(dap_part), intent(in), target, optional :: part
    integer(int64), intent(in), optional :: shape(:)
    type(dap_error), intent(out), optional :: err
    integer(c_int) :: status
    type(c_info) :: found
    type(c_error) :: e
    character(len=:), allocatable :: note
    found%ndim = 0
    found%note = c_null_char
    status = c_query(comm, trim(path) // c_null_char, given_by(options, part, shape), found, layout%handle, e)
    if (status == DAP_OK) then
      note = in_words(found%note) ! gfortran never frees a function's text that it copies into a structure
      info = dap_file_info(found%shape(:found%ndim), found%dtype, logical(found%swapped), achar(found%order), &
        found%offset, logical(found%has_layout), note)
    end if
    call finish(status, e, err)
  end subroutine

  !> Passes the number of axes to C, which refuses a shape with too many axes.
  type(c_given) function given_by(options, part, shape) result(c)
    type(dap_file_options), intent(in), optional :: options
    type(dap_part), intent(in), target, optional :: part
    integer(int64), intent(in), optional :: shape(:)
    integer :: count
    if (present(options)) c%options = options
    c%part = c_part_of(part)
    if (.not. present(shape)) return
    c%nshape = size(shape)
    count = min(size(shape), DAP_MAX_NDIM)
    c%shape(:count) = shape(:count)
  end function
end module
