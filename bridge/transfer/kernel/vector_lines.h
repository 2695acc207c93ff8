/* Treats cache lines as registers, as a template. A set includes the vector_*.h once it has defined:
 *
 *     vector                          the type of a register
 *     VECTOR                          bytes of a register
 *     TARGET                          the attribute of functions that use its instructions
 *     load, store, stream             move a whole register; stream needs an aligned address
 *     MASKS                           says whether parts are as fast as whole registers
 *     load_part, store_part           move bytes [first, last), within 0 to VECTOR; others are loaded as 0
 *     low_4, high_4, low_8, high_8    take elements of two registers in turn, within lanes of 16 bytes
 *     low_16, high_16                 take lanes of two registers in turn: the first half, the second
 *     low_32, high_32                 take pairs of lanes in turn
 *     join_lanes                      makes a register of its lanes
 *     transpose_lanes                 moves lane l of each of as many registers to register l */
#ifndef DAP_VECTOR_LINES_H
#define DAP_VECTOR_LINES_H

#include "kernel_sets.h"

#include <string.h>

#ifdef VECTOR

#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL _Pragma("GCC unroll 16")

enum { LANES = VECTOR / 16, PARTS = DAP_LINE / VECTOR };

/* The parts of a line are streamed one after the other, so that it leaves the processor as a whole. */
typedef struct line {
  vector part[PARTS];
} line;

INLINE void fetch(const char *at)
{
  _mm_prefetch(at, _MM_HINT_T0);
}

INLINE void put(char *to, vector v, bool past_caches)
{
  if (past_caches)
    stream(to, v);
  else
    store(to, v);
}

INLINE line load_line(const char *from)
{
  line l;
  UNROLL for (int k = 0; k < PARTS; k++) l.part[k] = load(from + k * VECTOR);
  return l;
}

INLINE void put_line(char *to, line l, bool past_caches)
{
  UNROLL for (int k = 0; k < PARTS; k++) put(to + k * VECTOR, l.part[k], past_caches);
}

/* Returns the byte of part k that is `byte` of the line. */
INLINE int64_t within(int64_t byte, int k)
{
  return dap_smaller(dap_larger(byte - k * VECTOR, 0), VECTOR);
}

/* Loads bytes [first, last) of a line; the others are 0. */
INLINE line load_some(const char *from, int64_t first, int64_t last)
{
  line l;
  UNROLL for (int k = 0; k < PARTS; k++) l.part[k] =
      load_part(from + k * VECTOR, within(first, k), within(last, k));
  return l;
}

INLINE void store_some(char *to, int64_t first, int64_t last, line l)
{
  UNROLL for (int k = 0; k < PARTS; k++)
      store_part(to + k * VECTOR, within(first, k), within(last, k), l.part[k]);
}

INLINE void copy_some(char *to, const char *from, int64_t first, int64_t last)
{
  if (MASKS)
    store_some(to, first, last, load_some(from, first, last));
  else
    memcpy(to + first, from + first, (size_t)(last - first));
}

#endif
#endif
