/* Finds the sizes of the caches as the system reports them. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): _SC_LEVEL2_CACHE_SIZE */
#include "node.h"

#include <unistd.h>

int64_t node_cache_bytes(int level)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  const long bytes = sysconf(names[level - 1]);
  return bytes > 0 ? bytes : -1;
#else
  (void)level;
  return -1;
#endif
}
