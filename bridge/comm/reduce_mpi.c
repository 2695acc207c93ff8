/* Reduces few words by MPI, between nodes and before a communicator has a context. */
#include "comm_impl.h"

enum { MOST_PROCS = 64 /* with more, MPI's tree is faster than reading all boards */ };

bool dap_reduce_has_node(const dap_context *context)
{
  return context->node.size == context->nprocs && context->nprocs <= MOST_PROCS;
}

/* Counts the reduction on this process's board, from which others see whether it has come. 0: it has no
 * board. */
static uint64_t count_round(dap_context *context)
{
  if (!context || context->pool.segment_count == 0 || dap_reduce_has_node(context)) return 0;
  atomic_store_explicit(&dap_board_of(context, context->node.rank)->round, ++context->round,
                        memory_order_relaxed);
  return context->round;
}

/* On error it waits all the same, because the words are MPI's until the reduction is over. */
dap_status dap_reduce_complete(MPI_Comm comm, const dap_context *context, uint64_t round,
                               const char *function, MPI_Request *request, dap_error *err)
{
  int over = 0;
  dap_wait wait = {.node = context ? &context->node : NULL};
  for (;;) {
    const dap_status s = dap_mpi_check(MPI_Test(request, &over, MPI_STATUS_IGNORE), "MPI_Test", err);
    if (s) (void)MPI_Wait(request, MPI_STATUS_IGNORE);
    if (s || over) return s;
    if (dap_wait_step(&wait)) dap_late_report(comm, context, round, function, &wait);
  }
}

static MPI_Op operation(dap_reduction reduction)
{
  return reduction == DAP_REDUCE_AND ? MPI_BAND : MPI_MIN;
}

dap_status dap_reduce_start(MPI_Comm comm, dap_reduction reduction, int64_t words[], int count,
                            MPI_Request *request, dap_error *err)
{
  return dap_mpi_check(
      MPI_Iallreduce(MPI_IN_PLACE, words, count, MPI_INT64_T, operation(reduction), comm, request),
      "MPI_Iallreduce", err);
}

dap_status dap_reduce_by_mpi(MPI_Comm comm, dap_context *context, const char *function,
                             dap_reduction reduction, int64_t words[], int count, dap_error *err)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (dap_limit_of(comm)) return dap_allreduce(comm, words, count, MPI_INT64_T, operation(reduction), err);
  const uint64_t round = count_round(context);
  DAP_TRY(dap_reduce_start(comm, reduction, words, count, &request, err));
  return dap_reduce_complete(comm, context, round, function, &request, err);
}
