/* Searches overlaps: finds the positions of elements, and visits runs one after the other. */
#include "problem_impl.h"

/* The place of a run or point: where it is stored, and in which repetition it is. */
typedef struct place {
  int64_t index, turn;
} place;

/* Returns the place of run or point i, counting all repetitions. */
static place place_of(const dap_overlap *overlap, int64_t i)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  if (i < r->first || r->count == 0) return (place){i, 0};
  const int64_t turn = (i - r->first) / r->count;
  if (turn >= r->repeats) return (place){i - (r->repeats - 1) * r->count, 0};
  return (place){i - turn * r->count, turn};
}

/* Returns the number of the run or point at a place. */
static int64_t number_of(const dap_overlap *overlap, place at)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  const int64_t turns = at.index < r->first + r->count ? at.turn : r->repeats - 1;
  return at.index + turns * r->count;
}

static dap_strided_run run_at(const dap_overlap *overlap, place at)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  dap_strided_run run = overlap->runs[at.index];
  run.from += at.turn * r->from;
  run.to += at.turn * r->to;
  run.before += at.turn * r->elements;
  return run;
}

static int64_t point_to(const dap_overlap *overlap, place at)
{
  return dap_packed_get(&overlap->to, at.index) + at.turn * dap_overlap_repeated(overlap)->to;
}

dap_strided_run dap_overlap_run(const dap_overlap *overlap, int64_t i)
{
  const place at = place_of(overlap, i);
  if (!dap_overlap_is_points(overlap)) return run_at(overlap, at);
  return (dap_strided_run){.from = dap_packed_get(&overlap->from, at.index) +
                                   at.turn * dap_overlap_repeated(overlap)->from,
                           .to = point_to(overlap, at),
                           .length = 1,
                           .count = 1,
                           .before = i};
}

dap_points dap_overlap_points(const dap_overlap *overlap, int64_t first, int64_t end)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  const place at = place_of(overlap, first);
  const int64_t behind = r->first + r->count, stop = at.index < r->first ? r->first : behind;
  const int64_t stored = r->count > 0 && at.index < behind ? stop - at.index : end - first;
  return (dap_points){.first = at.index,
                      .count = dap_smaller(stored, end - first),
                      .from = at.turn * r->from,
                      .to = at.turn * r->to};
}

/* The key of a search: a position in the destination, or the number of elements before. */
static int64_t key(const dap_overlap *overlap, bool by_position, int64_t index)
{
  if (dap_overlap_is_points(overlap)) return dap_packed_get(&overlap->to, index);
  return by_position ? overlap->runs[index].to : overlap->runs[index].before;
}

/* Finds the last run or point whose key is at most `value`, or else the first one. */
static place find_place(const dap_overlap *overlap, bool by_position, int64_t value)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  const int64_t behind = r->first + r->count;
  int64_t low = 0, high = overlap->size - 1, turn = 0;
  if (r->count > 0 && behind <= high && value >= key(overlap, by_position, behind)) {
    low = behind;
  } else if (r->count > 0 && value >= key(overlap, by_position, r->first)) {
    const int64_t step = by_position ? r->to : r->elements;
    turn = dap_smaller((value - key(overlap, by_position, r->first)) / step, r->repeats - 1);
    value -= turn * step;
    low = r->first;
    high = behind - 1;
  } else if (r->count > 0) {
    high = dap_larger(r->first - 1, 0);
  }
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    if (key(overlap, by_position, middle) <= value)
      low = middle;
    else
      high = middle - 1;
  }
  return (place){low, turn};
}

int64_t dap_overlap_rank(const dap_overlap *overlap, int64_t to)
{
  if (overlap->elements == 0) return 0;
  if (dap_overlap_is_points(overlap)) {
    const place at = find_place(overlap, true, to - 1);
    return number_of(overlap, at) + (point_to(overlap, at) < to);
  }
  const dap_strided_run c = run_at(overlap, find_place(overlap, true, to));
  if (to <= c.to) return c.before;
  const int64_t step = c.count > 1 ? c.to_step : c.length;
  const int64_t full = dap_smaller((to - c.to) / step, c.count - 1);
  return c.before + full * c.length + dap_smaller(to - c.to - full * step, c.length);
}

int64_t dap_overlap_to(const dap_overlap *overlap, int64_t element)
{
  if (dap_overlap_is_points(overlap)) return point_to(overlap, place_of(overlap, element));
  const dap_strided_run c = run_at(overlap, find_place(overlap, false, element));
  const int64_t in = element - c.before;
  return c.to + in / c.length * c.to_step + in % c.length;
}

dap_cycle dap_overlap_turns(const dap_overlap *overlap, int64_t element)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  if (r->count == 0) return (dap_cycle){0};
  const int64_t first = dap_overlap_is_points(overlap) ? r->first : overlap->runs[r->first].before;
  const int64_t begin = key(overlap, true, r->first);
  if (element < first || element >= first + r->repeats * r->elements) return (dap_cycle){0};
  return (dap_cycle){begin, begin + r->repeats * r->to, r->to, r->elements};
}

dap_cycle dap_overlap_steps(const dap_overlap *overlap, int64_t element)
{
  if (dap_overlap_is_points(overlap)) return (dap_cycle){0};
  const dap_strided_run c = run_at(overlap, find_place(overlap, false, element));
  if (c.count == 1 || c.to_step == c.length) return (dap_cycle){c.to, c.to + c.count * c.length, 1, 1};
  return (dap_cycle){c.to, c.to + (c.count - 1) * c.to_step + c.length, c.to_step, c.length};
}

dap_pieces dap_pieces_of(const dap_overlap *overlap, int64_t at, int64_t end)
{
  const bool runs = !dap_overlap_is_points(overlap) && at < end;
  const place first = runs ? find_place(overlap, false, at) : (place){0};
  return (dap_pieces){.overlap = overlap, .at = at, .end = end, .run = first.index, .turn = first.turn};
}

/* Returns the longest part of a strided run that is one itself: the rest of a stretch, whole stretches, or
 * the beginning of one. */
static dap_strided_run part_of(const dap_strided_run *c, int64_t in, int64_t left)
{
  const int64_t i = in / c->length, j = in % c->length;
  dap_strided_run piece = {.from = c->from + i * c->from_step + j,
                           .to = c->to + i * c->to_step + j,
                           .length = c->length,
                           .count = dap_smaller(c->count - i, left / c->length),
                           .from_step = c->from_step,
                           .to_step = c->to_step};
  if (j == 0 && piece.count > 0) return piece;
  piece.count = 1;
  piece.length = dap_smaller(c->length - j, left);
  return piece;
}

static void next_run(dap_pieces *p)
{
  const dap_repeated *r = dap_overlap_repeated(p->overlap);
  if (++p->run != r->first + r->count || r->count == 0) return;
  if (++p->turn < r->repeats)
    p->run = r->first;
  else
    p->turn = 0;
}

bool dap_pieces_next(dap_pieces *p, dap_strided_run *piece)
{
  const dap_overlap *o = p->overlap;
  const dap_repeated *r = dap_overlap_repeated(o);
  if (p->at >= p->end) return false;
  if (dap_overlap_is_points(o)) {
    *piece = dap_overlap_run(o, p->at);
    p->at++;
    return true;
  }
  const dap_strided_run *c = &o->runs[p->run];
  const int64_t before = c->before + p->turn * r->elements;
  *piece = part_of(c, p->at - before, p->end - p->at);
  piece->from += p->turn * r->from;
  piece->to += p->turn * r->to;
  piece->before = p->at;
  p->at += piece->length * piece->count;
  if (p->at >= before + c->length * c->count) next_run(p);
  return true;
}
