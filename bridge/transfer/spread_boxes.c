/* Boxes that copies hand to each other in one pass, brought together: those for the same process that are
 * alike but along one axis, such as consecutive blocks or parts of a block, are one channel; unless they are
 * long along it, as their elements may alternate, and are then listed one by one.
 *
 * Both ends add the same boxes in the same order, so that both come to the same channels. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

enum { LONG = 1 << 14 /* elements along the axis; of so many in one message more save nothing */ };

/* ---- started ---------------------------------------------------------------------------------------- */

/* The pair of the first plan's axes that has the destination's axis of this plan's pair. */
static int pair_of(const dap_plan *first, const dap_plan *plan, int k)
{
  int pair = 0;
  while (first->problem.to_axes[pair] != plan->problem.to_axes[k]) pair++;
  return pair;
}

dap_status dap_boxes_start(const dap_plan *first, const dap_plan *plan, dap_boxes *boxes, dap_error *err)
{
  const int ndim = plan->problem.ndim;
  int count = 0;
  *boxes = (dap_boxes){.first = first, .form = {.problem = &plan->problem, .across = -1}};
  boxes->copies = first->problem.copies->targets;
  for (int k = 0; k < ndim; k++) {
    boxes->pairs[k] = pair_of(first, plan, k);
    boxes->form.region[k] = DAP_REGION_ALL;
  }
  for (int i = 0; i < first->problem.ndim; i++) /* in the order of the first plan's, by which parts are cut */
    for (int k = 0; k < ndim; k++)
      if (boxes->pairs[k] == first->schedule.exchanges[0].order[i]) boxes->form.order[count++] = k;
  boxes->last = malloc(2 * (size_t)boxes->copies * sizeof *boxes->last);
  DAP_REQUIRE(boxes->last, err, DAP_ERR_NOMEM, "no memory for a plan of copies");
  for (int i = 0; i < 2 * boxes->copies; i++) boxes->last[i] = -1;
  return DAP_OK;
}

void dap_boxes_release(dap_boxes *boxes)
{
  free(boxes->all);
  free(boxes->last);
  *boxes = (dap_boxes){0};
}

/* ---- added ------------------------------------------------------------------------------------------ */

static bool differ(const dap_boxes *boxes, const dap_box *a, const dap_box *b, int k)
{
  if (a->from[boxes->pairs[k]] != b->from[boxes->pairs[k]]) return true;
  if (a->cut.axis != k && b->cut.axis != k) return false;
  return a->cut.axis != b->cut.axis || a->cut.low != b->cut.low || a->cut.high != b->cut.high;
}

/* The axis along which a box can be joined to those that the last one is joined to; -1: it cannot. */
static int find_axis(const dap_boxes *boxes, const dap_box *last, const dap_box *box)
{
  int axis = -1;
  for (int k = 0; k < boxes->form.problem->ndim; k++) {
    if (!differ(boxes, last, box, k)) continue;
    if (axis >= 0) return -1;
    axis = k;
  }
  const bool is_cut_across =
      (box->cut.axis >= 0 && box->cut.axis != axis) || (last->cut.axis >= 0 && last->cut.axis != axis);
  return is_cut_across || (last->axis >= 0 && last->axis != axis) ? -1 : axis;
}

/* Returns the elements of a box along an axis. */
static int64_t length_of(const dap_boxes *boxes, const dap_box *box, int k)
{
  const int pair = boxes->pairs[k];
  if (box->cut.axis == k) return box->cut.high - box->cut.low;
  return boxes->first->schedule.exchanges[0].receive.with[pair][box->from[pair]].elements;
}

/* Joins a box to the last one for the same process, or begins another message. */
static void follow(const dap_boxes *boxes, const dap_box *last, dap_box *box)
{
  const int axis = find_axis(boxes, last, box);
  if (axis >= 0)
    box->length =
        (last->axis < 0 ? length_of(boxes, last, axis) : last->length) + length_of(boxes, box, axis);
  box->axis = box->length <= LONG ? axis : -1;
  box->exchange = last->exchange + (box->axis < 0);
}

/* Finds the part of a block that a box has. False: it is empty. */
static bool find_cut(const dap_boxes *boxes, const int from[], const dap_portion *portion, dap_cut *cut)
{
  dap_channel whole = {.exchange = &boxes->form};
  const dap_direction *received = &boxes->first->schedule.exchanges[0].receive;
  for (int k = 0; k < boxes->form.problem->ndim; k++)
    whole.axes[k] = &received->with[boxes->pairs[k]][from[boxes->pairs[k]]];
  return dap_portion_cut(portion, &whole, cut);
}

dap_status dap_boxes_add(dap_boxes *boxes, const int from[], const dap_portion *portion, int other,
                         bool is_send, dap_error *err)
{
  dap_box box = {.other = other, .is_send = is_send, .axis = -1, .number = boxes->count};
  memcpy(box.from, from, sizeof box.from);
  if (!find_cut(boxes, from, portion, &box.cut)) return DAP_OK;
  if (boxes->count == boxes->capacity) {
    const int capacity = 2 * boxes->capacity + 4;
    dap_box *all = realloc(boxes->all, (size_t)capacity * sizeof *all);
    DAP_REQUIRE(all, err, DAP_ERR_NOMEM, "no memory for %d parts of a plan of copies", capacity);
    boxes->all = all;
    boxes->capacity = capacity;
  }
  int *last = &boxes->last[is_send ? other : boxes->copies + other];
  if (*last >= 0) follow(boxes, &boxes->all[*last], &box);
  boxes->exchanges = box.exchange < boxes->exchanges ? boxes->exchanges : box.exchange + 1;
  *last = boxes->count;
  boxes->all[boxes->count++] = box;
  return DAP_OK;
}

/* ---- channels --------------------------------------------------------------------------------------- */

static int compare_boxes(const void *a, const void *b)
{
  const dap_box *x = a, *y = b;
  if (x->is_send != y->is_send) return x->is_send ? -1 : 1;
  if (x->other != y->other) return x->other < y->other ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

typedef struct range {
  int64_t at, length;
} range;

static int compare_ranges(const void *a, const void *b)
{
  const range *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

/* The part of an axis that a box has. */
static dap_pieces pieces_of(const dap_boxes *boxes, const dap_direction *mirrored, const dap_box *box, int k)
{
  const dap_overlap *o = &mirrored->with[k][box->from[boxes->pairs[k]]];
  const bool is_cut = box->cut.axis == k;
  return dap_pieces_of(o, is_cut ? box->cut.low : 0, is_cut ? box->cut.high : o->elements);
}

static int64_t count_ranges(const dap_boxes *boxes, const dap_direction *mirrored, const dap_box group[],
                            int count, int k)
{
  int64_t ranges = 0;
  for (int i = 0; i < count; i++) {
    dap_pieces pieces = pieces_of(boxes, mirrored, &group[i], k);
    for (dap_strided_run run; dap_pieces_next(&pieces, &run);) ranges += run.count;
  }
  return ranges;
}

/* Joins the elements of boxes along an axis, in ascending order, as elements of several blocks may
 * alternate. */
static dap_status join(const dap_boxes *boxes, const dap_direction *mirrored, const dap_box group[],
                       int count, int k, dap_overlap *all, dap_error *err)
{
  const int64_t total = count_ranges(boxes, mirrored, group, count, k);
  range *ranges = malloc((size_t)(total + 1) * sizeof *ranges);
  DAP_REQUIRE(ranges, err, DAP_ERR_NOMEM, "no memory for parts of a plan of copies");
  int64_t n = 0;
  for (int i = 0; i < count; i++) {
    dap_pieces pieces = pieces_of(boxes, mirrored, &group[i], k);
    for (dap_strided_run run; dap_pieces_next(&pieces, &run);)
      for (int64_t j = 0; j < run.count; j++) ranges[n++] = (range){run.to + j * run.to_step, run.length};
  }
  qsort(ranges, (size_t)n, sizeof *ranges, compare_ranges);
  dap_status s = DAP_OK;
  for (int64_t i = 0; i < n && !s; i++)
    s = dap_overlap_add(all, ranges[i].at, ranges[i].at, ranges[i].length, err);
  free(ranges);
  return s ? s : dap_overlap_finish(all, err);
}

/* Sets the axis of a channel along which its box is cut, or its boxes are joined. */
static dap_status set_axis(const dap_boxes *boxes, const dap_direction *mirrored, const dap_box group[],
                           int count, int k, dap_channel *channel, dap_error *err)
{
  const dap_overlap *whole = channel->axes[k];
  const dap_cut *cut = &group->cut;
  DAP_TRY(dap_channel_own_axis(channel, k, err));
  if (count == 1) return dap_overlap_slice(whole, cut->low, cut->high, channel->portion, err);
  return join(boxes, mirrored, group, count, k, channel->portion, err);
}

/* Adds the channel of joined boxes. */
static dap_status add_channel(const dap_boxes *boxes, const dap_box group[], int count,
                              dap_exchange exchanges[], dap_error *err)
{
  const dap_problem *first = &boxes->first->problem, *problem = boxes->form.problem;
  const dap_direction *mirrored = &exchanges[0].receive;
  const dap_box *box = &group[count - 1];
  const int joined = box->axis >= 0 ? box->axis : box->cut.axis;
  dap_exchange *x = &exchanges[box->exchange];
  dap_channel *channel = NULL;
  int to[DAP_MAX_NDIM];
  memcpy(to, first->to_coords, sizeof to);
  dap_copies_coords(first, box->other, to);
  DAP_TRY(dap_direction_add(x, dap_problem_rank(first, false, to), box->is_send,
                            box->is_send ? &x->send : &x->receive, &channel, err));
  channel->bytes = problem->from_item;
  for (int k = 0; k < problem->ndim; k++) {
    const int pair = boxes->pairs[k];
    channel->axes[k] = &mirrored->with[k][box->from[pair]];
    channel->to_coords[k] = box->is_send ? to[pair] : first->to_coords[pair];
    if (k == joined) DAP_TRY(set_axis(boxes, mirrored, group, count, k, channel, err));
    channel->bytes *= channel->axes[k]->elements;
  }
  return DAP_OK;
}

static bool are_joined(const dap_box *a, const dap_box *b)
{
  return a->is_send == b->is_send && a->other == b->other && a->exchange == b->exchange;
}

dap_status dap_boxes_make(dap_boxes *boxes, dap_exchange exchanges[], dap_error *err)
{
  if (boxes->count > 0) qsort(boxes->all, (size_t)boxes->count, sizeof *boxes->all, compare_boxes);
  for (int i = 0, next; i < boxes->count; i = next) {
    for (next = i + 1; next < boxes->count && are_joined(&boxes->all[i], &boxes->all[next]);) next++;
    DAP_TRY(add_channel(boxes, &boxes->all[i], next - i, exchanges, err));
  }
  return DAP_OK;
}
