/* What two processes share along one axis: the source's owned runs intersected with the destination's
 * fills. */
#include "problem_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- runs or points ------------------------------------------------------------------------------ */

bool dap_overlap_is_points(const dap_overlap *overlap)
{
  return overlap->to.data != NULL;
}

enum {
  POINTS_A_RUN = (int)(sizeof(dap_strided_run) / (2 * sizeof(int32_t))), /* that take as much memory as one */
  FEW = 16, /* runs after which to see whether they join anything */
  MANY = 4096
};

/* Points would take less memory. */
static bool hardly_joins(const dap_overlap *overlap)
{
  return !dap_overlap_is_points(overlap) && overlap->elements <= overlap->size * POINTS_A_RUN;
}

/* From now on instead of runs. */
static dap_status turn_to_points(dap_overlap *overlap, dap_error *err)
{
  dap_overlap points = {.from.width = (int)sizeof(int32_t), .to.width = (int)sizeof(int32_t)};
  dap_status s = dap_points_reserve(&points, dap_larger(overlap->elements, 1), err);
  for (int64_t i = 0; i < overlap->size && !s; i++) s = dap_points_add(&points, &overlap->runs[i], err);
  if (s) {
    dap_overlap_release(&points);
    return s;
  }
  dap_overlap_release(overlap);
  *overlap = points;
  return DAP_OK;
}

/* ---- made ------------------------------------------------------------------------------------- */

/* Joins a run to the last strided run if it continues it: directly behind, or one more step of the same
 * size. */
static bool extend(dap_strided_run *last, int64_t from, int64_t to, int64_t length)
{
  if (last->count == 1 && from == last->from + last->length && to == last->to + last->length) {
    last->length += length;
    return true;
  }
  if (length != last->length) return false;
  if (last->count == 1) {
    last->from_step = from - last->from;
    last->to_step = to - last->to;
    last->count = 2;
    return true;
  }
  if (from != last->from + last->count * last->from_step || to != last->to + last->count * last->to_step)
    return false;
  last->count++;
  return true;
}

/* Nothing is added any more. */
dap_status dap_overlap_finish(dap_overlap *overlap, dap_error *err)
{
  return overlap->size >= FEW && hardly_joins(overlap) ? turn_to_points(overlap, err) : DAP_OK;
}

static dap_status reserve(dap_overlap *overlap, int64_t capacity, dap_error *err)
{
  dap_strided_run *runs = capacity > 0 ? realloc(overlap->runs, (size_t)capacity * sizeof *runs) : NULL;
  DAP_REQUIRE(runs, err, DAP_ERR_NOMEM, "no memory for the runs of a plan");
  overlap->runs = runs;
  overlap->capacity = capacity;
  return DAP_OK;
}

dap_status dap_overlap_append(dap_overlap *overlap, const dap_strided_run *run, dap_error *err)
{
  if (overlap->size == MANY && hardly_joins(overlap)) DAP_TRY(turn_to_points(overlap, err));
  if (dap_overlap_is_points(overlap)) return dap_points_add(overlap, run, err);
  if (overlap->size == overlap->capacity)
    DAP_TRY(reserve(overlap, overlap->capacity ? overlap->capacity + overlap->capacity / 2 + 1 : 1, err));
  overlap->runs[overlap->size] = *run;
  overlap->runs[overlap->size++].before = overlap->elements;
  overlap->elements += run->length * run->count;
  return DAP_OK;
}

dap_status dap_overlap_add(dap_overlap *overlap, int64_t from, int64_t to, int64_t length, dap_error *err)
{
  if (!dap_overlap_is_points(overlap) && overlap->size > 0 &&
      extend(&overlap->runs[overlap->size - 1], from, to, length)) {
    overlap->elements += length;
    return DAP_OK;
  }
  const dap_strided_run run = {.from = from, .to = to, .length = length, .count = 1};
  return dap_overlap_append(overlap, &run, err);
}

/* One fill of the destination against the source's runs that touch it. Global indices are the source's. */
static dap_status intersect(const dap_map *from, int p, dap_run fill, dap_overlap *overlap, dap_error *err)
{
  const int64_t end = fill.global + fill.length, count = from->ops->run_count(from, p);
  for (int64_t i = from->ops->run_after(from, p, fill.global); i < count; i++) {
    const dap_run run = from->ops->run(from, p, i);
    if (run.global >= end) break;
    const int64_t low = dap_larger(run.global, fill.global), high = dap_smaller(run.global + run.length, end);
    DAP_TRY(dap_overlap_add(overlap, run.local + low - run.global, fill.local + low - fill.global, high - low,
                            err));
  }
  return DAP_OK;
}

/* The part of a fill that lies in the window, its index turned into the source's. */
static dap_run clip(dap_run fill, const dap_axis_part *part)
{
  const int64_t low = dap_larger(fill.global, part->to_start);
  const int64_t high = dap_smaller(fill.global + fill.length, part->to_start + part->length);
  return (dap_run){.global = low - part->to_start + part->from_start,
                   .local = fill.local + low - fill.global,
                   .length = high - low};
}

dap_status dap_overlap_create(const dap_map *from, int p, const dap_map *to, int q, const dap_axis_part *part,
                              dap_region region, dap_overlap *overlap, dap_error *err)
{
  *overlap = (dap_overlap){0};
  if (region == DAP_REGION_REPLICA && (p != q || part->length == 0)) return DAP_OK;
  if (region == DAP_REGION_REPLICA)
    return dap_overlap_add(overlap, part->from_start, part->to_start, part->length, err);
  const int64_t runs = from->ops->run_count(from, p), shift = part->to_start - part->from_start;
  if (runs == 0) return DAP_OK;
  const dap_run first = from->ops->run(from, p, 0), last = from->ops->run(from, p, runs - 1);
  /* A cyclic destination's fills ascend: only those between the source's ends can meet it. */
  const bool ascends = !to->halo;
  const int64_t fills = dap_map_fill_count(to, q, region), low = dap_larger(first.global + shift, 0);
  for (int64_t i = ascends && fills > 0 ? to->ops->run_after(to, q, low) : 0; i < fills; i++) {
    const dap_run fill = clip(dap_map_fill(to, q, region, i), part);
    if (fill.length <= 0) continue;
    if (ascends && fill.global >= last.global + last.length) break;
    const dap_status s = intersect(from, p, fill, overlap, err);
    if (s) return s;
  }
  return dap_overlap_finish(overlap, err);
}

void dap_overlap_release(dap_overlap *overlap)
{
  free(overlap->runs);
  dap_packed_release(&overlap->from);
  dap_packed_release(&overlap->to);
  *overlap = (dap_overlap){0};
}

/* ---- asked -------------------------------------------------------------------------------------- */

/* The last strided run for which `key` of it is at most `value`, or the first. */
static int64_t find_run(const dap_overlap *overlap, bool by_position, int64_t value)
{
  int64_t low = 0, high = overlap->size - 1;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    const dap_strided_run *c = &overlap->runs[middle];
    if ((by_position ? c->to : c->before) <= value)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

int64_t dap_overlap_rank(const dap_overlap *overlap, int64_t to)
{
  if (overlap->elements == 0) return 0;
  if (dap_overlap_is_points(overlap)) return dap_points_rank(overlap, to);
  const dap_strided_run *c = &overlap->runs[find_run(overlap, true, to)];
  if (to <= c->to) return c->before;
  const int64_t step = c->count > 1 ? c->to_step : c->length;
  const int64_t full = dap_smaller((to - c->to) / step, c->count - 1);
  return c->before + full * c->length + dap_smaller(to - c->to - full * step, c->length);
}

int64_t dap_overlap_to(const dap_overlap *overlap, int64_t element)
{
  if (dap_overlap_is_points(overlap)) return dap_packed_get(&overlap->to, element);
  const dap_strided_run *c = &overlap->runs[find_run(overlap, false, element)];
  const int64_t in = element - c->before;
  return c->to + in / c->length * c->to_step + in % c->length;
}

int64_t dap_overlap_memory(const dap_overlap *overlap)
{
  return dap_overlap_is_points(overlap) ? overlap->capacity * 2 * overlap->from.width
                                        : overlap->capacity * (int64_t)sizeof(dap_strided_run);
}

dap_status dap_overlap_copy(const dap_overlap *from, dap_overlap *to, dap_error *err)
{
  *to = (dap_overlap){.from.width = from->from.width, .to.width = from->to.width};
  if (from->elements == 0) return DAP_OK;
  if (dap_overlap_is_points(from)) {
    DAP_TRY(dap_points_reserve(to, from->elements, err));
    memcpy(to->from.data, from->from.data, (size_t)(from->elements * from->from.width));
    memcpy(to->to.data, from->to.data, (size_t)(from->elements * from->to.width));
  } else {
    DAP_TRY(reserve(to, from->size, err));
    memcpy(to->runs, from->runs, (size_t)from->size * sizeof *from->runs);
    to->size = from->size;
  }
  to->elements = from->elements;
  return DAP_OK;
}

int64_t dap_overlap_run_count(const dap_overlap *overlap)
{
  return dap_overlap_is_points(overlap) ? overlap->elements : overlap->size;
}

dap_strided_run dap_overlap_run(const dap_overlap *overlap, int64_t i)
{
  if (!dap_overlap_is_points(overlap)) return overlap->runs[i];
  return (dap_strided_run){.from = dap_packed_get(&overlap->from, i),
                           .to = dap_packed_get(&overlap->to, i),
                           .length = 1,
                           .count = 1,
                           .before = i};
}

/* ---- pieces ------------------------------------------------------------------------------------- */

dap_pieces dap_pieces_of(const dap_overlap *overlap, int64_t at, int64_t end)
{
  const bool runs = !dap_overlap_is_points(overlap) && at < end;
  return (dap_pieces){
      .overlap = overlap, .at = at, .end = end, .run = runs ? find_run(overlap, false, at) : 0};
}

/* As much of a strided run as is left and is a strided run: the rest of a stretch, whole stretches, or a
 * part of one. */
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

bool dap_pieces_next(dap_pieces *p, dap_strided_run *piece)
{
  const dap_overlap *o = p->overlap;
  if (p->at >= p->end) return false;
  if (dap_overlap_is_points(o)) {
    *piece = dap_overlap_run(o, p->at);
    p->at++;
    return true;
  }
  const dap_strided_run *c = &o->runs[p->run];
  *piece = part_of(c, p->at - c->before, p->end - p->at);
  piece->before = p->at;
  p->at += piece->length * piece->count;
  if (p->at >= c->before + c->length * c->count) p->run++;
  return true;
}
