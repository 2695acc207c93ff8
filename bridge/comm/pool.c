/* Memory that the processes of a node share, from which a context's plans take regions: finding the node's
 * processes and mapping their memory takes a thousand times as long as moving a small array. It grows as it
 * must, and ends with the context. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 64 * 1024 /* of each process, once a context is made */ };

/* Where regions of a segment begin: the first one has the board. */
static int64_t first_offset(int segment)
{
  return segment == 0 ? (int64_t)sizeof(dap_board) : 0;
}

static int64_t round_up(int64_t bytes)
{
  return (bytes + DAP_LINE - 1) / DAP_LINE * DAP_LINE;
}

/* ---- regions ----------------------------------------------------------------------------------------------
 */

static bool make_room(dap_pool *pool)
{
  if (pool->taken_count < pool->capacity) return true;
  const int capacity = 2 * pool->capacity + 8;
  dap_reservation *more = realloc(pool->taken, (size_t)capacity * sizeof *more);
  if (!more) return false;
  pool->taken = more;
  pool->capacity = capacity;
  return true;
}

/* The first gap that is large enough; *at: which region comes behind it. */
static bool find_gap(const dap_pool *pool, int64_t bytes, dap_reservation *gap, int *at)
{
  int i = 0;
  for (int segment = 0; segment < pool->segment_count; segment++) {
    int64_t begin = first_offset(segment);
    for (; i < pool->taken_count && pool->taken[i].segment == segment; i++) {
      if (pool->taken[i].offset - begin >= bytes) break;
      begin = pool->taken[i].offset + pool->taken[i].bytes;
    }
    *at = i;
    *gap = (dap_reservation){.segment = segment, .offset = begin, .bytes = bytes};
    if (i < pool->taken_count && pool->taken[i].segment == segment) return true;
    if (pool->segments[segment].bytes[pool->node_rank] - begin >= bytes) return true;
  }
  return false;
}

dap_status dap_pool_take(dap_pool *pool, int64_t bytes, dap_reservation *region, dap_error *err)
{
  int at = 0;
  *region = (dap_reservation){0};
  DAP_REQUIRE(make_room(pool), err, DAP_ERR_NOMEM, "no memory to list %d regions of shared memory",
              pool->taken_count);
  if (bytes > INT64_MAX - DAP_LINE || !find_gap(pool, round_up(bytes), region, &at)) {
    *region = (dap_reservation){0};
    return DAP_OK;
  }
  memmove(&pool->taken[at + 1], &pool->taken[at], (size_t)(pool->taken_count - at) * sizeof *pool->taken);
  pool->taken[at] = *region;
  pool->taken_count++;
  return DAP_OK;
}

void dap_pool_give_back(dap_pool *pool, dap_reservation *region)
{
  int i = 0;
  while (i < pool->taken_count &&
         (pool->taken[i].segment != region->segment || pool->taken[i].offset != region->offset))
    i++;
  if (region->bytes > 0 && i < pool->taken_count)
    memmove(&pool->taken[i], &pool->taken[i + 1], (size_t)(--pool->taken_count - i) * sizeof *pool->taken);
  *region = (dap_reservation){0};
}

char *dap_pool_at(const dap_pool *pool, int node_rank, int segment, int64_t offset)
{
  return pool->segments[segment].parts[node_rank] + offset;
}

/* ---- segments ---------------------------------------------------------------------------------------------
 */

static dap_status add_segment(dap_pool *pool, const dap_node *node, int64_t bytes, dap_error *err)
{
  dap_memory *more = realloc(pool->segments, (size_t)(pool->segment_count + 1) * sizeof *more);
  if (more) pool->segments = more;
  const dap_status s = more ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory to list shared memory");
  DAP_TRY(dap_agree(node->comm, s, err));
  DAP_TRY(dap_memory_create(node, bytes, &pool->segments[pool->segment_count], err));
  pool->segment_count += pool->segments[pool->segment_count].size > 0;
  return DAP_OK;
}

/* Twice as much as the last time, where that is enough and to be had; else what is needed. */
dap_status dap_pool_grow(dap_pool *pool, const dap_node *node, int64_t bytes, dap_error *err)
{
  int64_t most = round_up(bytes);
  DAP_TRY(dap_mpi_check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, node->comm),
                        "MPI_Allreduce", err));
  const int last = pool->segment_count - 1;
  const int64_t more = last < 0 ? FIRST_BYTES : 2 * pool->segments[last].bytes[pool->node_rank];
  if (last < 0) most += first_offset(0);
  DAP_TRY(add_segment(pool, node, dap_larger(most, more), err));
  return pool->segment_count == last + 1 && more > most ? add_segment(pool, node, most, err) : DAP_OK;
}

dap_status dap_pool_create(dap_pool *pool, const dap_node *node, MPI_Comm comm, dap_error *err)
{
  dap_error own = {0};
  *pool = (dap_pool){.node_rank = node->rank};
  dap_status s = node->size > 1 ? add_segment(pool, node, FIRST_BYTES, &own) : DAP_OK;
  if (s == DAP_ERR_NOMEM) s = DAP_OK; /* messages do without */
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
