/* Where elements of several sources alternate in less than a line of the cache, the destination is written tile by
 * tile, from all sources at a time: each line goes to memory once. Where they alternate one by one, and so do all
 * of them, the kernels weave whole lines. */
#include "transfer_impl.h"

#include <string.h>

enum { SOURCES = 16 /* that are woven, at most */ };

/* ---- what is due -------------------------------------------------------------------------------- */

/* The tile of `a` comes before that of `b`, in the order of the destination. */
static bool is_before(const dap_exchange *exchange, const int64_t a[], const int64_t b[])
{
  for (int i = 0; i < exchange->ends->ndim; i++) {
    const int k = exchange->order[i];
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return false;
}

/* The tile that comes next; NULL: none is left. */
static const int64_t *next_tile(const dap_exchange *exchange)
{
  const int64_t *first = NULL;
  for (int i = 0; i < exchange->receive.count; i++) {
    const dap_flow *flow = &exchange->receive.flows[i];
    if (dap_flow_is_over(flow)) continue;
    if (!first || is_before(exchange, flow->now.next.tile, first)) first = flow->now.next.tile;
  }
  return first;
}

static bool is_due(const dap_exchange *exchange, const dap_flow *flow, const int64_t tile[])
{
  return !dap_flow_is_over(flow) && !is_before(exchange, tile, flow->now.next.tile);
}

/* The flow's elements for the tile: the source with its strides, or packed and NULL. *at is NULL: not there yet. */
static dap_status find_source(const dap_plan *plan, dap_flow *flow, const char **at, const int64_t **strides,
                              dap_error *err)
{
  const dap_move *move = &plan->moves[flow->exchange->move];
  *strides = NULL;
  if (!flow->now.pull) return flow->carrier->arrived(flow, at, err);
  *at = flow->now.pull;
  *strides = flow->carrier ? dap_station_strides(&plan->station, flow->place, flow->exchange->move, false)
                           : move->ends.from_strides;
  return DAP_OK;
}

/* ---- woven -------------------------------------------------------------------------------------- */

/* A source: where its first element for the tile is, and what it has along each axis. */
typedef struct thread {
  const char *from;
  int64_t strides[DAP_MAX_NDIM]; /* [ndim] bytes from one element to the next, of all that it has there */
  int64_t counts[DAP_MAX_NDIM];  /* [ndim] elements */
  int64_t first[DAP_MAX_NDIM];   /* [ndim] position of the first in the destination */
} thread;

typedef struct loom {
  const dap_plan *plan;
  const dap_exchange *exchange;
  int count;
  thread threads[SOURCES]; /* [count] */
} loom;

/* Elements of `flow` at equal steps along each axis: single ones `count` apart along the fastest, none left out along
 * the others. */
static bool set_thread(const loom *l, const dap_flow *flow, const char *at, const int64_t *strides, int count,
                       thread *t)
{
  const dap_ends *ends = l->exchange->ends;
  int64_t packed = ends->from_item;
  t->from = at;
  for (int i = ends->ndim - 1; i >= 0; i--) {
    const int k = l->exchange->order[i];
    const dap_chunk *chunk = &flow->now.next;
    dap_pieces pieces = dap_pieces_of(flow->axes[k], chunk->lo[k], chunk->hi[k]);
    dap_comb c = {0};
    if (!dap_pieces_next(&pieces, &c) || pieces.at < pieces.end) return false;
    const bool fastest = i == ends->ndim - 1;
    if (c.length > 1 && (fastest || c.count > 1)) return false;
    if (c.count > 1 && c.to_step != (fastest ? count : 1)) return false;
    const int64_t step = c.length > 1 || c.count == 1 ? 1 : c.from_step;
    t->counts[k] = c.length * c.count;
    t->first[k] = c.to;
    t->strides[k] = strides ? strides[k] * step : packed;
    if (strides) t->from += c.from * strides[k];
    packed *= t->counts[k];
    if (fastest && t->counts[k] > 1 && t->strides[k] != ends->from_item) return false;
  }
  return true;
}

/* Threads in the order of their first positions along the fastest axis. */
static void insert(loom *l, const thread *t, int k)
{
  int at = l->count++;
  for (; at > 0 && l->threads[at - 1].first[k] > t->first[k]; at--) l->threads[at] = l->threads[at - 1];
  l->threads[at] = *t;
}

/* All are there, one after the other, and the same along the other axes. */
static bool fits(const loom *l, int fastest)
{
  const dap_ends *ends = l->exchange->ends;
  const thread *first = &l->threads[0];
  int64_t total = 0;
  for (int i = 0; i < l->count; i++) total += l->threads[i].counts[fastest];
  for (int i = 0; i < l->count; i++) {
    const thread *t = &l->threads[i];
    if (t->first[fastest] != first->first[fastest] + i) return false;
    if (t->counts[fastest] != (total - i + l->count - 1) / l->count) return false;
    for (int k = 0; k < ends->ndim; k++)
      if (k != fastest && (t->first[k] != first->first[k] || t->counts[k] != first->counts[k])) return false;
  }
  return true;
}

static void weave_axis(const loom *l, int level, const char *from[], char *to)
{
  const dap_ends *ends = l->exchange->ends;
  const int k = l->exchange->order[level];
  const char *here[SOURCES];
  if (level == ends->ndim - 1) {
    int64_t total = 0;
    for (int i = 0; i < l->count; i++) total += l->threads[i].counts[k];
    l->plan->kernels->interleave(to, from, l->count, total, ends->from_item, l->exchange->is_large);
    return;
  }
  for (int64_t j = 0; j < l->threads[0].counts[k]; j++) {
    for (int i = 0; i < l->count; i++) here[i] = from[i] + j * l->threads[i].strides[k];
    weave_axis(l, level + 1, here, to + j * ends->to_strides[k]);
  }
}

/* False: not of the form that can be woven, and nothing is done. */
static bool weave(const dap_plan *plan, dap_exchange *exchange, const int64_t tile[])
{
  const dap_ends *ends = exchange->ends;
  const int k = exchange->order[ends->ndim - 1];
  loom l = {.plan = plan, .exchange = exchange};
  int due = 0;
  for (int i = 0; i < exchange->receive.count; i++)
    due += is_due(exchange, &exchange->receive.flows[i], tile);
  if (due < 2 || due > SOURCES || ends->transforms || ends->to_strides[k] != ends->to_item) return false;
  for (int i = 0; i < exchange->receive.count; i++) {
    dap_flow *flow = &exchange->receive.flows[i];
    const char *at = NULL;
    const int64_t *strides;
    thread t;
    if (!is_due(exchange, flow, tile)) continue;
    if (find_source(plan, flow, &at, &strides, NULL) || !at || !set_thread(&l, flow, at, strides, due, &t))
      return false;
    insert(&l, &t, k);
  }
  if (!fits(&l, k)) return false;
  const char *from[SOURCES];
  char *to = plan->moves[exchange->move].destination;
  for (int i = 0; i < l.count; i++) from[i] = l.threads[i].from;
  for (int a = 0; a < ends->ndim; a++) to += l.threads[0].first[a] * ends->to_strides[a];
  weave_axis(&l, 0, from, to);
  return true;
}

/* ---- tiles ---------------------------------------------------------------------------------------- */

static void copy_source(const dap_plan *plan, const dap_flow *flow, const char *at, const int64_t *strides)
{
  const dap_ends *ends = flow->exchange->ends;
  const dap_copy copy = {.flow = flow,
                         .chunk = &flow->now.next,
                         .from_item = ends->from_item,
                         .to_item = ends->to_item,
                         .transform = ends->transforms ? &ends->transform : NULL,
                         .kernels = plan->kernels};
  dap_copy_run(&copy, at, strides, plan->moves[flow->exchange->move].destination, ends->to_strides);
}

static dap_status all_there(const dap_plan *plan, dap_exchange *exchange, const int64_t tile[], bool *there,
                            dap_error *err)
{
  *there = true;
  for (int i = 0; i < exchange->receive.count && *there; i++) {
    dap_flow *flow = &exchange->receive.flows[i];
    const char *at = NULL;
    const int64_t *strides;
    if (!is_due(exchange, flow, tile)) continue;
    DAP_TRY(find_source(plan, flow, &at, &strides, err));
    *there = at != NULL;
  }
  return DAP_OK;
}

/* The tile's elements of one flow are in place, or are put there now. */
static dap_status take_source(const dap_plan *plan, dap_flow *flow, bool is_woven, dap_error *err)
{
  const char *at = NULL;
  const int64_t *strides;
  const bool direct = flow->now.pull != NULL;
  if (!is_woven) {
    DAP_TRY(find_source(plan, flow, &at, &strides, err));
    copy_source(plan, flow, at, strides);
  }
  if (++flow->now.moved < flow->now.chunks) (void)dap_flow_next(flow, flow->now.tile, &flow->now.next);
  return direct ? DAP_OK : flow->carrier->taken(plan, flow, err);
}

dap_status dap_fine_some(const dap_plan *plan, dap_exchange *exchange, int64_t *moved, int64_t *left,
                         dap_error *err)
{
  int64_t tile[DAP_MAX_NDIM];
  const int64_t *next = next_tile(exchange);
  bool there = false;
  if (!next) return DAP_OK;
  memcpy(tile, next, sizeof tile);
  ++*left;
  DAP_TRY(all_there(plan, exchange, tile, &there, err));
  if (!there) return DAP_OK;
  const bool is_woven = weave(plan, exchange, tile);
  for (int i = 0; i < exchange->receive.count; i++) {
    dap_flow *flow = &exchange->receive.flows[i];
    if (is_due(exchange, flow, tile)) DAP_TRY(take_source(plan, flow, is_woven, err));
  }
  ++*moved;
  return DAP_OK;
}
