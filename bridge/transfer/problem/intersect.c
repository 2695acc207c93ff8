/* Intersects the elements that two processes have along one axis, by formula. A process has stretches of
 * equal length at equal steps, like the teeth of a comb.
 *
 * Only the last one may be shorter. The time depends on the teeth of one period of the pattern, not on the
 * length of the axis. */
#include "problem_impl.h"

typedef struct comb {
  int64_t first, end;   /* global indices of the first element, and behind the last */
  int64_t local;        /* position of the first element */
  int64_t length, step; /* length of a tooth; distance to the next one, INT64_MAX: there is none */
  int64_t local_step;
} comb;

/* Two combs that are intersected within a window. All indices are the source's. */
typedef struct intersection {
  comb from, to;
  const comb *wide, *narrow; /* point to the two; `wide` has the larger step */
  int64_t low, high;         /* the window */
  dap_overlap *overlap;
} intersection;

/* Makes a comb from its first two stretches and its last one. `shift` translates indices to the source's. */
static comb make_comb(dap_run first, dap_run second, dap_run last, int64_t count, int64_t shift)
{
  comb c = {.first = first.global + shift,
            .end = last.global + last.length + shift,
            .local = first.local,
            .length = first.length,
            .step = INT64_MAX};
  if (count == 1) return c;
  if (second.global == first.global + first.length) { /* one process has all elements */
    c.length = c.end - c.first;
    return c;
  }
  c.step = dap_larger(second.global - first.global, 1); /* they ascend */
  c.local_step = second.local - first.local;
  return c;
}

static comb comb_of(const dap_map *map, int coord, dap_region region, int64_t count, int64_t shift)
{
  const dap_run first = dap_map_fill(map, coord, region, 0);
  return make_comb(first, count > 1 ? dap_map_fill(map, coord, region, 1) : first,
                   dap_map_fill(map, coord, region, count - 1), count, shift);
}

/* Returns the number of the tooth that contains `global` or precedes it. */
static int64_t tooth_at(const comb *c, int64_t global)
{
  return (global - c->first) / c->step;
}

/* Returns the number of the first tooth that ends behind `global`. */
static int64_t tooth_after(const comb *c, int64_t global)
{
  const int64_t tooth = tooth_at(c, global);
  return tooth + (global - c->first - tooth * c->step >= c->length);
}

static int64_t position(const comb *c, int64_t global)
{
  const int64_t tooth = tooth_at(c, global);
  return c->local + tooth * c->local_step + (global - c->first - tooth * c->step);
}

/* Adds `count` stretches of `length` elements, from `global` on, at the steps of the narrow comb. */
static dap_status add_stretches(const intersection *m, int64_t global, int64_t length, int64_t count,
                                dap_error *err)
{
  const bool from_wide = m->wide == &m->from;
  const int64_t step = count > 1 ? m->narrow->step : 0, local_step = count > 1 ? m->narrow->local_step : 0;
  const dap_strided_run run = {.from = position(&m->from, global),
                               .to = position(&m->to, global),
                               .length = length,
                               .count = count,
                               .from_step = from_wide ? step : local_step,
                               .to_step = from_wide ? local_step : step};
  return dap_overlap_add_all(m->overlap, &run, err);
}

/* Adds the elements that tooth `i` of the wide comb has in common with the narrow comb. */
static dap_status intersect_tooth(const intersection *m, int64_t i, dap_error *err)
{
  const comb *w = m->wide, *n = m->narrow;
  const int64_t start = w->first + i * w->step;
  const int64_t low = dap_larger(m->low, start), high = dap_smaller(m->high, start + w->length);
  int64_t tooth = tooth_after(n, low);
  const int64_t last = tooth_at(n, high - 1);
  if (low >= high || tooth > last) return DAP_OK;
  if (n->step == INT64_MAX) return add_stretches(m, low, high - low, 1, err);
  int64_t begin = n->first + tooth * n->step;
  if (begin < low) { /* the first tooth begins before the window */
    DAP_TRY(add_stretches(m, low, dap_smaller(high, begin + n->length) - low, 1, err));
    begin += n->step;
    tooth++;
  }
  const int64_t behind = n->first + last * n->step + n->length; /* the last tooth, which may be cut */
  const int64_t whole = last - tooth + (behind <= high);
  if (whole > 0) DAP_TRY(add_stretches(m, begin, n->length, whole, err));
  begin += whole * n->step;
  return tooth <= last && behind > high ? add_stretches(m, begin, high - begin, 1, err) : DAP_OK;
}

/* Returns the least common multiple of both steps; 0 if it does not fit the window, so that nothing
 * repeats. */
static int64_t find_period(const intersection *m)
{
  int64_t period;
  if (m->wide->step == INT64_MAX || m->narrow->step == INT64_MAX) return 0;
  const int64_t divisor = dap_common_divisor(m->wide->step, m->narrow->step);
  if (!dap_multiply(m->wide->step, m->narrow->step / divisor, &period)) return 0;
  return period < m->high - m->low ? period : 0;
}

/* The state of the overlap at the end of a tooth. */
typedef struct mark {
  int64_t tooth, size, elements;
  dap_strided_run last;
} mark;

static mark mark_now(const intersection *m, int64_t tooth)
{
  const dap_overlap *o = m->overlap;
  mark now = {.tooth = tooth, .size = o->size, .elements = o->elements};
  if (o->size > 0) now.last = o->runs[o->size - 1];
  return now;
}

/* Returns whether the last runs at two marks differ only by their distance. The pattern then repeats. */
static bool is_repetition(const mark *a, const mark *b, int64_t from, int64_t to)
{
  return a->size > 0 && b->size > a->size && b->last.length == a->last.length &&
         b->last.count == a->last.count && b->last.from_step == a->last.from_step &&
         b->last.to_step == a->last.to_step && b->last.from == a->last.from + from &&
         b->last.to == a->last.to + to;
}

/* Looks whether the pattern since `old` repeats in later teeth. Teeth before `end` are whole. If it does,
 * skips them; *reached is the tooth then reached, or -1 if no repetition is known yet. */
static dap_status skip_repetitions(const intersection *m, const mark *old, const mark *now, int64_t end,
                                   int64_t *reached, dap_error *err)
{
  dap_overlap *o = m->overlap;
  const int64_t teeth = dap_larger(now->tooth - old->tooth, 1), times = (end - 1 - now->tooth) / teeth;
  const int64_t length = teeth * m->wide->step; /* a multiple of the period */
  const int64_t from = length / m->from.step * m->from.local_step,
                to = length / m->to.step * m->to.local_step;
  const int64_t elements = now->elements - old->elements;
  *reached = now->tooth + times * teeth;
  if (elements == 0) {
    *reached = end; /* a part of a tooth has no elements either */
  } else if (now->size == old->size && old->last.count > 1) {
    o->runs[o->size - 1].count += times * (now->last.count - old->last.count);
    o->elements += times * elements;
  } else if (is_repetition(old, now, from, to)) {
    return times > 0 ? dap_overlap_repeat(o, old->size - 1, times, from, to, err) : DAP_OK;
  } else {
    *reached = -1;
  }
  return DAP_OK;
}

/* Intersects tooth by tooth until a repetition is found, then goes on behind the last one. The mark moves
 * after 1, 2, 4, ... periods (Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980). */
static dap_status intersect_periods(const intersection *m, int64_t period, int64_t first, int64_t last,
                                    dap_error *err)
{
  const int64_t teeth = period / m->wide->step;
  mark old = {0};
  int64_t next = first, until = 0, reached = -1, i = first;
  for (; i <= last; i++) {
    DAP_TRY(intersect_tooth(m, i, err));
    if (i < next || i == last) continue;
    if (dap_overlap_is_points(m->overlap)) break;
    const mark now = mark_now(m, i);
    if (i > first) DAP_TRY(skip_repetitions(m, &old, &now, last, &reached, err));
    if (reached >= 0) {
      i = reached;
      break;
    }
    if (i >= until) {
      old = now;
      until = i + (i - first + teeth);
    }
    next += teeth;
  }
  for (i++; i <= last; i++) DAP_TRY(intersect_tooth(m, i, err));
  return DAP_OK;
}

static dap_status intersect(comb from, comb to, const dap_axis_part *part, dap_overlap *overlap,
                            dap_error *err)
{
  intersection m = {.from = from, .to = to, .overlap = overlap};
  const int64_t end = part->from_start + part->length;
  m.low = dap_larger(part->from_start, dap_larger(from.first, to.first));
  m.high = dap_smaller(end, dap_smaller(from.end, to.end));
  if (m.low >= m.high) return DAP_OK;
  const bool from_wide = from.step > to.step;
  m.wide = from_wide ? &m.from : &m.to;
  m.narrow = from_wide ? &m.to : &m.from;
  const int64_t first = tooth_after(m.wide, m.low), last = tooth_at(m.wide, m.high - 1);
  const int64_t period = find_period(&m);
  if (period > 0) return intersect_periods(&m, period, first, last, err);
  for (int64_t i = first; i <= last; i++) DAP_TRY(intersect_tooth(&m, i, err));
  return DAP_OK;
}

dap_status dap_overlap_create(const dap_map *from, int p, const dap_map *to, int q, const dap_axis_part *part,
                              dap_overlap *overlap, dap_error *err)
{
  const dap_region region = part->region;
  *overlap = (dap_overlap){0};
  if (region == DAP_REGION_REPLICA && (p != q || part->length == 0)) return DAP_OK;
  if (region == DAP_REGION_REPLICA)
    return dap_overlap_add(overlap, part->from_start, part->to_start, part->length, err);
  const int64_t runs = from->ops->run_count(from, p), fills = dap_map_fill_count(to, q, region);
  const int64_t shift = part->from_start - part->to_start;
  if (runs == 0 || fills == 0) return DAP_OK;
  const comb source = comb_of(from, p, DAP_REGION_OWNED, runs, 0);
  if (!to->halo) {
    DAP_TRY(intersect(source, comb_of(to, q, region, fills, shift), part, overlap, err));
    return dap_overlap_finish(overlap, err);
  }
  for (int64_t i = 0; i < fills; i++) { /* a block and its halo need not ascend */
    const dap_run fill = dap_map_fill(to, q, region, i);
    DAP_TRY(intersect(source, make_comb(fill, fill, fill, 1, shift), part, overlap, err));
  }
  return dap_overlap_finish(overlap, err);
}
