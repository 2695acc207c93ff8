/* Finds the context of a communicator. */
#include "comm_impl.h"

/* Finds the context without MPI, for a process where MPI fails. The others agree by the context, and would
 * wait for a process that did not find it. */
static dap_context *find_listed(MPI_Comm comm)
{
  const dap_self *self = dap_self_lock(false);
  dap_context *context = self ? self->contexts : NULL;
  while (context && context->owner != comm && context->comm != comm) context = context->next;
  dap_self_unlock();
  return context;
}

dap_context *dap_context_find(MPI_Comm comm)
{
  const int key = dap_self_key(DAP_KEY_CONTEXT);
  void *attribute = NULL;
  int found = 0;
  if (key == MPI_KEYVAL_INVALID) return NULL;
  if (MPI_Comm_get_attr(comm, key, &attribute, &found) != MPI_SUCCESS) return find_listed(comm);
  return found ? attribute : NULL;
}
