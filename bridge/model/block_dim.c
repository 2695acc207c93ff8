/* Reads start, stop and padding of one dictionary of a contiguous axis by its dialect, and checks them. */
#include "model_impl.h"

#include <inttypes.h>

static bool is_edge(const dap_dim *dim, int side)
{
  return dim->proc_grid_rank == (side == 0 ? 0 : dim->proc_grid_size - 1);
}

/* Returns whether padding on this side is communication padding, not boundary padding. */
static bool is_halo(const dap_dialect *dialect, const dap_dim *dim, int side)
{
  return !is_edge(dim, side) || (dialect->periodic_wraps && dim->periodic);
}

dap_block_part dap_block_part_of(const dap_dialect *dialect, const dap_dim *dim)
{
  dap_block_part p = {.start = dim->start, .stop = dim->stop};
  for (int side = 0; side < 2; side++)
    *(is_halo(dialect, dim, side) ? &p.halo[side] : &p.boundary[side]) = dim->padding[side];
  if (dialect->padding_inside) {
    p.start += p.halo[0];
    p.stop -= p.halo[1];
  }
  return p;
}

static dap_status padding_is_natural(const dap_case *c, dap_error *err)
{
  for (int side = 0; side < 2; side++)
    DAP_RULE(10, c->dim->padding[side] >= 0, err, DAP_ERR_DIM, "axis %d: padding[%d] %" PRId64 " is negative",
             c->axis, side, c->dim->padding[side]);
  return DAP_OK;
}

static dap_status stop_follows_start(const dap_case *c, dap_error *err)
{
  DAP_RULE(8, c->dim->stop >= c->dim->start, err, DAP_ERR_DIM,
           "axis %d: stop %" PRId64 " is less than start %" PRId64, c->axis, c->dim->stop, c->dim->start);
  return DAP_OK;
}

static dap_status stop_lies_inside(const dap_case *c, dap_error *err)
{
  DAP_RULE(8, c->dim->stop <= c->dim->size, err, DAP_ERR_DIM,
           "axis %d: stop %" PRId64 " exceeds size %" PRId64, c->axis, c->dim->stop, c->dim->size);
  return DAP_OK;
}

/* Checks that padding between start and stop fits there, and that none is longer than the dimension. */
static dap_status padding_fits(const dap_case *c, dap_error *err)
{
  const dap_dim *dim = c->dim;
  const int64_t range = dim->stop - dim->start;
  int64_t inside[2], extent = range;
  for (int side = 0; side < 2; side++) {
    const int64_t width = dim->padding[side];
    const bool is_inside = c->dialect->padding_inside || !is_halo(c->dialect, dim, side);
    inside[side] = is_inside ? width : 0;
    DAP_RULE(10, inside[side] <= range, err, DAP_ERR_DIM,
             "axis %d: padding[%d] %" PRId64 " exceeds stop - start = %" PRId64, c->axis, side, width, range);
    DAP_RULE(10, width <= dim->size, err, DAP_ERR_DIM,
             "axis %d: padding[%d] %" PRId64 " exceeds size %" PRId64, c->axis, side, width, dim->size);
    DAP_REQUIRE(is_inside || dap_add(extent, width, &extent), err, DAP_ERR_RANGE,
                "axis %d: stop - start + padding exceeds 2^63 - 1", c->axis);
  }
  DAP_RULE(10, inside[0] <= range - inside[1], err, DAP_ERR_DIM,
           "axis %d: padding (%" PRId64 ", %" PRId64 ") exceeds stop - start = %" PRId64, c->axis,
           dim->padding[0], dim->padding[1], range);
  return DAP_OK;
}

/* Returns the extent that start and stop would mean in another version; -1 if it overflows. */
static int64_t other_extent(const dap_case *c, int64_t range, int64_t halo)
{
  int64_t sum;
  if (!c->dialect->padding_inside) return range;
  return dap_add(range, halo, &sum) ? sum : -1;
}

/* Checks that the buffer holds the owned elements and the communication padding. The text says if the buffer
 * would be right in another version. */
static dap_status extent_fits(const dap_case *c, dap_error *err)
{
  const dap_block_part p = dap_block_part_of(c->dialect, c->dim);
  const int64_t halo = p.halo[0] + p.halo[1], range = c->dim->stop - c->dim->start;
  const int64_t wanted = p.stop - p.start + halo;
  if (c->extent == DAP_ABSENT || c->extent == wanted) return DAP_OK;
  const bool includes = c->dialect->padding_inside;
  DAP_RULE(8, halo == 0 || c->extent != other_extent(c, range, halo), err, DAP_ERR_BUFFER,
           "axis %d: the buffer's extent %" PRId64 " is stop - start = %" PRId64
           "%s; in protocol %s start and "
           "stop %s it",
           c->axis, c->extent, range,
           includes ? " plus the communication padding" : ", without the communication padding",
           c->dialect->versions, includes ? "include" : "exclude");
  return dap_fail_rule(err, 4, DAP_ERR_BUFFER,
                       "axis %d: the buffer's extent %" PRId64 " differs from stop - start%s = %" PRId64,
                       c->axis, c->extent, halo == 0 || includes ? "" : " + communication padding", wanted);
}

const dap_required dap_block_required[] = {
    {"start", offsetof(dap_dim, start), 0, 8}, {"stop", offsetof(dap_dim, stop), INT64_MIN, 0}, {0}};

const dap_check dap_block_checks[] = {{1, padding_is_natural}, {2, stop_follows_start}, {2, stop_lies_inside},
                                      {3, padding_fits},       {4, extent_fits},        {0}};
