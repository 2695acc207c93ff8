/* Puts lines together from several sources, or from strided elements. This is a template, see
 * vector_lines.h. */
#ifndef DAP_VECTOR_SOURCES_H
#define DAP_VECTOR_SOURCES_H

#include "kernel_sets.h"

#ifdef VECTOR

/* ---- interleaving ------------------------------------------------------------------------------- */

/* Makes two registers of the elements of two registers in turn. */
INLINE void zip(vector a, vector b, int64_t bytes, vector out[2])
{
  if (bytes == 32) {
    out[0] = low_32(a, b), out[1] = high_32(a, b);
    return;
  }
  const vector low = bytes == 16 ? a : bytes == 8 ? low_8(a, b) : low_4(a, b);
  const vector high = bytes == 16 ? b : bytes == 8 ? high_8(a, b) : high_4(a, b);
  out[0] = low_16(low, high), out[1] = high_16(low, high);
}

/* Makes as many registers of the destination from a register of each source. Four sources are taken by twos,
 * and then their pairs, which are elements of twice the size. */
INLINE void interleave_lines(char *to, const char *const from[], int sources, int64_t lines, bool past_caches,
                             int64_t bytes)
{
  for (int64_t at = 0; at < lines * DAP_LINE / sources; at += VECTOR, to += sources * VECTOR) {
    vector out[4];
    zip(load(from[0] + at), load(from[1] + at), bytes, out);
    if (sources == 4) {
      vector ab[2] = {out[0], out[1]}, cd[2];
      zip(load(from[2] + at), load(from[3] + at), bytes, cd);
      zip(ab[0], cd[0], 2 * bytes, out);
      zip(ab[1], cd[1], 2 * bytes, out + 2);
    }
    UNROLL for (int k = 0; k < sources; k++) put(to + k * VECTOR, out[k], past_caches);
  }
}

/* ---- strided elements --------------------------------------------------------------------------- */

INLINE __m128i load_lane(const char *from, int64_t step, int64_t bytes)
{
  if (bytes == 16) return _mm_loadu_si128((const void *)from);
  if (bytes == 8) return _mm_unpacklo_epi64(_mm_loadu_si64(from), _mm_loadu_si64(from + step));
  const __m128i a = _mm_unpacklo_epi32(_mm_loadu_si32(from), _mm_loadu_si32(from + step));
  const __m128i b = _mm_unpacklo_epi32(_mm_loadu_si32(from + 2 * step), _mm_loadu_si32(from + 3 * step));
  return _mm_unpacklo_epi64(a, b);
}

INLINE void gather_lines(char *to, const char *from, int64_t step, int64_t lines, bool past_caches,
                         int64_t bytes)
{
  const int64_t lane = 16 / bytes * step;
  for (char *const end = to + lines * DAP_LINE; to < end; to += VECTOR, from += LANES * lane) {
    __m128i lanes[LANES];
    UNROLL for (int k = 0; k < LANES; k++) lanes[k] = load_lane(from + k * lane, step, bytes);
    put(to, join_lanes(lanes), past_caches);
  }
}

/* ---- for each size of an element ---------------------------------------------------------------- */

#define SOURCES(size)                                                                                        \
  TARGET static void interleave_2_##size(char *to, const char *const from[], int64_t lines,                  \
                                         bool past_caches)                                                   \
  {                                                                                                          \
    interleave_lines(to, from, 2, lines, past_caches, size);                                                 \
  }                                                                                                          \
  TARGET static void interleave_4_##size(char *to, const char *const from[], int64_t lines,                  \
                                         bool past_caches)                                                   \
  {                                                                                                          \
    interleave_lines(to, from, 4, lines, past_caches, size);                                                 \
  }                                                                                                          \
  TARGET static void gather_##size(char *to, const char *from, int64_t step, int64_t lines,                  \
                                   bool past_caches)                                                         \
  {                                                                                                          \
    gather_lines(to, from, step, lines, past_caches, size);                                                  \
  }
SOURCES(4)
SOURCES(8)
SOURCES(16)

#endif
#endif
