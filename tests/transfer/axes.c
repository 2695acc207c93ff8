#include "axes.h"

static void push(random_memory *memory, int64_t p, int64_t index)
{
  memory->lists[p][memory->lengths[p]++] = index;
}

static bool is_behind(axis_kind kind)
{
  return kind == GHOSTS_BEHIND || kind == GHOST_RUNS || kind == GHOST_STRIDES;
}

static bool has_ghosts(axis_kind kind)
{
  return kind == GHOSTS || is_behind(kind);
}

/* Puts index i of `size` into the lists. */
static void deal(axis_kind kind, int64_t i, int64_t size, int procs, random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs, at = i / each, next = procs > 1 ? 1 : 0;
  if (kind == IN_ORDER || kind == OVERLAP || has_ghosts(kind)) push(memory, at, i);
  if (kind == OVERLAP && next && i % each >= each - 2) push(memory, (at + 1) % procs, i);
  if (kind == DEALT || kind == SHUFFLED || kind == TWO_HOLDERS) push(memory, i % procs, i);
  if (kind == TWO_HOLDERS && next) push(memory, (i + 1) % procs, i);
  if (kind == BACKWARDS) push(memory, at, size - 1 - i);
  if (kind == ONE_HOLDER) push(memory, procs - 1, i);
  for (int p = 0; p < procs && kind == EVERYWHERE; p++) push(memory, p, i);
}

/* Of stretches of `each` that reach into the next process's by half, whichever way round the lists are: the
 * higher process owns what two hold. */
static void give_owners(dap_dist *dist, random_memory *memory)
{
  const int64_t each = (dist->size + dist->procs - 1) / dist->procs;
  for (int p = 0; p < dist->procs; p++) {
    for (int64_t i = 0; i < memory->lengths[p]; i++) memory->flags[p][i] = memory->lists[p][i] / each == p;
    memory->is_owned[p] = memory->flags[p];
  }
  dist->is_owned = memory->is_owned;
}

/* Whether a process has element `at` of the next one's stretch of `each`; i: its index. */
static bool is_ghost(axis_kind kind, int64_t i, int64_t at, int64_t each)
{
  const int64_t x = at % 43;
  if (kind == GHOST_RUNS) return i % 12 < 9 - i / 12 % 2;
  if (kind != GHOST_STRIDES) return at < (each + 1) / 2;
  if (at / 43 % 2) return x < 40 && x % 4 < 3;
  return x < 30 ? x % 3 == 0 : x > 30 && x < 40;
}

/* What reaches into the next process's stretch goes to the end of the list. */
static void add_ghosts(axis_kind kind, int64_t size, int procs, random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs;
  for (int64_t p = 0; p < procs; p++) memory->owned[p] = memory->lengths[p];
  for (int64_t p = 0; p < procs && procs > 1; p++)
    for (int64_t i = 0; i < size; i++)
      if (i / each == (p + 1) % procs && is_ghost(kind, i, i % each, each)) push(memory, p, i);
}

static dap_dist make_lists(axis_kind kind, int64_t size, int procs, test_random *random,
                           random_memory *memory)
{
  for (int p = 0; p < procs; p++) {
    memory->lengths[p] = 0;
    memory->indices[p] = memory->lists[p];
  }
  for (int64_t i = 0; i < size; i++) deal(kind, i, size, procs, memory);
  if (has_ghosts(kind)) add_ghosts(kind, size, procs, memory);
  const bool shuffled = kind == SHUFFLED || kind == GHOSTS || kind == TWO_HOLDERS || kind == EVERYWHERE;
  for (int p = 0; p < procs && shuffled; p++) test_shuffle_long(random, memory->lengths[p], memory->lists[p]);
  dap_dist dist = dap_dist_unstructured(size, procs, memory->lengths, memory->indices);
  if (kind == GHOSTS) give_owners(&dist, memory);
  if (is_behind(kind)) dist.owned = memory->owned;
  return dist;
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
