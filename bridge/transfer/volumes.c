/* Counts communication volumes: elements that one process has and another wants. A volume is the product of
 * the numbers of elements that coordinates of the axes have in common. */
#include "relabel_impl.h"

#include <inttypes.h>

/* Checks that both are layouts of arrays of the same shape. */
static dap_status check_layouts(const dap_layout *from, const dap_layout *to, dap_error *err)
{
  DAP_REQUIRE(from && to, err, DAP_ERR_ARG, "from and to must not be NULL");
  DAP_TRY(dap_layout_check(from, err));
  DAP_TRY(dap_layout_check(to, err));
  DAP_REQUIRE(from->ndim == to->ndim, err, DAP_ERR_ARG,
              "from and to must have the same number of axes, not %d and %d", from->ndim, to->ndim);
  for (int k = 0; k < from->ndim; k++)
    DAP_REQUIRE(from->maps[k].axis.size == to->maps[k].axis.size, err, DAP_ERR_ARG,
                "axis %d: from has size %" PRId64 ", to has %" PRId64, k, from->maps[k].axis.size,
                to->maps[k].axis.size);
  return DAP_OK;
}

/* Counts all elements. An axis without elements makes it 0, however many the others have. */
static dap_status count_all(const dap_layout *to, int64_t *all, dap_error *err)
{
  *all = dap_layout_count(to) > 0;
  for (int k = 0; *all > 0 && k < to->ndim; k++) {
    const dap_map *map = &to->maps[k];
    int64_t held = map->lists ? 0 : map->axis.size;
    for (int c = 0; map->lists && c < map->axis.procs; c++) held += map->lists->held[c];
    const int copies = dap_map_is_whole(map) ? map->axis.procs : 1;
    DAP_REQUIRE(dap_multiply(held, copies, &held) && dap_multiply(*all, held, all), err, DAP_ERR_RANGE,
                "axis %d: all processes together hold more than 2^63 - 1 elements", k);
  }
  return DAP_OK;
}

dap_status dap_volumes_create(const dap_layout *from, const dap_layout *to, dap_volumes *volumes,
                              dap_error *err)
{
  *volumes = (dap_volumes){.from = from, .to = to};
  DAP_TRY(check_layouts(from, to, err));
  volumes->ranks = from->nprocs > to->nprocs ? from->nprocs : to->nprocs;
  for (int k = 0; k < to->ndim; k++) {
    DAP_TRY(dap_lists_check_known(k, &from->maps[k], err));
    DAP_TRY(dap_lists_check_known(k, &to->maps[k], err));
  }
  DAP_TRY(count_all(to, &volumes->all, err));
  for (int k = 0; k < to->ndim && volumes->all > 0; k++)
    DAP_TRY(dap_common_matrix_create(k, &from->maps[k], &to->maps[k], &volumes->axes[k], err));
  return DAP_OK;
}

void dap_volumes_release(dap_volumes *volumes)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) dap_common_matrix_release(&volumes->axes[k]);
}

int64_t dap_volume(const dap_volumes *volumes, int p, int q)
{
  int from[DAP_MAX_NDIM], to[DAP_MAX_NDIM];
  if (volumes->all == 0 || p >= volumes->from->nprocs) return 0;
  dap_layout_coords(volumes->from, p, from);
  dap_layout_coords(volumes->to, q, to);
  int64_t volume = 1; /* no product overflows, because all elements together have been counted */
  for (int k = 0; k < volumes->to->ndim && volume > 0; k++)
    volume *= dap_common_matrix_at(&volumes->axes[k], from[k], to[k]);
  return volume;
}

int64_t dap_volumes_kept(const dap_volumes *volumes, const int ranks[])
{
  int64_t kept = 0;
  for (int q = 0; q < volumes->to->nprocs; q++) kept += dap_volume(volumes, ranks ? ranks[q] : q, q);
  return kept;
}

/* Whether q reads a source with copies from p: it reads its own copy, else the first one. */
static bool is_nearest(const dap_layout *from, int p, int q)
{
  int of_p[DAP_MAX_NDIM] = {0}, of_q[DAP_MAX_NDIM] = {0};
  bool is_first = true, has_own = q < from->nprocs;
  if (p == q) return true;
  dap_layout_coords(from, p, of_p);
  if (has_own) dap_layout_coords(from, q, of_q);
  for (int k = 0; k < from->ndim; k++) {
    if (from->maps[k].axis.replicated)
      is_first = is_first && of_p[k] == 0;
    else
      has_own = has_own && of_p[k] == of_q[k];
  }
  return is_first && !has_own;
}

dap_status dap_plan_volumes(const dap_layout *from, const dap_layout *to, int64_t elements[], dap_error *err)
{
  dap_volumes volumes;
  DAP_REQUIRE(elements, err, DAP_ERR_ARG, "elements must not be NULL");
  const dap_status s = dap_volumes_create(from, to, &volumes, err);
  for (int p = 0; !s && p < from->nprocs; p++)
    for (int q = 0; q < to->nprocs; q++)
      elements[(int64_t)p * to->nprocs + q] = is_nearest(from, p, q) ? dap_volume(&volumes, p, q) : 0;
  dap_volumes_release(&volumes);
  return s;
}
