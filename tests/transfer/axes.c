#include "axes.h"

void shuffle(test_random *random, int64_t list[], int64_t length)
{
  for (int64_t i = length - 1; i > 0; i--) {
    const int64_t other = test_random_int(random, 0, i), kept = list[i];
    list[i] = list[other];
    list[other] = kept;
  }
}

static void push(random_memory *memory, int64_t p, int64_t index)
{
  memory->lists[p][memory->lengths[p]++] = index;
}

/* Puts index i of `size` into the lists. */
static void deal(axis_kind kind, int64_t i, int64_t size, int procs, random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs, at = i / each, next = procs > 1 ? 1 : 0;
  if (kind == IN_ORDER || kind == OVERLAP) push(memory, at, i);
  if (kind == OVERLAP && next && i % each >= each - 2) push(memory, (at + 1) % procs, i);
  if (kind == DEALT || kind == SHUFFLED || kind == TWO_HOLDERS) push(memory, i % procs, i);
  if (kind == TWO_HOLDERS && next) push(memory, (i + 1) % procs, i);
  if (kind == BACKWARDS) push(memory, at, size - 1 - i);
  if (kind == ONE_HOLDER) push(memory, procs - 1, i);
  for (int p = 0; p < procs && kind == EVERYWHERE; p++) push(memory, p, i);
}

static dap_dist make_lists(axis_kind kind, int64_t size, int procs, test_random *random,
                           random_memory *memory)
{
  for (int p = 0; p < procs; p++) {
    memory->lengths[p] = 0;
    memory->indices[p] = memory->lists[p];
  }
  for (int64_t i = 0; i < size; i++) deal(kind, i, size, procs, memory);
  const bool shuffled = kind == SHUFFLED || kind == TWO_HOLDERS || kind == EVERYWHERE;
  for (int p = 0; p < procs && shuffled; p++) shuffle(random, memory->lists[p], memory->lengths[p]);
  return dap_dist_unstructured(size, procs, memory->lengths, memory->indices);
}

dap_dist make_axis(axis_kind kind, int64_t size, int procs, int64_t halo, test_random *random,
                   random_memory *memory)
{
  dap_dist dist = dap_dist_padded(size, procs, halo);
  dist.periodic = dist.wraps = kind == RING;
  if (kind == PADDED || kind == RING) return dist;
  if (kind == WHOLE) return dap_dist_replicated(size, procs);
  if (kind == EVEN) return dap_dist_even(size, procs);
  if (kind == CYCLIC) return dap_dist_cyclic(size, procs, 3);
  return make_lists(kind, size, procs, random, memory);
}
