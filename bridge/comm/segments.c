/* Allocations in shared memory, and how two processes that both see one name an address in it. Each part
 * begins with a line that says whether its owner still is there. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

/* Begins each part; alone in its cache line. Released with release and asked with acquire: what its process
 * did with the others' parts it did before. That both ends of a channel give the same answer takes more, see
 * dap_segment_seen(): in a run the one's release comes before what it publishes, which the other has read. */
typedef union header {
  atomic_int released; /* zero in fresh memory */
  char line[DAP_LINE];
} header;

struct dap_allocation {
  uint64_t id;
  int node_rank, size; /* of this process, and of the node */
  uint64_t *members;   /* [size] dap_process_id() of each */
  dap_memory memory;
};

/* ---- the lists -------------------------------------------------------------------------------------- */

static header *header_of(const dap_allocation *a, int node_rank)
{
  return (header *)(void *)a->memory.parts[node_rank];
}

static uint64_t address_of(const dap_allocation *a)
{
  return (uint64_t)(uintptr_t)a->memory.parts[a->node_rank];
}

/* How many keys are at most `value`. */
static int count_keys(const dap_key keys[], int count, uint64_t value)
{
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (keys[middle].value <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The last whose key is at most `value`; NULL: there is none. */
static const dap_key *find_key(const dap_key keys[], int count, uint64_t value)
{
  const int before = count_keys(keys, count, value);
  return before > 0 ? &keys[before - 1] : NULL;
}

static bool make_room(struct dap_allocations *all)
{
  if (all->count < all->capacity) return true;
  const int capacity = 2 * all->capacity + 8;
  dap_key *by_address = realloc(all->by_address, (size_t)capacity * sizeof *by_address);
  if (by_address) all->by_address = by_address;
  dap_key *by_id = by_address ? realloc(all->by_id, (size_t)capacity * sizeof *by_id) : NULL;
  if (by_id) all->by_id = by_id;
  if (by_id) all->capacity = capacity;
  return by_id != NULL;
}

static void insert(dap_key keys[], int count, uint64_t value, dap_allocation *allocation)
{
  const int at = count_keys(keys, count, value);
  memmove(&keys[at + 1], &keys[at], (size_t)(count - at) * sizeof *keys);
  keys[at] = (dap_key){value, allocation};
}

static dap_status enlist(dap_allocation *a, dap_error *err)
{
  dap_self *self = dap_self_lock(true);
  struct dap_allocations *all = self ? &self->allocations : NULL;
  const bool has_room = all && make_room(all);
  if (has_room) {
    insert(all->by_address, all->count, address_of(a), a);
    insert(all->by_id, all->count, a->id, a);
    all->count++;
  }
  dap_self_unlock();
  DAP_REQUIRE(has_room, err, DAP_ERR_NOMEM, "no memory for what the process keeps");
  return DAP_OK;
}

static bool take_out(dap_key keys[], int count, const dap_allocation *allocation)
{
  int at = 0;
  while (at < count && keys[at].allocation != allocation) at++;
  if (at < count) memmove(&keys[at], &keys[at + 1], (size_t)(count - at - 1) * sizeof *keys);
  return at < count;
}

/* It may not be there: after MPI_Finalize there are no lists. */
static void strike_out(const dap_allocation *a)
{
  dap_self *self = dap_self_lock(false);
  struct dap_allocations *all = self ? &self->allocations : NULL;
  if (all && take_out(all->by_id, all->count, a)) {
    (void)take_out(all->by_address, all->count, a);
    all->count--;
  }
  dap_self_unlock();
}

static const dap_allocation *find_id(const dap_self *self, uint64_t id)
{
  const dap_key *key = self ? find_key(self->allocations.by_id, self->allocations.count, id) : NULL;
  return key && key->value == id ? key->allocation : NULL;
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
  return dap_bcast(node->comm, id, 1, MPI_UINT64_T, 0, err);
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
  const dap_key *key = self ? find_key(self->allocations.by_address, self->allocations.count, address) : NULL;
  const dap_allocation *a = key ? key->allocation : NULL;
  const uint64_t offset = key ? address - key->value : 0;
  if (!a || offset < sizeof(header) || offset >= (uint64_t)a->memory.bytes[a->node_rank])
    return (dap_segment){0};
  return (dap_segment){.id = a->id, .node_rank = a->node_rank, .offset = (int64_t)offset};
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
