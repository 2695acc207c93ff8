#include "any.h"

#include <mpi.h>

bool any(bool own)
{
  int all = own;
  (void)PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return all;
}
