/* The library's one hash. */
#ifndef DAP_HASH_H
#define DAP_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A fingerprint of bytes; `seed` is that of what comes before, or 0.
 *
 * FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv), but by words of 8 bytes as long as there are any: with the
 * factor of SplitMix64 (Steele, Lea, Flood 2014), because FNV's factor leaves high bits where they are. The
 * shift brings down again what a product moves up. */
static inline uint64_t dap_hash(uint64_t seed, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  uint64_t hash = seed ? seed : UINT64_C(14695981039346656037), word;
  for (; count >= sizeof word; count -= sizeof word, byte += sizeof word) {
    memcpy(&word, byte, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
  }
  for (; count > 0; count--, byte++) hash = (hash ^ *byte) * UINT64_C(1099511628211);
  return hash;
}

#endif
