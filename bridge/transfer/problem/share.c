/* Sends the layouts of a plan to the processes that were given none. */
#include "problem_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static dap_status take_own(const dap_side *given, dap_problem_side *side, dap_error *err)
{
  if (!given->layout || side->layout) return DAP_OK;
  DAP_TRY(dap_layout_check(given->layout, err));
  side->layout = dap_layout_retain(given->layout);
  if (!given->ranks) return DAP_OK;
  const size_t bytes = (size_t)side->layout->nprocs * sizeof *side->ranks;
  side->ranks = malloc(bytes);
  DAP_REQUIRE(side->ranks, err, DAP_ERR_NOMEM, "no memory for the ranks of %d processes",
              side->layout->nprocs);
  memcpy(side->ranks, given->ranks, bytes);
  return DAP_OK;
}

/* Sends a layout from rank `root` to all; processes that have one keep it. */
static dap_status broadcast_layout(MPI_Comm comm, int rank, int root, const dap_side *given,
                                   dap_problem_side *side, dap_error *err)
{
  dap_side_message m = {.root = root};
  dap_status s = dap_side_message_send(comm, rank, given, given->ranks, &m, err);
  s = dap_agree(comm, s, err);
  if (!s) s = dap_side_message_receive(comm, &m, given->layout ? NULL : &side->layout, &side->ranks, err);
  free(m.words);
  return dap_agree(comm, s, err);
}

dap_status dap_problem_take(const dap_side *from, const dap_side *to, dap_problem *problem, dap_error *err)
{
  DAP_REQUIRE(from && to, err, DAP_ERR_ARG, "%s must not be NULL", from ? "to" : "from");
  DAP_TRY(take_own(from, &problem->from, err));
  return take_own(to, &problem->to, err);
}

dap_status dap_problem_receive(dap_received_sides *received, dap_problem *problem)
{
  if (!received || received->status) return received ? received->status : DAP_OK;
  problem->from.layout = received->layouts[0];
  problem->to.layout = received->layouts[1];
  problem->from.ranks = received->ranks[0];
  problem->to.ranks = received->ranks[1];
  *received = (dap_received_sides){.status = DAP_OK};
  return DAP_OK;
}

void dap_problem_write_known(const dap_problem *problem, int rank, int64_t least[])
{
  const bool knows[] = {problem->from.layout != NULL, problem->to.layout != NULL};
  for (int k = 0; k < 2; k++) {
    least[DAP_FROM_RANK + k] = knows[k] ? rank : INT_MAX;
    least[DAP_FROM_IS_KNOWN + k] = knows[k];
  }
}

dap_status dap_problem_complete(MPI_Comm comm, int rank, const int64_t least[], const dap_side *from,
                                const dap_side *to, dap_problem *problem, dap_error *err)
{
  if (least[DAP_FROM_RANK] == INT_MAX || least[DAP_TO_RANK] == INT_MAX) { /* found on every process alike */
    const char *name = least[DAP_FROM_RANK] == INT_MAX ? "from" : "to";
    return dap_agree(comm, dap_fail(err, DAP_ERR_ARG, "%s: the layout is NULL on every process", name), err);
  }
  if (!least[DAP_FROM_IS_KNOWN])
    DAP_TRY(broadcast_layout(comm, rank, (int)least[DAP_FROM_RANK], from, &problem->from, err));
  if (!least[DAP_TO_IS_KNOWN])
    DAP_TRY(broadcast_layout(comm, rank, (int)least[DAP_TO_RANK], to, &problem->to, err));
  return DAP_OK;
}

dap_status dap_problem_share(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                             dap_problem *problem, dap_error *err)
{
  int rank = 0;
  dap_agreement a = {.function = function};
  a.status = dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
  if (!a.status) a.status = dap_problem_take(from, to, problem, err);
  dap_problem_write_known(problem, rank, a.least);
  DAP_TRY(dap_agree_first(comm, &a, err));
  return dap_problem_complete(comm, rank, a.least, from, to, problem, err);
}
