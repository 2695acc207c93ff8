/* What two processes share along one axis: the source's owned runs met with the destination's fills. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* Joins a run to the last comb if it continues it: directly behind, or one more step of the same size. */
static bool extend(dap_comb *last, int64_t from, int64_t to, int64_t length)
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
  dap_comb *combs = capacity > 0 ? realloc(overlap->combs, (size_t)capacity * sizeof *combs) : NULL;
  DAP_REQUIRE(combs, err, DAP_ERR_NOMEM, "no memory for the runs of a plan");
  overlap->combs = combs;
  overlap->capacity = capacity;
  return DAP_OK;
}

dap_status dap_overlap_append(dap_overlap *overlap, const dap_comb *comb, dap_error *err)
{
  if (overlap->size == overlap->capacity)
    DAP_TRY(reserve(overlap, overlap->capacity ? 2 * overlap->capacity : 1, err));
  overlap->combs[overlap->size++] = *comb;
  overlap->elements += comb->length * comb->count;
  return DAP_OK;
}

dap_status dap_overlap_add(dap_overlap *overlap, int64_t from, int64_t to, int64_t length, dap_error *err)
{
  if (overlap->size > 0 && extend(&overlap->combs[overlap->size - 1], from, to, length)) {
    overlap->elements += length;
    return DAP_OK;
  }
  const dap_comb comb = {.from = from, .to = to, .length = length, .count = 1};
  return dap_overlap_append(overlap, &comb, err);
}

dap_status dap_overlap_copy(const dap_overlap *overlap, dap_overlap *copy, dap_error *err)
{
  *copy = (dap_overlap){0};
  if (overlap->size == 0) return DAP_OK;
  DAP_TRY(reserve(copy, overlap->size, err));
  memcpy(copy->combs, overlap->combs, (size_t)overlap->size * sizeof *copy->combs);
  copy->size = overlap->size;
  copy->elements = overlap->elements;
  return DAP_OK;
}

/* One fill of the destination against the source's runs that touch it. */
static dap_status meet(const dap_map *from, int p, dap_run fill, dap_way way, dap_overlap *overlap,
                       dap_error *err)
{
  const int64_t end = fill.global + fill.length, count = from->ops->run_count(from, p);
  for (int64_t i = from->ops->run_after(from, p, fill.global); i < count; i++) {
    const dap_run run = from->ops->run(from, p, i);
    if (run.global >= end) break;
    const int64_t low = dap_larger(run.global, fill.global), high = dap_smaller(run.global + run.length, end);
    const int64_t source = run.local + low - run.global, destination = fill.local + low - fill.global;
    DAP_TRY(dap_overlap_add(overlap, way == DAP_WAY_UNPACK ? overlap->elements : source,
                            way == DAP_WAY_PACK ? overlap->elements : destination, high - low, err));
  }
  return DAP_OK;
}

dap_status dap_overlap_create(const dap_map *from, int p, const dap_map *to, int q, dap_reach reach,
                              dap_way way, dap_overlap *overlap, dap_error *err)
{
  *overlap = (dap_overlap){0};
  const int64_t runs = from->ops->run_count(from, p);
  if (runs == 0) return DAP_OK;
  const dap_run first = from->ops->run(from, p, 0), last = from->ops->run(from, p, runs - 1);
  /* A cyclic destination's fills ascend: only those between the source's ends can meet it. */
  const bool ascends = !to->halo;
  const int64_t fills = dap_map_fill_count(to, q, reach);
  for (int64_t i = ascends && fills > 0 ? to->ops->run_after(to, q, first.global) : 0; i < fills; i++) {
    const dap_run fill = dap_map_fill(to, q, reach, i);
    if (ascends && fill.global >= last.global + last.length) break;
    const dap_status s = meet(from, p, fill, way, overlap, err);
    if (s) return s;
  }
  return DAP_OK;
}

void dap_overlap_release(dap_overlap *overlap)
{
  free(overlap->combs);
  *overlap = (dap_overlap){0};
}
