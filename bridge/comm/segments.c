/* Allocates arrays in shared memory, and finds addresses that two processes see there. Each part begins with
 * a line that says whether its owner has released it. */
#include "comm_impl.h"

#include <search.h>
#include <stdlib.h>

/* The first cache line of a part. `released` is written with release and read with acquire, so everything
 * that the process did with the parts of others has happened before.
 *
 * For the same answer at both ends of a channel (see dap_segment_seen()) this is not enough. In a run, a
 * process releases its part before it publishes its buffers, and the other end has read these. */
typedef union header {
  atomic_int released; /* zero in fresh memory */
  char line[DAP_LINE];
} header;

struct dap_allocation {
  uint64_t id;
  int node_rank, size; /* of this process, and of the node */
  uint64_t *members;   /* [size] dap_process_id() of each */
  dap_memory memory;
  uint64_t begin, end; /* addresses of this process's part */
};

/* ---- the lists -------------------------------------------------------------------------------------- */

static header *header_of(const dap_allocation *a, int node_rank)
{
  return (header *)(void *)a->memory.parts[node_rank];
}

static int compare_ids(const void *left, const void *right)
{
  const dap_allocation *a = left, *b = right;
  return (a->id > b->id) - (a->id < b->id);
}

/* Orders ranges of addresses. Ranges that share an address are equal. */
static int compare_addresses(const void *left, const void *right)
{
  const dap_allocation *a = left, *b = right;
  return (a->begin >= b->end) - (a->end <= b->begin);
}

static dap_status enlist(dap_allocation *a, dap_error *err)
{
  dap_self *self = dap_self_lock(true);
  a->begin = (uint64_t)(uintptr_t)a->memory.parts[a->node_rank];
  a->end = a->begin + (uint64_t)a->memory.bytes[a->node_rank];
  const bool has_id = self && tsearch(a, &self->by_id, compare_ids);
  const bool has_both = has_id && tsearch(a, &self->by_address, compare_addresses);
  if (has_id && !has_both) (void)tdelete(a, &self->by_id, compare_ids);
  dap_self_unlock();
  DAP_REQUIRE(has_both, err, DAP_ERR_NOMEM, "no memory for what the process keeps");
  return DAP_OK;
}

static dap_allocation *find_id(const dap_self *self, uint64_t id)
{
  const dap_allocation key = {.id = id};
  void *found = self ? tfind(&key, &self->by_id, compare_ids) : NULL;
  return found ? *(dap_allocation **)found : NULL;
}

/* Removes an allocation from the lists. After MPI_Finalize there are none. */
static void strike_out(const dap_allocation *a)
{
  dap_self *self = dap_self_lock(false);
  if (find_id(self, a->id) == a) {
    (void)tdelete(a, &self->by_id, compare_ids);
    (void)tdelete(a, &self->by_address, compare_addresses);
  }
  dap_self_unlock();
}

/* ---- allocations ------------------------------------------------------------------------------------- */

static dap_status start(const dap_node *node, dap_allocation **allocation, dap_error *err)
{
  dap_allocation *a = *allocation = calloc(1, sizeof *a);
  DAP_REQUIRE(a, err, DAP_ERR_NOMEM, "no memory for a shared allocation");
  a->node_rank = node->rank;
  a->size = node->size;
  a->members = malloc((size_t)node->size * sizeof *a->members);
  DAP_REQUIRE(a->members, err, DAP_ERR_NOMEM, "no memory for a shared allocation");
  for (int i = 0; i < node->size; i++) a->members[i] = node->ids[i];
  return DAP_OK;
}

/* Shares the number of an allocation, which the node's first process draws. */
static dap_status share_id(const dap_node *node, uint64_t *id, dap_error *err)
{
  *id = dap_process_draw();
  return dap_bcast(node->comm, id, 1, MPI_UINT64_T, 0, err);
}

static dap_status fill(const dap_node *node, int64_t bytes, dap_allocation *a, dap_error *err)
{
  if (!dap_add(bytes, (int64_t)sizeof(header), &bytes)) bytes = INT64_MAX; /* more than any system has */
  DAP_TRY(dap_memory_create(node, bytes, &a->memory, err));
  if (a->memory.size == 0) return DAP_ERR_NOMEM;
  dap_status s = share_id(node, &a->id, err);
  if (!s) s = enlist(a, err);
  return dap_node_agree(node, s, err);
}

dap_status dap_allocation_create(const dap_node *node, int64_t bytes, dap_allocation **allocation,
                                 dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  dap_status s = dap_node_agree(node, start(node, allocation, err), err);
  if (!s) s = fill(node, bytes, *allocation, err);
  if (s) dap_allocation_release(allocation);
  return s == DAP_ERR_NOMEM ? DAP_OK : s;
}

char *dap_allocation_data(const dap_allocation *allocation)
{
  return allocation->memory.parts[allocation->node_rank] + sizeof(header);
}

void dap_allocation_release(dap_allocation **allocation)
{
  dap_allocation *a = *allocation;
  *allocation = NULL;
  if (!a) return;
  strike_out(a);
  if (a->memory.size > 0)
    atomic_store_explicit(&header_of(a, a->node_rank)->released, 1, memory_order_release);
  dap_memory_release(&a->memory);
  free(a->members);
  free(a);
}

/* ---- segments ---------------------------------------------------------------------------------------- */

dap_segment dap_segment_find(const dap_self *self, const void *at)
{
  const uint64_t address = (uint64_t)(uintptr_t)at;
  const dap_allocation key = {.begin = address, .end = address + 1};
  void *found = self ? tfind(&key, &self->by_address, compare_addresses) : NULL;
  const dap_allocation *a = found ? *(dap_allocation **)found : NULL;
  if (!a || address - a->begin < sizeof(header)) return (dap_segment){0};
  return (dap_segment){.id = a->id, .node_rank = a->node_rank, .offset = (int64_t)(address - a->begin)};
}

char *dap_segment_at(const dap_self *self, const dap_segment *segment)
{
  const int node_rank = segment->node_rank;
  const int64_t offset = segment->offset;
  const dap_allocation *a = find_id(self, segment->id);
  const bool is_seen =
      a && node_rank >= 0 && node_rank < a->size && offset >= 0 && offset < a->memory.bytes[node_rank];
  return is_seen ? a->memory.parts[node_rank] + offset : NULL;
}

bool dap_segment_seen(const dap_self *self, const dap_segment *segment, uint64_t id)
{
  bool is_seen = false;
  const dap_allocation *a = find_id(self, segment->id);
  for (int i = 0; a && i < a->size && !is_seen; i++)
    is_seen = a->members[i] == id && !atomic_load_explicit(&header_of(a, i)->released, memory_order_acquire);
  return is_seen;
}
