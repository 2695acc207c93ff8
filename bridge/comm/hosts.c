/* Finds which processes of a communicator share a node, for all of them. */
#include "comm_impl.h"

#include <stdlib.h>

dap_status dap_context_hosts(dap_context *context, const int **hosts, dap_error *err)
{
  *hosts = context->hosts;
  if (context->hosts) return DAP_OK;
  int own = 0; /* the lowest rank on this process's node is the node's number */
  while (context->node.node_ranks[own] < 0) own++;
  int *made = malloc((size_t)context->nprocs * sizeof *made);
  dap_status s =
      made ? DAP_OK
           : dap_fail(err, DAP_ERR_NOMEM, "no memory for the nodes of %d processes", context->nprocs);
  s = dap_agree(context->comm, s, err);
  if (!s) s = dap_agree(context->comm, dap_allgather(context->comm, &own, made, 1, MPI_INT, err), err);
  if (s) {
    free(made);
    return s;
  }
  *hosts = context->hosts = made;
  return DAP_OK;
}
