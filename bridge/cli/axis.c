/* An axis of a picture in stretches of one owner. */
#include "check.h"
#include "picture_impl.h"

#include <stdlib.h>

/* ---- who owns what -------------------------------------------------------------------------------- */

static int owner_of_listed(const dap_layout *layout, int axis, int64_t index)
{
  for (int c = 0; c < dap_layout_procs(layout, axis); c++)
    for (dap_run run = {0}; dap_layout_next_run(layout, axis, c, &run);)
      if (index >= run.global && index < run.global + run.length) return c;
  return 0;
}

int picture_owner(const dap_layout *layout, int axis, int64_t index)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  if (a.replicated || a.partial || a.procs == 1) return 0;
  if (a.dist_type == 'c') return (int)((index / a.block_size + a.first_owner) % a.procs);
  return owner_of_listed(layout, axis, index);
}

/* Blocks in turns; those behind a whole number of rounds are not drawn where there are many. */
static dap_status deal(const dap_axis *axis, picture_axis *a, dap_error *err)
{
  const int most =
      axis->procs < PICTURE_ROUNDS ? PICTURE_ROUNDS - PICTURE_ROUNDS % axis->procs : PICTURE_BLOCKS;
  int64_t begin = 0;
  for (int i = 0; begin < axis->size && i < most; i++) {
    const int64_t rest = axis->size - begin, length = rest < axis->block_size ? rest : axis->block_size;
    const picture_stretch block = {begin, begin + length, (axis->first_owner + i) % axis->procs};
    DAP_TRY(picture_list_add(&a->owned, block, err));
    begin = block.end;
  }
  a->shown = begin;
  return DAP_OK;
}

static int by_begin(const void *left, const void *right)
{
  const int64_t a = ((const picture_stretch *)left)->begin, b = ((const picture_stretch *)right)->begin;
  return (a > b) - (a < b);
}

/* All runs in ascending order, of which the first are drawn. */
static dap_status collect(const dap_layout *layout, picture_axis *a, dap_error *err)
{
  picture_list runs = {0};
  dap_status s = DAP_OK;
  for (int c = 0; c < dap_layout_procs(layout, a->axis); c++)
    for (dap_run run = {0}; !s && dap_layout_next_run(layout, a->axis, c, &run);)
      s = picture_list_add(&runs, (picture_stretch){run.global, run.global + run.length, c}, err);
  if (runs.count > 0) qsort(runs.at, (size_t)runs.count, sizeof *runs.at, by_begin);
  for (int i = 0; !s && i < runs.count; i++) {
    s = picture_list_add(&a->owned, runs.at[i], err);
    if (a->owned.count > PICTURE_BLOCKS) break;
  }
  free(runs.at);
  if (a->owned.count > PICTURE_BLOCKS) a->owned.count = PICTURE_BLOCKS;
  if (a->owned.count > 0) a->shown = a->owned.at[a->owned.count - 1].end;
  return s;
}

/* ---- the axis ------------------------------------------------------------------------------------- */

dap_status picture_axis_init(const dap_layout *layout, int axis, picture_axis *a, dap_error *err)
{
  const dap_axis of = dap_layout_axis(layout, axis);
  *a = (picture_axis){.axis = axis, .size = of.size, .shown = of.size};
  const bool is_whole = of.replicated || of.partial;
  if (is_whole) a->every = of.procs;
  if (is_whole || of.procs == 1)
    DAP_TRY(picture_list_add(&a->owned, (picture_stretch){0, of.size, 0}, err));
  else
    DAP_TRY(of.dist_type == 'c' ? deal(&of, a, err) : collect(layout, a, err));
  return is_whole ? DAP_OK : picture_axis_pad(layout, a, err);
}

dap_status picture_axis_single(picture_axis *a, dap_error *err)
{
  *a = (picture_axis){.axis = -1, .size = 1, .shown = 1};
  return picture_list_add(&a->owned, (picture_stretch){0, 1, 0}, err);
}

void picture_axis_release(picture_axis *a)
{
  free(a->owned.at);
  free(a->copied.at);
  free(a->boundary.at);
  *a = (picture_axis){0};
}

int64_t picture_axis_begin(const picture_axis *a)
{
  return -a->outer[0];
}

int64_t picture_axis_end(const picture_axis *a)
{
  return a->shown + (a->shown == a->size ? a->outer[1] : 0);
}
