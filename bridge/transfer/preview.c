/* Previews: what one process would do in a plan, found without the other processes. */
#include "transfer_impl.h"

static dap_status check_preview(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                const dap_plan_stats *stats, dap_error *err)
{
  DAP_REQUIRE(from && to && from->layout && to->layout && stats, err, DAP_ERR_ARG,
              "from, to, their layouts and stats must not be NULL");
  DAP_TRY(dap_layout_check(from->layout, err));
  DAP_TRY(dap_layout_check(to->layout, err));
  DAP_REQUIRE(rank >= 0 && rank < nprocs, err, DAP_ERR_ARG, "rank %d is outside 0 .. %d", rank, nprocs - 1);
  return DAP_OK;
}

dap_status dap_plan_preview(int nprocs, int rank, const dap_side *from, const dap_side *to, int64_t itemsize,
                            const dap_plan_options *options, dap_plan_stats *stats, dap_error *err)
{
  dap_error own = {0};
  dap_plan *plan = NULL;
  err = err ? err : &own;
  if (stats) *stats = (dap_plan_stats){0};
  DAP_TRY(check_preview(nprocs, rank, from, to, stats, err));
  const dap_plan_arguments arguments = {.from = from, .to = to, .itemsize = itemsize, .options = options};
  dap_status s = dap_plan_create_alone(nprocs, rank, &arguments, &plan, err);
  if (!s) *stats = dap_plan_summarize(plan);
  dap_plan_destroy(&plan);
  return s;
}
