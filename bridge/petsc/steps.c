/* The plans behind get and restore. Each moves a part of one box to a part of another, or of the same. */
#include "petsc_impl.h"

/* ---- parts ---------------------------------------------------------------------------------------- */

/* A range of the elements of a box's layout. */
typedef struct part {
  const dap_ghosted_box *box;
  int64_t lo[DAP_MAX_NDIM], hi[DAP_MAX_NDIM]; /* [ndim] */
} part;

static part whole(const dap_ghosted_box *box)
{
  part p = {.box = box};
  for (int k = 0; k < box->ndim; k++) p.hi[k] = dap_layout_size(box->layout, k);
  return p;
}

/* The points, perhaps with the boundary padding around them. */
static part points_of(const dap_ghosted_box *box, bool edges)
{
  part p = whole(box);
  for (int k = 0; k < box->ndim; k++) {
    p.lo[k] += box->axis[k].margin[0] - (edges ? dap_box_edge(box, k, 0) : 0);
    p.hi[k] -= box->axis[k].margin[1] - (edges ? dap_box_edge(box, k, 1) : 0);
  }
  return p;
}

/* Of that, `length` elements along `axis`: the first or the last of all, or with `skip` those further in. */
static void narrow(part *p, int axis, int side, int64_t skip, int64_t length)
{
  if (side == 0) p->lo[axis] += skip;
  if (side == 0) p->hi[axis] = p->lo[axis] + length;
  if (side == 1) p->hi[axis] -= skip;
  if (side == 1) p->lo[axis] = p->hi[axis] - length;
}

/* The layout of a part. Lists of indices are not copied where nothing is cut off. */
static dap_status lay(const part *p, dap_layout **layout, dap_error *err)
{
  dap_layout *all = p->box->layout;
  int64_t shape[DAP_MAX_NDIM];
  bool is_whole = true;
  for (int k = 0; k < p->box->ndim; k++) {
    shape[k] = p->hi[k] - p->lo[k];
    if (shape[k] < dap_layout_size(all, k)) is_whole = false;
  }
  if (!is_whole) return dap_layout_part(all, &(dap_part){.start = p->lo, .shape = shape}, layout, NULL, err);
  *layout = dap_layout_retain(all);
  return DAP_OK;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static dap_status add(dap_steps *steps, MPI_Comm comm, dap_step step, const part *from, const part *to,
                      bool fill, dap_error *err)
{
  const dap_ghosted_box *source = from->box, *target = to->box;
  dap_layout *a = NULL, *b = NULL;
  dap_status s = lay(from, &a, err);
  if (!s) s = lay(to, &b, err);
  if (!s && steps->count == DAP_STEPS_MAX) s = dap_fail(err, DAP_ERR_RANGE, "too many steps");
  s = dap_agree(comm, s, err);
  if (!s) {
    step.from_offset = dap_box_part_offset(source, a, from->lo);
    step.to_offset = dap_box_part_offset(target, b, to->lo);
    s = dap_plan_create(comm, &(dap_side){.layout = a, .strides = source->strides},
                        &(dap_side){.layout = b, .strides = target->strides}, (int64_t)sizeof(PetscScalar),
                        &(dap_plan_options){.fill_halos = fill}, &step.plan, err);
  }
  if (!s) steps->step[steps->count++] = step;
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  return s;
}

dap_status dap_steps_copy(dap_steps *steps, MPI_Comm comm, const dap_end *from, const dap_end *to,
                          dap_extent extent, dap_error *err)
{
  const bool edges = extent != DAP_EXTENT_POINTS;
  const part source = points_of(from->box, edges), target = points_of(to->box, edges);
  const dap_step step = {.from = from->memory, .to = to->memory, .counted = true};
  return add(steps, comm, step, &source, &target, extent == DAP_EXTENT_GHOSTS, err);
}

dap_status dap_steps_edges(dap_steps *steps, MPI_Comm comm, const dap_end *from, const dap_end *to,
                           dap_error *err)
{
  const dap_step step = {.from = from->memory, .to = to->memory, .counted = true};
  for (int k = 0; k < from->box->grid_ndim; k++)
    for (int side = 0; side < 2; side++) {
      const int64_t width = dap_box_edge(from->box, k, side);
      if (width == 0) continue;
      part source = points_of(from->box, true), target = points_of(to->box, true);
      narrow(&source, k, side, 0, width);
      narrow(&target, k, side, 0, width);
      DAP_TRY(add(steps, comm, step, &source, &target, false, err));
    }
  return DAP_OK;
}

/* One axis after the other, so that corners come from corners that are renewed already. */
dap_status dap_steps_wrap(dap_steps *steps, MPI_Comm comm, const dap_end *array, dap_error *err)
{
  const dap_step step = {.from = array->memory, .to = array->memory};
  const dap_ghosted_box *box = array->box;
  for (int k = 0; k < box->grid_ndim; k++)
    for (int side = 0; side < 2; side++) {
      const int64_t width = dap_box_stripped(box, k, side);
      if (width == 0) continue;
      part source = whole(box), target = whole(box);
      narrow(&source, k, 1 - side, dap_box_stripped(box, k, 1 - side), width);
      narrow(&target, k, side, 0, width);
      DAP_TRY(add(steps, comm, step, &source, &target, false, err));
    }
  return DAP_OK;
}

bool dap_has_halo(const dap_layout *layout)
{
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    for (int c = 0; c < dap_layout_procs(layout, k); c++) {
      int64_t width[2];
      dap_layout_halo(layout, k, c, width);
      if (width[0] > 0 || width[1] > 0) return true;
    }
  return false;
}

dap_status dap_steps_halo(dap_steps *steps, MPI_Comm comm, const dap_end *array, dap_error *err)
{
  if (!dap_has_halo(array->box->layout)) return DAP_OK;
  dap_step step = {.from = array->memory, .to = array->memory};
  const dap_side side = {.layout = array->box->layout, .strides = array->box->strides};
  DAP_TRY(dap_plan_create_halo(comm, &side, (int64_t)sizeof(PetscScalar), NULL, &step.plan, err));
  steps->step[steps->count++] = step;
  return DAP_OK;
}

static void *at(void *memory, int64_t offset)
{
  return memory ? (char *)memory + offset : NULL;
}

/* Goes on after an error, so that no process is left waiting. The status is not agreed on. */
dap_status dap_steps_run(const dap_steps *steps, void *const memory[DAP_MEMORY_COUNT], int64_t *moved,
                         dap_error *err)
{
  dap_status first = DAP_OK;
  for (int i = 0; i < steps->count; i++) {
    const dap_step *step = &steps->step[i];
    const dap_status s = dap_plan_run(step->plan, at(memory[step->from], step->from_offset),
                                      at(memory[step->to], step->to_offset), first ? NULL : err);
    const dap_plan_stats stats = dap_plan_summarize(step->plan);
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
