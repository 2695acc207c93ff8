#include "mpi_calls.h"

#include <mpi.h>

int mpi_calls_made[MPI_CALLS], mpi_calls_failing[MPI_CALLS];

static bool fails(mpi_call call)
{
  mpi_calls_made[call]++;
  return mpi_calls_failing[call] > 0 && --mpi_calls_failing[call] == 0;
}

int MPI_Isend(const void *at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  if (fails(MPI_CALL_SEND)) return MPI_ERR_OTHER;
  return PMPI_Isend(at, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *at, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
  if (fails(MPI_CALL_RECEIVE)) return MPI_ERR_OTHER;
  return PMPI_Irecv(at, count, type, from, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  if (fails(MPI_CALL_TEST)) return MPI_ERR_OTHER;
  return PMPI_Test(request, flag, status);
}
