#include "task.h"

#include "mpi_test.h"
#include "number.h"

#include <inttypes.h>

void task_of(task *t, task_kind kind, const test_side *from, const test_side *to, dap_dtype from_type,
             dap_dtype to_type)
{
  memset(t, 0, sizeof *t);
  t->kind = kind;
  t->from = from;
  t->to = to;
  t->types[0] = from_type;
  t->types[1] = to_type;
  t->naxes = from->array->ndim;
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < t->naxes; k++) {
      t->axes[side][k] = k;
      t->shape[side][k] = from->array->dists[k].size;
    }
}

/* ---- as arguments ----------------------------------------------------------------------------------- */

unsigned task_way(int place, int i)
{
  static const unsigned ways[TASK_WAYS] = {0,
                                           DAP_TRANSPORT_DIRECT,
                                           DAP_TRANSPORT_STAGED,
                                           DAP_TRANSPORT_MESSAGES,
                                           DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED,
                                           DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_MESSAGES,
                                           DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES};
  const unsigned way = ways[i % TASK_WAYS];
  return place > 0 && way ? way | DAP_TRANSPORT_MESSAGES : test_joining(way);
}

dap_side task_side(const task *t, int side)
{
  const test_side *s = side ? t->to : t->from;
  dap_side given = side_of(s);
  if (t->is_told && s->process < 0) given.layout = NULL, given.ranks = NULL, given.strides = NULL;
  given.dtype = t->types[side];
  given.swapped = t->swaps[side] >> test_rank() & 1;
  given.part = (dap_part){.naxes = t->has_axes[side] ? t->naxes : 0,
                          .axes = t->has_axes[side] ? t->axes[side] : NULL,
                          .start = t->has_start[side] ? t->start[side] : NULL,
                          .shape = t->has_shape[side] ? t->shape[side] : NULL};
  return given;
}

static dap_status create_between(const task *t, MPI_Comm comm, const dap_side sides[2], int64_t itemsize,
                                 dap_plan **plan, dap_error *err)
{
  test_random own = test_random_init(900 + (uint64_t)test_rank());
  dap_side given[2] = {sides[0], sides[1]};
  int ranks[2][BRUTE_PROCS];
  const dap_side *as[2];
  for (int side = 0; side < 2; side++)
    as[side] = side_in_group(t->groups, side ? 1 - t->sender : t->sender, side ? t->to : t->from, &own,
                             &given[side], ranks[side]);
  return dap_plan_create(comm, as[0], as[1], itemsize, &t->options, plan, err);
}

dap_status task_create(const task *t, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side sides[2] = {task_side(t, 0), task_side(t, 1)};
  const int64_t itemsize = t->types[0] == DAP_NONE ? t->from->itemsize : 0;
  const dap_plan_options *o = &t->options;
  if (t->groups) return create_between(t, comm, sides, itemsize, plan, err);
  switch (t->kind) {
  case TASK_HALO:
    return dap_plan_create_halo(comm, &sides[0], itemsize, o, plan, err);
  case TASK_REVERSE:
    return dap_plan_create_halo_reverse(comm, &sides[0], itemsize, o, plan, err);
  case TASK_GATHER:
    return dap_plan_create_gather(comm, &sides[0], t->to->ranks[0], itemsize, o, plan, err);
  case TASK_SCATTER:
    return dap_plan_create_scatter(comm, t->from->ranks[0], &sides[1], itemsize, o, plan, err);
  case TASK_MOVE:
    break;
  }
  return dap_plan_create(comm, &sides[0], &sides[1], itemsize, o, plan, err);
}

bool task_is_lossy(const task *t)
{
  return t->types[0] != DAP_NONE && !dap_dtype_holds(t->types[1], t->types[0]);
}

/* ---- in words --------------------------------------------------------------------------------------- */

static const char *part_text(const task *t, int side)
{
  static char texts[2][160];
  size_t used = 0;
  for (int j = 0; j < t->naxes && used < sizeof texts[0]; j++) {
    const int k = t->axes[side][j];
    used += (size_t)snprintf(texts[side] + used, sizeof texts[0] - used, " axis %d %" PRId64 "+%" PRId64, k,
                             k < 0 ? 0 : t->start[side][k], k < 0 ? 1 : t->shape[side][k]);
  }
  return texts[side];
}

const char *task_text(const task *t)
{
  static const char *const kinds[] = {"move", "halo update", "reverse halo update", "gather", "scatter"};
  static char text[1600];
  const dap_plan_options *o = &t->options;
  size_t used =
      (size_t)snprintf(text, sizeof text,
                       "%s of %" PRId64 " arrays, %" PRId64 " bytes, transports %#x, message_bytes %" PRId64
                       ", memory_bytes %" PRId64 ", combine %d, padding %d%s%s%s",
                       kinds[t->kind], o->arrays, t->to->itemsize, o->transports, o->message_bytes,
                       o->memory_bytes, (int)o->combine, (int)o->padding, o->conjugate ? ", conjugate" : "",
                       o->fill_halos ? ", halos" : "", o->from_owners ? ", from owners" : "");
  for (int f = 0; f < 2; f++) {
    const double *factor = f ? o->beta : o->alpha;
    if (factor)
      used += (size_t)snprintf(text + used, sizeof text - used, ", %s (%g, %g)", f ? "beta" : "alpha",
                               factor[0], factor[1]);
  }
  for (int side = 0; side < (t->from == t->to ? 1 : 2) && used < sizeof text; side++)
    used += (size_t)snprintf(text + used, sizeof text - used, "; %s: %s%s%s of %.400s", side ? "to" : "from",
                             dap_dtype_name(t->types[side]), t->swaps[side] ? " swapped" : "",
                             part_text(t, side), random_array_text((side ? t->to : t->from)->array));
  return text;
}
