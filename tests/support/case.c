#include "case.h"

#include "mpi_test.h"

/* ---- lists --------------------------------------------------------------------------------------------- */

/* Puts each index on a process that is drawn. With `shares` a third of the others have it too. */
static void deal_by_lot(test_random *random, int64_t size, int procs, bool shares, random_memory *memory)
{
  for (int64_t i = 0; i < size; i++) {
    const int64_t holder = test_random_int(random, 0, procs - 1);
    for (int64_t p = 0; p < procs; p++)
      if (p == holder || (shares && test_random_one_in(random, 3))) list_push(memory, p, i);
  }
}

/* Puts some indices of lower processes behind each list. */
static void add_copies(int procs, random_memory *memory)
{
  for (int64_t p = procs - 1; p > 0; p--)
    for (int64_t lower = 0; lower < p; lower++)
      for (int64_t i = 0; i < memory->lengths[lower]; i++)
        if ((i + p) % 3 == 0) list_push(memory, p, memory->lists[lower][i]);
}

/* Returns whether process p has index i among its own, not as a ghost behind them. A stretch has `each`
 * indices. */
static bool has(case_cut cut, int64_t i, int64_t each, int procs, int p)
{
  const bool in_turn = cut == CUT_DEALT || cut == CUT_SHUFFLED || cut == CUT_TWO_HOLDERS;
  const int64_t holder = cut == CUT_ONE_HOLDER ? procs - 1 : in_turn ? i % procs : i / each;
  const bool is_shared = cut == CUT_TWO_HOLDERS || (cut == CUT_EDGES && i % each >= each - 2);
  return p == holder || cut == CUT_EVERYWHERE || (is_shared && p == (holder + 1) % procs);
}

/* Returns whether a process has index i of the next process's stretch as a ghost. A stretch has `each`
 * indices. */
static bool is_ghost(case_cut cut, int64_t i, int64_t each)
{
  const int64_t at = i % each, x = at % 43;
  if (cut == CUT_GHOST_RUNS) return i % 12 < 9 - i / 12 % 2;
  if (cut != CUT_GHOST_STRIDES) return at < (each + 1) / 2;
  if (at / 43 % 2) return x < 40 && x % 4 < 3;
  return x < 30 ? x % 3 == 0 : x > 30 && x < 40;
}

static void deal_by_index(case_cut cut, int64_t size, int procs, random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs;
  const bool has_ghosts = procs > 1 && cut >= CUT_GHOSTS;
  for (int p = 0; p < procs; p++) {
    for (int64_t i = 0; i < size; i++)
      if (has(cut, i, each, procs, p)) list_push(memory, p, cut == CUT_BACKWARDS ? size - 1 - i : i);
    memory->owned[p] = memory->lengths[p];
    for (int64_t i = 0; i < size && has_ghosts; i++)
      if (i / each == (p + 1) % procs && is_ghost(cut, i, each)) list_push(memory, p, i);
  }
}

static dap_dist case_lists(case_cut cut, int64_t size, int procs, test_random *random, random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs;
  const bool by_lot = cut == CUT_LOTS || cut == CUT_OVERLAPS || cut == CUT_LOTS_BEHIND;
  const bool is_shuffled =
      by_lot || cut == CUT_SHUFFLED || cut == CUT_GHOSTS || cut == CUT_TWO_HOLDERS || cut == CUT_EVERYWHERE;
  memset(memory->lengths, 0, sizeof memory->lengths);
  if (by_lot)
    deal_by_lot(random, size, procs, cut == CUT_OVERLAPS, memory);
  else
    deal_by_index(cut, size, procs, memory);
  for (int p = 0; p < procs; p++) {
    memory->indices[p] = memory->lists[p];
    memory->is_owned[p] = memory->flags[p];
    if (is_shuffled) test_shuffle(random, memory->lengths[p], memory->lists[p]);
    for (int64_t i = 0; i < memory->lengths[p]; i++) memory->flags[p][i] = memory->lists[p][i] / each == p;
  }
  if (cut == CUT_LOTS_BEHIND) add_copies(procs, memory);
  dap_dist dist = dap_dist_unstructured(size, procs, memory->lengths, memory->indices);
  if (cut == CUT_GHOSTS) dist.is_owned = memory->is_owned;
  if (cut > CUT_GHOSTS) dist.owned = memory->owned;
  return dist;
}

/* ---- axes --------------------------------------------------------------------------------------------- */

/* Finds lengths by the processes' weights. The remainder goes to the last process with a weight. */
static void cut_lengths(case_cut cut, int64_t size, int procs, int64_t lengths[])
{
  int64_t total = 0, rest = size;
  int last = 0;
  for (int p = 0; p < procs; p++) {
    lengths[p] = cut == CUT_HOLES ? 1 - p % 2 : cut == CUT_LAST ? p == procs - 1 : 1 + 2 * p % 3;
    total += lengths[p];
    if (lengths[p] > 0) last = p;
  }
  for (int p = 0; p < procs; p++) rest -= lengths[p] = size * lengths[p] / total;
  lengths[last] += rest;
}

static dap_dist cut_blocks(case_cut cut, int64_t size, int procs, int64_t block)
{
  const bool is_one = cut == CUT_ONE_BLOCK || cut == CUT_ROTATED_BLOCK;
  const int64_t each = (size + procs - 1) / procs;
  dap_dist dist = dap_dist_cyclic(size, procs, !is_one ? block : each > 0 ? each : 1);
  if (cut == CUT_ROTATED || cut == CUT_ROTATED_BLOCK) dist.first_owner = procs - 1;
  return dist;
}

static dap_dist cut_ranges(case_cut cut, int64_t size, int procs, random_memory *memory)
{
  if (cut == CUT_EVEN || cut == CUT_PADDED || cut == CUT_RING) return dap_dist_even(size, procs);
  if (cut == CUT_CEIL) return dap_dist_ceil(size, procs);
  cut_lengths(cut, size, procs, memory->lengths);
  return dap_dist_lengths(size, procs, memory->lengths);
}

/* Makes the distribution of axis k. Its members point to *memory. */
static dap_dist case_axis(const case_layout *c, int k, int procs, test_random *random, random_memory *memory)
{
  const case_cut cut = c->cut[k];
  if (cut == CUT_COPIES) return dap_dist_replicated(c->size[k], procs);
  if (cut == CUT_PARTIAL) return dap_dist_partial(c->size[k], procs);
  if (cut >= CUT_ASCENDING) return case_lists(cut, c->size[k], procs, random, memory);
  if (cut >= CUT_CYCLIC) return cut_blocks(cut, c->size[k], procs, c->block[k] ? c->block[k] : 2);
  dap_dist dist = cut_ranges(cut, c->size[k], procs, memory);
  dist.halo = c->halo[k];
  for (int side = 0; side < 2; side++) dist.boundary[side] = c->boundary[k][side];
  dist.wraps = c->wraps[k] || cut == CUT_RING;
  dist.periodic = c->periodic[k] || dist.wraps;
  return dist;
}

dap_dist cut_axis(case_cut cut, int64_t size, int procs, int64_t halo, test_random *random,
                  random_memory *memory)
{
  const bool has_halo = cut == CUT_PADDED || cut == CUT_RING;
  const case_layout one = {"", 1, {size}, .cut = {cut}, .block = {3}, .halo = {has_halo ? halo : 0}};
  return case_axis(&one, 0, procs, random, memory);
}

/* ---- arrays ------------------------------------------------------------------------------------------- */

/* Returns the rank at a place of the grid if the first coordinate is the fastest among ranks. */
static int transposed_rank(int ndim, const int procs[], int place)
{
  int rank = 0, stride = 1, rest = place, coords[CASE_NDIM];
  for (int k = ndim - 1; k >= 0; rest /= procs[k--]) coords[k] = rest % procs[k];
  for (int k = 0; k < ndim; stride *= procs[k++]) rank += coords[k] * stride;
  return rank;
}

/* Makes the distributions of all axes. ranks[] receives the rank at each place of the grid. */
static void deal(const case_layout *c, const int procs[], test_random *random, random_memory memory[],
                 dap_dist dists[], int ranks[])
{
  int count = 1;
  for (int k = 0; k < c->ndim; k++) {
    dists[k] = case_axis(c, k, procs[k], random, &memory[k]);
    count *= procs[k];
  }
  for (int i = 0; i < count; i++) ranks[i] = c->transposed ? transposed_rank(c->ndim, procs, i) : i;
  if (c->shuffled) test_shuffle(random, count, ranks);
}

bool case_try(const case_layout *c, int nprocs, test_random *random, random_array *array)
{
  int procs[CASE_NDIM], ranks[BRUTE_PROCS];
  dap_dist dists[CASE_NDIM];
  for (int k = 0; k < c->ndim; k++) {
    procs[k] = !c->axes || (c->axes >> k & 1) ? 0 : 1;
    if (c->size[k] + 2 * c->halo[k] > BRUTE_SIZE) return false;
  }
  if (c->ndim > 0 && c->axes != ONE_PROCESS) MPI_Dims_create(nprocs, c->ndim, procs); /* where it is 0 */
  deal(c, procs, random, array->memory, dists, ranks);
  return brute_array_deal(c->ndim, dists, ranks, &array->model) && array_deal(c->ndim, dists, ranks, array);
}

void case_deal(const case_layout *c, int nprocs, test_random *random, random_array *array)
{
  const bool is_legal = case_try(c, nprocs, random, array);
  if (!EXPECT_MSG(is_legal, "%s: illegal or too long on %d processes", c->why, nprocs) ||
      !EXPECT_MSG(!c->assembled || random_array_can_assemble(array), "%s: cannot be assembled", c->why))
    SETTLE();
}

dap_layout *case_create(const case_layout *c, const int procs[], test_random *random)
{
  static random_memory memory[CASE_NDIM]; /* too large for a stack */
  int ranks[BRUTE_PROCS];
  dap_dist dists[CASE_NDIM];
  for (int k = 0; k < c->ndim; k++)
    if (c->cut[k] >= CUT_ASCENDING && c->size[k] > BRUTE_SIZE) {
      fprintf(stderr, "%s: lists of tests have at most %d indices\n", c->why, BRUTE_SIZE);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  deal(c, procs, random, memory, dists, ranks);
  dap_layout *layout = layout_make(c->ndim, dists, ranks);
  if (!c->assembled) return layout;
  dap_layout *assembled = assemble_again(MPI_COMM_WORLD, layout, NULL, random);
  dap_layout_destroy(&layout);
  return assembled;
}

test_side case_side(const case_layout *c, int64_t itemsize, test_form form, test_random *random,
                    random_array *array)
{
  case_deal(c, test_nprocs(), random, array);
  return side_make(array, c->assembled ? ASSEMBLED : CREATED, NULL, itemsize, form, random);
}
