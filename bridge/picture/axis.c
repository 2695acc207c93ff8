/* Finds the stretches of an axis that have one owner. */
#include "picture_impl.h"

#include <stdlib.h>

/* ---- owners --------------------------------------------------------------------------------------- */

static int owner_of_listed(const dap_layout *layout, int axis, int64_t index)
{
  for (int c = 0; c < dap_layout_procs(layout, axis); c++)
    for (dap_run run = {0}; dap_layout_next_run(layout, axis, c, &run);)
      if (index >= run.global && index < run.global + run.length) return c;
  return -1;
}

int dap_picture_owner(const dap_layout *layout, int axis, int64_t index)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  if (a.replicated || a.partial || a.procs == 1) return 0;
  if (a.dist_type == 'c') return (int)((index / a.block_size + a.first_owner) % a.procs);
  return owner_of_listed(layout, axis, index);
}

/* Deals blocks in turns. If there are many, it stops after a whole number of rounds. */
static dap_status deal(const dap_axis *axis, dap_picture_axis *a, dap_error *err)
{
  const int most = axis->procs < DAP_PICTURE_ROUNDS ? DAP_PICTURE_ROUNDS - DAP_PICTURE_ROUNDS % axis->procs
                                                    : DAP_PICTURE_BLOCKS;
  int64_t begin = 0;
  for (int i = 0; begin < axis->size && i < most; i++) {
    const int64_t rest = axis->size - begin, length = rest < axis->block_size ? rest : axis->block_size;
    const dap_picture_stretch block = {begin, begin + length, (axis->first_owner + i) % axis->procs};
    DAP_TRY(dap_picture_list_add(&a->owned, block, err));
    begin = block.end;
  }
  a->shown = begin;
  return DAP_OK;
}

static int by_begin(const void *left, const void *right)
{
  const int64_t a = ((const dap_picture_stretch *)left)->begin,
                b = ((const dap_picture_stretch *)right)->begin;
  return (a > b) - (a < b);
}

/* Adds a stretch. If it leaves a gap, it first adds the gap as a stretch without a known owner. */
static dap_status add(dap_picture_list *list, dap_picture_stretch stretch, dap_error *err)
{
  const int64_t end = list->count > 0 ? list->at[list->count - 1].end : 0;
  if (stretch.begin > end)
    DAP_TRY(dap_picture_list_add(list, (dap_picture_stretch){end, stretch.begin, -1}, err));
  return stretch.begin < stretch.end ? dap_picture_list_add(list, stretch, err) : DAP_OK;
}

/* Collects all known runs in ascending order, and keeps those that are drawn. */
static dap_status collect(const dap_layout *layout, dap_picture_axis *a, dap_error *err)
{
  dap_picture_list runs = {0};
  dap_status s = DAP_OK;
  for (int c = 0; c < dap_layout_procs(layout, a->axis); c++)
    for (dap_run run = {0}; !s && dap_layout_next_run(layout, a->axis, c, &run);)
      s = dap_picture_list_add(&runs, (dap_picture_stretch){run.global, run.global + run.length, c}, err);
  if (runs.count > 0) qsort(runs.at, (size_t)runs.count, sizeof *runs.at, by_begin);
  for (int i = 0; !s && i < runs.count && a->owned.count <= DAP_PICTURE_BLOCKS; i++)
    s = add(&a->owned, runs.at[i], err);
  if (!s) s = add(&a->owned, (dap_picture_stretch){a->size, a->size, 0}, err);
  free(runs.at);
  if (a->owned.count > DAP_PICTURE_BLOCKS) a->owned.count = DAP_PICTURE_BLOCKS;
  if (a->owned.count > 0) a->shown = a->owned.at[a->owned.count - 1].end;
  return s;
}

/* ---- the axis ------------------------------------------------------------------------------------- */

dap_status dap_picture_axis_init(const dap_layout *layout, int axis, dap_picture_axis *a, dap_error *err)
{
  const dap_axis of = dap_layout_axis(layout, axis);
  *a = (dap_picture_axis){.axis = axis, .size = of.size, .shown = of.size};
  const bool is_whole = of.replicated || of.partial;
  if (is_whole) a->every = of.procs;
  if (is_whole || of.procs == 1)
    DAP_TRY(dap_picture_list_add(&a->owned, (dap_picture_stretch){0, of.size, 0}, err));
  else
    DAP_TRY(of.dist_type == 'c' ? deal(&of, a, err) : collect(layout, a, err));
  a->end = a->shown;
  return is_whole ? DAP_OK : dap_picture_axis_pad(layout, a, err);
}

dap_status dap_picture_axis_single(dap_picture_axis *a, dap_error *err)
{
  *a = (dap_picture_axis){.axis = -1, .size = 1, .shown = 1, .end = 1};
  return dap_picture_list_add(&a->owned, (dap_picture_stretch){0, 1, 0}, err);
}

void dap_picture_axis_release(dap_picture_axis *a)
{
  free(a->owned.at);
  free(a->copied.at);
  free(a->boundary.at);
  *a = (dap_picture_axis){0};
}
