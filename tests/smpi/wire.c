#include "wire.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

static wire sent;
static bool *is_peer; /* [nprocs]; NULL: nothing is counted */

void wire_start(int nprocs)
{
  sent = (wire){0};
  is_peer = calloc((size_t)nprocs, sizeof *is_peer);
}

wire wire_end(void)
{
  free(is_peer);
  is_peer = NULL;
  return sent;
}

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request);

/* SimGrid 3.32's own takes a message from each process to each, and, in place, sends memory that it has freed.
 * A reduction that blocks will do, as all processes of a plan begin its runs in the same order. */
int __wrap_MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request)
{
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(from, to, count, type, op, comm);
}

/* Nor does it set the flag where there is no request and no status. */
int __real_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);

int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  *flag = 1;
  return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : __real_MPI_Test(request, flag, status);
}

int __wrap_MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
  if (is_peer && type == MPI_BYTE) {
    sent.messages++;
    sent.bytes += count;
    sent.peers += !is_peer[to];
    is_peer[to] = true;
  } else if (is_peer) {
    sent.numbers++;
  }
  return __real_MPI_Isend(buffer, count, type, to, tag, comm, request);
}
/* NOLINTEND(bugprone-reserved-identifier) */
