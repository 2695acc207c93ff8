/* One dictionary of a contiguous axis: what its start, stop and padding mean in its dialect, and the checks of
 * it. */
#include "model_impl.h"

#include <inttypes.h>

static bool is_edge(const dap_dim *dim, int side)
{
  return dim->proc_grid_rank == (side == 0 ? 0 : dim->proc_grid_size - 1);
}

dap_block_part dap_block_part_of(const dap_dialect *dialect, const dap_dim *dim)
{
  dap_block_part p = {.start = dim->start, .stop = dim->stop};
  const bool wraps = dialect->periodic_wraps && dim->periodic;
  for (int side = 0; side < 2; side++)
    *(is_edge(dim, side) && !wraps ? &p.boundary[side] : &p.halo[side]) = dim->padding[side];
  if (dialect->padding_inside) {
    p.start += p.halo[0];
    p.stop -= p.halo[1];
  }
  return p;
}

static dap_status has_start(const dap_case *c, dap_error *err)
{
  DAP_RULE(1, c->dim->start != DAP_ABSENT, err, DAP_ERR_DIM, "dim %d: required key start is absent", c->axis);
  return DAP_OK;
}

static dap_status has_stop(const dap_case *c, dap_error *err)
{
  DAP_RULE(1, c->dim->stop != DAP_ABSENT, err, DAP_ERR_DIM, "dim %d: required key stop is absent", c->axis);
  return DAP_OK;
}

static dap_status start_is_natural(const dap_case *c, dap_error *err)
{
  DAP_RULE(8, c->dim->start >= 0, err, DAP_ERR_DIM, "dim %d: start %" PRId64 " is negative", c->axis,
           c->dim->start);
  return DAP_OK;
}

static dap_status padding_is_natural(const dap_case *c, dap_error *err)
{
  for (int side = 0; side < 2; side++)
    DAP_RULE(10, c->dim->padding[side] >= 0, err, DAP_ERR_DIM, "dim %d: padding[%d] %" PRId64 " is negative",
             c->axis, side, c->dim->padding[side]);
  return DAP_OK;
}

static dap_status stop_follows_start(const dap_case *c, dap_error *err)
{
  DAP_RULE(8, c->dim->stop >= c->dim->start, err, DAP_ERR_DIM,
           "dim %d: stop %" PRId64 " is less than start %" PRId64, c->axis, c->dim->stop, c->dim->start);
  return DAP_OK;
}

static dap_status stop_lies_inside(const dap_case *c, dap_error *err)
{
  DAP_RULE(8, c->dim->stop <= c->dim->size, err, DAP_ERR_DIM,
           "dim %d: stop %" PRId64 " exceeds size %" PRId64, c->axis, c->dim->stop, c->dim->size);
  return DAP_OK;
}

/* Padding that lies between start and stop fits there; what lies outside is no longer than the dimension. */
static dap_status padding_fits(const dap_case *c, dap_error *err)
{
  const dap_dim *dim = c->dim;
  const dap_block_part p = dap_block_part_of(c->dialect, dim);
  const int64_t range = dim->stop - dim->start;
  int64_t inside[2];
  for (int side = 0; side < 2; side++) {
    const int64_t width = dim->padding[side];
    inside[side] = c->dialect->padding_inside ? width : p.boundary[side];
    DAP_RULE(10, inside[side] <= range, err, DAP_ERR_DIM,
             "dim %d: padding[%d] %" PRId64 " exceeds stop - start = %" PRId64, c->axis, side, width, range);
    DAP_RULE(10, width <= dim->size, err, DAP_ERR_DIM,
             "dim %d: padding[%d] %" PRId64 " exceeds size %" PRId64, c->axis, side, width, dim->size);
  }
  DAP_RULE(10, inside[0] <= range - inside[1], err, DAP_ERR_DIM,
           "dim %d: padding (%" PRId64 ", %" PRId64 ") exceeds stop - start = %" PRId64, c->axis,
           dim->padding[0], dim->padding[1], range);
  return DAP_OK;
}

/* The buffer holds what is owned and the communication padding; a buffer that would fit another version's
 * reading of start and stop is told so. */
static dap_status extent_fits(const dap_case *c, dap_error *err)
{
  const dap_block_part p = dap_block_part_of(c->dialect, c->dim);
  const int64_t outside = p.halo[0] + p.halo[1], range = c->dim->stop - c->dim->start;
  const int64_t wanted = p.stop - p.start + outside;
  if (c->extent == DAP_ABSENT) return DAP_OK;
  const bool includes = c->dialect->padding_inside;
  const int64_t other = includes ? range + outside : range;
  DAP_RULE(8, c->extent == wanted || outside == 0 || c->extent != other, err, DAP_ERR_BUFFER,
           "dim %d: the buffer's extent %" PRId64 " is stop - start = %" PRId64
           "%s; in protocol %s start and "
           "stop %s it",
           c->axis, c->extent, range,
           includes ? " plus the communication padding" : ", without the communication padding",
           c->dialect->versions, includes ? "include" : "exclude");
  DAP_RULE(4, c->extent == wanted || outside == 0 || includes, err, DAP_ERR_BUFFER,
           "dim %d: the buffer's extent %" PRId64
           " differs from stop - start + communication padding = %" PRId64,
           c->axis, c->extent, wanted);
  DAP_RULE(4, c->extent == wanted, err, DAP_ERR_BUFFER,
           "dim %d: the buffer's extent %" PRId64 " differs from stop - start = %" PRId64, c->axis, c->extent,
           range);
  return DAP_OK;
}

const dap_check dap_block_checks[] = {
    {0, has_start},          {0, has_stop},           {1, start_is_natural},
    {1, padding_is_natural}, {2, stop_follows_start}, {2, stop_lies_inside},
    {3, padding_fits},       {4, extent_fits},        {5, NULL},
};
