/* Sends the layouts of a plan to the processes that were given none. */
#include "problem_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- as numbers ------------------------------------------------------------------------------------- */

/* Words of the message that precedes it: how many it has, and how many of them are ranks. */
enum { COUNT, RANKS, HEAD };

/* A layout as words: first the ranks of its processes, if any, then the layout. */
typedef struct message {
  int64_t head[HEAD]; /* COUNT -1: the message could not be written */
  int64_t *words;     /* [head[COUNT]] */
} message;

static dap_status write_message(const dap_side *side, message *m, dap_error *err)
{
  int64_t *layout = NULL, count = 0;
  DAP_TRY(dap_layout_pack(side->layout, &layout, &count, err));
  const int64_t ranks = side->ranks ? side->layout->nprocs : 0;
  m->words = malloc((size_t)(ranks + count + 1) * sizeof *m->words);
  if (m->words) {
    for (int64_t i = 0; i < ranks; i++) m->words[i] = side->ranks[i];
    memcpy(m->words + ranks, layout, (size_t)count * sizeof *layout);
  }
  free(layout);
  DAP_REQUIRE(m->words, err, DAP_ERR_NOMEM, "no memory to send a layout of %d processes",
              side->layout->nprocs);
  DAP_REQUIRE(ranks + count <= INT_MAX, err, DAP_ERR_RANGE,
              "a layout of %d processes is too large to be sent", side->layout->nprocs);
  m->head[COUNT] = ranks + count;
  m->head[RANKS] = ranks;
  return DAP_OK;
}

static dap_status new_ranks(int64_t count, int **ranks, dap_error *err)
{
  *ranks = malloc((size_t)(count + 1) * sizeof **ranks);
  DAP_REQUIRE(*ranks, err, DAP_ERR_NOMEM, "no memory for the ranks of %d processes", (int)count);
  return DAP_OK;
}

dap_status dap_problem_ranks(const dap_side *side, int **ranks, dap_error *err)
{
  *ranks = NULL;
  if (!side->ranks) return DAP_OK;
  DAP_TRY(new_ranks(side->layout->nprocs, ranks, err));
  for (int i = 0; i < side->layout->nprocs; i++) (*ranks)[i] = side->ranks[i];
  return DAP_OK;
}

static dap_status read_message(const message *m, dap_layout **layout, int **ranks, dap_error *err)
{
  if (m->head[RANKS] > 0) DAP_TRY(new_ranks(m->head[RANKS], ranks, err));
  for (int64_t i = 0; i < m->head[RANKS]; i++) (*ranks)[i] = (int)m->words[i];
  return dap_layout_unpack(m->words + m->head[RANKS], m->head[COUNT] - m->head[RANKS], layout, err);
}

/* ---- sent ------------------------------------------------------------------------------------------- */

static dap_status take_own(const dap_side *side, dap_layout **layout, int **ranks, dap_error *err)
{
  DAP_TRY(dap_layout_check(side->layout, err));
  *layout = dap_layout_retain(side->layout);
  return dap_problem_ranks(side, ranks, err);
}

/* Sends a layout from rank `root` to all; processes that have one keep it. */
static dap_status broadcast_layout(MPI_Comm comm, int rank, int root, const dap_side *side,
                                   dap_layout **layout, int **ranks, dap_error *err)
{
  message m = {.head = {[COUNT] = -1}};
  dap_status s = rank == root ? write_message(side, &m, err) : DAP_OK;
  const dap_status t = dap_bcast(comm, m.head, HEAD, MPI_INT64_T, root, s ? NULL : err);
  if (!s) s = t;
  if (!s && rank != root && m.head[COUNT] > 0) {
    m.words = malloc((size_t)m.head[COUNT] * sizeof *m.words);
    if (!m.words) s = dap_fail(err, DAP_ERR_NOMEM, "no memory to receive a layout");
  }
  s = dap_agree(comm, s, err);
  if (!s) s = dap_bcast(comm, m.words, (int)m.head[COUNT], MPI_INT64_T, root, err);
  if (!s && !side->layout) s = read_message(&m, layout, ranks, err);
  free(m.words);
  return dap_agree(comm, s, err);
}

dap_status dap_problem_take(const dap_side *from, const dap_side *to, dap_problem *problem, dap_error *err)
{
  DAP_REQUIRE(from && to, err, DAP_ERR_ARG, "%s must not be NULL", from ? "to" : "from");
  if (from->layout && !problem->from) DAP_TRY(take_own(from, &problem->from, &problem->from_ranks, err));
  if (to->layout && !problem->to) DAP_TRY(take_own(to, &problem->to, &problem->to_ranks, err));
  return DAP_OK;
}

dap_status dap_problem_receive(dap_received_sides *received, dap_problem *problem)
{
  if (!received || received->status) return received ? received->status : DAP_OK;
  problem->from = received->layouts[0];
  problem->to = received->layouts[1];
  problem->from_ranks = received->ranks[0];
  problem->to_ranks = received->ranks[1];
  *received = (dap_received_sides){.status = DAP_OK};
  return DAP_OK;
}

void dap_problem_write_known(const dap_problem *problem, int rank, int64_t least[])
{
  const bool knows[] = {problem->from != NULL, problem->to != NULL};
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
    DAP_TRY(broadcast_layout(comm, rank, (int)least[DAP_FROM_RANK], from, &problem->from,
                             &problem->from_ranks, err));
  if (!least[DAP_TO_IS_KNOWN])
    DAP_TRY(broadcast_layout(comm, rank, (int)least[DAP_TO_RANK], to, &problem->to, &problem->to_ranks, err));
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
  DAP_TRY(dap_agree_all(comm, &a, err));
  return dap_problem_complete(comm, rank, a.least, from, to, problem, err);
}
