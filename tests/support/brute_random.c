#include "brute.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* ---- ranges and blocks -------------------------------------------------------------------------- */

static void random_lengths(test_random *random, dap_dist *dist, int64_t *lengths)
{
  int64_t rest = dist->size;
  for (int p = 0; p < dist->procs; p++) lengths[p] = 0;
  for (; rest > 0; rest--) lengths[test_random_int(random, 0, dist->procs - 1)]++;
  if (test_random_one_in(random, 3)) { /* one process gives its part to another, and is empty */
    const int64_t from = test_random_int(random, 0, dist->procs - 1);
    const int64_t part = lengths[from];
    lengths[from] = 0;
    lengths[test_random_int(random, 0, dist->procs - 1)] += part;
  }
  dist->lengths = lengths;
}

dap_dist random_dist_of(test_random *random, int procs, int64_t size, int64_t *lengths)
{
  static brute_axis axis;
  dap_dist dist = {.kind = (dap_dist_kind)test_random_int(random, DAP_DIST_EVEN, DAP_DIST_CYCLIC)};
  dist.procs = procs;
  dist.size = size;
  if (dist.kind == DAP_DIST_CYCLIC) {
    dist.block_size = test_random_int(random, 1, test_random_one_in(random, 4) ? size + 3 : 4);
    dist.first_owner = (int)test_random_int(random, 0, procs - 1);
    return dist;
  }
  if (dist.kind == DAP_DIST_LENGTHS) random_lengths(random, &dist, lengths);
  (void)brute_deal(&dist, &axis);
  int64_t least = size;
  for (int p = 0; p < procs; p++) least = smaller(least, axis.owned[p]);
  dist.halo = smaller(test_random_int(random, 0, 3), least);
  if (test_random_one_in(random, 3)) {
    dist.boundary[0] = test_random_int(random, 0, smaller(2, axis.owned[0]));
    const int64_t room = axis.owned[procs - 1] - (procs == 1 ? dist.boundary[0] : 0);
    dist.boundary[1] = test_random_int(random, 0, smaller(2, room));
    dist.periodic = test_random_one_in(random, 2);
  }
  return dist;
}

/* ---- lists -------------------------------------------------------------------------------------- */

void list_push(random_memory *memory, int64_t p, int64_t index)
{
  memory->lists[p][memory->lengths[p]++] = index;
}

static void swap(int64_t *a, int64_t *b)
{
  const int64_t kept = *a;
  *a = *b;
  *b = kept;
}

/* Leaves a list ascending, or reverses it, or shuffles it. */
static void arrange(test_random *random, int64_t list[], int64_t length)
{
  const int64_t how = test_random_int(random, 0, 3);
  for (int64_t i = 0; i < length / 2 && how == 1; i++) swap(&list[i], &list[length - 1 - i]);
  if (how > 1) test_shuffle(random, length, list);
}

/* Draws the owner of each index among the processes that have it. Owners are given by flags, or by numbers of
 * owned indices, which are then moved to the front of each list. */
static void add_owners(test_random *random, dap_dist *dist, random_memory *memory)
{
  int64_t owner[BRUTE_SIZE] = {0}, holders[BRUTE_SIZE] = {0};
  for (int p = 0; p < dist->procs; p++)
    for (int64_t i = 0; i < memory->lengths[p]; i++)
      if (test_random_one_in(random, ++holders[memory->lists[p][i]])) owner[memory->lists[p][i]] = p;
  const bool by_flags = test_random_one_in(random, 2);
  for (int p = 0; p < dist->procs; p++) {
    int64_t *list = memory->lists[p], *owned = &memory->owned[p];
    *owned = 0;
    for (int64_t i = 0; i < memory->lengths[p]; i++) {
      memory->flags[p][i] = owner[list[i]] == p;
      if (!memory->flags[p][i]) continue;
      if (!by_flags) swap(&list[*owned], &list[i]);
      ++*owned;
    }
    memory->is_owned[p] = memory->flags[p];
  }
  if (by_flags)
    dist->is_owned = memory->is_owned;
  else
    dist->owned = memory->owned;
}

dap_dist random_lists(test_random *random, int procs, int64_t size, random_memory *memory)
{
  const bool duplicates = test_random_one_in(random, 2);
  const int64_t longest = test_random_one_in(random, 2) ? 1 : test_random_int(random, 2, size + 2);
  const int64_t holders = test_random_one_in(random, 3) ? test_random_int(random, 1, procs) : procs;
  const int64_t first = test_random_int(random, 0, procs - 1); /* process of those that get indices */
  for (int p = 0; p < procs; p++) memory->lengths[p] = 0;
  int64_t holder = 0, stretch = 0;
  for (int64_t index = 0; index < size; index++, stretch--) {
    if (stretch == 0) {
      stretch = test_random_int(random, 1, longest);
      holder = (first + test_random_int(random, 0, holders - 1)) % procs;
    }
    for (int64_t p = 0; p < procs; p++)
      if (p == holder ||
          (duplicates && (p + procs - first) % procs < holders && test_random_one_in(random, 4)))
        list_push(memory, p, index);
  }
  for (int p = 0; p < procs; p++) {
    arrange(random, memory->lists[p], memory->lengths[p]);
    memory->indices[p] = memory->lists[p];
  }
  dap_dist dist = dap_dist_unstructured(size, procs, memory->lengths, memory->indices);
  if (test_random_one_in(random, 2)) dist.one_to_one = !duplicates;
  if (!dist.one_to_one && test_random_one_in(random, 2)) add_owners(random, &dist, memory);
  return dist;
}

dap_dist random_any_dist(test_random *random, int procs, int64_t size, random_memory *memory)
{
  const int64_t kind = test_random_int(random, 0, 9);
  if (kind < 4) return random_lists(random, procs, size, memory);
  if (kind < 5) return (dap_dist){.kind = DAP_DIST_REPLICATED, .procs = procs, .size = size};
  dap_dist dist = random_dist_of(random, procs, size, memory->lengths);
  if (dist.kind == DAP_DIST_CYCLIC || !test_random_one_in(random, 2)) return dist;
  dist.periodic = true;
  dist.wraps = !test_random_one_in(random, 4);
  if (dist.wraps) dist.boundary[0] = dist.boundary[1] = 0;
  return dist;
}

/* ---- grids -------------------------------------------------------------------------------------- */

void random_grid(test_random *random, int nprocs, int ndim, int procs[])
{
  for (int axis = 0; axis < ndim; axis++) procs[axis] = 1;
  for (int factor = 2; factor <= nprocs; factor++)
    while (nprocs % factor == 0) {
      procs[test_random_int(random, 0, ndim - 1)] *= factor;
      nprocs /= factor;
    }
}

void random_ranks(test_random *random, int nprocs, int ranks[])
{
  for (int i = 0; i < nprocs; i++) ranks[i] = i;
  if (test_random_one_in(random, 2)) return;
  test_shuffle(random, nprocs, ranks);
}

/* ---- in words ----------------------------------------------------------------------------------- */

const char *dist_text(const dap_dist *dist)
{
  static const char *const cuts[] = {"even", "ceil", "lengths", "cyclic", "lists", "whole", "partial"};
  static char texts[8][192];
  static int next;
  char *text = texts[next];
  const char *owners = dist->owned ? " owned first" : dist->is_owned ? " owned by flags" : "";
  next = (next + 1) % 8;
  int used = snprintf(text, sizeof texts[0],
                      "%s %" PRId64 "/%d bs %" PRId64 " first %d halo %" PRId64 " boundary %" PRId64
                      ",%" PRId64 "%s%s%s%s of",
                      cuts[dist->kind], dist->size, dist->procs, dist->block_size, dist->first_owner,
                      dist->halo, dist->boundary[0], dist->boundary[1], dist->periodic ? " periodic" : "",
                      dist->wraps ? " wraps" : "", dist->one_to_one ? " one to one" : "", owners);
  for (int p = 0; p < dist->procs && dist->lengths && used < (int)sizeof texts[0]; p++)
    used += snprintf(text + used, sizeof texts[0] - (size_t)used, " %" PRId64, dist->lengths[p]);
  return text;
}
