/* Defines the set for processors with AVX2, in which a register is half a cache line. */
#include "kernel_sets.h"

#ifdef DAP_KERNELS_X86

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2")))
#define PRIMITIVE static inline __attribute__((always_inline)) TARGET
#define VECTOR 32
#define MASKS false
typedef __m256i vector;

PRIMITIVE vector load(const char *from)
{
  return _mm256_loadu_si256((const void *)from);
}

PRIMITIVE void store(char *to, vector v)
{
  _mm256_storeu_si256((void *)to, v);
}

PRIMITIVE void stream(char *to, vector v)
{
  _mm256_stream_si256((void *)to, v);
}

PRIMITIVE vector load_part(const char *from, int64_t first, int64_t last)
{
  char bytes[VECTOR] = {0};
  if (last > first) memcpy(bytes + first, from + first, (size_t)(last - first));
  return load(bytes);
}

PRIMITIVE void store_part(char *to, int64_t first, int64_t last, vector v)
{
  char bytes[VECTOR];
  store(bytes, v);
  if (last > first) memcpy(to + first, bytes + first, (size_t)(last - first));
}

PRIMITIVE vector join_lanes(const __m128i lanes[2])
{
  return _mm256_inserti128_si256(_mm256_castsi128_si256(lanes[0]), lanes[1], 1);
}

#define low_4 _mm256_unpacklo_epi32
#define high_4 _mm256_unpackhi_epi32
#define low_8 _mm256_unpacklo_epi64
#define high_8 _mm256_unpackhi_epi64
#define low_16(a, b) _mm256_permute2x128_si256(a, b, 0x20)
#define high_16(a, b) _mm256_permute2x128_si256(a, b, 0x31)
#define low_32(a, b) (a)
#define high_32(a, b) (b)

PRIMITIVE void transpose_lanes(vector v[2])
{
  const vector a = v[0];
  v[0] = low_16(a, v[1]), v[1] = high_16(a, v[1]);
}

#include "vector_lines.h"

#include "vector_rows.h"
#include "vector_sources.h"
#include "vector_transpose.h"

#include "vector_set.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx2");
}

const dap_kernels dap_kernels_avx2 = {"avx2", is_usable, fence, &moves};

#endif
