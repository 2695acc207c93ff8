/* Counts reductions. Before the processes make a plan, they exchange their descriptors in one long
 * reduction of 64-bit numbers. ScaLAPACK and PETSc make no such reductions. */
#ifndef DAP_TEST_GEMR2D_REDUCTIONS_H
#define DAP_TEST_GEMR2D_REDUCTIONS_H

#include <mpi.h>

enum { LONG = 40 /* numbers: longer reductions belong to new calls */ };

/* The program defines this function. */
static void count_reduction(int count, MPI_Datatype type);

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  count_reduction(count, type);
  return PMPI_Allreduce(mine, all, count, type, op, comm);
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
  count_reduction(count, type);
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}

#endif
