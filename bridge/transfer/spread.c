/* The later passes of a plan to a replicated destination: copies that have got their elements hand them to
 * the others.
 *
 * In the first pass copies of a block of the destination got parts of it, or all: boxes, each the product of
 * what a block of the source has for it along each axis, one of these axes cut. All copies of a block are at
 * the same positions, so a box is moved in place from one copy to another, and both know from the layouts
 * alone which boxes those are, and in which order. A channel has one box, so the n-th box that one process
 * has for another is in the n-th exchange. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct spreading {
  const dap_plan *first; /* whose destination it is */
  dap_plan *plan;
  const dap_direction *received; /* by the first, what of each block */
  int pass;
  int own;      /* the number of this process's copy */
  int *count;   /* [2][targets] boxes sent to each copy, and received from it */
  int most;     /* of these */
  bool is_done; /* they have been counted: the exchanges are filled */
} spreading;

/* The pair of the first plan's axes that has the destination's axis of this plan's pair. */
static int pair_of(const spreading *s, int k)
{
  const dap_problem *first = &s->first->problem;
  int pair = 0;
  while (first->to_axes[pair] != s->plan->problem.to_axes[k]) pair++;
  return pair;
}

/* ---- one box --------------------------------------------------------------------------------------- */

static dap_status add_box(const spreading *s, const int from[], const dap_portion *portion, int other,
                          bool is_send, int exchange, dap_error *err)
{
  const dap_problem *first = &s->first->problem, *problem = &s->plan->problem;
  dap_exchange *x = &s->plan->schedule.exchanges[exchange];
  dap_direction *direction = is_send ? &x->send : &x->receive;
  dap_channel *channel;
  int to[DAP_MAX_NDIM];
  memcpy(to, first->to_coords, sizeof to);
  dap_copies_coords(first, other, to);
  DAP_TRY(dap_direction_add(x, dap_problem_rank(first, false, to), is_send, direction, &channel, err));
  int64_t elements = 1;
  for (int k = 0; k < problem->ndim; k++) {
    const int pair = pair_of(s, k);
    channel->axes[k] = &s->plan->schedule.exchanges[0].receive.with[k][from[pair]];
    channel->to_coords[k] = is_send ? to[pair] : first->to_coords[pair];
    elements *= channel->axes[k]->elements;
  }
  channel->bytes = elements * problem->from_item;
  DAP_TRY(dap_channel_take_portion(portion, channel, err));
  if (channel->bytes == 0) direction->count--;
  return DAP_OK;
}

static dap_status take_box(spreading *s, const int from[], const dap_portion *portion, int other,
                           bool is_send, dap_error *err)
{
  int *count = &s->count[is_send ? other : s->first->problem.copies->targets + other];
  const int exchange = (*count)++;
  s->most = *count > s->most ? *count : s->most;
  return s->is_done ? add_box(s, from, portion, other, is_send, exchange, err) : DAP_OK;
}

/* ---- all boxes ------------------------------------------------------------------------------------- */

/* Of one part of a block, which `start` copies have had before all later passes, those from `at` of the order
 * on. */
static dap_status hand_out(spreading *s, const int from[], const dap_portion *portion, int start,
                           dap_error *err)
{
  const dap_problem *problem = &s->first->problem;
  const dap_copies *copies = problem->copies;
  const int targets = copies->targets, at = portion->part;
  int index = 0;
  while (copies->order[(at + index) % targets] != s->own) index++;
  const int giver = dap_copies_server(problem, start, index, s->pass);
  if (giver >= 0) DAP_TRY(take_box(s, from, portion, copies->order[(at + giver) % targets], false, err));
  for (int i = start; i < targets; i++)
    if (dap_copies_server(problem, start, i, s->pass) == index)
      DAP_TRY(take_box(s, from, portion, copies->order[(at + i) % targets], true, err));
  return DAP_OK;
}

static dap_status spread_block(spreading *s, const int from[], dap_error *err)
{
  const dap_problem *problem = &s->first->problem;
  const int holders = dap_copies_order(problem, from, problem->to_coords);
  dap_portion portion = {0, 1};
  if (!problem->sums) return hand_out(s, from, &portion, dap_copies_start(problem, holders), err);
  portion.parts = holders > 0 ? holders : problem->copies->targets;
  for (; portion.part < portion.parts; portion.part++) DAP_TRY(hand_out(s, from, &portion, 1, err));
  return DAP_OK;
}

/* All blocks of the source that have something for this process; copies and terms have the same. */
static dap_status spread_blocks(spreading *s, int axis, int from[], dap_error *err)
{
  const dap_problem *problem = &s->first->problem;
  if (axis == problem->ndim) return spread_block(s, from, err);
  const bool is_whole = dap_map_is_whole(dap_problem_from_map(problem, axis));
  for (int c = 0; c < (is_whole ? 1 : s->received->procs[axis]); c++) {
    from[axis] = c;
    if (s->received->with[axis][c].elements > 0) DAP_TRY(spread_blocks(s, axis + 1, from, err));
  }
  return DAP_OK;
}

static dap_status spread(spreading *s, dap_error *err)
{
  int from[DAP_MAX_NDIM] = {0};
  memset(s->count, 0, 2 * (size_t)s->first->problem.copies->targets * sizeof *s->count);
  return s->first->problem.to_process < 0 ? DAP_OK : spread_blocks(s, 0, from, err);
}

/* ---- exchanges ------------------------------------------------------------------------------------- */

/* The boxes' axes, in place. */
static dap_status mirror(const spreading *s, dap_direction *direction, dap_error *err)
{
  const dap_problem *problem = &s->plan->problem;
  for (int k = 0; k < problem->ndim && s->first->problem.to_process >= 0; k++) {
    const int pair = pair_of(s, k), procs = s->received->procs[pair];
    direction->with[k] = calloc((size_t)procs, sizeof *direction->with[k]);
    DAP_REQUIRE(direction->with[k], err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", procs);
    direction->procs[k] = procs;
    for (int c = 0; c < procs; c++)
      DAP_TRY(dap_overlap_mirror(&s->received->with[pair][c], &direction->with[k][c], err));
  }
  return DAP_OK;
}

/* In the order of the first plan's, by which parts are cut. */
static void take_order(const spreading *s, int order[])
{
  const dap_problem *first = &s->first->problem;
  int count = 0;
  for (int i = 0; i < first->ndim; i++)
    for (int k = 0; k < s->plan->problem.ndim; k++)
      if (pair_of(s, k) == s->first->schedule.exchanges[0].order[i]) order[count++] = k;
}

static dap_status make_exchanges(spreading *s, int count, dap_error *err)
{
  dap_schedule *schedule = &s->plan->schedule;
  free(schedule->exchanges);
  schedule->exchange_count = 0;
  schedule->exchanges = calloc((size_t)count + 1, sizeof *schedule->exchanges);
  DAP_REQUIRE(schedule->exchanges, err, DAP_ERR_NOMEM, "no memory for a plan");
  schedule->exchange_count = count;
  for (int i = 0; i < count; i++) {
    dap_exchange *exchange = &schedule->exchanges[i];
    *exchange = (dap_exchange){.problem = &s->plan->problem, .tag = i, .across = -1};
    for (int k = 0; k < s->plan->problem.ndim; k++) exchange->region[k] = DAP_REGION_ALL;
    take_order(s, exchange->order);
  }
  return count > 0 ? mirror(s, &schedule->exchanges[0].receive, err) : DAP_OK;
}

/* The largest number of boxes between two processes. */
static dap_status agree_count(const spreading *s, dap_status status, int *count, dap_error *err)
{
  int64_t least = -s->most;
  *count = s->most;
  if (!s->plan->context) return status;
  DAP_TRY(dap_agree(s->plan->context->comm, status, err));
  DAP_TRY(dap_context_reduce(s->plan->context, DAP_REDUCE_MIN, &least, 1, err));
  *count = (int)-least;
  return DAP_OK;
}

dap_status dap_spread_exchanges(const dap_plan *first, int pass, dap_plan *plan, dap_error *err)
{
  const dap_problem *problem = &first->problem;
  int count = 0;
  spreading s = {.first = first,
                 .plan = plan,
                 .received = &first->schedule.exchanges[0].receive,
                 .pass = pass,
                 .own = problem->to_process < 0 ? -1 : dap_copies_number(problem, problem->to_coords)};
  s.count = malloc(2 * (size_t)problem->copies->targets * sizeof *s.count);
  dap_status t = s.count ? spread(&s, err) : dap_fail(err, DAP_ERR_NOMEM, "no memory for a plan of copies");
  t = agree_count(&s, t, &count, err);
  if (!t && s.count) {
    t = make_exchanges(&s, count, err);
    s.is_done = true;
    if (!t) t = spread(&s, err);
    if (plan->context) t = dap_agree(plan->context->comm, t, err);
  }
  free(s.count);
  return t;
}
