/* The context that a communicator has, if any. */
#include "comm_impl.h"

int dap_context_key(void)
{
  const dap_self *self = dap_self_lock(false);
  const int key = self ? self->context_key : MPI_KEYVAL_INVALID;
  dap_self_unlock();
  return key;
}

/* The same without MPI. The others go on to agree by the context, so that one which does not find it because
 * MPI fails here would leave them waiting. */
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
  const int key = dap_context_key();
  void *attribute = NULL;
  int found = 0;
  if (key == MPI_KEYVAL_INVALID) return NULL;
  if (MPI_Comm_get_attr(comm, key, &attribute, &found) != MPI_SUCCESS) return find_listed(comm);
  return found ? attribute : NULL;
}
