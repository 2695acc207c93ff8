/* Reductions of few words. On one node they go through its memory: each process writes its words to its board
 * and reads those of all, which takes one look where MPI takes several messages. */
#include "comm_impl.h"

#include <string.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "atomics are shared between processes: they must not need locks");

enum { MOST_PROCS = 64 /* beyond that a tree, as MPI has it, is faster than reading all boards */ };

static void combine(dap_reduction reduction, int64_t words[], const int64_t others[], int count)
{
  for (int i = 0; i < count; i++)
    words[i] = reduction == DAP_REDUCE_AND ? words[i] & others[i] : dap_smaller(words[i], others[i]);
}

static dap_board *board_of(const dap_context *context, int node_rank)
{
  return (dap_board *)(void *)dap_pool_at(&context->pool, node_rank, 0, 0);
}

/* Until a process has come to the round. */
static dap_status await(const dap_context *context, const dap_board *board, uint64_t round, dap_error *err)
{
  dap_wait wait = {.node = &context->node};
  while (atomic_load_explicit(&board->round, memory_order_acquire) < round)
    DAP_TRY(dap_limit_step(context->limit, &wait, err));
  return DAP_OK;
}

/* Words are kept for two rounds: a process that writes those of the next round but one has seen that all
 * are in the next one, and so have read these. `round` says so to processes that may see stores in another
 * order: its release comes behind the words, and behind what was read in the last round; its acquire before
 * the words are read, and before those of the next round are written. */
static dap_status reduce_on_node(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                 int64_t gathered[], dap_error *err)
{
  const dap_node *node = &context->node;
  const uint64_t round = ++context->round;
  dap_board *mine = board_of(context, node->rank);
  dap_round *own = &mine->rounds[round % 2];
  own->count = count;
  own->gathered = gathered ? gathered[node->rank] : 0;
  memcpy(own->words, words, (size_t)count * sizeof *words);
  atomic_store_explicit(&mine->round, round, memory_order_release);
  bool same = true;
  for (int p = 0; p < node->size; p++) {
    dap_board *board = board_of(context, p);
    const dap_round *theirs = &board->rounds[round % 2];
    DAP_TRY(await(context, board, round, err));
    same = same && theirs->count == count;
    if (same) combine(reduction, words, theirs->words, count);
    if (gathered) gathered[p] = theirs->gathered;
  }
  DAP_REQUIRE(same, err, DAP_ERR_ARG, "the processes are in different functions of the library");
  return DAP_OK;
}

static bool is_on_node(const dap_context *context, int count)
{
  return context->pool.segment_count > 0 && context->node.size == context->nprocs &&
         context->nprocs <= MOST_PROCS && count <= DAP_BOARD_WORDS;
}

dap_status dap_reduce(MPI_Comm comm, dap_context *context, dap_reduction reduction, int64_t words[],
                      int count, dap_error *err)
{
  if (context && context->nprocs == 1) return DAP_OK;
  if (context) DAP_TRY(dap_limit_check(context->limit, err));
  if (context && is_on_node(context, count))
    return reduce_on_node(context, reduction, words, count, NULL, err);
  MPI_Op op = reduction == DAP_REDUCE_AND ? MPI_BAND : MPI_MIN;
  return dap_allreduce(context ? context->comm : comm, words, count, MPI_INT64_T, op, err);
}

dap_status dap_context_reduce(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                              dap_error *err)
{
  DAP_REQUIRE(context->comm != MPI_COMM_NULL, err, DAP_ERR_LIBRARY, "the context has ended, as MPI has");
  return dap_reduce(context->comm, context, reduction, words, count, err);
}

/* Boards need no start: who comes last finds what the others have said. */
dap_status dap_context_reduce_start(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                    MPI_Request *request, dap_error *err)
{
  *request = MPI_REQUEST_NULL;
  DAP_REQUIRE(context->comm != MPI_COMM_NULL, err, DAP_ERR_LIBRARY, "the context has ended, as MPI has");
  if (context->nprocs == 1 || is_on_node(context, count)) return DAP_OK;
  DAP_TRY(dap_limit_check(context->limit, err));
  MPI_Op op = reduction == DAP_REDUCE_AND ? MPI_BAND : MPI_MIN;
  return dap_mpi_check(MPI_Iallreduce(MPI_IN_PLACE, words, count, MPI_INT64_T, op, context->comm, request),
                       "MPI_Iallreduce", err);
}

dap_status dap_context_reduce_end(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                  MPI_Request *request, dap_error *err)
{
  int over = 0;
  dap_wait wait = {.node = &context->node};
  /* what MPI has begun it ends, even if the node got boards meanwhile */
  if (*request == MPI_REQUEST_NULL && (context->nprocs == 1 || is_on_node(context, count)))
    return dap_context_reduce(context, reduction, words, count, err);
  for (;;) {
    const dap_status s = dap_mpi_check(MPI_Test(request, &over, MPI_STATUS_IGNORE), "MPI_Test", err);
    if (s) (void)MPI_Wait(request, MPI_STATUS_IGNORE); /* until it is over words[] are MPI's */
    if (s || over) return s;
    (void)dap_wait_step(&wait);
  }
}

dap_status dap_reduce_and_gather(dap_context *context, dap_status *s, int64_t words[], int count,
                                 int64_t gathered[], dap_error *err)
{
  words[0] = *s == DAP_OK;
  DAP_TRY(dap_limit_check(context->limit, err));
  if (is_on_node(context, count)) return reduce_on_node(context, DAP_REDUCE_MIN, words, count, gathered, err);
  const dap_status t = dap_allgather(context->node.comm, NULL, gathered, 1, MPI_INT64_T, *s ? NULL : err);
  if (!*s) *s = t;
  words[0] = *s == DAP_OK;
  return dap_reduce(context->comm, context, DAP_REDUCE_MIN, words, count, err);
}
