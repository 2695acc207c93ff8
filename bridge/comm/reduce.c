/* Reduces few words. On one node this goes by shared memory: each process writes its words to its board and
 * reads the boards of all. MPI would take several messages. */
#include "comm_impl.h"

#include <string.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "atomics are shared between processes: they must not need locks");

static void combine(dap_reduction reduction, int64_t words[], const int64_t others[], int count)
{
  for (int i = 0; i < count; i++)
    words[i] = reduction == DAP_REDUCE_AND ? words[i] & others[i] : dap_smaller(words[i], others[i]);
}

/* Waits until a process has come to the round. */
static dap_status await(const dap_context *context, const dap_board *board, uint64_t round,
                        const char *function, dap_error *err)
{
  bool is_long;
  dap_wait wait = {.node = &context->node};
  while (atomic_load_explicit(&board->round, memory_order_acquire) < round) {
    DAP_TRY(dap_limit_step(context->limit, &wait, &is_long, err));
    if (is_long) dap_late_report(context->comm, context, round, function, &wait);
  }
  return DAP_OK;
}

/* Reduces words by the boards. A board keeps the words of two rounds. A process that overwrites the words of
 * a round has seen that all processes are in the next round, so all have read them. A process releases
 * `round` after it has read the words of the last round and written those of this one. It acquires the
 * `round` of others before it reads their words, and before it writes those of the next round. */
static dap_status reduce_on_node(dap_context *context, const char *function, dap_reduction reduction,
                                 int64_t words[], int count, int64_t gathered[], dap_error *err)
{
  const dap_node *node = &context->node;
  const uint64_t round = ++context->round;
  dap_board *mine = dap_board_of(context, node->rank);
  dap_round *own = &mine->rounds[round % 2];
  own->count = count;
  own->gathered = gathered ? gathered[node->rank] : 0;
  memcpy(own->words, words, (size_t)count * sizeof *words);
  atomic_store_explicit(&mine->round, round, memory_order_release);
  bool same = true;
  for (int p = 0; p < node->size; p++) {
    dap_board *board = dap_board_of(context, p);
    const dap_round *theirs = &board->rounds[round % 2];
    DAP_TRY(await(context, board, round, function, err));
    same = same && theirs->count == count;
    if (same) combine(reduction, words, theirs->words, count);
    if (gathered) gathered[p] = theirs->gathered;
  }
  DAP_REQUIRE(same, err, DAP_ERR_ARG, "the processes are in different functions of the library");
  return DAP_OK;
}

static bool is_on_node(const dap_context *context, int count)
{
  return context->pool.segment_count > 0 && dap_reduce_has_node(context) && count <= DAP_BOARD_WORDS;
}

dap_status dap_reduce(MPI_Comm comm, dap_context *context, const char *function, dap_reduction reduction,
                      int64_t words[], int count, dap_error *err)
{
  if (context && context->nprocs == 1) return DAP_OK;
  if (context) DAP_TRY(dap_limit_check(context->limit, err));
  if (context && is_on_node(context, count))
    return reduce_on_node(context, function, reduction, words, count, NULL, err);
  return dap_reduce_by_mpi(context ? context->comm : comm, context, function, reduction, words, count, err);
}

dap_status dap_context_reduce(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                              dap_error *err)
{
  DAP_REQUIRE(context->comm != MPI_COMM_NULL, err, DAP_ERR_LIBRARY, "the context has ended, as MPI has");
  return dap_reduce(context->comm, context, NULL, reduction, words, count, err);
}

/* Starts a reduction by MPI. Boards need no start. */
dap_status dap_context_reduce_start(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                    MPI_Request *request, dap_error *err)
{
  *request = MPI_REQUEST_NULL;
  DAP_REQUIRE(context->comm != MPI_COMM_NULL, err, DAP_ERR_LIBRARY, "the context has ended, as MPI has");
  if (context->nprocs == 1 || is_on_node(context, count)) return DAP_OK;
  DAP_TRY(dap_limit_check(context->limit, err));
  return dap_reduce_start(context->comm, reduction, words, count, request, err);
}

dap_status dap_context_reduce_end(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                  MPI_Request *request, dap_error *err)
{
  /* MPI completes a reduction that it has begun, even if the node has boards now */
  if (*request == MPI_REQUEST_NULL && (context->nprocs == 1 || is_on_node(context, count)))
    return dap_context_reduce(context, reduction, words, count, err);
  return dap_reduce_complete(context->comm, context, 0, NULL, request, err);
}

dap_status dap_reduce_and_gather(dap_context *context, dap_status *s, int64_t words[], int count,
                                 int64_t gathered[], dap_error *err)
{
  words[0] = *s == DAP_OK;
  DAP_TRY(dap_limit_check(context->limit, err));
  if (is_on_node(context, count))
    return reduce_on_node(context, NULL, DAP_REDUCE_MIN, words, count, gathered, err);
  const dap_status t = dap_allgather(context->node.comm, NULL, gathered, 1, MPI_INT64_T, *s ? NULL : err);
  if (!*s) *s = t;
  words[0] = *s == DAP_OK;
  return dap_reduce(context->comm, context, NULL, DAP_REDUCE_MIN, words, count, err);
}
