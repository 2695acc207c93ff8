/* Gives plans regions of memory that the processes of a node share. To find the node's processes and to map
 * their memory takes a thousand times as long as to move a small array, so the context keeps the memory.
 * pool_memory.c gets it from the system. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

int64_t dap_pool_first(int segment)
{
  return segment == 0 ? (int64_t)sizeof(dap_board) : 0;
}

int64_t dap_pool_round(int64_t bytes)
{
  return (bytes + DAP_LINE - 1) / DAP_LINE * DAP_LINE;
}

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

/* Finds the first gap that is large enough. *at receives the index of the region behind it. */
static bool find_gap(const dap_pool *pool, int64_t bytes, dap_reservation *gap, int *at)
{
  int i = 0;
  for (int segment = 0; segment < pool->segment_count; segment++) {
    int64_t begin = dap_pool_first(segment);
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
  if (bytes > INT64_MAX - DAP_LINE || !find_gap(pool, dap_pool_round(bytes), region, &at)) {
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
