/* Allocations in shared memory, and how two processes that both see one name an address in it. Each part
 * begins with a line that says whether its owner still is there. */
#include "comm_impl.h"

#include <stdlib.h>

/* Begins each part; alone in its cache line. */
typedef union header {
  atomic_int released; /* zero in fresh memory */
  char line[DAP_LINE];
} header;

struct dap_allocation {
  dap_allocation *next;
  uint64_t id;
  int node_rank, size; /* of this process, and of the node */
  uint64_t *members;   /* [size] dap_process_id() of each */
  dap_memory memory;
};

/* ---- the list --------------------------------------------------------------------------------------- */

static dap_status enlist(dap_allocation *allocation, dap_error *err)
{
  dap_self *self = dap_self_lock(true);
  if (self) {
    allocation->next = self->allocations;
    self->allocations = allocation;
  }
  dap_self_unlock();
  DAP_REQUIRE(self, err, DAP_ERR_NOMEM, "no memory for what the process keeps");
  return DAP_OK;
}

/* It may not be there: after MPI_Finalize there is no list. */
static void strike_out(dap_allocation *allocation)
{
  dap_self *self = dap_self_lock(false);
  dap_allocation **link = self ? &self->allocations : NULL;
  while (link && *link && *link != allocation) link = &(*link)->next;
  if (link && *link) *link = allocation->next;
  dap_self_unlock();
}

/* Between dap_self_lock() and dap_self_unlock(), as what it returns. */
static dap_allocation *find_id(const dap_self *self, uint64_t id)
{
  dap_allocation *a = self ? self->allocations : NULL;
  while (a && a->id != id) a = a->next;
  return a;
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

/* The first process of the node names it. */
static dap_status tell_id(const dap_node *node, uint64_t *id, dap_error *err)
{
  const uint64_t number = dap_process_next();
  *id = dap_hash(dap_process_id(), &number, sizeof number);
  if (*id == 0) *id = 1;
  return dap_mpi_check(MPI_Bcast(id, 1, MPI_UINT64_T, 0, node->comm), "MPI_Bcast", err);
}

static dap_status fill(const dap_node *node, int64_t bytes, dap_allocation *a, dap_error *err)
{
  if (!dap_add(bytes, (int64_t)sizeof(header), &bytes)) bytes = INT64_MAX; /* which no system has either */
  DAP_TRY(dap_memory_create(node, bytes, &a->memory, err));
  if (a->memory.size == 0) return DAP_ERR_NOMEM;
  dap_status s = tell_id(node, &a->id, err);
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

static header *header_of(const dap_allocation *a, int node_rank)
{
  return (header *)(void *)a->memory.parts[node_rank];
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

dap_segment dap_segment_find(const void *at)
{
  dap_segment segment = {0};
  const dap_self *self = dap_self_lock(false);
  for (const dap_allocation *a = self ? self->allocations : NULL; a && !segment.id; a = a->next) {
    const uintptr_t begin = (uintptr_t)a->memory.parts[a->node_rank], address = (uintptr_t)at;
    if (address < begin + sizeof(header) || address - begin >= (uintptr_t)a->memory.bytes[a->node_rank])
      continue;
    segment = (dap_segment){.id = a->id, .node_rank = a->node_rank, .offset = (int64_t)(address - begin)};
  }
  dap_self_unlock();
  return segment;
}

char *dap_segment_at(const dap_segment *segment)
{
  char *at = NULL;
  const int node_rank = segment->node_rank;
  const int64_t offset = segment->offset;
  const dap_allocation *a = find_id(dap_self_lock(false), segment->id);
  if (a && node_rank >= 0 && node_rank < a->size && offset >= 0 && offset < a->memory.bytes[node_rank])
    at = a->memory.parts[node_rank] + offset;
  dap_self_unlock();
  return at;
}

bool dap_segment_seen(const dap_segment *segment, uint64_t id)
{
  bool is_seen = false;
  const dap_allocation *a = find_id(dap_self_lock(false), segment->id);
  for (int i = 0; a && i < a->size && !is_seen; i++)
    is_seen = a->members[i] == id && !atomic_load_explicit(&header_of(a, i)->released, memory_order_acquire);
  dap_self_unlock();
  return is_seen;
}
