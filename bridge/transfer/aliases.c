/* Finds buffers of a run that share memory where they must not: an array's source and destination, or a
 * destination and another array's buffers. Plans of parts are not checked, because a part may move within a
 * buffer. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Most pairs of buffers that are compared element by element for each array. Fields that lie interleaved
 * are many such pairs. */
enum { PAIRS = 8 };

/* The bytes from the lowest element of a buffer to behind the highest. */
struct dap_buffer_range {
  uintptr_t low, high; /* equal where there are no bytes */
  int64_t array;
  int64_t to_before; /* index of the last destination's range before it; -1: none */
  bool is_to;
};

/* Returns a side's elements on this process, in the array whose buffer is `data`. */
static dap_strided elements_of(const dap_problem *problem, bool of_from, const void *data)
{
  const dap_problem_side *side = of_from ? &problem->from : &problem->to;
  return (dap_strided){data, problem->ndim, side->extents, side->strides, side->item};
}

static bool is_in_place(const dap_plan *plan, int64_t array)
{
  return plan->in_place && plan->sources[array] == plan->destinations[array];
}

int64_t dap_aliases_own(const dap_plan *plan)
{
  const dap_problem *problem = &plan->problem;
  int64_t a = 0;
  while (a < problem->arrays && is_in_place(plan, a)) a++;
  if (a == problem->arrays || !problem->from.holds || !problem->to.holds || !dap_problem_moves_all(problem))
    return -1;
  for (; a < problem->arrays; a++) {
    const dap_strided from = elements_of(problem, true, plan->sources[a]),
                      to = elements_of(problem, false, plan->destinations[a]);
    if (!is_in_place(plan, a) && dap_strided_overlaps(&from, &to)) return a;
  }
  return -1;
}

dap_status dap_aliases_create(dap_plan *plan, dap_error *err)
{
  const int64_t arrays = plan->problem.arrays;
  if (arrays == 1) return DAP_OK;
  plan->ranges = calloc(2 * (size_t)arrays, sizeof *plan->ranges);
  DAP_REQUIRE(plan->ranges, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " arrays", arrays);
  for (int64_t i = 0; i < 2 * arrays; i++)
    plan->ranges[i] = (dap_buffer_range){.array = i / 2, .is_to = i % 2};
  return DAP_OK;
}

int64_t dap_aliases_memory(int64_t arrays)
{
  return arrays > 1 ? 2 * arrays * (int64_t)sizeof(dap_buffer_range) : 0;
}

static void set_range(const dap_strided *s, dap_buffer_range *range)
{
  int64_t span = 0;
  range->low = range->high = 0;
  if (!s->data || !dap_span(s->ndim, s->shape, s->strides, s->itemsize, &span) || span == 0) return;
  range->low = (uintptr_t)s->data;
  for (int k = 0; k < s->ndim; k++)
    if (s->strides[k] < 0 && s->shape[k] > 1) range->low -= (uintptr_t)(-s->strides[k] * (s->shape[k] - 1));
  range->high = range->low + (uintptr_t)span;
}

/* Sorts ranges by their first byte. The last run has left them mostly in order. This is Shell's sort with
 * Knuth's gaps. Gaps of powers of 2 would compare sources with destinations only in the last pass, because
 * the two alternate. */
static void sort_ranges(dap_buffer_range ranges[], int64_t count)
{
  int64_t gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int64_t i = gap; i < count; i++) {
      const dap_buffer_range range = ranges[i];
      int64_t at = i;
      for (; at >= gap && ranges[at - gap].low > range.low; at -= gap) ranges[at] = ranges[at - gap];
      ranges[at] = range;
    }
}

static dap_strided elements_at(const dap_plan *plan, const dap_buffer_range *range)
{
  const void *data = range->is_to ? plan->destinations[range->array] : plan->sources[range->array];
  return elements_of(&plan->problem, !range->is_to, data);
}

static bool shares(const dap_plan *plan, const dap_buffer_range *a, const dap_buffer_range *b)
{
  if (a->array == b->array || a->high <= b->low) return false;
  const dap_strided one = elements_at(plan, a), other = elements_at(plan, b);
  return dap_strided_overlaps(&one, &other);
}

/* Searches sorted ranges. A range is compared only with earlier ones that end behind its first byte, and a
 * source only with destinations. */
static int64_t find_shared(const dap_plan *plan)
{
  dap_buffer_range *ranges = plan->ranges;
  const int64_t count = 2 * plan->problem.arrays;
  int64_t first = 0, left = PAIRS * count, last_to = -1;
  uintptr_t high = 0;
  for (int64_t i = 0; i < count; i++) {
    if (ranges[i].low == ranges[i].high) continue;
    if (ranges[i].low >= high) first = i;
    ranges[i].to_before = last_to;
    for (int64_t j = ranges[i].is_to ? i - 1 : last_to; j >= first && left > 0; left--) {
      if (shares(plan, &ranges[j], &ranges[i])) return dap_larger(ranges[i].array, ranges[j].array);
      j = ranges[i].is_to ? j - 1 : ranges[j].to_before;
    }
    if (ranges[i].is_to) last_to = i;
    if (ranges[i].high > high) high = ranges[i].high;
  }
  return -1;
}

int64_t dap_aliases_find(const dap_plan *plan)
{
  const dap_problem *problem = &plan->problem;
  if (!plan->ranges || !problem->to.holds || !dap_problem_moves_all(problem)) return -1;
  for (int64_t i = 0; i < 2 * problem->arrays; i++) {
    dap_buffer_range *range = &plan->ranges[i];
    const bool counts = range->is_to || (problem->from.holds && !is_in_place(plan, range->array));
    dap_strided elements = elements_at(plan, range);
    if (!counts) elements.data = NULL;
    set_range(&elements, range);
  }
  sort_ranges(plan->ranges, 2 * problem->arrays);
  return find_shared(plan);
}
