/* Lines put together from several sources, or from strided elements, with AVX-512. */
#include "kernels_avx512.h"

#ifdef DAP_KERNELS_X86

/* ---- interleaving ------------------------------------------------------------------------------- */

/* Two lines, element by element, make two: which of their elements, by the size of one. */
static const int32_t order_4[2][16] = {{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
                                       {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31}};
static const int64_t order_8[2][8] = {{0, 8, 1, 9, 2, 10, 3, 11}, {4, 12, 5, 13, 6, 14, 7, 15}};
static const int64_t order_16[2][8] = {{0, 1, 8, 9, 2, 3, 10, 11}, {4, 5, 12, 13, 6, 7, 14, 15}};
static const int64_t order_32[2][8] = {{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}};

/* Two sources: a line of each becomes two lines. */
#define INTERLEAVE_2(size, bits)                                                                             \
  AVX512 void dap_avx512_interleave_2_##size(char *to, const char *const from[], int64_t lines, bool stream) \
  {                                                                                                          \
    const __m512i low = _mm512_loadu_si512(order_##size[0]), high = _mm512_loadu_si512(order_##size[1]);     \
    const char *even = from[0], *odd = from[1];                                                              \
    for (int64_t l = 0; l < lines; l += 2, even += DAP_LINE, odd += DAP_LINE, to += 2 * DAP_LINE) {          \
      const __m512i a = _mm512_loadu_si512(even), b = _mm512_loadu_si512(odd);                               \
      store_line(to, _mm512_permutex2var_epi##bits(a, low, b), stream);                                      \
      store_line(to + DAP_LINE, _mm512_permutex2var_epi##bits(a, high, b), stream);                          \
    }                                                                                                        \
  }
INTERLEAVE_2(4, 32)
INTERLEAVE_2(8, 64)
INTERLEAVE_2(16, 64)

/* Four sources: by twos, and then the pairs, which are elements of twice the size. */
#define INTERLEAVE_4(size, bits, twice)                                                                      \
  AVX512 void dap_avx512_interleave_4_##size(char *to, const char *const from[], int64_t lines, bool stream) \
  {                                                                                                          \
    const __m512i low = _mm512_loadu_si512(order_##size[0]), high = _mm512_loadu_si512(order_##size[1]);     \
    const __m512i one = _mm512_loadu_si512(order_##twice[0]), two = _mm512_loadu_si512(order_##twice[1]);    \
    for (int64_t at = 0; at < lines / 4 * DAP_LINE; at += DAP_LINE, to += 4 * DAP_LINE) {                    \
      const __m512i a = _mm512_loadu_si512(from[0] + at), b = _mm512_loadu_si512(from[1] + at);              \
      const __m512i c = _mm512_loadu_si512(from[2] + at), d = _mm512_loadu_si512(from[3] + at);              \
      const __m512i ab = _mm512_permutex2var_epi##bits(a, low, b);                                           \
      const __m512i cd = _mm512_permutex2var_epi##bits(c, low, d);                                           \
      const __m512i ab_high = _mm512_permutex2var_epi##bits(a, high, b);                                     \
      const __m512i cd_high = _mm512_permutex2var_epi##bits(c, high, d);                                     \
      store_line(to, _mm512_permutex2var_epi64(ab, one, cd), stream);                                        \
      store_line(to + DAP_LINE, _mm512_permutex2var_epi64(ab, two, cd), stream);                             \
      store_line(to + 2 * DAP_LINE, _mm512_permutex2var_epi64(ab_high, one, cd_high), stream);               \
      store_line(to + 3 * DAP_LINE, _mm512_permutex2var_epi64(ab_high, two, cd_high), stream);               \
    }                                                                                                        \
  }
INTERLEAVE_4(4, 32, 8)
INTERLEAVE_4(8, 64, 16)
INTERLEAVE_4(16, 64, 32)

/* ---- strided lines: a line put together from lanes ------------------------------------------------- */

INLINE __m128i load_lane(const char *from, int64_t step, int64_t itemsize)
{
  if (itemsize == 16) return _mm_loadu_si128((const void *)from);
  if (itemsize == 8) return _mm_unpacklo_epi64(_mm_loadu_si64(from), _mm_loadu_si64(from + step));
  const __m128i a = _mm_unpacklo_epi32(_mm_loadu_si32(from), _mm_loadu_si32(from + step));
  const __m128i b = _mm_unpacklo_epi32(_mm_loadu_si32(from + 2 * step), _mm_loadu_si32(from + 3 * step));
  return _mm_unpacklo_epi64(a, b);
}

INLINE void gather_lines(char *to, const char *from, int64_t step, int64_t lines, bool stream,
                         int64_t itemsize)
{
  const int64_t lane = 16 / itemsize * step;
  for (int64_t l = 0; l < lines; l++, to += DAP_LINE, from += 4 * lane) {
    __m512i line = _mm512_castsi128_si512(load_lane(from, step, itemsize));
    line = _mm512_inserti64x2(line, load_lane(from + lane, step, itemsize), 1);
    line = _mm512_inserti64x2(line, load_lane(from + 2 * lane, step, itemsize), 2);
    line = _mm512_inserti64x2(line, load_lane(from + 3 * lane, step, itemsize), 3);
    store_line(to, line, stream);
  }
}

#define GATHER(size)                                                                                         \
  AVX512 void dap_avx512_gather_##size(char *to, const char *from, int64_t from_step, int64_t lines,         \
                                       bool stream)                                                          \
  {                                                                                                          \
    gather_lines(to, from, from_step, lines, stream, size);                                                  \
  }
GATHER(4)
GATHER(8)
GATHER(16)

#endif
