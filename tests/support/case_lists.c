#include "case.h"

static void push(random_memory *memory, int64_t p, int64_t index)
{
  memory->lists[p][memory->lengths[p]++] = index;
}

static bool is_behind(case_cut cut)
{
  return cut == CUT_GHOSTS_BEHIND || cut == CUT_GHOST_RUNS || cut == CUT_GHOST_STRIDES;
}

static bool has_ghosts(case_cut cut)
{
  return cut == CUT_GHOSTS || is_behind(cut);
}

static void begin_lists(int procs, random_memory *memory)
{
  for (int p = 0; p < procs; p++) {
    memory->lengths[p] = 0;
    memory->indices[p] = memory->lists[p];
  }
}

/* Each index on a process drawn by lot, with `shares` on a third of the others too, in random order. */
static dap_dist lists_by_lot(test_random *random, int64_t size, int procs, bool shares, random_memory *memory)
{
  begin_lists(procs, memory);
  for (int64_t i = 0; i < size; i++) {
    const int64_t holder = test_random_int(random, 0, procs - 1);
    for (int64_t p = 0; p < procs; p++)
      if (p == holder || (shares && test_random_one_in(random, 3))) push(memory, p, i);
  }
  for (int p = 0; p < procs; p++) test_shuffle_long(random, memory->lengths[p], memory->lists[p]);
  return dap_dist_unstructured(size, procs, memory->lengths, memory->indices);
}

/* Puts some indices of lower processes behind each list. */
static void add_copies(int procs, random_memory *memory)
{
  for (int64_t p = procs - 1; p > 0; p--)
    for (int64_t lower = 0; lower < p; lower++)
      for (int64_t i = 0; i < memory->lengths[lower]; i++)
        if ((i + p) % 3 == 0) push(memory, p, memory->lists[lower][i]);
}

/* Puts index i of `size` into the lists. */
static void deal(case_cut cut, int64_t i, int64_t size, int procs, random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs, at = i / each, next = procs > 1 ? 1 : 0;
  if (cut == CUT_ASCENDING || cut == CUT_EDGES || has_ghosts(cut)) push(memory, at, i);
  if (cut == CUT_EDGES && next && i % each >= each - 2) push(memory, (at + 1) % procs, i);
  if (cut == CUT_DEALT || cut == CUT_SHUFFLED || cut == CUT_TWO_HOLDERS) push(memory, i % procs, i);
  if (cut == CUT_TWO_HOLDERS && next) push(memory, (i + 1) % procs, i);
  if (cut == CUT_BACKWARDS) push(memory, at, size - 1 - i);
  if (cut == CUT_ONE_HOLDER) push(memory, procs - 1, i);
  for (int p = 0; p < procs && cut == CUT_EVERYWHERE; p++) push(memory, p, i);
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
static bool is_ghost(case_cut cut, int64_t i, int64_t at, int64_t each)
{
  const int64_t x = at % 43;
  if (cut == CUT_GHOST_RUNS) return i % 12 < 9 - i / 12 % 2;
  if (cut != CUT_GHOST_STRIDES) return at < (each + 1) / 2;
  if (at / 43 % 2) return x < 40 && x % 4 < 3;
  return x < 30 ? x % 3 == 0 : x > 30 && x < 40;
}

/* What reaches into the next process's stretch goes to the end of the list. */
static void add_ghosts(case_cut cut, int64_t size, int procs, random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs;
  for (int64_t p = 0; p < procs; p++) memory->owned[p] = memory->lengths[p];
  for (int64_t p = 0; p < procs && procs > 1; p++)
    for (int64_t i = 0; i < size; i++)
      if (i / each == (p + 1) % procs && is_ghost(cut, i, i % each, each)) push(memory, p, i);
}

dap_dist case_lists(case_cut cut, int64_t size, int procs, test_random *random, random_memory *memory)
{
  if (cut == CUT_LOTS || cut == CUT_OVERLAPS || cut == CUT_LOTS_BEHIND) {
    const dap_dist lots = lists_by_lot(random, size, procs, cut == CUT_OVERLAPS, memory);
    if (cut == CUT_LOTS_BEHIND) add_copies(procs, memory);
    return lots;
  }
  begin_lists(procs, memory);
  for (int64_t i = 0; i < size; i++) deal(cut, i, size, procs, memory);
  if (has_ghosts(cut)) add_ghosts(cut, size, procs, memory);
  const bool shuffled =
      cut == CUT_SHUFFLED || cut == CUT_GHOSTS || cut == CUT_TWO_HOLDERS || cut == CUT_EVERYWHERE;
  for (int p = 0; p < procs && shuffled; p++) test_shuffle_long(random, memory->lengths[p], memory->lists[p]);
  dap_dist dist = dap_dist_unstructured(size, procs, memory->lengths, memory->indices);
  if (cut == CUT_GHOSTS) give_owners(&dist, memory);
  if (is_behind(cut)) dist.owned = memory->owned;
  return dist;
}
