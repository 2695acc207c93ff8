/* Fingerprints. */
#include "model_impl.h"

/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). */
uint64_t dap_hash(uint64_t seed, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  uint64_t hash = seed ? seed : UINT64_C(14695981039346656037);
  for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  return hash;
}
