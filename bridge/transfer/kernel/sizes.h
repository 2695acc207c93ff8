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

/* Runs LOOP(copy, bytes) with the function that copies this number of bytes, a constant where that helps. */
#define DAP_BY_SIZE(LOOP, bytes)                                                                             \
  switch (bytes) {                                                                                           \
  case 1:                                                                                                    \
    LOOP(dap_copy_bytes, 1);                                                                                 \
    break;                                                                                                   \
  case 2:                                                                                                    \
    LOOP(dap_copy_bytes, 2);                                                                                 \
    break;                                                                                                   \
  case 4:                                                                                                    \
    LOOP(dap_copy_bytes, 4);                                                                                 \
    break;                                                                                                   \
  case 8:                                                                                                    \
    LOOP(dap_copy_bytes, 8);                                                                                 \
    break;                                                                                                   \
  case 12:                                                                                                   \
    LOOP(dap_copy_bytes, 12);                                                                                \
    break;                                                                                                   \
  case 16:                                                                                                   \
    LOOP(dap_copy_bytes, 16);                                                                                \
    break;                                                                                                   \
  case 24:                                                                                                   \
    LOOP(dap_copy_bytes, 24);                                                                                \
    break;                                                                                                   \
  case 32:                                                                                                   \
    LOOP(dap_copy_bytes, 32);                                                                                \
    break;                                                                                                   \
  default:                                                                                                   \
    if ((bytes) >= 128) {                                                                                    \
      LOOP(dap_copy_bytes, bytes);                                                                           \
    } else if ((bytes) >= 64) {                                                                              \
      LOOP(dap_copy_by_64, bytes);                                                                           \
    } else if ((bytes) >= 32) {                                                                              \
      LOOP(dap_copy_by_32, bytes);                                                                           \
    } else if ((bytes) >= 16) {                                                                              \
      LOOP(dap_copy_by_16, bytes);                                                                           \
    } else if ((bytes) >= 8) {                                                                               \
      LOOP(dap_copy_by_8, bytes);                                                                            \
    } else if ((bytes) >= 4) {                                                                               \
      LOOP(dap_copy_by_4, bytes);                                                                            \
    } else if ((bytes) >= 2) {                                                                               \
      LOOP(dap_copy_by_2, bytes);                                                                            \
    }                                                                                                        \
  }

#endif
