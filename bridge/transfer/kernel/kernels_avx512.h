/* What the files of the AVX-512 set share: a register is a cache line. */
#ifndef DAP_KERNELS_AVX512_H
#define DAP_KERNELS_AVX512_H

#include "kernel_sets.h"

#ifdef DAP_KERNELS_X86

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define INLINE static inline __attribute__((always_inline)) AVX512

INLINE __mmask64 first_bytes(int64_t n)
{
  return n >= DAP_LINE ? ~0ULL : (1ULL << n) - 1;
}

INLINE void store_line(char *to, __m512i line, bool stream)
{
  if (stream)
    _mm512_stream_si512((void *)to, line);
  else
    _mm512_storeu_si512(to, line);
}

/* Bytes [first, last) of a line. A masked store that reaches into the next line would fetch that one too,
 * though it writes nothing there, so heads are stored from the beginning of their line. */
INLINE __mmask64 some_bytes(int64_t first, int64_t last)
{
  return first_bytes(last) & ~first_bytes(first);
}

INLINE void fetch(const char *at)
{
  _mm_prefetch(at, _MM_HINT_T0);
}

/* ---- kernels_avx512_transpose.c, kernels_avx512_lines.c: moves, see dap_moves ------------------------ */

void dap_avx512_transpose_4(const dap_panel *panel);
void dap_avx512_transpose_8(const dap_panel *panel);
void dap_avx512_transpose_16(const dap_panel *panel);
void dap_avx512_gather_4(char *to, const char *from, int64_t from_step, int64_t lines, bool stream);
void dap_avx512_gather_8(char *to, const char *from, int64_t from_step, int64_t lines, bool stream);
void dap_avx512_gather_16(char *to, const char *from, int64_t from_step, int64_t lines, bool stream);
void dap_avx512_interleave_2_4(char *to, const char *const from[], int64_t lines, bool stream);
void dap_avx512_interleave_2_8(char *to, const char *const from[], int64_t lines, bool stream);
void dap_avx512_interleave_2_16(char *to, const char *const from[], int64_t lines, bool stream);
void dap_avx512_interleave_4_4(char *to, const char *const from[], int64_t lines, bool stream);
void dap_avx512_interleave_4_8(char *to, const char *const from[], int64_t lines, bool stream);
void dap_avx512_interleave_4_16(char *to, const char *const from[], int64_t lines, bool stream);

#endif
#endif
