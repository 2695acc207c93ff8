/* The context that a communicator has, if any. */
#include "comm_impl.h"

int dap_context_key(void)
{
  const dap_self *self = dap_self_lock(false);
  const int key = self ? self->context_key : MPI_KEYVAL_INVALID;
  dap_self_unlock();
  return key;
}

dap_status dap_context_find(MPI_Comm comm, dap_context **context, dap_error *err)
{
  const int key = dap_context_key();
  void *attribute = NULL;
  int found = 0;
  *context = NULL;
  if (key == MPI_KEYVAL_INVALID) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Comm_get_attr(comm, key, &attribute, &found), "MPI_Comm_get_attr", err));
  if (found) *context = attribute;
  return DAP_OK;
}
