/* Checks the arguments of a plan on this process and brings them into one form. */
#include "problem_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- one side ------------------------------------------------------------------------------------- */

dap_status dap_ranks_check(const int ranks[], int count, int nprocs, const char *side, const char *whose,
                           dap_error *err)
{
  bool *seen = calloc((size_t)nprocs, sizeof *seen);
  DAP_REQUIRE(seen, err, DAP_ERR_NOMEM, "%s: no memory to check %d ranks", side, count);
  int i = 0;
  for (; i < count && ranks[i] >= 0 && ranks[i] < nprocs && !seen[ranks[i]]; i++) seen[ranks[i]] = true;
  free(seen);
  DAP_REQUIRE(i == count, err, DAP_ERR_ARG,
              "%s: ranks[%d] = %d is outside the %s's %d processes or named twice", side, i, ranks[i], whose,
              nprocs);
  return DAP_OK;
}

/* Finds this process's number in the side's layout, or -1. */
static dap_status find_process(const char *name, int nprocs, int rank, dap_problem_side *side, dap_error *err)
{
  const int count = side->layout->nprocs;
  DAP_REQUIRE(count <= nprocs, err, DAP_ERR_ARG, "%s: its layout has %d processes, the communicator %d", name,
              count, nprocs);
  side->process = !side->ranks && rank < count ? rank : -1;
  if (!side->ranks) return DAP_OK;
  DAP_TRY(dap_ranks_check(side->ranks, count, nprocs, name, "communicator", err));
  for (int i = 0; i < count; i++)
    if (side->ranks[i] == rank) side->process = i;
  return DAP_OK;
}

/* Checks that a layout with 'u' axes has the lists of this process, and that the side's array is its part. */
static dap_status check_own(const dap_side *side, const dap_layout *layout, const char *name, int process,
                            dap_error *err)
{
  dap_error own = {0};
  if (process < 0) return DAP_OK;
  DAP_REQUIRE(side->layout, err, DAP_ERR_ARG, "%s: the layout is NULL, but this is its process %d", name,
              process);
  dap_status s = dap_layout_check_own(layout, process, &own);
  if (!s && side->local) s = dap_array_match_place((dap_darray){layout, side->local}, process, &own);
  return s ? dap_fail(err, s, "%s: %s", name, own.text) : DAP_OK;
}

/* Finds the strides of the side's buffer, by axis of the layout. They are the side's, or those of a
 * contiguous C-order buffer if the side says so. The span must be addressable, and 64 bits must count the
 * bytes of all arrays. A stride of INT64_MIN, which cannot be negated, belongs to an axis of at most one
 * element and becomes 0. */
static dap_status find_strides(const dap_side *given, const dap_problem_side *side, const char *name,
                               const int64_t shape[], int64_t arrays, int64_t strides[], dap_error *err)
{
  const dap_layout *layout = side->layout;
  int64_t span, step = side->item;
  DAP_REQUIRE(given->strides || given->contiguous || layout->ndim == 0, err, DAP_ERR_ARG,
              "%s: no strides: use dap_side_of(), or set .contiguous", name);
  DAP_REQUIRE(!given->strides || !given->contiguous, err, DAP_ERR_ARG,
              "%s: both strides and .contiguous are given", name);
  for (int k = layout->ndim - 1; k >= 0; k--) {
    strides[k] = given->strides ? given->strides[k] : step;
    DAP_REQUIRE(dap_multiply(step, side->holds ? shape[k] : 1, &step), err, DAP_ERR_RANGE,
                "%s: axis %d: the buffer exceeds 2^63 - 1 bytes", name, k);
  }
  DAP_REQUIRE(dap_multiply(step, arrays, &step), err, DAP_ERR_RANGE,
              "%s: %" PRId64 " arrays have more than 2^63 - 1 bytes", name, arrays);
  DAP_REQUIRE(dap_span(layout->ndim, shape, strides, side->item, &span), err, DAP_ERR_RANGE,
              "%s: its strides span more than 2^63 - 1 bytes", name);
  for (int k = 0; k < layout->ndim; k++)
    if (strides[k] == INT64_MIN) strides[k] = 0;
  return DAP_OK;
}

/* Sets extents, strides and `holds` of a side. */
static dap_status set_buffer(const dap_side *given, const char *name, bool is_written, dap_problem *problem,
                             dap_error *err)
{
  dap_problem_side *side = is_written ? &problem->to : &problem->from;
  int64_t shape[DAP_MAX_NDIM] = {0}, strides[DAP_MAX_NDIM];
  int coords[DAP_MAX_NDIM];
  if (side->process < 0) return DAP_OK;
  dap_layout_coords(side->layout, side->process, coords);
  side->holds = true;
  for (int k = 0; k < side->layout->ndim; k++) {
    shape[k] = dap_layout_extent(side->layout, k, coords[k]);
    if (shape[k] == 0) side->holds = false;
  }
  DAP_TRY(find_strides(given, side, name, shape, problem->arrays, strides, err));
  for (int k = 0; k < problem->ndim; k++) {
    const int axis = side->axes[k];
    side->strides[k] = axis < 0 ? 0 : strides[axis];
    side->extents[k] = axis < 0 ? 1 : shape[axis];
  }
  side->swapped = given->swapped;
  static const char somewhere = 0;
  const dap_strided buffer = {&somewhere, side->layout->ndim, shape, strides, side->item};
  return side->holds && is_written ? dap_strided_check_writable(&buffer, err) : DAP_OK;
}

/* ---- which elements ------------------------------------------------------------------------------- */

/* The part of a side that moves: first the axes of the part, then the axes that it leaves out. */
typedef struct chosen {
  const char *name;
  const dap_layout *layout;
  int kept, count;                                          /* axes of the part, and of all */
  int axes[2 * DAP_MAX_NDIM];                               /* [count] axes of the layout; -1: a new one */
  int64_t start[2 * DAP_MAX_NDIM], shape[2 * DAP_MAX_NDIM]; /* [count] */
} chosen;

static dap_status choose_axes(const dap_part *part, chosen *c, dap_error *err)
{
  const int ndim = c->layout->ndim;
  bool seen[DAP_MAX_NDIM] = {false};
  c->kept = part->axes ? part->naxes : ndim;
  DAP_REQUIRE(part->axes || part->naxes == 0, err, DAP_ERR_ARG,
              "%s: naxes of its part is %d, and axes is NULL", c->name, part->naxes);
  DAP_REQUIRE(c->kept >= 0 && c->kept <= DAP_MAX_NDIM, err, DAP_ERR_ARG,
              "%s: naxes %d of its part is outside 0 .. %d", c->name, c->kept, DAP_MAX_NDIM);
  for (int j = 0; j < c->kept; j++) {
    const int axis = c->axes[j] = part->axes ? part->axes[j] : j;
    DAP_REQUIRE(axis >= -1 && axis < ndim && (axis < 0 || !seen[axis]), err, DAP_ERR_ARG,
                "%s: axes[%d] = %d of its part is outside -1 .. %d or named twice", c->name, j, axis,
                ndim - 1);
    if (axis >= 0) seen[axis] = true;
  }
  c->count = c->kept;
  for (int k = 0; k < ndim; k++)
    if (!seen[k]) c->axes[c->count++] = k;
  return DAP_OK;
}

static dap_status choose_part(const dap_part *part, chosen *c, dap_error *err)
{
  DAP_TRY(choose_axes(part, c, err));
  for (int j = 0; j < c->count; j++) {
    const int axis = c->axes[j];
    c->start[j] = 0;
    c->shape[j] = 1;
    if (axis < 0) continue;
    const int64_t size = c->layout->maps[axis].axis.size, start = part->start ? part->start[axis] : 0;
    DAP_REQUIRE(start >= 0 && start <= size, err, DAP_ERR_ARG,
                "%s: axis %d: start %" PRId64 " is outside 0 .. size = %" PRId64, c->name, axis, start, size);
    const int64_t length = j >= c->kept ? 1 : part->shape ? part->shape[axis] : size - start;
    DAP_REQUIRE(length >= 0, err, DAP_ERR_ARG, "%s: axis %d: shape %" PRId64 " of its part is negative",
                c->name, axis, length);
    DAP_REQUIRE(length <= size - start, err, DAP_ERR_ARG,
                "%s: axis %d: %" PRId64 " elements from %" PRId64 " on are more than its size %" PRId64
                " has",
                c->name, axis, length, start, size);
    c->start[j] = start;
    c->shape[j] = length;
  }
  return DAP_OK;
}

/* Adds a pair of axes. -1: the side has no axis there. */
static dap_status add_pair(const chosen *from, int i, const chosen *to, int j, dap_problem *problem,
                           dap_error *err)
{
  const int k = problem->ndim, a = i < 0 ? -1 : from->axes[i], b = j < 0 ? -1 : to->axes[j];
  if (a < 0 && b < 0) return DAP_OK;
  DAP_REQUIRE(k < DAP_MAX_NDIM, err, DAP_ERR_UNSUPPORTED,
              "the axes of a side and the new ones of its part are more than %d", DAP_MAX_NDIM);
  problem->from.axes[k] = a;
  problem->to.axes[k] = b;
  problem->from.start[k] = i < 0 ? 0 : from->start[i];
  problem->to.start[k] = j < 0 ? 0 : to->start[j];
  problem->shape[k] = j < 0 ? 1 : to->shape[j];
  problem->ndim++;
  if ((a >= 0 && b >= 0) || problem->single.axis.procs > 0) return DAP_OK;
  const dap_dist single = dap_dist_even(1, 1);
  return dap_map_create(k, &single, &problem->single, err);
}

static dap_status fail_shapes(const chosen *from, const chosen *to, int j, dap_error *err)
{
  char here[DAP_ERROR_TEXT / 3], there[DAP_ERROR_TEXT / 3];
  (void)dap_layout_summary(from->layout, here, sizeof here);
  (void)dap_layout_summary(to->layout, there, sizeof there);
  if (from->kept != to->kept)
    return dap_fail(err, DAP_ERR_ARG,
                    "from and to must have the same number of axes, not %d (%s) and %d (%s)", from->kept,
                    here, to->kept, there);
  return dap_fail(err, DAP_ERR_ARG, "axis %d: from has size %" PRId64 " (%s), to has %" PRId64 " (%s)%s", j,
                  from->shape[j], here, to->shape[j], there,
                  from->start[j] || to->start[j] ? ", counted from start on" : "");
}

static dap_status set_parts(const dap_part *from_part, const dap_part *to_part, dap_problem *problem,
                            dap_error *err)
{
  chosen from = {.name = "from", .layout = problem->from.layout},
         to = {.name = "to", .layout = problem->to.layout};
  DAP_TRY(choose_part(from_part, &from, err));
  DAP_TRY(choose_part(to_part, &to, err));
  if (from.kept != to.kept) return fail_shapes(&from, &to, 0, err);
  for (int j = 0; j < to.kept; j++) {
    if (from.shape[j] != to.shape[j]) return fail_shapes(&from, &to, j, err);
    DAP_TRY(add_pair(&from, j, &to, j, problem, err));
  }
  for (int i = from.kept, j = to.kept; i < from.count || j < to.count; i++, j++)
    DAP_TRY(add_pair(&from, i < from.count ? i : -1, &to, j < to.count ? j : -1, problem, err));
  return DAP_OK;
}

/* ---- both sides ----------------------------------------------------------------------------------- */

/* Finds this process on a side, and checks that its layout and array fit there. */
static dap_status set_process(int nprocs, const dap_side *given, const char *name, bool of_from,
                              dap_problem *problem, dap_error *err)
{
  dap_problem_side *side = of_from ? &problem->from : &problem->to;
  DAP_TRY(find_process(name, nprocs, problem->rank, side, err));
  DAP_TRY(check_own(given, side->layout, name, side->process, err));
  DAP_REQUIRE(of_from || !given->local || !given->local->readonly || dap_array_count(given->local) == 0, err,
              DAP_ERR_BUFFER, "%s: the array is read-only", name);
  if (side->process >= 0) dap_problem_coords(problem, of_from, side->process, side->coords);
  return DAP_OK;
}

/* Sets whether the source is partial. The destination cannot be. */
static dap_status check_partial(dap_problem *problem, dap_error *err)
{
  for (int k = 0; k < problem->ndim; k++) {
    problem->sums = problem->sums || dap_problem_from_map(problem, k)->axis.partial;
    DAP_REQUIRE(!dap_problem_to_map(problem, k)->axis.partial, err, DAP_ERR_ARG,
                "to: axis %d is partial: addends are only added up, a plan cannot write them",
                problem->to.axes[k]);
  }
  return DAP_OK;
}

static dap_status check_options(const dap_plan_options *o, dap_error *err)
{
  DAP_REQUIRE(o->message_bytes >= 0 && o->message_bytes <= INT_MAX, err, DAP_ERR_ARG,
              "message_bytes %" PRId64 " is outside 0 .. %d", o->message_bytes, INT_MAX);
  DAP_REQUIRE(o->memory_bytes >= 0, err, DAP_ERR_ARG, "memory_bytes %" PRId64 " is negative",
              o->memory_bytes);
  DAP_REQUIRE(o->arrays >= 0 && o->arrays <= INT_MAX, err, DAP_ERR_ARG,
              "arrays %" PRId64 " is outside 0 .. %d", o->arrays, INT_MAX);
  DAP_REQUIRE((o->transports & ~dap_forced_bits()) <= DAP_TRANSPORTS, err, DAP_ERR_ARG,
              "transports %#x has bits that are not of dap_transport", o->transports);
  return DAP_OK;
}

/* Sets how values are combined. Addends are combined by the option, or by sums, unless a partial source is
 * on one process and has nothing to add. Other sources are combined by the option. */
static void set_sums(const dap_plan_options *o, dap_problem *problem)
{
  const bool is_partial = problem->sums;
  problem->sums = problem->copies && problem->copies->addends > 1;
  if (is_partial)
    problem->combine = !problem->sums ? DAP_COMBINE_NONE : o->combine ? o->combine : DAP_COMBINE_SUM;
}

dap_status dap_problem_check(int nprocs, int rank, const dap_plan_arguments *arguments, dap_problem *problem,
                             dap_error *err)
{
  const dap_plan_options *o = arguments->options;
  const dap_side *from = arguments->from, *to = arguments->to;
  DAP_TRY(check_options(o, err));
  problem->arrays = o->arrays ? o->arrays : 1;
  DAP_TRY(set_parts(&from->part, &to->part, problem, err));
  DAP_TRY(check_partial(problem, err));
  DAP_TRY(dap_problem_elements(from, to, arguments->itemsize, o, problem, err));
  problem->rank = rank;
  DAP_TRY(set_process(nprocs, from, "from", true, problem, err));
  DAP_TRY(set_process(nprocs, to, "to", false, problem, err));
  DAP_TRY(dap_copies_create(o, problem, err));
  set_sums(o, problem);
  DAP_TRY(set_buffer(from, "from", false, problem, err));
  return set_buffer(to, "to", true, problem, err);
}

void dap_problem_release(dap_problem *problem)
{
  dap_copies_release(problem);
  dap_layout_destroy(&problem->from.layout);
  dap_layout_destroy(&problem->to.layout);
  dap_map_release(&problem->single);
  free(problem->from.ranks);
  free(problem->to.ranks);
  *problem = (dap_problem){0};
}
