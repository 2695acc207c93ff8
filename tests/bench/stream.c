#include "stream.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static void copy_512(char *to, const char *from, int64_t bytes)
{
  for (int64_t i = 0; i < bytes; i += BENCH_LINE)
    _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512((const void *)(from + i)));
  _mm_sfence();
}

__attribute__((target("avx2"))) static void copy_256(char *to, const char *from, int64_t bytes)
{
  for (int64_t i = 0; i < bytes; i += 32)
    _mm256_stream_si256((void *)(to + i), _mm256_loadu_si256((const void *)(from + i)));
  _mm_sfence();
}

static void copy_128(char *to, const char *from, int64_t bytes)
{
  for (int64_t i = 0; i < bytes; i += 16)
    _mm_stream_si128((void *)(to + i), _mm_loadu_si128((const void *)(from + i)));
  _mm_sfence();
}

void bench_stream(char *to, const char *from, int64_t bytes)
{
  if (__builtin_cpu_supports("avx512f"))
    copy_512(to, from, bytes);
  else if (__builtin_cpu_supports("avx2"))
    copy_256(to, from, bytes);
  else
    copy_128(to, from, bytes);
}
#else
void bench_stream(char *to, const char *from, int64_t bytes)
{
  memcpy(to, from, (size_t)bytes);
}
#endif
