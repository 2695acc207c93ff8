#include "mpi_calls.h"

#include <mpi.h>

int mpi_calls_made[MPI_CALLS], mpi_calls_failing[MPI_CALLS];

static bool fails(mpi_call call)
{
  mpi_calls_made[call]++;
  return mpi_calls_failing[call] > 0 && --mpi_calls_failing[call] == 0;
}

#define FAILING(call, name, declared, given)                                                                 \
  int name declared                                                                                          \
  {                                                                                                          \
    return fails(call) ? MPI_ERR_OTHER : P##name given;                                                      \
  }
FAILING(MPI_CALL_SEND, MPI_Isend,
        (const void *at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
        (at, count, type, to, tag, comm, request))
FAILING(MPI_CALL_RECEIVE, MPI_Irecv,
        (void *at, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
        (at, count, type, from, tag, comm, request))
FAILING(MPI_CALL_TEST, MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status),
        (request, flag, status))
