/* Overlaps as points: two positions for each element, in 8 or 16 bytes, where strided runs would hardly
 * join any. */
#include "problem_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- made ------------------------------------------------------------------------------------- */

static dap_status resize(dap_packed *words, int64_t count, dap_error *err)
{
  void *data = realloc(words->data, (size_t)(count * words->width));
  DAP_REQUIRE(data, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " elements of a plan", count);
  words->data = data;
  return DAP_OK;
}

dap_status dap_points_reserve(dap_overlap *overlap, int64_t capacity, dap_error *err)
{
  DAP_TRY(resize(&overlap->from, capacity, err));
  DAP_TRY(resize(&overlap->to, capacity, err));
  overlap->capacity = capacity;
  return DAP_OK;
}

/* From 4 to 8 bytes, from the last to the first. */
static dap_status widen(dap_packed *words, int64_t count, int64_t capacity, dap_error *err)
{
  const dap_packed narrow = {.width = words->width};
  words->width = (int)sizeof(int64_t);
  const dap_status s = resize(words, capacity, err);
  if (s) {
    words->width = narrow.width;
    return s;
  }
  for (int64_t i = count - 1; i >= 0; i--)
    dap_packed_set(words, i, dap_packed_get(&(const dap_packed){words->data, narrow.width}, i));
  return DAP_OK;
}

static dap_status fit(dap_overlap *overlap, int64_t most, dap_error *err)
{
  if (most <= UINT32_MAX) return DAP_OK;
  if (overlap->from.width == 4) DAP_TRY(widen(&overlap->from, overlap->elements, overlap->capacity, err));
  return overlap->to.width == 4 ? widen(&overlap->to, overlap->elements, overlap->capacity, err) : DAP_OK;
}

dap_status dap_points_add(dap_overlap *overlap, const dap_strided_run *run, dap_error *err)
{
  const int64_t count = overlap->elements + run->length * run->count, last = run->count - 1;
  DAP_TRY(fit(overlap, dap_larger(run->from, run->from + last * run->from_step) + run->length, err));
  DAP_TRY(fit(overlap, run->to + last * run->to_step + run->length, err));
  if (count > overlap->capacity)
    DAP_TRY(dap_points_reserve(overlap, dap_larger(count, overlap->capacity + overlap->capacity / 4), err));
  for (int64_t i = 0; i < run->count; i++)
    for (int64_t j = 0; j < run->length; j++) {
      dap_packed_set(&overlap->from, overlap->elements, run->from + i * run->from_step + j);
      dap_packed_set(&overlap->to, overlap->elements++, run->to + i * run->to_step + j);
    }
  return DAP_OK;
}

/* ---- asked -------------------------------------------------------------------------------------- */

int64_t dap_points_rank(const dap_overlap *overlap, int64_t to)
{
  int64_t low = 0, high = overlap->elements;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (dap_packed_get(&overlap->to, middle) < to)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
