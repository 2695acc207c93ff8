/* Elements that are listed at either end, as they are: a few bytes at each place, such as a node's
 * components. */
#include "places.h"

#include <string.h>

/* With a constant size memcpy becomes a few loads and stores. */
DAP_ALWAYS_INLINE void copy_bytes(const char *from, char *to, int64_t bytes)
{
  memcpy(to, from, (size_t)bytes);
}

void dap_copy_pairs(const dap_pairs *pairs, int64_t itemsize)
{
  const int64_t bytes = pairs->each * itemsize;
  if (dap_pairs_are_dense(pairs, itemsize)) {
    memcpy(pairs->to, pairs->from, (size_t)(pairs->count * bytes));
    return;
  }
  switch (bytes) {
  case 4:
    dap_pairs_run(pairs, 1, copy_bytes, 4);
    break;
  case 8:
    dap_pairs_run(pairs, 1, copy_bytes, 8);
    break;
  case 16:
    dap_pairs_run(pairs, 1, copy_bytes, 16);
    break;
  case 24:
    dap_pairs_run(pairs, 1, copy_bytes, 24);
    break;
  case 32:
    dap_pairs_run(pairs, 1, copy_bytes, 32);
    break;
  default:
    dap_pairs_run(pairs, 1, copy_bytes, bytes);
    break;
  }
}
