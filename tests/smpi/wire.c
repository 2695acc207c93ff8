#include "wire.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static wire counted;
static bool *is_peer; /* [nprocs]; NULL: nothing is counted */

void wire_start(int nprocs)
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

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request);

/* SimGrid 3.32's own takes a message from each process to each, and, in place, sends memory that it has
 * freed. A reduction that blocks will do, as all processes of a plan begin its runs in the same order. */
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
  if (is_peer && type != MPI_INT64_T) { /* elements, as bytes or, handed on, in a type of their own */
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

int __real_MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request *request);

int __wrap_MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
  counted.received += is_peer && type != MPI_INT64_T;
  return __real_MPI_Irecv(buffer, count, type, from, tag, comm, request);
}

/* Its algorithms send empty messages, too, a thousand from each of a thousand ranks, and wait in a time that
 * is the square of that. */
int __wrap_MPI_Alltoallv(const void *from, const int counts[], const int first[], MPI_Datatype type, void *to,
                         const int to_counts[], const int to_first[], MPI_Datatype to_type, MPI_Comm comm);

int __wrap_MPI_Alltoallv(const void *from, const int counts[], const int first[], MPI_Datatype type, void *to,
                         const int to_counts[], const int to_first[], MPI_Datatype to_type, MPI_Comm comm)
{
  int size = 0, bytes = 0, used = 0;
  MPI_Comm_size(comm, &size);
  MPI_Type_size(type, &bytes); /* both are the same, without gaps */
  MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
  for (int p = 0; p < size; p++)
    if (to_counts[p] > 0)
      __real_MPI_Irecv((char *)to + (int64_t)to_first[p] * bytes, to_counts[p], to_type, p, 0, comm,
                       &requests[used++]);
  for (int p = 0; p < size; p++)
    if (counts[p] > 0)
      __real_MPI_Isend((const char *)from + (int64_t)first[p] * bytes, counts[p], type, p, 0, comm,
                       &requests[used++]);
  const int code = MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
  free(requests);
  return code;
}
/* NOLINTEND(bugprone-reserved-identifier) */
