/* Copies chunks with an axis whose elements are listed, or lie in short runs. A loop over places copies
 * the bytes that lie together at each of them. Preparing a nest for each place would take longer than the
 * copy. */
#include "copy_impl.h"

enum {
  CHANGED = 4096, /* bytes that are changed at a time: they stay in the first cache */
  PACKED = 8192,  /* bytes that are packed at a time: they stay there, too */
  LONG = 1024,    /* stores past the caches pay for at least this many bytes that lie together */
  REVISITED =
      256 /* places at a time where loops go around them, so that lines are found in the cache again */
};

/* Returns the pairs of places [i, i + n). */
static dap_pairs part_of(const dap_pairs *pairs, int64_t i, int64_t n)
{
  dap_pairs part = *pairs;
  part.count = n;
  part.source.first += i;
  part.destination.first += i;
  if (!part.source.at.data) part.from += i * part.source.step;
  if (!part.destination.at.data) part.to += i * part.destination.step;
  return part;
}

/* Copies elements that change on the way. Those of some places are brought together, changed, and put in
 * place, because to change them one by one takes far longer. */
static void change_all(const dap_copy *copy, const dap_pairs *pairs)
{
  const dap_transform *t = copy->transform;
  _Alignas(DAP_LINE) char taken[CHANGED], made[CHANGED];
  const int64_t from_bytes = pairs->each * copy->from_item, to_bytes = pairs->each * copy->to_item;
  const int64_t most = CHANGED / dap_larger(from_bytes, to_bytes);
  const bool is_packed = !pairs->source.at.data && pairs->source.step == from_bytes;
  const bool reads_to = t->beta[0] != 0 || t->beta[1] != 0;
  for (int64_t i = 0; i < pairs->count; i += most) {
    const dap_pairs part = part_of(pairs, i, dap_smaller(most, pairs->count - i));
    dap_pairs take = part, read = part, put = part;
    take.to = taken, take.destination = (dap_places){.step = from_bytes};
    read.from = part.to, read.source = part.destination;
    read.to = made, read.destination = (dap_places){.step = to_bytes};
    put.from = made, put.source = read.destination;
    if (!is_packed) dap_copy_pairs(&take, copy->from_item);
    if (reads_to) dap_copy_pairs(&read, copy->to_item);
    dap_transform_row(t, is_packed ? part.from : taken, copy->from_item, made, copy->to_item,
                      part.count * part.each);
    dap_copy_pairs(&put, copy->to_item);
  }
}

static void stream_line(const dap_copy *copy, const char *from, char *to, int64_t bytes)
{
  dap_nest line;
  line.from = line.to = 0;
  line.bytes = bytes;
  line.depth = 0;
  dap_nest_copy(copy->kernels, &line, from, to, true);
}

/* Elements [lo, hi) of a listed axis, at each iteration of the nest of the other axes. */
typedef struct listed {
  const dap_copy *copy;
  const dap_overlap *overlap;
  const dap_nest *others;
  int64_t lo, hi, from_stride, to_stride;
  bool stream;
} listed;

static void copy_pairs(const listed *l, const dap_pairs *pairs)
{
  const dap_copy *copy = l->copy;
  const int64_t bytes = pairs->each * copy->from_item;
  dap_combine_pairs *combine = copy->transform ? dap_combine_find(copy->transform) : NULL;
  if (combine)
    combine(pairs);
  else if (copy->transform)
    change_all(copy, pairs);
  else if (l->stream && pairs->count * bytes >= LONG && dap_pairs_are_dense(pairs, copy->from_item))
    stream_line(copy, pairs->from, pairs->to, pairs->count * bytes);
  else
    dap_copy_pairs(pairs, copy->from_item);
}

static void copy_loops(const listed *l, int depth, const dap_pairs *pairs)
{
  if (depth == 0) {
    copy_pairs(l, pairs);
    return;
  }
  const dap_loop *loop = &l->others->loops[depth - 1];
  for (int64_t i = 0; i < loop->count; i++) {
    dap_pairs at = *pairs;
    at.from += i * loop->from;
    at.to += i * loop->to;
    copy_loops(l, depth - 1, &at);
  }
}

static inline void copy_places(const listed *l, const dap_pairs *pairs)
{
  if (l->others->depth > 0)
    copy_loops(l, l->others->depth, pairs);
  else
    copy_pairs(l, pairs);
}

/* Copies listed positions of the axis. `begin` is the place of its position 0. */
static void copy_points(const listed *l, const dap_pairs *begin)
{
  const dap_overlap *o = l->overlap;
  const bool packs = !l->copy->to_strides, unpacks = !l->copy->from_strides;
  const int64_t to = dap_overlap_to(o, l->lo), most = l->others->depth > 0 ? REVISITED : l->hi;
  const dap_packed none = {0};
  /* they ascend in the destination, so that ends as far apart as there are elements have no gaps between */
  const bool is_gapless = packs || dap_overlap_to(o, l->hi - 1) - to == l->hi - 1 - l->lo;
  for (int64_t at = l->lo; at < l->hi;) {
    const dap_points stored = dap_overlap_points(o, at, dap_smaller(l->hi, at + most));
    dap_pairs pairs = *begin;
    pairs.count = stored.count;
    pairs.source = (dap_places){unpacks ? none : o->from, stored.first, l->from_stride};
    pairs.destination = (dap_places){is_gapless ? none : o->to, stored.first, l->to_stride};
    pairs.from += (unpacks ? at - l->lo : stored.from) * l->from_stride;
    pairs.to += (is_gapless ? at - l->lo + (packs ? 0 : to) : stored.to) * l->to_stride;
    copy_places(l, &pairs);
    at += stored.count;
  }
}

/* Copies strided runs of the axis: a loop over places for each stretch, or for all stretches of one element.
 * To find each by dap_pieces_next() would take longer than to copy a short one. */
static void copy_runs(const listed *l, const dap_pairs *begin)
{
  const dap_pieces all = dap_pieces_of(l->overlap, l->lo, l->hi);
  const dap_strided_run *run = &all.overlap->runs[all.run];
  const int64_t fs = l->from_stride, ts = l->to_stride;
  const bool packs = !l->copy->to_strides, unpacks = !l->copy->from_strides;
  dap_pairs pairs = *begin;
  int64_t first = all.at - run->before; /* element of the run */
  for (int64_t at = all.at; at < all.end; run++, first = 0)
    for (const int64_t end = dap_smaller(run->before + run->length * run->count, all.end); at < end;) {
      const bool is_single = run->length == 1;
      const int64_t i = first / run->length, j = first % run->length;
      pairs.count = dap_smaller(is_single ? run->count - i : run->length - j, end - at);
      pairs.source.step = is_single && !unpacks ? run->from_step * fs : fs;
      pairs.destination.step = is_single && !packs ? run->to_step * ts : ts;
      pairs.from = begin->from + (unpacks ? at - all.at : run->from + i * run->from_step + j) * fs;
      pairs.to = begin->to + (packs ? at - all.at : run->to + i * run->to_step + j) * ts;
      copy_places(l, &pairs);
      at += pairs.count;
      first += pairs.count;
    }
}

static void copy_axis(const listed *l, const dap_pairs *begin)
{
  if (dap_overlap_is_points(l->overlap))
    copy_points(l, begin);
  else
    copy_runs(l, begin);
}

/* Packs past the caches: elements are brought together in the first cache, and go from there in whole
 * lines. */
static void stream_packed(const listed *l, const dap_pairs *begin)
{
  _Alignas(DAP_LINE) char lines[PACKED];
  const int64_t bytes = begin->each * l->copy->from_item, most = PACKED / bytes / DAP_LINE * DAP_LINE;
  listed part = *l;
  dap_pairs gathered = *begin;
  gathered.to = lines;
  part.stream = false;
  for (; part.lo < l->hi; part.lo = part.hi) {
    part.hi = dap_smaller(part.lo + most, l->hi);
    copy_axis(&part, &gathered);
    stream_line(l->copy, lines, begin->to + (part.lo - l->lo) * bytes, (part.hi - part.lo) * bytes);
  }
}

int dap_walk_find_listed(const dap_walk *w)
{
  enum { SHORT = 4096 }; /* bytes of a run on average */
  const dap_copy *copy = w->copy;
  int found = -1;
  for (int k = 0; k < w->ndim; k++) {
    const dap_overlap *o = copy->channel->axes[k];
    const bool is_short = dap_problem_is_listed(copy->channel->exchange->problem, k) && o->size > 0 &&
                          o->elements * copy->from_item <= o->size * SHORT &&
                          (!copy->transform || dap_combine_find(copy->transform));
    if ((is_short || dap_overlap_is_points(o)) &&
        (found < 0 || dap_magnitude(w->to_strides[k]) < dap_magnitude(w->to_strides[found])))
      found = k;
  }
  return found;
}

/* Elements that lie together at each place become one, which change_all() must have room for. */
void dap_walk_join(const dap_walk *w, dap_nest *others)
{
  const dap_copy *copy = w->copy;
  const bool is_alike = copy->from_item == copy->to_item;
  if (others->depth == 0) return;
  if (!copy->transform || (is_alike && others->loops[0].count * copy->from_item <= CHANGED))
    dap_nest_widen(others);
}

void dap_walk_copy_listed(const dap_walk *w, const dap_nest *others, const char *from, char *to)
{
  const dap_copy *copy = w->copy;
  const int k = w->listed;
  const listed l = {.copy = copy,
                    .overlap = copy->channel->axes[k],
                    .others = others,
                    .lo = copy->chunk->lo[k],
                    .hi = copy->chunk->hi[k],
                    .from_stride = w->from_strides[k],
                    .to_stride = w->to_strides[k],
                    .stream = copy->stream};
  dap_pairs pairs = {.from = from + others->from, .each = others->bytes / copy->from_item};
  pairs.to = to + others->to;
  if (copy->stream && !copy->transform && !copy->to_strides && others->depth == 0 &&
      l.to_stride == others->bytes && others->bytes <= PACKED / DAP_LINE)
    stream_packed(&l, &pairs);
  else
    copy_axis(&l, &pairs);
}
