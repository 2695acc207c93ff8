/* Makes overlaps of points, which are two positions for each element, in 8 or 16 bytes. They take the place
 * of strided runs that would hardly join any elements. */
#include "problem_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static inline int64_t get(const dap_packed *words, int64_t i)
{
  return words->width == 4 ? (int64_t)((const uint32_t *)words->data)[i] : ((const int64_t *)words->data)[i];
}

static inline void set(dap_packed *words, int64_t i, int64_t position)
{
  if (words->width == 4)
    ((uint32_t *)words->data)[i] = (uint32_t)position;
  else
    ((int64_t *)words->data)[i] = position;
}

static dap_status resize(dap_packed *words, int width, int64_t count, dap_error *err)
{
  void *data = realloc(words->data, (size_t)(count * width));
  DAP_REQUIRE(data, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " elements of a plan", count);
  words->data = data;
  words->width = width;
  return DAP_OK;
}

dap_status dap_points_reserve(dap_overlap *overlap, int64_t capacity, dap_error *err)
{
  DAP_TRY(resize(&overlap->from, overlap->from.width, capacity, err));
  DAP_TRY(resize(&overlap->to, overlap->to.width, capacity, err));
  overlap->capacity = capacity;
  return DAP_OK;
}

dap_status dap_points_start(dap_overlap *overlap, int64_t capacity, dap_error *err)
{
  *overlap = (dap_overlap){.from.width = (int)sizeof(int32_t), .to.width = (int)sizeof(int32_t)};
  return dap_points_reserve(overlap, dap_larger(capacity, 1), err);
}

/* Widens positions from 4 to 8 bytes, from the last to the first, if `most` does not fit 4. */
static dap_status fit(const dap_overlap *overlap, dap_packed *words, int64_t most, dap_error *err)
{
  const int width = words->width;
  if (most <= UINT32_MAX || width > 4) return DAP_OK;
  DAP_TRY(resize(words, (int)sizeof(int64_t), overlap->capacity, err));
  for (int64_t i = overlap->size - 1; i >= 0; i--)
    set(words, i, get(&(const dap_packed){words->data, width}, i));
  return DAP_OK;
}

dap_status dap_points_add(dap_overlap *overlap, const dap_strided_run *run, dap_error *err)
{
  const int64_t elements = run->length * run->count, size = overlap->size + elements, last = run->count - 1;
  DAP_TRY(fit(overlap, &overlap->from, dap_larger(run->from, run->from + last * run->from_step) + run->length,
              err));
  DAP_TRY(fit(overlap, &overlap->to, run->to + last * run->to_step + run->length, err));
  if (size > overlap->capacity)
    DAP_TRY(dap_points_reserve(overlap, dap_larger(size, overlap->capacity + overlap->capacity / 4), err));
  for (int64_t i = 0; i < run->count; i++)
    for (int64_t j = 0; j < run->length; j++) {
      set(&overlap->from, overlap->size, run->from + i * run->from_step + j);
      set(&overlap->to, overlap->size++, run->to + i * run->to_step + j);
    }
  overlap->elements += elements;
  return DAP_OK;
}

static void swap(dap_packed *words, int64_t i, int64_t j)
{
  const int64_t word = get(words, i);
  set(words, i, get(words, j));
  set(words, j, word);
}

/* Sorts a few points [low, high) by insertion. */
static void sort_few(dap_overlap *overlap, int64_t low, int64_t high)
{
  for (int64_t i = low + 1; i < high; i++)
    for (int64_t j = i; j > low && get(&overlap->to, j) < get(&overlap->to, j - 1); j--) {
      swap(&overlap->to, j, j - 1);
      swap(&overlap->from, j, j - 1);
    }
}

/* Sorts points by `bit` and the bits below it. Radix exchange (Knuth, The Art of Computer Programming 3,
 * 5.2.2) needs no memory and has no worst case. */
static void sort_bits(dap_overlap *overlap, int64_t low, int64_t high, int64_t bit)
{
  enum { FEW = 12 };
  for (; bit > 0 && high - low > FEW; bit /= 2) {
    int64_t i = low, j = high;
    while (i < j) {
      while (i < j && !(get(&overlap->to, i) & bit)) i++;
      while (i < j && get(&overlap->to, j - 1) & bit) j--;
      if (i == j) break;
      swap(&overlap->to, i, --j);
      swap(&overlap->from, i++, j);
    }
    sort_bits(overlap, low, i, bit / 2);
    low = i;
  }
  if (high - low <= FEW) sort_few(overlap, low, high);
}

void dap_points_sort(dap_overlap *overlap)
{
  int64_t most = 0, bit = 1;
  for (int64_t i = 0; i < overlap->size; i++) most = dap_larger(most, get(&overlap->to, i));
  while (bit <= most / 2) bit *= 2;
  sort_bits(overlap, 0, overlap->size, bit);
}
