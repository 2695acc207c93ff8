/* Gets the memory of a pool, which grows when plans need more. */
#include "comm_impl.h"

#include <stdlib.h>

enum { FIRST_BYTES = 64 * 1024 /* of each process's part, when the context is made */ };

static dap_status add_segment(dap_pool *pool, const dap_node *node, int64_t bytes, dap_error *err)
{
  dap_memory *more = realloc(pool->segments, (size_t)(pool->segment_count + 1) * sizeof *more);
  if (more) pool->segments = more;
  const dap_status s = more ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory to list shared memory");
  DAP_TRY(dap_node_agree(node, s, err));
  DAP_TRY(dap_memory_create(node, bytes, &pool->segments[pool->segment_count], err));
  pool->never = pool->segments[pool->segment_count].never;
  pool->segment_count += pool->segments[pool->segment_count].size > 0;
  return DAP_OK;
}

/* Adds a segment twice as large as the last one. If that is not enough or the system does not give it, the
 * segment has the bytes that are needed. */
dap_status dap_pool_grow(dap_pool *pool, const dap_node *node, int64_t bytes, bool *has_room, dap_error *err)
{
  enum { MINUS_BYTES };
  dap_agreement a = {.least = {[MINUS_BYTES] = -dap_pool_round(bytes)}};
  *has_room = true;
  DAP_TRY(dap_agree_all(node->comm, &a, err));
  int64_t most = -a.least[MINUS_BYTES];
  if (most == 0) return DAP_OK; /* another node lacks room */
  const int last = pool->segment_count - 1;
  const int64_t more = last < 0 ? FIRST_BYTES : 2 * pool->segments[last].bytes[pool->node_rank];
  if (last < 0) most += dap_pool_first(0);
  DAP_TRY(add_segment(pool, node, dap_larger(most, more), err));
  if (pool->segment_count == last + 1 && more > most) DAP_TRY(add_segment(pool, node, most, err));
  *has_room = pool->segment_count > last + 1;
  return DAP_OK;
}

dap_status dap_pool_create(dap_pool *pool, const dap_node *node, MPI_Comm comm, dap_error *err)
{
  dap_error own = {0};
  *pool = (dap_pool){.node_rank = node->rank};
  dap_status s = node->size > 1 ? add_segment(pool, node, FIRST_BYTES, &own) : DAP_OK;
  if (s == DAP_ERR_NOMEM) s = DAP_OK; /* plans send messages then */
  if (s && err) *err = own;
  return dap_agree(comm, s, err);
}

void dap_pool_release(dap_pool *pool)
{
  for (int i = 0; i < pool->segment_count; i++) dap_memory_release(&pool->segments[i]);
  free(pool->segments);
  free(pool->taken);
  *pool = (dap_pool){0};
}
