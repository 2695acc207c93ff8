/* Defines the library's one hash. */
#ifndef DAP_HASH_H
#define DAP_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns a fingerprint of bytes. `seed` is the fingerprint of earlier bytes, or 0.
 *
 * The hash is FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv), but takes words of 8 bytes while there are any.
 * Words are multiplied by the factor of SplitMix64 (Steele, Lea, Flood 2014), because FNV's leaves high bits
 * where they are. The shift moves high bits down. */
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
