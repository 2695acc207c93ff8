/* Where elements of several sources alternate in less than a line of the cache, the destination is written
 * tile by tile, from all sources at a time: each line goes to memory once. Where they alternate one by one,
 * and so do all of them, the kernels interleave whole lines. */
#include "transport_impl.h"

enum { MOST_SOURCES = 16 /* that are interleaved, at most */ };

/* ---- what is due -------------------------------------------------------------------------------- */

/* The tile of `a` comes before that of `b`: array by array, in the order of the destination. */
static bool is_before(const dap_exchange *exchange, const dap_chunk *a, const dap_chunk *b)
{
  if (a->first_array != b->first_array) return a->first_array < b->first_array;
  for (int i = 0; i < exchange->problem->ndim; i++) {
    const int k = exchange->order[i];
    if (a->tile[k] != b->tile[k]) return a->tile[k] < b->tile[k];
  }
  return false;
}

/* A chunk of the tile that comes next; NULL: none is left. */
static const dap_chunk *next_tile(const dap_exchange *exchange)
{
  const dap_chunk *first = NULL;
  for (int i = 0; i < exchange->receive.count; i++) {
    const dap_channel *channel = &exchange->receive.channels[i];
    if (dap_channel_is_over(channel)) continue;
    if (!first || is_before(exchange, &channel->state.next, first)) first = &channel->state.next;
  }
  return first;
}

static bool is_due(const dap_exchange *exchange, const dap_channel *channel, const dap_chunk *tile)
{
  return !dap_channel_is_over(channel) && !is_before(exchange, tile, &channel->state.next);
}

static int count_due(const dap_exchange *exchange, const dap_chunk *tile)
{
  int due = 0;
  for (int i = 0; i < exchange->receive.count; i++)
    due += is_due(exchange, &exchange->receive.channels[i], tile);
  return due;
}

/* Whether the channel's elements for the tile are there: in the sources, which it pulls from, or packed at
 * *packed. */
static dap_status find_source(dap_channel *channel, const char **packed, bool *there, dap_error *err)
{
  *packed = NULL;
  *there = true;
  if (channel->state.pulls) return DAP_OK;
  const dap_status s = dap_transport_of(channel)->arrived(channel, packed, err);
  *there = *packed != NULL;
  return s;
}

/* ---- interleaved -------------------------------------------------------------------------------------- */

/* A channel's sources: where the first element for the tile is, and what they have along each axis. */
typedef struct source {
  const dap_channel *channel;
  const char *packed;            /* the tile's elements; NULL: in the source of each array, */
  int64_t offset;                /* from its beginning */
  int64_t array_bytes;           /* from one packed array to the next */
  int64_t strides[DAP_MAX_NDIM]; /* [ndim] bytes from one element to the next, of all that it has there */
  int64_t counts[DAP_MAX_NDIM];  /* [ndim] elements */
  int64_t first[DAP_MAX_NDIM];   /* [ndim] position of the first in the destination */
} source;

typedef struct interleave {
  const dap_plan *plan;
  const dap_exchange *exchange;
  int count;
  source sources[MOST_SOURCES]; /* [count] */
} interleave;

/* Elements of `channel` at equal steps along each axis: single ones `count` apart along the fastest, none
 * left out along the others. */
static bool set_source(const interleave *l, const dap_channel *channel, const char *packed_at, int count,
                       source *t)
{
  const dap_problem *problem = l->exchange->problem;
  const int64_t *strides = packed_at ? NULL : dap_chunk_source_strides(l->plan, channel);
  int64_t packed = problem->from_item;
  t->channel = channel;
  t->packed = packed_at;
  t->offset = 0;
  for (int i = problem->ndim - 1; i >= 0; i--) {
    const int k = l->exchange->order[i];
    const dap_chunk *chunk = &channel->state.next;
    dap_pieces pieces = dap_pieces_of(channel->axes[k], chunk->lo[k], chunk->hi[k]);
    dap_strided_run c = {0};
    if (!dap_pieces_next(&pieces, &c) || pieces.at < pieces.end) return false;
    const bool fastest = i == problem->ndim - 1;
    if (c.length > 1 && (fastest || c.count > 1)) return false;
    if (c.count > 1 && c.to_step != (fastest ? count : 1)) return false;
    const int64_t step = c.length > 1 || c.count == 1 ? 1 : c.from_step;
    t->counts[k] = c.length * c.count;
    t->first[k] = c.to;
    t->strides[k] = strides ? strides[k] * step : packed;
    if (strides) t->offset += c.from * strides[k];
    packed *= t->counts[k];
    if (fastest && t->counts[k] > 1 && t->strides[k] != problem->from_item) return false;
  }
  t->array_bytes = packed;
  return true;
}

/* Sources in the order of their first positions along the fastest axis. */
static void insert(interleave *l, const source *t, int k)
{
  int at = l->count++;
  for (; at > 0 && l->sources[at - 1].first[k] > t->first[k]; at--) l->sources[at] = l->sources[at - 1];
  l->sources[at] = *t;
}

/* All are there, one after the other, and the same along the other axes. */
static bool fits(const interleave *l, int fastest)
{
  const dap_problem *problem = l->exchange->problem;
  const source *first = &l->sources[0];
  int64_t total = 0;
  for (int i = 0; i < l->count; i++) total += l->sources[i].counts[fastest];
  for (int i = 0; i < l->count; i++) {
    const source *t = &l->sources[i];
    if (t->first[fastest] != first->first[fastest] + i) return false;
    if (t->counts[fastest] != (total - i + l->count - 1) / l->count) return false;
    for (int k = 0; k < problem->ndim; k++)
      if (k != fastest && (t->first[k] != first->first[k] || t->counts[k] != first->counts[k])) return false;
  }
  return true;
}

static void interleave_axis(const interleave *l, int level, const char *from[], char *to)
{
  const dap_problem *problem = l->exchange->problem;
  const int k = l->exchange->order[level];
  const char *here[MOST_SOURCES];
  if (level == problem->ndim - 1) {
    int64_t total = 0;
    for (int i = 0; i < l->count; i++) total += l->sources[i].counts[k];
    l->plan->kernels->interleave(to, from, l->count, total, problem->from_item, l->exchange->is_large);
    return;
  }
  for (int64_t j = 0; j < l->sources[0].counts[k]; j++) {
    for (int i = 0; i < l->count; i++) here[i] = from[i] + j * l->sources[i].strides[k];
    interleave_axis(l, level + 1, here, to + j * problem->to_strides[k]);
  }
}

static void interleave_arrays(const interleave *l, const dap_chunk *tile)
{
  const dap_problem *problem = l->exchange->problem;
  const char *from[MOST_SOURCES];
  int64_t offset = 0;
  for (int k = 0; k < problem->ndim; k++) offset += l->sources[0].first[k] * problem->to_strides[k];
  for (int64_t a = tile->first_array; a < tile->end_array; a++) {
    for (int i = 0; i < l->count; i++) {
      const source *t = &l->sources[i];
      from[i] = t->packed ? t->packed + (a - tile->first_array) * t->array_bytes
                          : dap_chunk_sources(l->plan, t->channel)[a] + t->offset;
    }
    interleave_axis(l, 0, from, l->plan->destinations[a] + offset);
  }
}

/* False: not of the form that can be interleaved, and nothing is done. */
static bool interleave_tile(const dap_plan *plan, dap_exchange *exchange, const dap_chunk *tile, int due)
{
  const dap_problem *problem = exchange->problem;
  const int k = exchange->order[problem->ndim - 1];
  interleave l = {.plan = plan, .exchange = exchange};
  if (due < 2 || due > MOST_SOURCES || problem->to_strides[k] != problem->to_item) return false;
  for (int i = 0; i < exchange->receive.count; i++) {
    dap_channel *channel = &exchange->receive.channels[i];
    const char *packed = NULL;
    bool there = false;
    source t;
    dap_transform change;
    if (!is_due(exchange, channel, tile)) continue;
    if (channel->state.next.end_array != tile->end_array) return false;
    if (dap_chunk_change(plan, channel, channel->state.pulls, &change)) return false;
    if (find_source(channel, &packed, &there, NULL) || !there || !set_source(&l, channel, packed, due, &t))
      return false;
    insert(&l, &t, k);
  }
  if (!fits(&l, k)) return false;
  interleave_arrays(&l, tile);
  return true;
}

/* ---- tiles ---------------------------------------------------------------------------------------- */

static void copy_sources(const dap_plan *plan, const dap_channel *channel, const char *packed)
{
  const dap_problem *problem = channel->exchange->problem;
  dap_transform own;
  const dap_copy copy = {.channel = channel,
                         .chunk = &channel->state.next,
                         .from = dap_chunk_sources(plan, channel),
                         .from_strides = packed ? NULL : dap_chunk_source_strides(plan, channel),
                         .from_packed = packed,
                         .to = plan->destinations,
                         .to_strides = problem->to_strides,
                         .from_item = problem->from_item,
                         .to_item = problem->to_item,
                         .transform = dap_chunk_change(plan, channel, !packed, &own),
                         .kernels = plan->kernels};
  dap_copy_run(&copy);
}

static dap_status all_there(dap_exchange *exchange, const dap_chunk *tile, bool *there, dap_error *err)
{
  *there = true;
  for (int i = 0; i < exchange->receive.count && *there; i++) {
    dap_channel *channel = &exchange->receive.channels[i];
    const char *packed = NULL;
    if (is_due(exchange, channel, tile)) DAP_TRY(find_source(channel, &packed, there, err));
  }
  return DAP_OK;
}

/* The tile's elements of one channel are in place, or are put there now; of `due` channels, since `start`. */
static dap_status take_source(const dap_plan *plan, dap_channel *channel, bool is_done, int due, double start,
                              dap_error *err)
{
  const char *packed = NULL;
  bool there = false;
  if (!is_done) {
    DAP_TRY(find_source(channel, &packed, &there, err));
    copy_sources(plan, channel, packed);
  }
  dap_channel_advance(channel);
  if (!channel->state.pulls) dap_pace_taken(channel, due - 1, start);
  return channel->state.pulls ? DAP_OK : dap_transport_of(channel)->taken(plan, channel, err);
}

dap_status dap_interleave_some(const dap_plan *plan, dap_exchange *exchange, int64_t *moved, int64_t *left,
                               dap_error *err)
{
  const dap_chunk *next = next_tile(exchange);
  bool there = false;
  if (!next) return DAP_OK;
  const dap_chunk tile = *next;
  ++*left;
  DAP_TRY(all_there(exchange, &tile, &there, err));
  if (!there) return DAP_OK;
  const int due = count_due(exchange, &tile);
  const double start = MPI_Wtime();
  const bool is_done = interleave_tile(plan, exchange, &tile, due);
  for (int i = 0; i < exchange->receive.count; i++) {
    dap_channel *channel = &exchange->receive.channels[i];
    if (is_due(exchange, channel, &tile)) DAP_TRY(take_source(plan, channel, is_done, due, start, err));
  }
  ++*moved;
  return DAP_OK;
}
