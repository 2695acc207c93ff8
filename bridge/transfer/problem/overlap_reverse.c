/* Overlaps of the move back: from the positions that a move would fill to those it would read. */
#include "problem_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* The runs' destinations ascend, and none is there twice. */
static bool ascends(const dap_overlap *overlap)
{
  int64_t end = 0;
  for (int64_t i = 0; i < dap_overlap_run_count(overlap); i++) {
    const dap_strided_run run = dap_overlap_run(overlap, i);
    if (run.to < end || (run.count > 1 && run.to_step < run.length)) return false;
    end = run.to + (run.count > 1 ? (run.count - 1) * run.to_step : 0) + run.length;
  }
  return true;
}

static void swap_positions(dap_overlap *overlap)
{
  const dap_packed from = overlap->from;
  overlap->from = overlap->to;
  overlap->to = from;
  for (int64_t i = 0; i < overlap->size; i++) {
    dap_strided_run *run = &overlap->runs[i];
    const int64_t at = run->from, step = run->from_step;
    run->from = run->to;
    run->from_step = run->to_step;
    run->to = at;
    run->to_step = step;
  }
}

/* ---- where they do not ascend ----------------------------------------------------------------------- */

typedef struct pair {
  int64_t to, from;
} pair;

static int compare(const void *a, const void *b)
{
  const pair *x = a, *y = b;
  return (x->to > y->to) - (x->to < y->to);
}

static void list_pairs(const dap_overlap *overlap, pair pairs[])
{
  int64_t count = 0;
  for (int64_t i = 0; i < dap_overlap_run_count(overlap); i++) {
    const dap_strided_run run = dap_overlap_run(overlap, i);
    for (int64_t j = 0; j < run.count; j++)
      for (int64_t k = 0; k < run.length; k++)
        pairs[count++] = (pair){.to = run.to + j * run.to_step + k, .from = run.from + j * run.from_step + k};
  }
}

static dap_status add_pairs(const pair pairs[], int64_t count, dap_overlap *overlap, dap_error *err)
{
  for (int64_t i = 0; i < count; i++) DAP_TRY(dap_overlap_add(overlap, pairs[i].from, pairs[i].to, 1, err));
  return dap_overlap_finish(overlap, err);
}

dap_status dap_overlap_reverse(dap_overlap *overlap, dap_error *err)
{
  const int64_t count = overlap->elements;
  dap_overlap sorted = {0};
  swap_positions(overlap);
  if (ascends(overlap)) return DAP_OK;
  pair *pairs = malloc((size_t)count * sizeof *pairs);
  DAP_REQUIRE(pairs, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " elements of a plan", count);
  list_pairs(overlap, pairs);
  qsort(pairs, (size_t)count, sizeof *pairs, compare);
  const dap_status s = add_pairs(pairs, count, &sorted, err);
  free(pairs);
  dap_overlap_release(s ? &sorted : overlap);
  if (!s) *overlap = sorted;
  return s;
}
