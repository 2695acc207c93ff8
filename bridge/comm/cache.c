/* Finds the size of the cache that a core has for itself. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): _SC_LEVEL2_CACHE_SIZE */
#include "comm_impl.h"

#include <unistd.h>

int64_t dap_cache_bytes(void)
{
  enum { USUAL = 1 << 20, LEAST = 256 << 10, MOST = 4 << 20 };
  long bytes = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
  bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return bytes <= 0 ? USUAL : bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes;
}
