/* What one process says that no others could make a whole array of. Only of interest where the others are not
 * asked: an array that is assembled is checked against them. */
#include "model_impl.h"

#include <inttypes.h>

/* The first process owns from 0, the last to size, unless they own nothing and others may. */
static dap_status check_block(const dap_dialect *dialect, int axis, const dap_dim *dim, dap_error *err)
{
  const dap_block_part p = dap_block_part_of(dialect, dim);
  const bool first = dim->proc_grid_rank == 0, last = dim->proc_grid_rank == dim->proc_grid_size - 1;
  if (p.start == p.stop && !(first && last)) return DAP_OK;
  DAP_RULE(8, !first || p.start == 0 || dim->size == 0, err, DAP_ERR_DIM,
           "dim %d: the first process owns from %" PRId64 ", not from 0", axis, p.start);
  DAP_RULE(8, !last || p.stop == dim->size || dim->size == 0, err, DAP_ERR_DIM,
           "dim %d: the last process owns to %" PRId64 ", not to size %" PRId64, axis, p.stop, dim->size);
  return DAP_OK;
}

static dap_status check_cyclic(int axis, const dap_dim *dim, dap_error *err)
{
  DAP_RULE(14, dim->proc_grid_size > 1 || dim->start < dim->size || dim->size == 0, err, DAP_ERR_DIM,
           "dim %d: start %" PRId64 " says that the only process is empty, but size is %" PRId64, axis,
           dim->start, dim->size);
  return DAP_OK;
}

static dap_status check_unstructured(int axis, const dap_dim *dim, dap_error *err)
{
  DAP_RULE(17, dim->proc_grid_size > 1 || dim->index_count == dim->size, err, DAP_ERR_DIM,
           "dim %d: the only process has %" PRId64 " indices, fewer than size %" PRId64, axis,
           dim->index_count, dim->size);
  return DAP_OK;
}

bool dap_part_alone(const dap_dialect *dialect, int ndim, const dap_dim dims[], dap_findings *findings)
{
  bool clean = true;
  for (int k = 0; k < ndim; k++) {
    dap_error error = {0};
    const char type = dims[k].dist_type;
    const dap_status s = type == 'b'   ? check_block(dialect, k, &dims[k], &error)
                         : type == 'c' ? check_cyclic(k, &dims[k], &error)
                                       : check_unstructured(k, &dims[k], &error);
    clean = clean && !s;
    if (!dap_found(findings, s, &error)) return false;
  }
  return clean;
}
