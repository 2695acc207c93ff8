/* Copies a few bytes without a call. */
#ifndef DAP_SIZES_H
#define DAP_SIZES_H

#include <stdint.h>
#include <string.h>

#define DAP_ALWAYS_INLINE static inline __attribute__((always_inline))

/* With a constant size memcpy becomes a few loads and stores. */
DAP_ALWAYS_INLINE void dap_copy_bytes(const char *from, char *to, int64_t bytes)
{
  memcpy(to, from, (size_t)bytes);
}

/* Copies `part` to 2 * `part` bytes as two parts of constant size that may overlap. */
#define DAP_COPY_BY(part)                                                                                    \
  DAP_ALWAYS_INLINE void dap_copy_by_##part(const char *from, char *to, int64_t bytes)                       \
  {                                                                                                          \
    memcpy(to, from, (part));                                                                                \
    memcpy(to + bytes - (part), from + bytes - (part), (part));                                              \
  }
DAP_COPY_BY(2)
DAP_COPY_BY(4)
DAP_COPY_BY(8)
DAP_COPY_BY(16)
DAP_COPY_BY(32)
DAP_COPY_BY(64)

#define DAP_CASE(LOOP, bytes)                                                                                \
  case bytes:                                                                                                \
    LOOP(dap_copy_bytes, bytes);                                                                             \
    break
#define DAP_FROM(LOOP, least, copy, bytes)                                                                   \
  if ((bytes) >= (least)) {                                                                                  \
    LOOP(copy, bytes);                                                                                       \
    break;                                                                                                   \
  }

/* Runs LOOP(copy, bytes) with the function that copies this number of bytes, a constant where that helps. */
#define DAP_BY_SIZE(LOOP, bytes)                                                                             \
  switch (bytes) {                                                                                           \
    DAP_CASE(LOOP, 1);                                                                                       \
    DAP_CASE(LOOP, 2);                                                                                       \
    DAP_CASE(LOOP, 4);                                                                                       \
    DAP_CASE(LOOP, 8);                                                                                       \
    DAP_CASE(LOOP, 12);                                                                                      \
    DAP_CASE(LOOP, 16);                                                                                      \
    DAP_CASE(LOOP, 24);                                                                                      \
    DAP_CASE(LOOP, 32);                                                                                      \
  default:                                                                                                   \
    DAP_FROM(LOOP, 128, dap_copy_bytes, bytes);                                                              \
    DAP_FROM(LOOP, 64, dap_copy_by_64, bytes);                                                               \
    DAP_FROM(LOOP, 32, dap_copy_by_32, bytes);                                                               \
    DAP_FROM(LOOP, 16, dap_copy_by_16, bytes);                                                               \
    DAP_FROM(LOOP, 8, dap_copy_by_8, bytes);                                                                 \
    DAP_FROM(LOOP, 4, dap_copy_by_4, bytes);                                                                 \
    DAP_FROM(LOOP, 2, dap_copy_by_2, bytes);                                                                 \
  }

#endif
