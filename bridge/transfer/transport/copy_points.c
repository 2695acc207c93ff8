/* An axis whose elements are listed one by one, or in short runs: at each, bytes that lie together at both
 * ends, such as an element, or a node's components. To tell a kernel of each takes longer than to copy it. */
#include "copy_impl.h"

/* ---- one by one ------------------------------------------------------------------------------------- */

enum {
  /* bytes of elements that are changed, or brought together, at a time: they stay in the first cache */
  CHANGED = 4096,
  LONG = 1024 /* bytes that lie together from which stores past the caches pay, though the lines at both
                     ends go through them */
};

/* Places `i` to `i` + `n`. */
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

/* Elements that change on the way: those of some positions are brought together, changed, and put where they
 * belong. To change them one by one takes far longer. */
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

/* Bytes that lie together at both ends, or are packed, past the caches if they are to be. */
static void copy_line(const dap_copy *copy, const char *from, char *to, int64_t bytes)
{
  copy->kernels->copy(&(dap_block){.from = from,
                                   .to = to,
                                   .n = {1, bytes},
                                   .from_step = {0, 1},
                                   .to_step = {0, 1},
                                   .itemsize = 1,
                                   .stream = copy->stream});
}

/* Places of so many bytes that are brought together at a time; most end with a line. */
static int64_t count_together(int64_t bytes)
{
  const int64_t most = CHANGED / bytes;
  return most > DAP_LINE ? most - most % DAP_LINE : most;
}

/* Packed past the caches: brought together in the first cache, and from there in whole lines. */
static void stream_all(const dap_copy *copy, const dap_pairs *pairs)
{
  _Alignas(DAP_LINE) char lines[CHANGED];
  const int64_t bytes = pairs->each * copy->from_item, count = count_together(bytes);
  for (int64_t i = 0; i < pairs->count; i += count) {
    dap_pairs part = part_of(pairs, i, dap_smaller(count, pairs->count - i));
    char *const to = part.to;
    part.to = lines;
    dap_copy_pairs(&part, copy->from_item);
    copy_line(copy, lines, to, part.count * bytes);
  }
}

static bool is_dense(const dap_places *places, int64_t bytes)
{
  return !places->at.data && places->step == bytes;
}

/* Packed, each place behind the one before, past the caches. */
static bool packs_lines(const dap_walk *w, int k, int64_t bytes)
{
  return w->copy->stream && !w->copy->transform && w->to_packed && w->to_strides[k] == bytes &&
         bytes <= CHANGED / DAP_LINE;
}

/* Elements as they are. */
static void copy_all(const dap_copy *copy, const dap_pairs *pairs)
{
  const int64_t bytes = pairs->each * copy->from_item;
  const bool dense = is_dense(&pairs->destination, bytes) && is_dense(&pairs->source, bytes);
  if (copy->stream && dense && pairs->count * bytes >= LONG)
    copy_line(copy, pairs->from, pairs->to, pairs->count * bytes);
  else
    dap_copy_pairs(pairs, copy->from_item);
}

static void copy_pairs(const dap_walk *w, int k, const dap_pairs *pairs)
{
  const dap_copy *copy = w->copy;
  dap_combine_pairs *combine = copy->transform ? dap_combine_find(copy->transform) : NULL;
  if (combine)
    combine(pairs);
  else if (copy->transform)
    change_all(copy, pairs);
  else if (packs_lines(w, k, pairs->each * copy->from_item))
    stream_all(copy, pairs);
  else
    copy_all(copy, pairs);
}

/* From and to the positions of axis `k`, counted from where the pairs begin. */
static void copy_points(const dap_walk *w, int k, const dap_pairs *begin)
{
  const dap_overlap *o = w->copy->channel->axes[k];
  const int64_t lo = w->copy->chunk->lo[k], end = lo + dap_walk_elements(w, k);
  const int64_t fs = w->from_strides[k], ts = w->to_strides[k], to = dap_overlap_to(o, lo);
  const dap_packed none = {0};
  /* they ascend in the destination, so that ends as far apart as there are elements have no gaps between */
  const bool is_gapless = w->to_packed || dap_overlap_to(o, end - 1) - to == end - 1 - lo;
  for (int64_t at = lo; at < end;) {
    const dap_points stored = dap_overlap_points(o, at, end);
    dap_pairs pairs = *begin;
    pairs.count = stored.count;
    pairs.source = (dap_places){w->from_packed ? none : o->from, stored.first, fs};
    pairs.destination = (dap_places){is_gapless ? none : o->to, stored.first, ts};
    pairs.from += (w->from_packed ? at - lo : stored.from) * fs;
    pairs.to += (is_gapless ? at - lo + (w->to_packed ? 0 : to) : stored.to) * ts;
    copy_pairs(w, k, &pairs);
    at += stored.count;
  }
}

/* ---- in runs ---------------------------------------------------------------------------------------- */

/* Elements [lo, hi) of axis `k`; packed ones begin at `from` or `to`. What dap_pieces_next() and
 * dap_walk_resolve() say of a run takes longer than a short one itself. */
static void copy_runs(const dap_walk *w, int k, int64_t lo, int64_t hi, const char *from, char *to,
                      int64_t each)
{
  const dap_pieces all = dap_pieces_of(w->copy->channel->axes[k], lo, hi);
  const dap_strided_run *run = &all.overlap->runs[all.run];
  dap_combine_pairs *combine = w->copy->transform ? dap_combine_find(w->copy->transform) : NULL;
  const int64_t fs = w->from_strides[k], ts = w->to_strides[k];
  dap_pairs pairs = {.each = each};
  int64_t first = all.at - run->before;
  for (int64_t at = all.at; at < all.end; run++, first = 0)
    for (const int64_t end = dap_smaller(run->before + run->length * run->count, all.end); at < end;) {
      const bool is_single = run->length == 1;
      const int64_t i = first / run->length, j = first % run->length;
      pairs.count = dap_smaller(is_single ? run->count - i : run->length - j, end - at);
      pairs.source.step = is_single && !w->from_packed ? run->from_step * fs : fs;
      pairs.destination.step = is_single && !w->to_packed ? run->to_step * ts : ts;
      pairs.from = from + (w->from_packed ? at - all.at : run->from + i * run->from_step + j) * fs;
      pairs.to = to + (w->to_packed ? at - all.at : run->to + i * run->to_step + j) * ts;
      if (combine)
        combine(&pairs);
      else
        copy_all(w->copy, &pairs);
      at += pairs.count;
      first += pairs.count;
    }
}

/* As stream_all() does. */
static void stream_runs(const dap_walk *w, int k, const char *from, char *to, int64_t each)
{
  _Alignas(DAP_LINE) char lines[CHANGED];
  const dap_chunk *chunk = w->copy->chunk;
  const int64_t bytes = each * w->copy->from_item, count = count_together(bytes);
  dap_copy cached = *w->copy;
  dap_walk walk = *w;
  cached.stream = false;
  walk.copy = &cached;
  for (int64_t lo = chunk->lo[k]; lo < chunk->hi[k]; lo += count) {
    const int64_t n = dap_smaller(count, chunk->hi[k] - lo);
    copy_runs(&walk, k, lo, lo + n, from, lines, each);
    copy_line(w->copy, lines, to + (lo - chunk->lo[k]) * bytes, n * bytes);
  }
}

bool dap_walk_listed(const dap_walk *w, int k, const char *from, char *to, int64_t each)
{
  enum { SHORT = 4096 }; /* bytes of a run on average */
  const dap_copy *copy = w->copy;
  const dap_overlap *o = copy->channel->axes[k];
  const int64_t bytes = each * copy->from_item;
  if (dap_overlap_is_points(o)) { /* of lists, or of blocks that hardly meet */
    if (copy->transform && each * dap_larger(copy->from_item, copy->to_item) > CHANGED) return false;
    copy_points(w, k, &(dap_pairs){.from = from, .to = to, .each = each});
    return true;
  }
  if (copy->transform && !dap_combine_find(copy->transform)) return false;
  if (!dap_problem_is_listed(copy->channel->exchange->problem, k)) return false;
  if (o->size == 0 || o->elements * bytes > o->size * SHORT) return false;
  if (packs_lines(w, k, bytes))
    stream_runs(w, k, from, to, each);
  else
    copy_runs(w, k, copy->chunk->lo[k], copy->chunk->hi[k], from, to, each);
  return true;
}
