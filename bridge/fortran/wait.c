/* Limits how long collective procedures wait for other processes. */
#include "fortran_impl.h"

#include <dapbridge/comm.h>

dap_status dap_f_wait_limit(const MPI_Fint *comm, double seconds, dap_error *err)
{
  return dap_wait_limit(dap_f_comm(comm), seconds, err);
}
