/* What the coordinates of an axis of two layouts have in common, kept for all of them where it can be. */
#include "relabel_impl.h"

#include <stdlib.h>

enum { MOST = 1 << 24 /* pairs that are kept, or runs gone through where there are more pairs */ };

/* ---- in advance ----------------------------------------------------------------------------------- */

/* What lists take bounds what is counted of them. */
static bool is_counted(const dap_map *from, const dap_map *to)
{
  const int64_t pairs = (int64_t)from->axis.procs * to->axis.procs;
  return from->lists || to->lists || pairs <= MOST || dap_common_steps(from, to) <= MOST;
}

static int ascending(const void *left, const void *right)
{
  const int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

static dap_status reserve(int axis, int64_t count, int64_t *capacity, dap_mutuals *mutuals, dap_error *err)
{
  if (count <= *capacity) return DAP_OK;
  const int64_t larger = dap_larger(count, *capacity + *capacity / 2);
  dap_mutual *list = realloc(mutuals->list, (size_t)larger * sizeof *list);
  DAP_REQUIRE(list, err, DAP_ERR_NOMEM, "dim %d: no memory for what processes have in common", axis);
  mutuals->list = list;
  *capacity = larger;
  return DAP_OK;
}

/* Moves a tally behind the others, in order. */
static void empty(dap_tally *tally, dap_mutual list[])
{
  qsort(tally->touched, (size_t)tally->touched_count, sizeof *tally->touched, ascending);
  for (int i = 0; i < tally->touched_count; i++) {
    const int p = tally->touched[i];
    list[i] = (dap_mutual){p, tally->counts[p]};
    tally->counts[p] = 0;
  }
  tally->touched_count = 0;
}

static dap_status count(int axis, dap_tally *tally, dap_mutuals *mutuals, dap_error *err)
{
  int64_t capacity = 0;
  for (int q = 0; q < mutuals->to->axis.procs; q++) {
    dap_common_tally(mutuals->from, mutuals->to, q, tally);
    const int64_t begin = mutuals->first[q], end = begin + tally->touched_count;
    DAP_TRY(reserve(axis, end, &capacity, mutuals, err));
    if (end > begin) empty(tally, mutuals->list + begin);
    mutuals->first[q + 1] = end;
  }
  return DAP_OK;
}

dap_status dap_mutuals_create(int axis, const dap_map *from, const dap_map *to, dap_mutuals *mutuals,
                              dap_error *err)
{
  const size_t procs = (size_t)from->axis.procs;
  *mutuals = (dap_mutuals){.from = from, .to = to};
  if (!is_counted(from, to)) return DAP_OK;
  dap_tally tally = {.counts = calloc(procs, sizeof *tally.counts),
                     .touched = malloc(procs * sizeof *tally.touched)};
  mutuals->first = calloc((size_t)to->axis.procs + 1, sizeof *mutuals->first);
  const dap_status s = tally.counts && tally.touched && mutuals->first
                           ? count(axis, &tally, mutuals, err)
                           : dap_fail(err, DAP_ERR_NOMEM, "dim %d: no memory for %zu processes", axis, procs);
  free(tally.counts);
  free(tally.touched);
  return s;
}

void dap_mutuals_release(dap_mutuals *mutuals)
{
  free(mutuals->first);
  free(mutuals->list);
  *mutuals = (dap_mutuals){0};
}

/* ---- asked ---------------------------------------------------------------------------------------- */

int64_t dap_mutuals_count(const dap_mutuals *mutuals, int p, int q)
{
  if (!mutuals->first) return dap_common_pair(mutuals->from, p, mutuals->to, q);
  const int64_t end = mutuals->first[q + 1];
  int64_t low = mutuals->first[q], high = end;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (mutuals->list[middle].coord < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && mutuals->list[low].coord == p ? mutuals->list[low].count : 0;
}

/* Enters one among the best, if it is; returns how many there are then. */
static int enter(dap_mutual one, int count, int most, dap_mutual best[])
{
  int i = count;
  for (; i > 0; i--) {
    const dap_mutual *before = &best[i - 1];
    if (before->count > one.count || (before->count == one.count && before->coord < one.coord)) break;
    if (i < most) best[i] = *before;
  }
  if (i < most) best[i] = one;
  return count < most ? count + 1 : most;
}

int dap_mutuals_best(const dap_mutuals *mutuals, int q, int most, dap_mutual best[])
{
  int found = 0;
  if (mutuals->first) {
    for (int64_t i = mutuals->first[q]; i < mutuals->first[q + 1]; i++)
      found = enter(mutuals->list[i], found, most, best);
    return found;
  }
  int sample[DAP_MUTUALS_BEST];
  const int sampled = dap_common_sample(mutuals->from, mutuals->to, q, most, sample);
  for (int i = 0; i < sampled; i++) {
    const dap_mutual one = {sample[i], dap_common_pair(mutuals->from, sample[i], mutuals->to, q)};
    found = enter(one, found, most, best);
  }
  return found;
}
