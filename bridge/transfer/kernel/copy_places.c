/* Copies elements that are listed at either end, a few bytes at each place, such as a node's components. */
#include "places.h"

void dap_copy_pairs(const dap_pairs *pairs, int64_t itemsize)
{
  const int64_t bytes = pairs->each * itemsize;
  if (dap_pairs_are_dense(pairs, itemsize)) {
    memcpy(pairs->to, pairs->from, (size_t)(pairs->count * bytes));
    return;
  }
#define COPY(copy, bytes) dap_pairs_run(pairs, 1, copy, (bytes))
  DAP_BY_SIZE(COPY, bytes)
#undef COPY
}
