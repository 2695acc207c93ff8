/* Finds PETSc's ownership ranges of an axis, for explain. */
#include "check.h"
#include "cli_impl.h"

/* dap_layout_ranges() takes the first process as the owner of an axis that all processes have. That is
 * refused here. */
dap_status cli_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *why)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  DAP_REQUIRE(a.procs == 1 || !a.replicated, why, DAP_ERR_SHARE,
              "axis %d: replicated: every process has all of it", axis);
  DAP_REQUIRE(a.procs == 1 || !a.partial, why, DAP_ERR_SHARE,
              "axis %d: partial: every process has an addend of each element", axis);
  return dap_layout_ranges(layout, axis, ranges, why);
}
