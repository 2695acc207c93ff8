/* Replaces functions that are wrong or slow in SimGrid 3.32, by the linker (-Wl,--wrap). */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

/* The linker requires these names. NOLINTBEGIN(bugprone-reserved-identifier) */
__typeof__(MPI_Iallreduce) __wrap_MPI_Iallreduce;
__typeof__(MPI_Alltoallv) __wrap_MPI_Alltoallv;

/* SimGrid 3.32's function sends a message from each process to each, and, in place, sends memory that it
 * has freed. A blocking reduction is enough, because all processes of a plan begin its runs in the same
 * order. */
int __wrap_MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request)
{
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(from, to, count, type, op, comm);
}

/* SimGrid's algorithms also send empty messages, a thousand from each of a thousand ranks. Their waiting
 * time is the square of that. */
int __wrap_MPI_Alltoallv(const void *from, const int counts[], const int first[], MPI_Datatype type, void *to,
                         const int to_counts[], const int to_first[], MPI_Datatype to_type, MPI_Comm comm)
{
  int size = 0, bytes = 0, used = 0;
  MPI_Comm_size(comm, &size);
  MPI_Type_size(type, &bytes); /* both types are the same, without gaps */
  MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
  for (int p = 0; p < size; p++)
    if (to_counts[p] > 0)
      MPI_Irecv((char *)to + (int64_t)to_first[p] * bytes, to_counts[p], to_type, p, 0, comm,
                &requests[used++]);
  for (int p = 0; p < size; p++)
    if (counts[p] > 0)
      MPI_Isend((const char *)from + (int64_t)first[p] * bytes, counts[p], type, p, 0, comm,
                &requests[used++]);
  const int code = MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
  free(requests);
  return code;
}
/* NOLINTEND(bugprone-reserved-identifier) */
