!> The part of the module mpi_f08 that tests take here, for a compiler that Open MPI's modules and mpif.h are not
!> made for: flang has no REAL of 16 bytes.
module mpi_handles
  implicit none
  include 'mpif-handles.h'
end module

module mpi_f08
  use mpi_handles, only: world => MPI_COMM_WORLD, MPI_INTEGER, MPI_SUM
  implicit none
  private
  public :: MPI_Comm, MPI_COMM_WORLD, MPI_INTEGER, MPI_SUM
  public :: MPI_Init, MPI_Finalize, MPI_Comm_rank, MPI_Comm_size, MPI_Allreduce

  type, bind(c) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(world)

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
    subroutine reduce(from, to, count, type, op, comm, code) bind(c, name='mpi_allreduce_')
      integer, intent(in) :: from, count, type, op, comm
      integer, intent(inout) :: to
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

  subroutine MPI_Allreduce(from, to, count, type, op, comm)
    integer, intent(in) :: from, count, type, op
    integer, intent(inout) :: to
    type(MPI_Comm), intent(in) :: comm
    integer :: code
    call reduce(from, to, count, type, op, comm%MPI_VAL, code)
  end subroutine
end module
