/* Chooses the processes that read and write: a few of each node, or all if each has its piece of the file in
 * memory. */
#include "file_impl.h"

#include <stdlib.h>

enum { WRITERS = 2 /* of a node */ };

/* Returns whether a process is a writer, by its place among the `size` processes of its node. `count` of them
 * are, spread evenly, and the first is one. */
static bool is_chosen(int place, int size, int count)
{
  if (count >= size) return true;
  return (int64_t)place * count % size < count;
}

/* Lists the writers' ranks in ascending order. hosts[nprocs] is the lowest rank of each process's node. */
static dap_status choose(const dap_file_call *call, const int hosts[], dap_file_writers *writers,
                         dap_error *err)
{
  const int nprocs = call->context->nprocs, wanted = call->options.writers ? call->options.writers : WRITERS;
  int *size = calloc((size_t)nprocs * 2, sizeof *size);
  writers->ranks = malloc((size_t)nprocs * sizeof *writers->ranks);
  if (!size || !writers->ranks) {
    free(size);
    return dap_fail(err, DAP_ERR_NOMEM, "no memory for the writers of %d processes", nprocs);
  }
  int *place = size + nprocs;
  for (int r = 0; r < nprocs; r++) size[hosts[r]]++;
  for (int r = 0; r < nprocs; r++) {
    if (!call->is_direct && !is_chosen(place[hosts[r]]++, size[hosts[r]], wanted)) continue;
    if (r == call->context->rank) writers->self = writers->count;
    writers->ranks[writers->count++] = r;
  }
  free(size);
  return DAP_OK;
}

static dap_status split(const dap_file_call *call, MPI_Comm *comm, dap_error *err)
{
  const int color = call->writers.self >= 0 ? 0 : MPI_UNDEFINED;
  DAP_TRY(dap_barrier(call->context->comm, err));
  return dap_mpi_check(MPI_Comm_split(call->context->comm, color, call->context->rank, comm),
                       "MPI_Comm_split", err);
}

dap_status dap_file_find_writers(dap_file_call *call, dap_error *err)
{
  const int *hosts;
  DAP_TRY(dap_context_hosts(call->context, &hosts, err));
  DAP_TRY(dap_file_agree(call, choose(call, hosts, &call->writers, err), err));
  return dap_file_agree(call, split(call, &call->writers.comm, err), err);
}

void dap_file_free_writers(dap_file_writers *writers)
{
  if (writers->comm != MPI_COMM_NULL && dap_mpi_is_running()) (void)MPI_Comm_free(&writers->comm);
  free(writers->ranks);
  *writers = (dap_file_writers){.self = -1, .comm = MPI_COMM_NULL};
}
