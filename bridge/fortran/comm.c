/* Converts Fortran's communicators to C's. */
#include "fortran_impl.h"

MPI_Comm dap_f_comm(const MPI_Fint *comm)
{
  int begun = 0, ended = 1;
  const bool is_running =
      MPI_Initialized(&begun) == MPI_SUCCESS && begun && MPI_Finalized(&ended) == MPI_SUCCESS && !ended;
  return is_running ? MPI_Comm_f2c(*comm) : MPI_COMM_NULL;
}
