!> Provides the part of the module mpi_f08 that the tests use, for flang. Open MPI's modules and mpif.h do not
!> suit it, because it lacks REAL of 16 bytes.
module mpi_handles
  implicit none
  include 'mpif-handles.h'
end module

module mpi_constants
  implicit none
  include 'mpif-constants.h'
end module

module mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_handles, only: world => MPI_COMM_WORLD, null => MPI_COMM_NULL, MPI_INTEGER, MPI_INTEGER8, &
    MPI_CHARACTER, MPI_SUM
  use mpi_constants, only: MPI_UNDEFINED
  implicit none
  private
  public :: MPI_Comm, MPI_COMM_WORLD, MPI_COMM_NULL, MPI_INTEGER, MPI_INTEGER8, MPI_CHARACTER, MPI_SUM, &
    MPI_UNDEFINED
  public :: MPI_Init, MPI_Finalize, MPI_Comm_rank, MPI_Comm_size, MPI_Comm_dup, MPI_Comm_split, MPI_Comm_free, &
    MPI_Barrier, MPI_Allreduce, MPI_Allgather, MPI_Bcast

  type, bind(c) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(world), MPI_COMM_NULL = MPI_Comm(null)

  interface MPI_Allreduce
    procedure reduce_integer, reduce_integer8
  end interface

  !> Open MPI's Fortran calls. A type(*) of assumed size accepts any buffer.
  interface
    subroutine begin(code) bind(c, name='mpi_init_')
      integer, intent(out) :: code
    end subroutine
    subroutine end(code) bind(c, name='mpi_finalize_')
      integer, intent(out) :: code
    end subroutine
    subroutine rank_of(comm, rank, code) bind(c, name='mpi_comm_rank_')
      integer, intent(in) :: comm
      integer, intent(out) :: rank, code
    end subroutine
    subroutine size_of(comm, size, code) bind(c, name='mpi_comm_size_')
      integer, intent(in) :: comm
      integer, intent(out) :: size, code
    end subroutine
    subroutine dup(comm, new, code) bind(c, name='mpi_comm_dup_')
      integer, intent(in) :: comm
      integer, intent(out) :: new, code
    end subroutine
    subroutine split(comm, color, key, new, code) bind(c, name='mpi_comm_split_')
      integer, intent(in) :: comm, color, key
      integer, intent(out) :: new, code
    end subroutine
    subroutine free(comm, code) bind(c, name='mpi_comm_free_')
      integer, intent(inout) :: comm
      integer, intent(out) :: code
    end subroutine
    subroutine wait(comm, code) bind(c, name='mpi_barrier_')
      integer, intent(in) :: comm
      integer, intent(out) :: code
    end subroutine
    subroutine reduce(from, to, count, type, op, comm, code) bind(c, name='mpi_allreduce_')
      type(*), intent(in) :: from(*)
      type(*) :: to(*)
      integer, intent(in) :: count, type, op, comm
      integer, intent(out) :: code
    end subroutine
    subroutine gather(from, count, type, to, each, type_there, comm, code) bind(c, name='mpi_allgather_')
      type(*), intent(in) :: from(*)
      type(*) :: to(*)
      integer, intent(in) :: count, type, each, type_there, comm
      integer, intent(out) :: code
    end subroutine
    subroutine send(buffer, count, type, root, comm, code) bind(c, name='mpi_bcast_')
      type(*) :: buffer(*)
      integer, intent(in) :: count, type, root, comm
      integer, intent(out) :: code
    end subroutine
  end interface

contains

  subroutine MPI_Init()
    integer :: code
    call begin(code)
  end subroutine

  subroutine MPI_Finalize()
    integer :: code
    call end(code)
  end subroutine

  subroutine MPI_Comm_rank(comm, rank)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: rank
    integer :: code
    call rank_of(comm%MPI_VAL, rank, code)
  end subroutine

  subroutine MPI_Comm_size(comm, size)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: size
    integer :: code
    call size_of(comm%MPI_VAL, size, code)
  end subroutine

  subroutine MPI_Comm_dup(comm, new)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Comm), intent(out) :: new
    integer :: code
    call dup(comm%MPI_VAL, new%MPI_VAL, code)
  end subroutine

  subroutine MPI_Comm_split(comm, color, key, new)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: color, key
    type(MPI_Comm), intent(out) :: new
    integer :: code
    call split(comm%MPI_VAL, color, key, new%MPI_VAL, code)
  end subroutine

  subroutine MPI_Comm_free(comm)
    type(MPI_Comm), intent(inout) :: comm
    integer :: code
    call free(comm%MPI_VAL, code)
  end subroutine

  subroutine MPI_Barrier(comm)
    type(MPI_Comm), intent(in) :: comm
    integer :: code
    call wait(comm%MPI_VAL, code)
  end subroutine

  subroutine reduce_integer(from, to, count, type, op, comm)
    integer, intent(in) :: from, count, type, op
    integer, intent(inout) :: to
    type(MPI_Comm), intent(in) :: comm
    integer :: code, mine(1), all(1)
    mine = from
    call reduce(mine, all, count, type, op, comm%MPI_VAL, code)
    to = all(1)
  end subroutine

  subroutine reduce_integer8(from, to, count, type, op, comm)
    integer(int64), intent(in) :: from
    integer(int64), intent(inout) :: to
    integer, intent(in) :: count, type, op
    type(MPI_Comm), intent(in) :: comm
    integer(int64) :: mine(1), all(1)
    integer :: code
    mine = from
    call reduce(mine, all, count, type, op, comm%MPI_VAL, code)
    to = all(1)
  end subroutine

  subroutine MPI_Allgather(from, count, type, to, each, type_there, comm)
    character(len=*), intent(in) :: from
    integer, intent(in) :: count, type, each, type_there
    character(len=*), intent(inout) :: to(*)
    type(MPI_Comm), intent(in) :: comm
    integer :: code
    call gather([from], count, type, to, each, type_there, comm%MPI_VAL, code)
  end subroutine

  subroutine MPI_Bcast(text, count, type, root, comm)
    character(len=*), intent(inout) :: text
    integer, intent(in) :: count, type, root
    type(MPI_Comm), intent(in) :: comm
    character(len=len(text)) :: sent(1)
    integer :: code
    sent = text
    call send(sent, count, type, root, comm%MPI_VAL, code)
    text = sent(1)
  end subroutine
end module
