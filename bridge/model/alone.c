/* Checks one process's dictionaries without those of the others. An array that is assembled is checked
 * against the others instead. */
#include "model_impl.h"

#include <inttypes.h>

/* Checks that the padding at each end is not longer than this process and its neighbour there can own. */
static dap_status check_halo(const dap_dialect *dialect, int axis, const dap_dim *dim, dap_error *err)
{
  const dap_block_part p = dap_block_part_of(dialect, dim);
  const int64_t owned = p.stop - p.start, beyond[2] = {p.start, dim->size - p.stop};
  for (int side = 0; side < 2; side++) {
    const bool wraps = dim->proc_grid_rank == (side == 0 ? 0 : dim->proc_grid_size - 1); /* if there is any */
    const int64_t most = wraps ? (owned > 0 ? dim->size : 0) : dap_smaller(owned, beyond[side]);
    DAP_RULE(10, p.halo[side] <= most, err, DAP_ERR_DIM,
             "axis %d: communication padding[%d] %" PRId64 " is more than %" PRId64
             ", what this process and its neighbour can both own",
             axis, side, p.halo[side], most);
  }
  return DAP_OK;
}

/* Checks that the first process owns from 0 and the last to size, unless it owns nothing and others may. */
static dap_status check_block(const dap_dialect *dialect, int axis, const dap_dim *dim, dap_error *err)
{
  const dap_block_part p = dap_block_part_of(dialect, dim);
  const bool first = dim->proc_grid_rank == 0, last = dim->proc_grid_rank == dim->proc_grid_size - 1;
  DAP_TRY(check_halo(dialect, axis, dim, err));
  if (p.start == p.stop && !(first && last)) return DAP_OK;
  DAP_RULE(8, !first || p.start == 0 || dim->size == 0, err, DAP_ERR_DIM,
           "axis %d: the first process owns from %" PRId64 ", not from 0", axis, p.start);
  DAP_RULE(8, !last || p.stop == dim->size || dim->size == 0, err, DAP_ERR_DIM,
           "axis %d: the last process owns to %" PRId64 ", not to size %" PRId64, axis, p.stop, dim->size);
  return DAP_OK;
}

/* Checks that an empty process is possible. If there are as many blocks as processes, each has one. */
static dap_status check_cyclic(int axis, const dap_dim *dim, dap_error *err)
{
  const int64_t blocks = dim->size / dim->block_size + (dim->size % dim->block_size > 0);
  DAP_RULE(14, dim->start < dim->size || blocks < dim->proc_grid_size, err, DAP_ERR_DIM,
           "axis %d: start %" PRId64 " says that the process is empty, but there are %" PRId64
           " blocks for %" PRId64 " processes",
           axis, dim->start, blocks, dim->proc_grid_size);
  return DAP_OK;
}

static dap_status check_unstructured(int axis, const dap_dim *dim, dap_error *err)
{
  DAP_RULE(17, dim->proc_grid_size > 1 || dim->index_count == dim->size, err, DAP_ERR_DIM,
           "axis %d: the only process has %" PRId64 " indices, fewer than size %" PRId64, axis,
           dim->index_count, dim->size);
  return DAP_OK;
}

bool dap_local_alone(const dap_dialect *dialect, int ndim, const dap_dim dims[], dap_findings *findings)
{
  bool clean = true;
  for (int k = 0; k < ndim && !findings->is_over; k++) {
    dap_error error = {0};
    const char type = dims[k].dist_type;
    const dap_status s = type == 'b'   ? check_block(dialect, k, &dims[k], &error)
                         : type == 'c' ? check_cyclic(k, &dims[k], &error)
                                       : check_unstructured(k, &dims[k], &error);
    clean = dap_found(findings, s, &error) && clean;
  }
  return clean;
}
