/* Reverses overlaps: elements then go from the positions that a move fills to those that it reads. */
#include "problem_impl.h"

/* Whether the runs' destinations ascend, without duplicates. Repetitions after the second are like it and
 * are skipped. */
static bool ascends(const dap_overlap *overlap)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  int64_t end = 0;
  for (int64_t i = 0; i < dap_overlap_run_count(overlap); i++) {
    if (r->repeats > 2 && i == r->first + 2 * r->count) {
      i += (r->repeats - 2) * r->count;
      end += (r->repeats - 2) * r->to;
      if (i == dap_overlap_run_count(overlap)) break;
    }
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
  for (int64_t i = 0; i < overlap->size && overlap->runs; i++) {
    dap_strided_run *run = &overlap->runs[i];
    const int64_t at = run->from, step = run->from_step;
    run->from = run->to;
    run->from_step = run->to_step;
    run->to = at;
    run->to_step = step;
  }
  dap_repeated *r = overlap->repeated;
  if (r) *r = (dap_repeated){r->first, r->count, r->repeats, r->elements, r->to, r->from};
}

dap_status dap_overlap_reverse(dap_overlap *overlap, dap_error *err)
{
  swap_positions(overlap);
  if (ascends(overlap)) return DAP_OK;
  if (!dap_overlap_is_points(overlap) || overlap->repeated)
    DAP_TRY(dap_overlap_list(overlap, overlap->elements, err));
  dap_points_sort(overlap);
  return dap_overlap_finish(overlap, err);
}
