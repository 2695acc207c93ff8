/* Finds which processes of a communicator share a node, for all of them. */
#include "comm_impl.h"

#include <stdlib.h>

/* Returns the lowest rank on this process's node, which is the node's number. */
static int find_host(const dap_context *context)
{
  int rank = 0;
  while (context->node.node_ranks[rank] < 0) rank++;
  return rank;
}

dap_status dap_context_hosts(dap_context *context, const int **hosts, dap_error *err)
{
  *hosts = context->hosts;
  if (context->hosts) return DAP_OK;
  const int own = find_host(context);
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
