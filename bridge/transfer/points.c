/* Overlaps as points: two positions for each element, in 8 or 16 bytes, where combs would hardly join any. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdlib.h>

bool dap_overlap_is_points(const dap_overlap *overlap)
{
  return overlap->to.data != NULL;
}

/* A comb takes as much memory as this many points. */
enum { POINTS_A_COMB = (int)(sizeof(dap_comb) / (2 * sizeof(int32_t))) };

bool dap_points_are_less(const dap_overlap *overlap)
{
  return !dap_overlap_is_points(overlap) && overlap->elements <= overlap->size * POINTS_A_COMB;
}

/* ---- made ------------------------------------------------------------------------------------- */

static dap_status resize(dap_words *words, int64_t count, dap_error *err)
{
  void *data = realloc(words->data, (size_t)(count * words->width));
  DAP_REQUIRE(data, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " elements of a plan", count);
  words->data = data;
  return DAP_OK;
}

static dap_status reserve(dap_overlap *overlap, int64_t capacity, dap_error *err)
{
  DAP_TRY(resize(&overlap->from, capacity, err));
  DAP_TRY(resize(&overlap->to, capacity, err));
  overlap->capacity = capacity;
  return DAP_OK;
}

/* From 4 to 8 bytes, from the last to the first. */
static dap_status widen(dap_words *words, int64_t count, int64_t capacity, dap_error *err)
{
  const dap_words narrow = {.width = words->width};
  words->width = (int)sizeof(int64_t);
  const dap_status s = resize(words, capacity, err);
  if (s) {
    words->width = narrow.width;
    return s;
  }
  for (int64_t i = count - 1; i >= 0; i--)
    dap_words_set(words, i, dap_words_get(&(const dap_words){words->data, narrow.width}, i));
  return DAP_OK;
}

static dap_status fit(dap_overlap *overlap, int64_t most, dap_error *err)
{
  if (most <= UINT32_MAX) return DAP_OK;
  if (overlap->from.width == 4) DAP_TRY(widen(&overlap->from, overlap->elements, overlap->capacity, err));
  return overlap->to.width == 4 ? widen(&overlap->to, overlap->elements, overlap->capacity, err) : DAP_OK;
}

dap_status dap_points_add(dap_overlap *overlap, const dap_comb *comb, dap_error *err)
{
  const int64_t count = overlap->elements + comb->length * comb->count, last = comb->count - 1;
  DAP_TRY(fit(overlap, dap_larger(comb->from, comb->from + last * comb->from_step) + comb->length, err));
  DAP_TRY(fit(overlap, comb->to + last * comb->to_step + comb->length, err));
  if (count > overlap->capacity)
    DAP_TRY(reserve(overlap, dap_larger(count, overlap->capacity + overlap->capacity / 4), err));
  for (int64_t i = 0; i < comb->count; i++)
    for (int64_t j = 0; j < comb->length; j++) {
      dap_words_set(&overlap->from, overlap->elements, comb->from + i * comb->from_step + j);
      dap_words_set(&overlap->to, overlap->elements++, comb->to + i * comb->to_step + j);
    }
  return DAP_OK;
}

dap_status dap_points_start(dap_overlap *overlap, dap_error *err)
{
  dap_overlap points = {.from.width = (int)sizeof(int32_t), .to.width = (int)sizeof(int32_t)};
  dap_status s = reserve(&points, dap_larger(overlap->elements, 1), err);
  for (int64_t i = 0; i < overlap->size && !s; i++) s = dap_points_add(&points, &overlap->combs[i], err);
  if (s) {
    dap_overlap_release(&points);
    return s;
  }
  dap_overlap_release(overlap);
  *overlap = points;
  return DAP_OK;
}

/* ---- asked -------------------------------------------------------------------------------------- */

int64_t dap_points_rank(const dap_overlap *overlap, int64_t to)
{
  int64_t low = 0, high = overlap->elements;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (dap_words_get(&overlap->to, middle) < to)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t dap_overlap_comb_count(const dap_overlap *overlap)
{
  return dap_overlap_is_points(overlap) ? overlap->elements : overlap->size;
}

dap_comb dap_overlap_comb(const dap_overlap *overlap, int64_t i)
{
  if (!dap_overlap_is_points(overlap)) return overlap->combs[i];
  return (dap_comb){.from = dap_words_get(&overlap->from, i),
                    .to = dap_words_get(&overlap->to, i),
                    .length = 1,
                    .count = 1,
                    .before = i};
}
