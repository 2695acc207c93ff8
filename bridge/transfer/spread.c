/* The later passes of a plan to a replicated destination: copies that have got their elements hand them to
 * the others.
 *
 * In the first pass copies of a block of the destination got parts of it, or all: boxes, each the product of
 * what a block of the source has for it along each axis, one of these axes cut. All copies of a block are at
 * the same positions, so a box is moved in place from one copy to another, and both know from the layouts
 * alone which boxes those are, and in which order. Boxes for the same process that differ along one axis are
 * one message (spread_boxes.c); the n-th message between two processes is in the n-th exchange. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct spreading {
  const dap_plan *first; /* whose destination it is */
  dap_plan *plan;
  const dap_direction *received; /* by the first, what of each block */
  int pass;
  int own; /* the number of this process's copy */
  dap_boxes boxes;
} spreading;

/* ---- all boxes -------------------------------------------------------------------------------------- */

/* Of one part of a block, which `start` copies have had before all later passes, those from `at` of the order
 * on. */
static dap_status hand_out(spreading *s, const int from[], const dap_order_of_copies *order,
                           const dap_portion *portion, int start, dap_error *err)
{
  const int targets = s->first->problem.copies->targets, at = portion->part;
  const int index = (dap_copies_place(order, s->own) - at + targets) % targets;
  const dap_broadcast_step h = dap_copies_broadcast_step(&s->first->problem, start, s->pass);
  if (index >= h.have && index < h.then) {
    const int giver = dap_copies_at(order, (at + (index - h.have) % h.have) % targets);
    return dap_boxes_add(&s->boxes, from, portion, giver, false, err);
  }
  for (int64_t i = h.have + (int64_t)index; index < h.have && i < h.then; i += h.have) {
    const int taker = dap_copies_at(order, (int)((at + i) % targets));
    DAP_TRY(dap_boxes_add(&s->boxes, from, portion, taker, true, err));
  }
  return DAP_OK;
}

static dap_status spread_block(spreading *s, const int from[], dap_error *err)
{
  const dap_problem *problem = &s->first->problem;
  const dap_order_of_copies order = dap_copies_order(problem, from, problem->to_coords);
  dap_portion portion = {0, 1};
  if (!problem->sums) return hand_out(s, from, &order, &portion, dap_copies_start(problem, order.count), err);
  portion.parts = order.parts;
  for (; portion.part < portion.parts; portion.part++) DAP_TRY(hand_out(s, from, &order, &portion, 1, err));
  return DAP_OK;
}

/* Visits all blocks of the source with elements for this process, from `axis` on. Copies and addends are
 * one. */
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
  return s->first->problem.to_process < 0 ? DAP_OK : spread_blocks(s, 0, from, err);
}

/* ---- exchanges -------------------------------------------------------------------------------------- */

/* The boxes' axes, in place. */
static dap_status mirror(const spreading *s, dap_direction *direction, dap_error *err)
{
  const dap_problem *problem = &s->plan->problem;
  for (int k = 0; k < problem->ndim && s->first->problem.to_process >= 0; k++) {
    const int pair = s->boxes.pairs[k], procs = s->received->procs[pair];
    direction->with[k] = calloc((size_t)procs, sizeof *direction->with[k]);
    DAP_REQUIRE(direction->with[k], err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", procs);
    direction->procs[k] = procs;
    for (int c = 0; c < procs; c++)
      DAP_TRY(dap_overlap_mirror(&s->received->with[pair][c], &direction->with[k][c], err));
  }
  return DAP_OK;
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
    schedule->exchanges[i] = s->boxes.form;
    schedule->exchanges[i].tag = i;
  }
  if (count == 0) return DAP_OK;
  DAP_TRY(mirror(s, &schedule->exchanges[0].receive, err));
  return dap_boxes_make(&s->boxes, schedule->exchanges, err);
}

/* The largest number of messages between two processes. */
static dap_status agree_count(const spreading *s, dap_status status, int *count, dap_error *err)
{
  dap_agreement a = {.status = status, .least = {-s->boxes.exchanges}};
  *count = s->boxes.exchanges;
  if (!s->plan->context) return status;
  DAP_TRY(dap_context_agree(s->plan->context, &a, err));
  *count = (int)-a.least[0];
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
  dap_status t = dap_boxes_start(first, plan, &s.boxes, err);
  if (!t) t = spread(&s, err);
  t = agree_count(&s, t, &count, err);
  if (!t) {
    t = make_exchanges(&s, count, err);
    if (plan->context) t = dap_agree(plan->context->comm, t, err);
  }
  dap_boxes_release(&s.boxes);
  return t;
}
