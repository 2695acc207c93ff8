/* Makes, joins and frees overlaps. An overlap has strided runs, some of them repeated, or points. */
#include "problem_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
  POINTS_A_RUN = (int)(sizeof(dap_strided_run) / (2 * sizeof(int32_t))), /* points in the memory of a run */
  FEW = 16,    /* a finished overlap with fewer runs keeps them */
  MANY = 4096, /* when this number of runs joins hardly anything, they become points */
  TABLE = 4096 /* fewest points in a repeated table: 32 KiB, which stay in a cache */
};

/* Whether points would take less memory than runs. */
static bool hardly_joins(const dap_overlap *overlap)
{
  return !dap_overlap_is_points(overlap) &&
         overlap->elements <= dap_overlap_run_count(overlap) * POINTS_A_RUN;
}

/* Adds runs or points [first, end), counting all repetitions, to points. */
static dap_status add_runs(const dap_overlap *overlap, int64_t first, int64_t end, dap_overlap *points,
                           dap_error *err)
{
  for (int64_t i = first; i < end; i++) {
    const dap_strided_run run = dap_overlap_run(overlap, i);
    DAP_TRY(dap_points_add(points, &run, err));
  }
  return DAP_OK;
}

/* Lists all elements as points. Several repetitions become one table of `table` points or a few more, which
 * is repeated; the repetitions that are left over follow it. */
static dap_status make_points(const dap_overlap *overlap, int64_t table, dap_overlap *points, dap_error *err)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  const int64_t enough = r->elements > 0 ? table / r->elements + 1 : 1;
  const int64_t together = dap_smaller(r->repeats, enough), times = r->count ? r->repeats / together : 0;
  DAP_TRY(add_runs(overlap, 0, r->first, points, err));
  const dap_repeated repeated = {.first = points->size,
                                 .count = together * r->elements,
                                 .repeats = times,
                                 .elements = together * r->elements,
                                 .from = together * r->from,
                                 .to = together * r->to};
  DAP_TRY(add_runs(overlap, r->first, r->first + together * r->count, points, err));
  DAP_TRY(
      add_runs(overlap, r->first + times * together * r->count, dap_overlap_run_count(overlap), points, err));
  points->elements = overlap->elements;
  return times > 1 ? dap_overlap_set_repeated(points, &repeated, err) : DAP_OK;
}

dap_status dap_overlap_list(dap_overlap *overlap, int64_t table, dap_error *err)
{
  dap_overlap points;
  dap_status s = dap_points_start(&points, overlap->repeated ? table : overlap->elements, err);
  if (!s) s = make_points(overlap, table, &points, err);
  dap_overlap_release(s ? &points : overlap);
  if (!s) *overlap = points;
  return s;
}

/* Joins a run to the last strided run if it lies directly behind it, or at its next step. */
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
  if (overlap->size == MANY && hardly_joins(overlap)) DAP_TRY(dap_overlap_list(overlap, TABLE, err));
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

/* Adds stretches one by one until they continue the last strided run, and then the rest at once. */
dap_status dap_overlap_add_all(dap_overlap *overlap, const dap_strided_run *run, dap_error *err)
{
  for (int64_t i = 0; i < run->count; i++) {
    DAP_TRY(dap_overlap_add(overlap, run->from + i * run->from_step, run->to + i * run->to_step, run->length,
                            err));
    if (dap_overlap_is_points(overlap)) continue;
    dap_strided_run *last = &overlap->runs[overlap->size - 1];
    if (last->count == 1 || last->from_step != run->from_step || last->to_step != run->to_step) continue;
    last->count += run->count - 1 - i;
    overlap->elements += (run->count - 1 - i) * run->length;
    return DAP_OK;
  }
  return DAP_OK;
}

dap_status dap_overlap_set_repeated(dap_overlap *overlap, const dap_repeated *repeated, dap_error *err)
{
  overlap->repeated = malloc(sizeof *overlap->repeated);
  DAP_REQUIRE(overlap->repeated, err, DAP_ERR_NOMEM, "no memory for the runs of a plan");
  *overlap->repeated = *repeated;
  return DAP_OK;
}

dap_status dap_overlap_repeat(dap_overlap *overlap, int64_t first, int64_t times, int64_t from, int64_t to,
                              dap_error *err)
{
  dap_strided_run *last = &overlap->runs[overlap->size - 1];
  const int64_t elements = last->before - overlap->runs[first].before;
  const dap_repeated repeated = {.first = first,
                                 .count = overlap->size - 1 - first,
                                 .repeats = times + 1,
                                 .elements = elements,
                                 .from = from,
                                 .to = to};
  DAP_TRY(dap_overlap_set_repeated(overlap, &repeated, err));
  last->from += times * from;
  last->to += times * to;
  last->before += times * elements;
  overlap->elements += times * elements;
  return DAP_OK;
}

dap_status dap_overlap_pack(dap_overlap *overlap, dap_error *err)
{
  return hardly_joins(overlap) ? dap_overlap_list(overlap, TABLE, err) : DAP_OK;
}

/* Replaces points with runs, unless these would hardly join any. */
static dap_status join_points(dap_overlap *points, dap_error *err)
{
  dap_overlap joined = {0};
  dap_status s = DAP_OK;
  for (int64_t i = 0; i < points->elements && !s && !dap_overlap_is_points(&joined); i++)
    s = dap_overlap_add(&joined, dap_packed_get(&points->from, i), dap_packed_get(&points->to, i), 1, err);
  const bool joins = !s && !dap_overlap_is_points(&joined) && !hardly_joins(&joined);
  dap_overlap_release(joins ? points : &joined);
  if (joins) *points = joined;
  return s;
}

dap_status dap_overlap_finish(dap_overlap *overlap, dap_error *err)
{
  if (dap_overlap_is_points(overlap) && !overlap->repeated)
    DAP_TRY(join_points(overlap, err));
  else if (dap_overlap_run_count(overlap) >= FEW)
    DAP_TRY(dap_overlap_pack(overlap, err));
  if (overlap->capacity == overlap->size || overlap->size == 0) return DAP_OK;
  return dap_overlap_is_points(overlap) ? dap_points_reserve(overlap, overlap->size, err)
                                        : reserve(overlap, overlap->size, err);
}

void dap_overlap_release(dap_overlap *overlap)
{
  free(overlap->runs);
  dap_packed_release(&overlap->from);
  dap_packed_release(&overlap->to);
  free(overlap->repeated);
  *overlap = (dap_overlap){0};
}

int64_t dap_overlap_memory(const dap_overlap *overlap)
{
  const int64_t each = dap_overlap_is_points(overlap) ? overlap->from.width + overlap->to.width
                                                      : (int64_t)sizeof *overlap->runs;
  return overlap->capacity * each + (overlap->repeated ? (int64_t)sizeof *overlap->repeated : 0);
}

dap_status dap_overlap_copy(const dap_overlap *from, dap_overlap *to, dap_error *err)
{
  *to = (dap_overlap){.from.width = from->from.width, .to.width = from->to.width};
  if (from->elements == 0) return DAP_OK;
  if (dap_overlap_is_points(from)) {
    DAP_TRY(dap_points_reserve(to, from->size, err));
    memcpy(to->from.data, from->from.data, (size_t)(from->size * from->from.width));
    memcpy(to->to.data, from->to.data, (size_t)(from->size * from->to.width));
  } else {
    DAP_TRY(reserve(to, from->size, err));
    memcpy(to->runs, from->runs, (size_t)from->size * sizeof *from->runs);
  }
  to->size = from->size;
  to->elements = from->elements;
  return from->repeated ? dap_overlap_set_repeated(to, from->repeated, err) : DAP_OK;
}
