/* Makes and runs plans. */
#include "fortran_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* The form that an array must have in a plan. C takes only the address, and would write with other
 * strides. */
typedef struct model {
  dap_layout *layout; /* retained; NULL: none, or not known here */
  dap_array local;    /* only its extents, strides and type; no buffer */
} model;

typedef struct dap_f_plan {
  dap_f_object object;
  dap_plan *plan;
  model sides[2]; /* source, destination */
  int64_t arrays; /* that a run moves */
  bool is_begun;
  void *from, *to; /* the arrays of a run that has been begun, which must exist until it ends */
} dap_f_plan;

/* Destroying a plan that has been begun would wait for other processes. */
static bool end(void *object)
{
  dap_f_plan *plan = object;
  if (plan->is_begun) return false;
  dap_plan_destroy(&plan->plan);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&plan->sides[k].layout);
  return true;
}

static size_t describe(const void *object, char *text, size_t capacity)
{
  return dap_plan_describe(((const dap_f_plan *)object)->plan, text, capacity);
}

static const dap_f_kind plan_kind = {"plan", sizeof(dap_f_plan), end, describe, NULL};

/* ---- made ------------------------------------------------------------------------------------- */

/* A side of a plan as the module passes it. The factor is alpha for the source, and beta for the
 * destination. */
typedef struct dap_f_side {
  const dap_f_array *array;
  dap_f_part part;
  const double *factor; /* [2], or NULL */
} dap_f_side;

typedef struct side {
  dap_side side;
  dap_f_chosen chosen;
} side;

/* Replaces an invalid part with one that plans refuse on all processes. */
static void set_part(side *s, const dap_f_part *part)
{
  if (dap_f_part_choose(part, s->side.layout, &s->chosen, NULL)) s->chosen.part = (dap_part){.naxes = -1};
  s->side.part = s->chosen.part;
}

/* `s` contains pointers into itself, so it must not be copied. */
static const dap_side *set_side(side *s, const dap_f_array *array, const dap_f_part *part)
{
  if (!array) return NULL;
  s->side = dap_side_of((dap_darray){array->layout, array->layout ? &array->local : NULL});
  s->side.dtype = array->dtype;
  s->side.ranks = array->ranks;
  if (part) set_part(s, part);
  return &s->side;
}

/* The factors are passed with the sides, because they are pointers in C. */
static dap_plan_options complete(const dap_plan_options *options, const double *alpha, const double *beta)
{
  dap_plan_options all = options ? *options : (dap_plan_options){0};
  all.alpha = alpha;
  all.beta = beta;
  return all;
}

/* Gives the variable its new object, for a plan. All processes have the object, or their calls are refused on
 * all processes. */
static dap_plan **begin_making(void **variable, dap_plan_options *options, dap_plan **spare)
{
  dap_f_plan *plan = dap_f_new(&plan_kind, NULL);
  dap_f_put(variable, plan);
  if (!plan) {
    options->message_bytes = -1;
    return spare;
  }
  plan->arrays = options->arrays > 0 ? options->arrays : 1;
  return &plan->plan;
}

static void remember(model *to, const dap_f_array *array)
{
  if (!array || !array->layout) return;
  to->layout = dap_layout_retain(array->layout);
  to->local = array->local;
  to->local.data = NULL;
  to->local.release = NULL;
}

static dap_status end_making(void **variable, const dap_f_array *from, const dap_f_array *to,
                             dap_status status)
{
  dap_f_plan *plan = *variable;
  if (status) {
    dap_f_put(variable, NULL);
    return status;
  }
  remember(&plan->sides[0], from);
  remember(&plan->sides[1], to);
  return DAP_OK;
}

dap_status dap_f_plan_create(const MPI_Fint *comm, const dap_f_side *from, const dap_f_side *to,
                             const dap_plan_options *options, void **variable, dap_error *err)
{
  side sides[2] = {0};
  dap_plan *spare = NULL;
  dap_plan_options all = complete(options, from->factor, to->factor);
  dap_plan **plan = begin_making(variable, &all, &spare);
  const dap_side *source = set_side(&sides[0], from->array, &from->part),
                 *target = set_side(&sides[1], to->array, &to->part);
  return end_making(variable, from->array, to->array,
                    dap_plan_create(dap_f_comm(comm), source, target, 0, &all, plan, err));
}

dap_status dap_f_plan_create_halo(const MPI_Fint *comm, const dap_f_array *array, bool is_reverse,
                                  const dap_plan_options *options, void **variable, dap_error *err)
{
  side s = {0};
  dap_plan *spare = NULL;
  dap_plan_options all = complete(options, NULL, NULL);
  dap_plan **plan = begin_making(variable, &all, &spare);
  const dap_side *padded = set_side(&s, array, NULL);
  MPI_Comm c = dap_f_comm(comm);
  return end_making(variable, array, array,
                    is_reverse ? dap_plan_create_halo_reverse(c, padded, 0, &all, plan, err)
                               : dap_plan_create_halo(c, padded, 0, &all, plan, err));
}

/* ---- run -------------------------------------------------------------------------------------- */

static dap_plan *plan_of(const dap_f_plan *plan)
{
  return plan ? plan->plan : NULL;
}

/* The array is made for the same process as the plan's. Copies are alike on all. */
static bool is_of_same_rank(const model *like, const dap_array *local)
{
  for (int k = 0; k < local->ndim; k++)
    if (!dap_layout_axis(like->layout, k).replicated &&
        local->dims[k].proc_grid_rank != like->local.dims[k].proc_grid_rank)
      return false;
  return true;
}

static bool is_like(const model *like, const dap_f_array *array)
{
  const dap_array *local = &array->local, *wanted = &like->local;
  if (!like->layout || !array->layout) return like->layout == array->layout;
  if (like->layout != array->layout && !dap_layout_is_equal(like->layout, array->layout)) return false;
  if (local->ndim != wanted->ndim || !is_of_same_rank(like, local)) return false;
  bool is_equal = true, is_empty = false;
  for (int k = 0; k < local->ndim; k++) {
    is_equal = is_equal && local->shape[k] == wanted->shape[k] &&
               (local->shape[k] <= 1 || local->strides[k] == wanted->strides[k]);
    is_empty = is_empty || local->shape[k] == 0;
  }
  return is_empty || (is_equal && local->dtype == wanted->dtype && local->swapped == wanted->swapped);
}

/* Returns the data of an array. An array that is not like the plan's, or a destination that is read-only,
 * counts as missing. The run then returns an error. */
static void *data_of(const dap_f_plan *plan, int k, const dap_f_array *array)
{
  if (!plan || !array || !is_like(&plan->sides[k], array) || (k == 1 && array->local.readonly)) return NULL;
  return array->local.data;
}

dap_status dap_f_plan_begin(dap_f_plan *plan, dap_f_array *from, dap_f_array *to, dap_error *err)
{
  const dap_status status = dap_plan_begin(plan_of(plan), data_of(plan, 0, from), data_of(plan, 1, to), err);
  if (status) return status;
  plan->is_begun = true;
  plan->from = dap_f_keep(from);
  plan->to = dap_f_keep(to);
  return DAP_OK;
}

dap_status dap_f_plan_end(dap_f_plan *plan, dap_error *err)
{
  const dap_status status = dap_plan_end(plan_of(plan), err);
  if (plan && plan->is_begun) {
    plan->is_begun = false;
    dap_f_drop(plan->from);
    dap_f_drop(plan->to);
  }
  return status;
}

dap_status dap_f_plan_run(dap_f_plan *plan, const dap_f_array *from, const dap_f_array *to, dap_error *err)
{
  return dap_plan_run(plan_of(plan), data_of(plan, 0, from), data_of(plan, 1, to), err);
}

static dap_status refuse_count(const char *name, int64_t given, int64_t needed, dap_error *err)
{
  if (given == 0)
    return dap_fail(err, DAP_ERR_ARG, "%s is not allocated, or has no arrays: the plan moves %" PRId64, name,
                    needed);
  return dap_fail(err, DAP_ERR_ARG, "%s has %" PRId64 " arrays, the plan moves %" PRId64, name, given,
                  needed);
}

/* If there are too few or too many arrays, or no memory for the tables, this process has no buffers. The run
 * tells the others so. If this process has no elements, only this process has the error. */
dap_status dap_f_plan_run_many(dap_f_plan *plan, int64_t nfrom, dap_f_array *const from[], int64_t nto,
                               dap_f_array *const to[], dap_error *err)
{
  const int64_t count = plan ? plan->arrays : 0;
  const bool is_whole = nfrom == count && nto == count;
  const void **sources = is_whole ? calloc((size_t)count + 1, sizeof *sources) : NULL;
  void **destinations = is_whole ? calloc((size_t)count + 1, sizeof *destinations) : NULL;
  for (int64_t i = 0; i < count && sources && destinations; i++) {
    sources[i] = data_of(plan, 0, from[i]);
    destinations[i] = data_of(plan, 1, to[i]);
  }
  dap_status status = dap_plan_run_many(plan_of(plan), sources, destinations, err);
  if (plan &&
      !is_whole) /* if this process has elements, the run has told the others that its buffers are missing */
    status = refuse_count(nfrom == count ? "to" : "from", nfrom == count ? nto : nfrom, count, err);
  free((void *)sources);
  free((void *)destinations);
  return status;
}

/* ---- asked ------------------------------------------------------------------------------------ */

void dap_f_plan_summarize(const dap_f_plan *plan, dap_plan_stats *stats)
{
  *stats = dap_plan_summarize(plan_of(plan));
}
