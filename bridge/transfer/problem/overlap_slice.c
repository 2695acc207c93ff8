/* Overlaps made of another one's elements: some of them, or all in place. */
#include "problem_impl.h"

dap_status dap_overlap_slice(const dap_overlap *whole, int64_t lo, int64_t hi, dap_overlap *slice,
                             dap_error *err)
{
  *slice = (dap_overlap){0};
  dap_pieces pieces = dap_pieces_of(whole, lo, hi);
  for (dap_strided_run piece; dap_pieces_next(&pieces, &piece);)
    DAP_TRY(dap_overlap_append(slice, &piece, err));
  return dap_overlap_finish(slice, err);
}

dap_status dap_overlap_mirror(const dap_overlap *overlap, dap_overlap *mirror, dap_error *err)
{
  *mirror = (dap_overlap){0};
  for (int64_t i = 0; i < dap_overlap_run_count(overlap); i++) {
    dap_strided_run run = dap_overlap_run(overlap, i);
    run.from = run.to;
    run.from_step = run.to_step;
    DAP_TRY(dap_overlap_append(mirror, &run, err));
  }
  return dap_overlap_finish(mirror, err);
}
