/* Finds the parts of an axis that are boundary padding, or that others than the owner hold. */
#include "picture_impl.h"

#include <stdlib.h>

/* Padding towards neighbours lies beside the owned range. At the outer edges it wraps round, and is drawn
 * beyond them. */
static dap_status pad_blocks(const dap_layout *layout, dap_picture_axis *a, dap_error *err)
{
  const int procs = dap_layout_procs(layout, a->axis);
  for (int c = 0; c < procs; c++) {
    int64_t width[2];
    dap_run run = {0};
    dap_layout_halo(layout, a->axis, c, width);
    if (!dap_layout_next_run(layout, a->axis, c, &run)) continue;
    const int64_t end = run.global + run.length;
    if (run.global - width[0] < 0) a->begin = -width[0];
    if (end + width[1] > a->size && a->shown == a->size) a->end = a->size + width[1];
    const dap_picture_stretch beside[] = {{run.global - width[0], run.global, 0}, {end, end + width[1], 0}};
    for (int i = 0; i < 2; i++)
      if (beside[i].begin < beside[i].end && beside[i].begin < a->shown)
        DAP_TRY(dap_picture_list_add(&a->copied, beside[i], err));
  }
  return DAP_OK;
}

static int64_t index_at(const dap_dim *dim, int64_t position)
{
  switch (dim->indices_dtype) {
  case DAP_U1:
    return ((const uint8_t *)dim->indices)[position];
  case DAP_U2:
    return ((const uint16_t *)dim->indices)[position];
  case DAP_U4:
    return ((const uint32_t *)dim->indices)[position];
  default:
    return ((const int64_t *)dim->indices)[position];
  }
}

static dap_status flag(const dap_layout *layout, const dap_picture_axis *a, int coord, unsigned char flags[],
                       dap_error *err)
{
  dap_dim dim;
  DAP_TRY(dap_layout_dim(layout, NULL, a->axis, coord, &dim, err));
  for (int64_t i = 0; i < dim.index_count; i++) {
    const int64_t index = index_at(&dim, i);
    if (index < a->shown && !dap_layout_is_owned(layout, a->axis, coord, i)) flags[index] = 1;
  }
  return DAP_OK;
}

static dap_status pad_lists(const dap_layout *layout, dap_picture_axis *a, dap_error *err)
{
  unsigned char *flags = calloc((size_t)a->shown + 1, 1);
  DAP_REQUIRE(flags, err, DAP_ERR_NOMEM, "no memory for a picture");
  dap_status s = DAP_OK;
  for (int c = 0; !s && c < dap_layout_procs(layout, a->axis); c++)
    if (dap_layout_knows(layout, a->axis, c)) s = flag(layout, a, c, flags, err);
  for (int64_t i = 0; !s && i < a->shown; i++)
    if (flags[i]) s = dap_picture_list_add(&a->copied, (dap_picture_stretch){i, i + 1, 0}, err);
  free(flags);
  return s;
}

dap_status dap_picture_axis_pad(const dap_layout *layout, dap_picture_axis *a, dap_error *err)
{
  const dap_axis of = dap_layout_axis(layout, a->axis);
  const dap_picture_stretch edges[] = {{0, of.boundary[0], 0}, {of.size - of.boundary[1], of.size, 0}};
  for (int i = 0; i < 2; i++)
    if (edges[i].begin < edges[i].end && edges[i].end <= a->shown)
      DAP_TRY(dap_picture_list_add(&a->boundary, edges[i], err));
  if (of.dist_type == 'u') return pad_lists(layout, a, err);
  return of.dist_type == 'b' ? pad_blocks(layout, a, err) : DAP_OK;
}
