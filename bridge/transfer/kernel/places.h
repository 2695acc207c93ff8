/* Has a loop over pairs of places for each way in which the two ends may be listed. The processor then need
 * not find out at every element. */
#ifndef DAP_PLACES_H
#define DAP_PLACES_H

#include "kernel_impl.h"
#include "sizes.h"

/* Listed elements are prefetched this number of elements ahead. */
enum { DAP_AHEAD = 24 };

/* An operation on the number, or bytes, at `from` and at `to`, which need not be aligned. */
typedef void dap_pair_operation(const char *from, char *to, int64_t bytes);

/* Returns the bytes of a listed position; 0: places are not listed. */
DAP_ALWAYS_INLINE int dap_places_width(dap_places p)
{
  return p.at.data ? p.at.width : 0;
}

/* Returns the offset of place i from the first position. */
DAP_ALWAYS_INLINE int64_t dap_place(dap_places p, int width, int64_t i)
{
  const int64_t k = p.first + i;
  const int64_t position = width == 0   ? i
                           : width == 4 ? (int64_t)((const uint32_t *)p.at.data)[k]
                                        : ((const int64_t *)p.at.data)[k];
  return position * p.step;
}

/* Runs the operation `each` times on `bytes` at each place, where positions have these widths. */
DAP_ALWAYS_INLINE void dap_pairs_run_widths(const dap_pairs *all, int from_width, int to_width, int64_t each,
                                            dap_pair_operation *operation, int64_t bytes)
{
  const dap_pairs pairs = *all;
  for (int64_t i = 0, ahead = DAP_AHEAD; i < pairs.count; ahead = 0) /* the last ones prefetch nothing new */
    for (const int64_t end = pairs.count - ahead; i < end; i++) {
      if (from_width) __builtin_prefetch(pairs.from + dap_place(pairs.source, from_width, i + ahead));
      if (to_width) __builtin_prefetch(pairs.to + dap_place(pairs.destination, to_width, i + ahead), 1);
      const char *const from = pairs.from + dap_place(pairs.source, from_width, i);
      char *const to = pairs.to + dap_place(pairs.destination, to_width, i);
      for (int64_t k = 0; k < each; k++) operation(from + k * bytes, to + k * bytes, bytes);
    }
}

/* Chooses the widths. Most lists have 4 bytes a position. */
DAP_ALWAYS_INLINE void dap_pairs_run(const dap_pairs *pairs, int64_t each, dap_pair_operation *operation,
                                     int64_t bytes)
{
  const int from_width = dap_places_width(pairs->source), to_width = dap_places_width(pairs->destination);
  if (from_width == 0 && to_width == 0)
    dap_pairs_run_widths(pairs, 0, 0, each, operation, bytes);
  else if (from_width == 0 && to_width == 4)
    dap_pairs_run_widths(pairs, 0, 4, each, operation, bytes);
  else if (from_width == 4 && to_width == 0)
    dap_pairs_run_widths(pairs, 4, 0, each, operation, bytes);
  else if (from_width == 4 && to_width == 4)
    dap_pairs_run_widths(pairs, 4, 4, each, operation, bytes);
  else
    dap_pairs_run_widths(pairs, from_width, to_width, each, operation, bytes);
}

#endif
