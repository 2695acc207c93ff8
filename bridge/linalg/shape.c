/* Extents of operands as matrices, and checks of them. */
#include "linalg_impl.h"

#include <inttypes.h>

static int64_t extent(const dap_linalg_call *call, int i, int axis)
{
  if (!call->given[i]) return 0;
  const dap_layout *layout = call->arguments.operands[i].operand.layout;
  return axis < dap_layout_ndim(layout) ? dap_layout_size(layout, axis) : 1;
}

int64_t dap_linalg_rows(const dap_linalg_call *call, int i)
{
  return extent(call, i, 0);
}

int64_t dap_linalg_cols(const dap_linalg_call *call, int i)
{
  return extent(call, i, 1);
}

dap_status dap_linalg_square(dap_linalg_call *call, int i)
{
  const int64_t rows = dap_linalg_rows(call, i), cols = dap_linalg_cols(call, i);
  DAP_REQUIRE(rows == cols, call->err, DAP_ERR_ARG, "%s must be square, it is %" PRId64 " x %" PRId64,
              call->arguments.operands[i].name, rows, cols);
  return DAP_OK;
}

dap_status dap_linalg_fits(dap_linalg_call *call, int i, int64_t rows, int64_t cols)
{
  const int64_t has_rows = dap_linalg_rows(call, i), has_cols = dap_linalg_cols(call, i);
  DAP_REQUIRE(!call->given[i] || (has_rows == rows && has_cols == cols), call->err, DAP_ERR_ARG,
              "%s must be %" PRId64 " x %" PRId64 ", it is %" PRId64 " x %" PRId64,
              call->arguments.operands[i].name, rows, cols, has_rows, has_cols);
  return DAP_OK;
}

void dap_linalg_local(const dap_scalapack_matrix *view, int64_t extents[2])
{
  dap_scalapack_int procs[2], coords[2];
  Cblacs_gridinfo(view->desc[DAP_CTXT], &procs[0], &procs[1], &coords[0], &coords[1]);
  for (int k = 0; k < 2; k++)
    extents[k] = coords[k] < 0 ? 0
                               : numroc_(&view->desc[DAP_M + k], &view->desc[DAP_MB + k], &coords[k],
                                         &view->desc[DAP_RSRC + k], &procs[k]);
}
