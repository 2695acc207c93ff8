!> p?gemr2d by name, in a program that is linked with the drop-in before ScaLAPACK and uses nothing else of the
!> library's.
program test_gemr2d
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use checks
  use descriptors
  use mpi_f08
  implicit none
  integer, parameter :: m = 29, n = 17
  !> Contexts: of all processes, in column-major order; of all but the last one, in one row.
  integer :: square, flat
  integer :: grid(2)

  !> dladdr()'s Dl_info.
  type, bind(c) :: symbol_info
    type(c_ptr) :: file, base, name, address
  end type
  interface
    type(c_ptr) function dlsym(handle, name) bind(c)
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function dladdr(address, info) bind(c)
      import
      type(c_ptr), value :: address
      type(symbol_info), intent(out) :: info
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface

  call start()
  grid = grid_of()
  call blacs_get(-1, 0, square)
  call blacs_gridinit(square, 'C', grid(1), grid(2))
  call blacs_get(-1, 0, flat)
  call blacs_gridinit(flat, 'R', 1, max(nprocs - 1, 1))
  call is_the_drop_in('pigemr2d_')
  call is_the_drop_in('psgemr2d_')
  call is_the_drop_in('pdgemr2d_')
  call is_the_drop_in('pcgemr2d_')
  call is_the_drop_in('pzgemr2d_')
  call move_i4()
  call move_r4()
  call move_r8()
  call move_c4()
  call move_c8()
  call blacs_gridexit(square)
  if (flat >= 0) call blacs_gridexit(flat)
  call conclude()

contains

  !> ScaLAPACK has the same names: whose are they in this program?
  subroutine is_the_drop_in(name)
    character(len=*), intent(in) :: name
    type(symbol_info) :: info
    character(kind=c_char), pointer :: file(:)
    character(len=:), allocatable :: path
    integer :: i
    if (dladdr(dlsym(c_null_ptr, name // c_null_char), info) == 0) then
      call expect(.false., name)
      return
    end if
    call c_f_pointer(info%file, file, [strlen(info%file)])
    allocate(character(len=size(file)) :: path)
    do i = 1, size(file)
      path(i:i) = file(i)
    end do
    call expect_text(path, 'dapbridge_gemr2d')
  end subroutine

#define NO_I8
#define BODY "gemr2d_of.inc"
#include "each_type.inc"
end program
