/* Makes the later passes of a plan to a replicated destination: copies that have received segments of a block
 * send them to the others. A box is the part of one segment that one copy sends to another, in place. Both
 * know from the layouts which boxes there are, and add them in one order, so both make the same channels. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* Boxes with more elements along the axis are not joined. Their elements may alternate and are then listed
 * one by one, and longer messages save nothing. */
enum { LONG = 1 << 14 };

/* A box is a product of the overlaps with one block of the source along each axis. One of them may be cut.
 * Boxes for the same copy that differ along one axis are joined to one channel. The n-th channel between two
 * processes is in the n-th exchange. */
typedef struct box {
  int other; /* number of the other copy */
  bool is_send;
  int exchange;
  int axis; /* axis along which it is joined to the one before of the same exchange; -1: it is the first */
  int64_t length; /* elements along that axis of all boxes that are joined so far */
  int number;     /* place in the order in which boxes were added */
  dap_cut cut;
  int from[DAP_MAX_NDIM]; /* the block, by pair of the first plan's */
} box;

typedef struct spreading {
  const dap_plan *first;         /* plan of the first pass */
  dap_plan *plan;                /* plan of this pass */
  const dap_direction *received; /* received by the first plan, with the overlaps of all blocks */
  int pass;
  int own, copies;         /* number of this process's copy, and number of copies */
  dap_exchange form;       /* pattern of all exchanges of the pass */
  int pairs[DAP_MAX_NDIM]; /* pairs[k]: the first plan's pair of axes that is pair k of this plan */
  box *boxes;              /* [count] */
  int count, capacity;
  int *last;     /* [2][copies] the last box sent to each copy, and received from it; -1: none */
  int exchanges; /* the most channels between this process and another */
} spreading;

/* Orders the axes as in the first plan, because its order decides how segments are cut. */
static dap_status start(spreading *s, dap_error *err)
{
  const int ndim = s->plan->problem.ndim;
  int count = 0;
  for (int k = 0; k < ndim; k++) {
    while (s->first->problem.to.axes[s->pairs[k]] != s->plan->problem.to.axes[k]) s->pairs[k]++;
    s->form.product.region[k] = DAP_REGION_ALL;
  }
  for (int i = 0; i < s->first->problem.ndim; i++)
    for (int k = 0; k < ndim; k++)
      if (s->pairs[k] == s->first->schedule.exchanges[0].order[i]) s->form.order[count++] = k;
  s->last = malloc(2 * (size_t)s->copies * sizeof *s->last);
  DAP_REQUIRE(s->last, err, DAP_ERR_NOMEM, "no memory for a plan of copies");
  for (int i = 0; i < 2 * s->copies; i++) s->last[i] = -1;
  return DAP_OK;
}

/* ---- joined boxes --------------------------------------------------------------------------------- */

/* Returns the overlap along axis k of the block that a box is of. */
static const dap_overlap *overlap_of(const spreading *s, const box *b, int k)
{
  return &s->received->with[s->pairs[k]][b->from[s->pairs[k]]];
}

static bool differ(const spreading *s, const box *a, const box *b, int k)
{
  if (a->from[s->pairs[k]] != b->from[s->pairs[k]]) return true;
  if (a->cut.axis != k && b->cut.axis != k) return false;
  return a->cut.axis != b->cut.axis || a->cut.low != b->cut.low || a->cut.high != b->cut.high;
}

/* Returns the axis along which a box can be joined to those that the last one is joined to; -1: it cannot. */
static int find_axis(const spreading *s, const box *last, const box *b)
{
  int axis = -1;
  for (int k = 0; k < s->plan->problem.ndim; k++) {
    if (!differ(s, last, b, k)) continue;
    if (axis >= 0) return -1;
    axis = k;
  }
  const bool is_cut_across =
      (b->cut.axis >= 0 && b->cut.axis != axis) || (last->cut.axis >= 0 && last->cut.axis != axis);
  return is_cut_across || (last->axis >= 0 && last->axis != axis) ? -1 : axis;
}

static int64_t length_of(const spreading *s, const box *b, int k)
{
  return b->cut.axis == k ? b->cut.high - b->cut.low : overlap_of(s, b, k)->elements;
}

/* Joins a box to the last one for the same copy, or begins another channel. */
static void join_or_begin(const spreading *s, const box *last, box *b)
{
  const int axis = find_axis(s, last, b);
  if (axis >= 0)
    b->length = (last->axis < 0 ? length_of(s, last, axis) : last->length) + length_of(s, b, axis);
  b->axis = b->length <= LONG ? axis : -1;
  b->exchange = last->exchange + (b->axis < 0);
}

/* ---- boxes ---------------------------------------------------------------------------------------- */

/* Adds a box of block from[], if the segment has any elements. */
static dap_status add_box(spreading *s, const int from[], const dap_block_segment *segment, int other,
                          bool is_send, dap_error *err)
{
  box b = {.other = other, .is_send = is_send, .axis = -1, .number = s->count};
  memcpy(b.from, from, sizeof b.from);
  dap_channel whole = {.exchange = &s->form};
  for (int k = 0; k < s->plan->problem.ndim; k++) whole.axes[k] = overlap_of(s, &b, k);
  if (!dap_block_segment_cut(segment, &whole, &b.cut)) return DAP_OK;
  box *boxes = dap_grow(s->boxes, s->count, &s->capacity, sizeof *boxes);
  DAP_REQUIRE(boxes, err, DAP_ERR_NOMEM, "no memory for %d parts of a plan of copies", s->count + 1);
  s->boxes = boxes;
  int *last = &s->last[is_send ? other : s->copies + other];
  if (*last >= 0) join_or_begin(s, &s->boxes[*last], &b);
  s->exchanges = b.exchange < s->exchanges ? s->exchanges : b.exchange + 1;
  *last = s->count;
  s->boxes[s->count++] = b;
  return DAP_OK;
}

/* Adds the boxes of a segment that this copy sends or receives. In the order, `start` copies from number
 * segment->part on have the segment before all later passes. */
static dap_status add_segment(spreading *s, const int from[], const dap_order_of_copies *order,
                              const dap_block_segment *segment, int start, dap_error *err)
{
  const int at = segment->part, index = (dap_copies_place(order, s->own) - at + s->copies) % s->copies;
  const dap_broadcast_step step = dap_copies_broadcast_step(&s->first->problem, start, s->pass);
  if (index >= step.have && index < step.then) {
    const int sender = dap_copies_at(order, (at + (index - step.have) % step.have) % s->copies);
    return add_box(s, from, segment, sender, false, err);
  }
  for (int64_t i = step.have + (int64_t)index; index < step.have && i < step.then; i += step.have) {
    const int receiver = dap_copies_at(order, (int)((at + i) % s->copies));
    DAP_TRY(add_box(s, from, segment, receiver, true, err));
  }
  return DAP_OK;
}

static dap_status add_block(spreading *s, const int from[], dap_error *err)
{
  const dap_problem *problem = &s->first->problem;
  const dap_order_of_copies order = dap_copies_order(problem, from, problem->to.coords);
  dap_block_segment segment = {0, 1};
  if (!problem->sums)
    return add_segment(s, from, &order, &segment, dap_copies_start(problem, order.count), err);
  segment.parts = order.parts;
  for (; segment.part < segment.parts; segment.part++)
    DAP_TRY(add_segment(s, from, &order, &segment, 1, err));
  return DAP_OK;
}

/* Visits all blocks of the source with elements for this process, from `axis` on. Copies and addends of a
 * block count as one. */
static dap_status add_blocks(spreading *s, int axis, int from[], dap_error *err)
{
  const dap_problem *problem = &s->first->problem;
  if (axis == problem->ndim) return add_block(s, from, err);
  const bool is_whole = dap_map_is_whole(dap_problem_from_map(problem, axis));
  for (int c = 0; c < (is_whole ? 1 : s->received->procs[axis]); c++) {
    from[axis] = c;
    if (s->received->with[axis][c].elements > 0) DAP_TRY(add_blocks(s, axis + 1, from, err));
  }
  return DAP_OK;
}

/* ---- channels ------------------------------------------------------------------------------------- */

static int compare_boxes(const void *left, const void *right)
{
  const box *a = left, *b = right;
  if (a->is_send != b->is_send) return a->is_send ? -1 : 1;
  if (a->other != b->other) return a->other < b->other ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* Joins the elements of boxes along an axis in ascending order, because elements of several blocks may
 * alternate. */
static dap_status join(const spreading *s, const box group[], int count, int k, dap_overlap *joined,
                       dap_error *err)
{
  dap_overlap points;
  dap_status t = dap_points_start(&points, group[count - 1].length, err);
  for (int i = 0; i < count; i++) {
    const dap_overlap *o = overlap_of(s, &group[i], k);
    const bool is_cut = group[i].cut.axis == k;
    dap_pieces pieces =
        dap_pieces_of(o, is_cut ? group[i].cut.low : 0, is_cut ? group[i].cut.high : o->elements);
    for (dap_strided_run run; !t && dap_pieces_next(&pieces, &run);) t = dap_points_add(&points, &run, err);
  }
  if (!t) dap_points_sort(&points);
  for (int64_t i = 0; i < points.size && !t; i++) {
    const int64_t at = dap_packed_get(&points.to, i);
    t = dap_overlap_add(joined, at, at, 1, err);
  }
  dap_overlap_release(&points);
  return t ? t : dap_overlap_finish(joined, err);
}

/* Adds the channel of joined boxes. `mirrored` has the boxes' axes in place. */
static dap_status add_channel(const spreading *s, const dap_direction *mirrored, const box group[], int count,
                              dap_error *err)
{
  const dap_problem *first = &s->first->problem, *problem = &s->plan->problem;
  const box *b = &group[count - 1];
  const int joined = b->axis >= 0 ? b->axis : b->cut.axis;
  dap_exchange *x = &s->plan->schedule.exchanges[b->exchange];
  dap_channel *channel = NULL;
  int to[DAP_MAX_NDIM];
  memcpy(to, first->to.coords, sizeof to);
  dap_copies_coords_along(first, false, first->copies->to_replicated, b->other, to);
  DAP_TRY(dap_direction_add(x, dap_problem_rank(first, false, to), b->is_send,
                            b->is_send ? &x->send : &x->receive, &channel, err));
  channel->bytes = problem->from.item;
  for (int k = 0; k < problem->ndim; k++) {
    const int pair = s->pairs[k];
    const dap_overlap *whole = channel->axes[k] = &mirrored->with[k][b->from[pair]];
    channel->to_coords[k] = b->is_send ? to[pair] : first->to.coords[pair];
    if (k == joined) {
      DAP_TRY(dap_channel_own_axis(channel, k, err));
      DAP_TRY(count > 1 ? join(s, group, count, k, channel->own_axis, err)
                        : dap_overlap_slice(whole, b->cut.low, b->cut.high, channel->own_axis, err));
    }
    channel->bytes *= channel->axes[k]->elements;
  }
  return DAP_OK;
}

static bool are_joined(const box *a, const box *b)
{
  return a->is_send == b->is_send && a->other == b->other && a->exchange == b->exchange;
}

static dap_status add_channels(const spreading *s, const dap_direction *mirrored, dap_error *err)
{
  if (s->count > 0) qsort(s->boxes, (size_t)s->count, sizeof *s->boxes, compare_boxes);
  for (int i = 0, next; i < s->count; i = next) {
    for (next = i + 1; next < s->count && are_joined(&s->boxes[i], &s->boxes[next]);) next++;
    DAP_TRY(add_channel(s, mirrored, &s->boxes[i], next - i, err));
  }
  return DAP_OK;
}

/* ---- exchanges ------------------------------------------------------------------------------------ */

/* Makes the overlaps that were received in place. */
static dap_status mirror(const spreading *s, dap_direction *direction, dap_error *err)
{
  for (int k = 0; k < s->plan->problem.ndim && s->own >= 0; k++) {
    const int pair = s->pairs[k], procs = s->received->procs[pair];
    direction->with[k] = calloc((size_t)procs, sizeof *direction->with[k]);
    DAP_REQUIRE(direction->with[k], err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", procs);
    direction->procs[k] = procs;
    for (int c = 0; c < procs; c++)
      DAP_TRY(dap_overlap_mirror(&s->received->with[pair][c], &direction->with[k][c], err));
  }
  return DAP_OK;
}

static dap_status make_exchanges(const spreading *s, int count, dap_error *err)
{
  dap_schedule *schedule = &s->plan->schedule;
  free(schedule->exchanges);
  schedule->exchange_count = 0;
  schedule->exchanges = calloc((size_t)count + 1, sizeof *schedule->exchanges);
  DAP_REQUIRE(schedule->exchanges, err, DAP_ERR_NOMEM, "no memory for a plan");
  for (int i = 0; i < count; i++) {
    schedule->exchanges[i] = s->form;
    schedule->exchanges[i].tag = i;
  }
  schedule->exchange_count = count;
  if (count == 0) return DAP_OK;
  dap_direction *mirrored = &schedule->exchanges[0].receive;
  DAP_TRY(mirror(s, mirrored, err));
  return add_channels(s, mirrored, err);
}

/* Finds the most channels between any two processes. */
static dap_status agree_count(const spreading *s, dap_status status, int *count, dap_error *err)
{
  enum { MINUS_EXCHANGES };
  dap_agreement a = {.status = status, .least = {[MINUS_EXCHANGES] = -s->exchanges}};
  *count = s->exchanges;
  if (!s->plan->context) return status;
  DAP_TRY(dap_context_agree(s->plan->context, &a, err));
  *count = (int)-a.least[MINUS_EXCHANGES];
  return DAP_OK;
}

dap_status dap_spread_exchanges(const dap_plan *first, int pass, dap_plan *plan, dap_error *err)
{
  const dap_problem *problem = &first->problem;
  int count = 0, from[DAP_MAX_NDIM] = {0};
  spreading s = {.first = first,
                 .plan = plan,
                 .received = &first->schedule.exchanges[0].receive,
                 .pass = pass,
                 .own = problem->to.process < 0 ? -1 : dap_copies_number(problem, problem->to.coords),
                 .copies = problem->copies->to_replicas,
                 .form = {.problem = &plan->problem, .across = -1}};
  dap_status t = start(&s, err);
  if (!t && s.own >= 0) t = add_blocks(&s, 0, from, err);
  t = agree_count(&s, t, &count, err);
  if (!t) {
    t = make_exchanges(&s, count, err);
    if (plan->context) t = dap_agree(plan->context->comm, t, err);
  }
  free(s.boxes);
  free(s.last);
  return t;
}
