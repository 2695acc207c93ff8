/* Allocates zeroed buffers of arrays. */
#define _DEFAULT_SOURCE 1 /* madvise(); NOLINT(bugprone-reserved-identifier) */
#include "model_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  LINE = 64,            /* bytes: a cache line, and an AVX-512 register */
  HUGE_PAGE = 1 << 21,  /* bytes */
  LARGE = 2 * HUGE_PAGE /* bytes: the smallest buffer that begins on a huge page */
};

/* The system clears a new page when it is first used, and calloc() does not clear it again. A pointer to
 * calloc()'s block lies in front of the buffer, for free(). */
void *dap_lines_allocate(int64_t bytes)
{
  const size_t unit = bytes >= LARGE ? HUGE_PAGE : LINE;
  if (bytes > INT64_MAX - HUGE_PAGE || (uint64_t)bytes > SIZE_MAX - HUGE_PAGE) return NULL;
  char *block = calloc(1, (size_t)bytes + unit);
  if (!block) return NULL;
  char *at = block + (unit - (uintptr_t)block % unit);
  memcpy(at - sizeof block, &block, sizeof block);
#ifdef MADV_HUGEPAGE
  if (unit == HUGE_PAGE) (void)madvise(at, (size_t)bytes, MADV_HUGEPAGE); /* a system without them refuses */
#endif
  return at;
}

void dap_lines_free(void *at)
{
  char *block = NULL;
  if (at) memcpy(&block, (char *)at - sizeof block, sizeof block);
  free(block);
}
