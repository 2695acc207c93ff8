/* The plans behind get and restore. Each moves a slab of one frame to a slab of another, or of the same:
 * its points, or the ghosts at one end. */
#include "petsc_impl.h"

#include <stdlib.h>

/* Part of a frame, as the layout of the elements in it, and where this process' part of it begins. */
typedef struct slab {
  dap_dist dist[DAP_GRID_MAX + 1];
  int64_t *lengths[DAP_GRID_MAX + 1];
  int64_t offset; /* bytes from this process' element (0, ..., 0) */
} slab;

static void slab_release(slab *s)
{
  for (int k = 0; k <= DAP_GRID_MAX; k++) free(s->lengths[k]);
  *s = (slab){0};
}

static dap_status slab_axis(slab *s, int k, const dap_frame_axis *axis, dap_error *err)
{
  s->lengths[k] = calloc((size_t)axis->procs, sizeof *s->lengths[k]);
  DAP_REQUIRE(s->lengths[k], err, DAP_ERR_NOMEM, "no memory for %d processes", axis->procs);
  s->dist[k] = (dap_dist){.cut = DAP_CUT_LENGTHS, .procs = axis->procs, .lengths = s->lengths[k]};
  return DAP_OK;
}

/* Length of process c along axis k of the slab; of this process also where it begins. */
static void slab_length(slab *s, const dap_frame *frame, int k, int c, int64_t begin, int64_t length)
{
  s->lengths[k][c] = length;
  s->dist[k].size += length;
  if (c == frame->coords[k]) s->offset += begin * frame->strides[k];
}

/* ---- slabs ---------------------------------------------------------------------------------------- */

/* The elements of an end: its points, perhaps with the boundary padding around them; or, with `axis` >= 0,
 * of that padding what lies at one side of an axis. */
static dap_status elements_of(const dap_end *end, int axis, int side, slab *s, dap_error *err)
{
  for (int k = 0; k < end->frame->ndim; k++) {
    const dap_frame_axis *a = &end->frame->axis[k];
    DAP_TRY(slab_axis(s, k, a, err));
    for (int c = 0; c < a->procs; c++) {
      const int64_t low = end->edges && c == 0 ? a->edge[0] : 0;
      const int64_t high = end->edges && c == a->procs - 1 ? a->edge[1] : 0;
      const int64_t halo = c > 0 && k < end->frame->grid_ndim ? end->width : 0;
      const int64_t first = a->ghosts[c][0] - low - halo;
      if (k != axis)
        slab_length(s, end->frame, k, c, first, low + a->points[c] + high);
      else if (side == 0)
        slab_length(s, end->frame, k, c, first, low);
      else
        slab_length(s, end->frame, k, c, a->ghosts[c][0] + a->points[c], high);
    }
    if (k < end->frame->grid_ndim) s->dist[k].halo = end->width;
    if (a->contiguous) continue;
    s->dist[k].cut = DAP_CUT_CYCLIC;
    s->dist[k].block_size = a->block_size;
    s->dist[k].first_owner = a->first_owner;
  }
  return DAP_OK;
}

/* All that the buffers hold, ghosts too, in each axis but `axis`. There: the ghosts at the outer `side`, or
 * the `width` points that belong into them. */
static dap_status outer_slab(const dap_frame *frame, int axis, int side, bool ghosts, slab *s, dap_error *err)
{
  for (int k = 0; k < frame->ndim; k++) {
    const dap_frame_axis *a = &frame->axis[k];
    const int edge = side == 0 ? 0 : a->procs - 1;
    const int64_t width = a->ghosts[edge][side];
    const int64_t from = side == 0 ? a->size - width : 0, to = from + width;
    DAP_TRY(slab_axis(s, k, a, err));
    int64_t start = 0;
    for (int c = 0; c < a->procs; c++) {
      const int64_t low = a->ghosts[c][0], stop = start + a->points[c];
      const int64_t first = from > start ? from : start, end = to < stop ? to : stop;
      if (k != axis)
        slab_length(s, frame, k, c, 0, low + a->points[c] + a->ghosts[c][1]);
      else if (ghosts)
        slab_length(s, frame, k, c, side == 0 ? 0 : low + a->points[c], c == edge ? width : 0);
      else
        slab_length(s, frame, k, c, low + first - start, end > first ? end - first : 0);
      start = stop;
    }
  }
  return DAP_OK;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

/* Takes the slabs, which this process made with status `s`. */
static dap_status add(dap_steps *steps, MPI_Comm comm, dap_step step, const dap_frame *from, slab *source,
                      const dap_frame *to, slab *target, bool fill, dap_status s, dap_error *err)
{
  dap_layout *a = NULL, *b = NULL;
  step.from_offset = source->offset;
  step.to_offset = target->offset;
  if (!s) s = dap_layout_create(from->ndim, source->dist, &a, err);
  if (!s) s = dap_layout_create(to->ndim, target->dist, &b, err);
  if (!s && steps->count == DAP_STEPS_MAX) s = dap_fail(err, DAP_ERR_RANGE, "too many steps");
  s = dap_agree(comm, s, err);
  if (!s)
    s = dap_plan_create(comm, &(dap_side){.layout = a, .strides = from->strides},
                        &(dap_side){.layout = b, .strides = to->strides}, (int64_t)sizeof(PetscScalar),
                        &(dap_plan_options){.fill_halos = fill}, &step.plan, err);
  if (!s) steps->step[steps->count++] = step;
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  slab_release(source);
  slab_release(target);
  return s;
}

dap_status dap_steps_copy(dap_steps *steps, MPI_Comm comm, const dap_end *from, const dap_end *to,
                          dap_error *err)
{
  slab source = {.offset = 0}, target = {.offset = 0};
  dap_status s = elements_of(from, -1, 0, &source, err);
  if (!s) s = elements_of(to, -1, 0, &target, err);
  const dap_step step = {.from = from->memory, .to = to->memory, .counted = true};
  return add(steps, comm, step, from->frame, &source, to->frame, &target, to->width > 0, s, err);
}

dap_status dap_steps_edges(dap_steps *steps, MPI_Comm comm, const dap_end *from, const dap_end *to,
                           dap_error *err)
{
  const dap_step step = {.from = from->memory, .to = to->memory, .counted = true};
  for (int k = 0; k < from->frame->grid_ndim; k++)
    for (int side = 0; side < 2; side++) {
      if (from->frame->axis[k].edge[side] == 0) continue;
      slab source = {.offset = 0}, target = {.offset = 0};
      dap_status s = elements_of(from, k, side, &source, err);
      if (!s) s = elements_of(to, k, side, &target, err);
      DAP_TRY(add(steps, comm, step, from->frame, &source, to->frame, &target, false, s, err));
    }
  return DAP_OK;
}

dap_status dap_steps_wrap(dap_steps *steps, MPI_Comm comm, const dap_frame *frame, dap_memory memory,
                          bool counted, dap_error *err)
{
  const dap_step step = {.from = memory, .to = memory, .counted = counted};
  for (int k = 0; k < frame->grid_ndim; k++)
    for (int side = 0; side < 2; side++) {
      const dap_frame_axis *a = &frame->axis[k];
      const int edge = side == 0 ? 0 : a->procs - 1;
      if (a->outer != DM_BOUNDARY_PERIODIC || a->ghosts[edge][side] == 0) continue;
      slab source = {.offset = 0}, target = {.offset = 0};
      dap_status s = outer_slab(frame, k, side, false, &source, err);
      if (!s) s = outer_slab(frame, k, side, true, &target, err);
      DAP_TRY(add(steps, comm, step, frame, &source, frame, &target, false, s, err));
    }
  return DAP_OK;
}

dap_status dap_steps_halo(dap_steps *steps, MPI_Comm comm, const dap_layout *layout, const dap_frame *array,
                          dap_error *err)
{
  bool has_halo = false;
  for (int k = 0; k < array->grid_ndim; k++)
    for (int c = 0; c < array->axis[k].procs; c++) {
      int64_t width[2];
      dap_layout_halo(layout, k, c, width);
      has_halo = has_halo || width[0] > 0 || width[1] > 0;
    }
  if (!has_halo) return DAP_OK;
  dap_step step = {.from = DAP_MEMORY_ARRAY, .to = DAP_MEMORY_ARRAY};
  DAP_TRY(dap_plan_create_halo(comm, &(dap_side){.layout = layout, .strides = array->strides},
                               (int64_t)sizeof(PetscScalar), NULL, &step.plan, err));
  steps->step[steps->count++] = step;
  return DAP_OK;
}

static void *at(void *memory, int64_t offset)
{
  return memory ? (char *)memory + offset : NULL;
}

/* Goes on after an error, so that no process is left waiting; the plans agree among themselves. */
dap_status dap_steps_run(const dap_steps *steps, void *const memory[DAP_MEMORY_COUNT], int64_t *moved,
                         dap_error *err)
{
  dap_status first = DAP_OK;
  for (int i = 0; i < steps->count; i++) {
    const dap_step *step = &steps->step[i];
    const dap_status s = dap_plan_run(step->plan, at(memory[step->from], step->from_offset),
                                      at(memory[step->to], step->to_offset), first ? NULL : err);
    const dap_plan_stats stats = dap_plan_stats_get(step->plan);
    if (step->counted) *moved += stats.bytes_local + stats.bytes_sent;
    if (!first) first = s;
  }
  return first;
}

void dap_steps_release(dap_steps *steps)
{
  for (int i = 0; i < steps->count; i++) dap_plan_destroy(&steps->step[i].plan);
  *steps = (dap_steps){0};
}
