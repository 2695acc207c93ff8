/* Counts messages by functions that the linker puts in the place of MPI's (-Wl,--wrap), because the
 * simulator's functions precede those that a program only defines. */
#include "check.h"

#include <stddef.h>
#include <stdlib.h>

static wire counted;
static bool *is_peer; /* [nprocs]; NULL: not counting */

void wire_start(void)
{
  counted = (wire){0};
  is_peer = calloc((size_t)nprocs, sizeof *is_peer);
}

wire wire_end(void)
{
  free(is_peer);
  is_peer = NULL;
  return counted;
}

/* The linker requires these names. NOLINTBEGIN(bugprone-reserved-identifier) */
__typeof__(MPI_Isend) __real_MPI_Isend, __wrap_MPI_Isend;
__typeof__(MPI_Irecv) __real_MPI_Irecv, __wrap_MPI_Irecv;
__typeof__(MPI_Test) __real_MPI_Test, __wrap_MPI_Test;

/* SimGrid 3.32 does not set the flag without a request and a status. */
int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  *flag = 1;
  return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : __real_MPI_Test(request, flag, status);
}

int __wrap_MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
  if (is_peer && type != MPI_INT64_T) { /* elements: as bytes, or forwarded in a datatype of their own */
    int size = 0;
    MPI_Type_size(type, &size);
    counted.messages++;
    counted.bytes += (int64_t)count * size;
    counted.peers += !is_peer[to];
    is_peer[to] = true;
  } else if (is_peer) {
    counted.numbers++;
  }
  return __real_MPI_Isend(buffer, count, type, to, tag, comm, request);
}

int __wrap_MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
  counted.received += is_peer && type != MPI_INT64_T;
  return __real_MPI_Irecv(buffer, count, type, from, tag, comm, request);
}

/* NOLINTEND(bugprone-reserved-identifier) */
