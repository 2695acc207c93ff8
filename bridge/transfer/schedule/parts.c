/* Counts the parts into which tiles cut an axis of a channel, and finds the largest. One repetition of a
 * strided run, or of a pattern, is visited, and its parts are multiplied. So an axis takes no more steps than
 * one repetition has tiles, whatever its length. */
#include "schedule_impl.h"

typedef struct walk {
  const dap_overlap *overlap;
  int64_t extent; /* positions of a tile */
  int64_t lo;     /* the first element of the next part */
  int64_t tile;   /* its tile's first position */
  int64_t tried;  /* no turns are looked for before this position */
  dap_parts parts;
} walk;

static void find_tile(walk *w)
{
  if (w->lo < w->overlap->elements) w->tile = dap_overlap_to(w->overlap, w->lo) / w->extent * w->extent;
}

static void take_part(walk *w)
{
  const int64_t hi = dap_overlap_rank(w->overlap, w->tile + w->extent);
  w->parts.largest = dap_larger(w->parts.largest, hi - w->lo);
  w->parts.count++;
  w->lo = hi;
  find_tile(w);
}

/* A pattern of tiles that repeats: its length in positions, its elements, and how often it comes. times is 0
 * if it comes once. */
typedef struct turns {
  int64_t length, elements, times;
} turns;

static turns find_turns(const walk *w, const dap_cycle *c)
{
  turns t = {0};
  if (c->step == 0 || w->tile < c->begin) return t;
  if (!dap_multiply(c->step / dap_common_divisor(c->step, w->extent), w->extent, &t.length)) return t;
  t.times = (c->end - w->extent - w->tile) / t.length;
  t.elements = t.length / c->step * c->elements;
  return t.times > 1 ? t : (turns){0};
}

/* Counts the parts since there were `before`, which are those of one turn, for all turns. */
static void multiply(walk *w, const turns *t, int64_t before)
{
  w->parts.count += (t->times - 1) * (w->parts.count - before);
  w->lo += (t->times - 1) * t->elements;
  find_tile(w);
}

/* Takes one part or more, all before position `end`. */
static void take_steps(walk *w, int64_t end)
{
  if (w->tile >= w->tried) {
    dap_cycle c = dap_overlap_steps(w->overlap, w->lo);
    c.end = dap_smaller(c.end, end);
    const turns t = find_turns(w, &c);
    const int64_t before = w->parts.count, behind = w->lo + t.elements;
    if (w->tile >= c.begin) w->tried = c.end;
    while (t.times > 0 && w->lo < behind) take_part(w);
    if (t.times > 0) multiply(w, &t, before);
  }
  take_part(w);
}

dap_parts dap_parts_of(const dap_overlap *overlap, int64_t extent)
{
  walk w = {.overlap = overlap, .extent = extent};
  if (extent == 1) return (dap_parts){overlap->elements, dap_smaller(overlap->elements, 1)};
  find_tile(&w);
  while (w.lo < overlap->elements) {
    const dap_cycle c = dap_overlap_turns(overlap, w.lo);
    const turns t = find_turns(&w, &c);
    const bool again = t.times > 0;
    const int64_t before = w.parts.count, behind = w.lo + t.elements;
    const int64_t end = again ? w.tile + t.length : INT64_MAX;
    do {
      take_steps(&w, end);
    } while (again && w.lo < behind);
    if (again) multiply(&w, &t, before);
  }
  return w.parts;
}
