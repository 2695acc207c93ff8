/* Writes the destination tile by tile, from all sources at a time, where their elements alternate within a
 * cache line. Each line then goes to memory once. Where single elements of all sources alternate, the
 * kernels interleave whole lines. */
#include "transport_impl.h"

/* Whether the tile of `a` comes before that of `b`: array by array, in the order of the destination. */
static bool is_before(const dap_exchange *exchange, const dap_chunk *a, const dap_chunk *b)
{
  if (a->first_array != b->first_array) return a->first_array < b->first_array;
  for (int i = 0; i < exchange->problem->ndim; i++) {
    const int k = exchange->order[i];
    if (a->tile[k] != b->tile[k]) return a->tile[k] < b->tile[k];
  }
  return false;
}

/* Returns a chunk of the tile that comes next; NULL: none is left. */
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

/* Whether the channel's elements for the tile are there: in the sources, which it pulls from, or packed at
 * *packed. */
static dap_status find_source(dap_channel *channel, const char **packed, bool *there, dap_error *err)
{
  char *at = NULL;
  dap_status s = DAP_OK;
  if (!channel->state.pulls) s = dap_transport_of(channel)->slot(channel, &at, err);
  *packed = at;
  *there = channel->state.pulls || at;
  return s;
}

/* Sources of a tile, in the order of their first elements along the fastest axis. */
typedef struct interleave {
  const dap_exchange *exchange;
  int64_t elements; /* elements along the fastest axis */
  int count;
  dap_copy copies[DAP_MOST_SOURCES]; /* [count] */
  dap_nest nests[DAP_MOST_SOURCES];  /* [count] */
} interleave;

/* Returns the loop over stretches of the fastest axis, which is around the loop over the elements of one. */
static const dap_loop *fastest_loop(const dap_nest *nest)
{
  return &nest->loops[nest->depth - 2];
}

static void insert(interleave *l, const dap_copy *copy, const dap_nest *nest)
{
  int at = l->count++;
  for (; at > 0 && l->nests[at - 1].to > nest->to; at--) {
    l->copies[at] = l->copies[at - 1];
    l->nests[at] = l->nests[at - 1];
  }
  l->copies[at] = *copy;
  l->nests[at] = *nest;
  l->elements += fastest_loop(nest)->count;
}

static bool is_single(const dap_nest *nest, int64_t item, int sources)
{
  const dap_loop *loop = fastest_loop(nest);
  return nest->loops[nest->depth - 1].count == 1 &&
         (loop->count == 1 || (loop->from == item && loop->to == sources * item));
}

static bool same_loops(const dap_nest *a, const dap_nest *b)
{
  for (int i = 0; i < a->depth - 2; i++)
    if (a->loops[i].count != b->loops[i].count || (a->loops[i].count > 1 && a->loops[i].to != b->loops[i].to))
      return false;
  return true;
}

/* Whether the sources have all elements, one behind the other, and are alike along the other axes. */
static bool fits(const interleave *l)
{
  const int64_t item = l->exchange->problem->from.item, total = l->elements;
  for (int i = 0; i < l->count; i++) {
    const dap_nest *nest = &l->nests[i];
    if (!is_single(nest, item, l->count) || !same_loops(nest, &l->nests[0])) return false;
    if (nest->to != l->nests[0].to + i * item) return false;
    if (fastest_loop(nest)->count != (total - i + l->count - 1) / l->count) return false;
  }
  return true;
}

static void interleave_loops(const interleave *l, int level, const char *const from[], char *to)
{
  const int outer = l->nests[0].depth - 2;
  const char *here[DAP_MOST_SOURCES];
  if (level == outer) {
    dap_interleave_copy(l->copies[0].kernels, to, from, l->count, l->elements,
                        l->exchange->problem->from.item, l->exchange->is_large);
    return;
  }
  const dap_loop *loop = &l->nests[0].loops[level];
  for (int64_t j = 0; j < loop->count; j++) {
    for (int i = 0; i < l->count; i++) here[i] = from[i] + j * l->nests[i].loops[level].from;
    interleave_loops(l, level + 1, here, to + j * loop->to);
  }
}

static void interleave_arrays(const interleave *l, const dap_chunk *tile)
{
  const char *from[DAP_MOST_SOURCES];
  for (int64_t a = tile->first_array; a < tile->end_array; a++) {
    for (int i = 0; i < l->count; i++) {
      const dap_copy *copy = &l->copies[i];
      const int64_t elements = dap_chunk_elements(copy->chunk, l->exchange->problem->ndim);
      const int64_t packed = (a - tile->first_array) * elements * copy->from_item;
      from[i] = (copy->from_strides ? copy->from[a] : copy->from_packed + packed) + l->nests[i].from;
    }
    interleave_loops(l, 0, from, l->copies[0].to[a] + l->nests[0].to);
  }
}

/* Interleaves a tile. False: the elements do not alternate one by one, and nothing is done. */
static bool interleave_tile(const dap_plan *plan, dap_exchange *exchange, const dap_chunk *tile, int due)
{
  const dap_problem *problem = exchange->problem;
  interleave l = {.exchange = exchange};
  if (due < 2 || due > DAP_MOST_SOURCES) return false;
  if (problem->to.strides[exchange->order[problem->ndim - 1]] != problem->to.item) return false;
  for (int i = 0; i < exchange->receive.count; i++) {
    dap_channel *channel = &exchange->receive.channels[i];
    const char *packed = NULL;
    bool there = false;
    dap_transform change;
    dap_nest nest;
    if (!is_due(exchange, channel, tile)) continue;
    if (channel->state.next.end_array != tile->end_array) return false;
    if (find_source(channel, &packed, &there, NULL) || !there) return false;
    const dap_copy copy = dap_chunk_placing(plan, channel, packed, &change);
    if (copy.transform || !dap_copy_nest(&copy, &nest)) return false;
    insert(&l, &copy, &nest);
  }
  if (!fits(&l)) return false;
  interleave_arrays(&l, tile);
  return true;
}

/* Counts the channels that have elements for the tile, unless those of one are not there yet. */
static dap_status all_there(dap_plan *plan, dap_exchange *exchange, const dap_chunk *tile, bool *there,
                            int *due, dap_error *err)
{
  *there = true;
  *due = 0;
  for (int i = 0; i < exchange->receive.count && *there; i++) {
    dap_channel *channel = &exchange->receive.channels[i];
    const char *packed = NULL;
    if (!is_due(exchange, channel, tile)) continue;
    DAP_TRY(find_source(channel, &packed, there, err));
    if (channel->state.is_refused)
      dap_chunk_refused(plan, channel);
    else
      ++*due;
  }
  return DAP_OK;
}

/* Puts the tile's elements of one channel in place, unless that is done, and ends its chunk. `due` channels
 * share the time since `start`. */
static dap_status take_source(const dap_plan *plan, dap_channel *channel, bool is_done, int due, double start,
                              dap_error *err)
{
  const char *packed = NULL;
  bool there = false;
  dap_transform own;
  if (!is_done) {
    DAP_TRY(find_source(channel, &packed, &there, err));
    const dap_copy copy = dap_chunk_placing(plan, channel, packed, &own);
    dap_copy_run(&copy);
  }
  dap_channel_advance(channel);
  if (!channel->state.pulls) dap_store_tuner_taken(channel, due - 1, start);
  return channel->state.pulls ? DAP_OK : dap_chunk_taken(plan, channel, err);
}

dap_status dap_interleave_some(dap_plan *plan, dap_exchange *exchange, int64_t *moved, int64_t *left,
                               dap_error *err)
{
  const dap_chunk *next = next_tile(exchange);
  bool there = false;
  int due = 0;
  if (!next) return DAP_OK;
  const dap_chunk tile = *next;
  ++*left;
  DAP_TRY(all_there(plan, exchange, &tile, &there, &due, err));
  if (!there) return DAP_OK;
  const double start = MPI_Wtime();
  const bool is_done = interleave_tile(plan, exchange, &tile, due);
  for (int i = 0; i < exchange->receive.count; i++) {
    dap_channel *channel = &exchange->receive.channels[i];
    if (is_due(exchange, channel, &tile)) DAP_TRY(take_source(plan, channel, is_done, due, start, err));
  }
  ++*moved;
  return DAP_OK;
}
