/* The limit: the local bytes copied plainly, by all processes at once, past the caches. */
#include "fail.h"
#include "methods.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* ---- copies: bytes is a multiple of a line, and so is the address `to` ------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static void copy_512(char *to, const char *from, int64_t bytes)
{
  for (int64_t i = 0; i < bytes; i += LINE)
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

static void copy_lines(char *to, const char *from, int64_t bytes)
{
  if (__builtin_cpu_supports("avx512f"))
    copy_512(to, from, bytes);
  else if (__builtin_cpu_supports("avx2"))
    copy_256(to, from, bytes);
  else
    copy_128(to, from, bytes);
}
#else
static void copy_lines(char *to, const char *from, int64_t bytes)
{
  memcpy(to, from, (size_t)bytes);
}
#endif

/* ---- the method --------------------------------------------------------------------------------------- */

/* Small copies stay in the caches, where plain stores are the faster ones. */
enum { SMALL = 1 << 20 };

/* What it copies: the buffer of the source, or as much of it as a halo update moves. */
static int64_t copied(const bench_job *job)
{
  return job->c->halo ? bench_payload(job->c) : job->c->from.bytes;
}

void bench_nt_prepare(bench_job *job)
{
  const int64_t bytes = (copied(job) / LINE + 1) * LINE;
  job->state = aligned_alloc(LINE, (size_t)bytes);
  if (!job->state) bench_fail("no memory for %lld bytes", (long long)bytes);
  memset(job->state, 0, (size_t)bytes);
}

void bench_nt_run(bench_job *job)
{
  const int64_t bytes = copied(job), lines = bytes < SMALL ? 0 : bytes - bytes % LINE;
  char *to = job->state;
  copy_lines(to, job->from.data, lines);
  memcpy(to + lines, job->from.data + lines, (size_t)(bytes - lines));
}

void bench_nt_destroy(bench_job *job)
{
  free(job->state);
}

int64_t bench_nt_wrong(bench_job *job)
{
  return memcmp(job->state, job->from.data, (size_t)copied(job)) != 0;
}
