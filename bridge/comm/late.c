/* Finds which processes are late for a reduction, and reports them. */
#include "comm_impl.h"

#include <stdio.h>

enum {
  MOST_NAMED = 8, /* ranks in one line */
  REPORTERS = 16, /* processes that report a wait if none knows which process is late */
  TEXT = 320      /* bytes */
};

dap_board *dap_board_of(const dap_context *context, int node_rank)
{
  return (dap_board *)(void *)dap_pool_at(&context->pool, node_rank, 0, 0);
}

static bool has_come(const dap_context *context, int node_rank, uint64_t round)
{
  const dap_board *board = dap_board_of(context, node_rank);
  return atomic_load_explicit(&board->round, memory_order_relaxed) >= round;
}

/* Writes "rank 2, rank 5 have not come", or "rank 0 of this group has not come". */
static void name(const dap_context *context, uint64_t round, char text[TEXT])
{
  int late = 0;
  size_t length = 0;
  char ranks[TEXT - 64] = "", rest[32] = "";
  for (int rank = 0; rank < context->nprocs; rank++) {
    const int node_rank = context->node.node_ranks[rank];
    if (node_rank < 0 || has_come(context, node_rank, round) || ++late > MOST_NAMED) continue;
    char one[DAP_RANK_TEXT];
    dap_groups_rank(&context->groups, -1, rank, one);
    const int more = snprintf(ranks + length, sizeof ranks - length, "%s%s", late > 1 ? ", " : "", one);
    if (more > 0 && length + (size_t)more < sizeof ranks) length += (size_t)more;
  }
  if (late > MOST_NAMED) (void)snprintf(rest, sizeof rest, " and %d more", late - MOST_NAMED);
  if (late == 0)
    (void)snprintf(text, TEXT, "a process of another node has not come");
  else
    (void)snprintf(text, TEXT, "%s%s %s not come", ranks, rest, late == 1 ? "has" : "have");
}

/* Reports the wait if this is the first process of the node that has come. */
static void report_by_boards(const dap_context *context, uint64_t round, const char *function, dap_wait *wait)
{
  char late[TEXT], self[DAP_RANK_TEXT];
  int first = 0;
  while (first < context->node.rank && !has_come(context, first, round)) first++;
  wait->is_told = true;
  if (first < context->node.rank) return;
  name(context, round, late);
  dap_groups_rank(&context->groups, -1, context->rank, self);
  dap_wait_report(wait, function, self, late);
}

void dap_late_report(MPI_Comm comm, const dap_context *context, uint64_t round, const char *function,
                     dap_wait *wait)
{
  int rank = REPORTERS;
  char self[DAP_RANK_TEXT];
  if (!function || !dap_wait_is_long(wait)) return;
  if (context && round > 0) {
    report_by_boards(context, round, function, wait);
    return;
  }
  wait->is_told = true;
  if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank >= REPORTERS) return;
  dap_groups_rank(context ? &context->groups : NULL, -1, rank, self);
  dap_wait_report(wait, function, self, "another process has not come");
}
