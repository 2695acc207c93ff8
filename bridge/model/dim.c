/* One dimension dictionary on its own. */
#include "model_impl.h"

#include <ctype.h>
#include <inttypes.h>

dap_dim dap_dim_normal(const dap_dim *dim, int64_t extent)
{
  if (dim->dist_type == '\0')
    return (dap_dim){.dist_type = 'b', .size = extent, .proc_grid_size = 1, .stop = extent};
  dap_dim normal = *dim;
  if (normal.block_size == DAP_ABSENT) normal.block_size = 1;
  return normal;
}

static dap_status check_common(int axis, const dap_dim *dim, dap_error *err)
{
  DAP_REQUIRE(dim->size != DAP_ABSENT, err, DAP_ERR_DIM, "dim %d: required key size is absent", axis);
  DAP_REQUIRE(dim->proc_grid_size != DAP_ABSENT, err, DAP_ERR_DIM,
              "dim %d: required key proc_grid_size is absent", axis);
  DAP_REQUIRE(dim->proc_grid_rank != DAP_ABSENT, err, DAP_ERR_DIM,
              "dim %d: required key proc_grid_rank is absent", axis);
  DAP_REQUIRE(dim->size >= 0, err, DAP_ERR_DIM, "dim %d: size %" PRId64 " is negative", axis, dim->size);
  DAP_REQUIRE(dim->proc_grid_size >= 1, err, DAP_ERR_DIM, "dim %d: proc_grid_size %" PRId64 " is less than 1",
              axis, dim->proc_grid_size);
  DAP_REQUIRE(dim->proc_grid_rank >= 0 && dim->proc_grid_rank < dim->proc_grid_size, err, DAP_ERR_DIM,
              "dim %d: proc_grid_rank %" PRId64 " is outside 0 .. proc_grid_size - 1 = %" PRId64, axis,
              dim->proc_grid_rank, dim->proc_grid_size - 1);
  return DAP_OK;
}

dap_status dap_dim_check(int axis, const dap_dim *dim, int64_t extent, dap_error *err)
{
  const char type = dim->dist_type;
  DAP_REQUIRE(type != 'u', err, DAP_ERR_UNSUPPORTED, "dim %d: dist_type 'u' is not supported by this release",
              axis);
  const dap_dist_ops *ops = dap_dist_ops_find(type);
  DAP_REQUIRE(ops || !isprint((unsigned char)type), err, DAP_ERR_DIM,
              "dim %d: dist_type '%c' is none of 'b', 'c', 'u'", axis, type);
  DAP_REQUIRE(ops, err, DAP_ERR_DIM, "dim %d: dist_type (byte %d) is none of 'b', 'c', 'u'", axis, type);
  DAP_TRY(check_common(axis, dim, err));
  return ops->check(axis, dim, extent, err);
}
