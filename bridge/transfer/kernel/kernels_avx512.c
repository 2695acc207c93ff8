/* Defines the set for processors with AVX-512, in which a register is a cache line. */
#include "kernel_sets.h"

#ifdef DAP_KERNELS_X86

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define PRIMITIVE static inline __attribute__((always_inline)) TARGET
#define VECTOR 64
#define MASKS true
typedef __m512i vector;

PRIMITIVE vector load(const char *from)
{
  return _mm512_loadu_si512(from);
}

PRIMITIVE void store(char *to, vector v)
{
  _mm512_storeu_si512(to, v);
}

PRIMITIVE void stream(char *to, vector v)
{
  _mm512_stream_si512((void *)to, v);
}

PRIMITIVE __mmask64 first_bytes(int64_t n)
{
  return n >= VECTOR ? ~0ULL : (1ULL << n) - 1;
}

PRIMITIVE vector load_part(const char *from, int64_t first, int64_t last)
{
  return _mm512_maskz_loadu_epi8(first_bytes(last) & ~first_bytes(first), from);
}

PRIMITIVE void store_part(char *to, int64_t first, int64_t last, vector v)
{
  _mm512_mask_storeu_epi8(to, first_bytes(last) & ~first_bytes(first), v);
}

PRIMITIVE vector join_lanes(const __m128i lanes[4])
{
  vector v = _mm512_castsi128_si512(lanes[0]);
  v = _mm512_inserti64x2(v, lanes[1], 1);
  v = _mm512_inserti64x2(v, lanes[2], 2);
  return _mm512_inserti64x2(v, lanes[3], 3);
}

PRIMITIVE vector low_16(vector a, vector b)
{
  return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
}

PRIMITIVE vector high_16(vector a, vector b)
{
  return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b);
}

PRIMITIVE void transpose_lanes(vector v[4])
{
  const vector ab01 = _mm512_shuffle_i64x2(v[0], v[1], 0x44), ab23 = _mm512_shuffle_i64x2(v[0], v[1], 0xEE);
  const vector cd01 = _mm512_shuffle_i64x2(v[2], v[3], 0x44), cd23 = _mm512_shuffle_i64x2(v[2], v[3], 0xEE);
  v[0] = _mm512_shuffle_i64x2(ab01, cd01, 0x88), v[1] = _mm512_shuffle_i64x2(ab01, cd01, 0xDD);
  v[2] = _mm512_shuffle_i64x2(ab23, cd23, 0x88), v[3] = _mm512_shuffle_i64x2(ab23, cd23, 0xDD);
}

#define low_4 _mm512_unpacklo_epi32
#define high_4 _mm512_unpackhi_epi32
#define low_8 _mm512_unpacklo_epi64
#define high_8 _mm512_unpackhi_epi64
#define low_32(a, b) _mm512_shuffle_i64x2(a, b, 0x44)
#define high_32(a, b) _mm512_shuffle_i64x2(a, b, 0xEE)

#include "vector_lines.h"

#include "vector_rows.h"
#include "vector_sources.h"
#include "vector_transpose.h"

#include "vector_set.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

const dap_kernels dap_kernels_avx512 = {"avx512", is_usable, fence, &moves};

#endif
