/* The set for processors with AVX-512, and its rows. */
#include "kernels_avx512.h"

#ifdef DAP_KERNELS_X86

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

/* ---- rows --------------------------------------------------------------------------------------- */

INLINE void copy_part(char *line, const char *from, int64_t first, int64_t last)
{
  const __mmask64 mask = some_bytes(first, last);
  _mm512_mask_storeu_epi8(line, mask, _mm512_maskz_loadu_epi8(mask, from));
}

/* Short rows end before the processor has seen that they go on, so what a later row reads, and the lines
 * that it writes in part, are asked for ahead. */
enum { SHORT_ROW = 4096, READ_AHEAD = 4, WRITE_AHEAD = 8, AT_ONCE = 4 };

/* How far from row i there is what is asked for with it: the row `ahead` rows on, or of those that follow. */
INLINE int64_t distance(const dap_rows *rows, int64_t i, int64_t ahead, int64_t step, int64_t next)
{
  if (rows->bytes > SHORT_ROW) return 0;
  if (i + ahead < rows->count) return ahead * step;
  return next != 0 && rows->count >= ahead ? next + (ahead - rows->count) * step : 0;
}

/* All are loaded before one is stored: a load that looks like a store under way, in its last 12 bits, waits
 * for it. */
INLINE void stream_lines(char *to, const char *from, int64_t ahead, int count)
{
  __m512i lines[AT_ONCE];
  for (int l = 0; l < count; l++) {
    if (ahead) fetch(from + l * DAP_LINE + ahead);
    lines[l] = _mm512_loadu_si512(from + l * DAP_LINE);
  }
  for (int l = 0; l < count; l++) store_line(to + l * DAP_LINE, lines[l], true);
}

AVX512 static void stream_row(char *to, const char *from, int64_t bytes, int64_t from_ahead, int64_t to_ahead)
{
  const int64_t head = (int64_t)(-(uintptr_t)to % DAP_LINE), before = DAP_LINE - head;
  int64_t at = head;
  if (to_ahead && head > 0) fetch(to + to_ahead);
  if (head > 0) copy_part(to - before, from - before, before, DAP_LINE);
  for (; at + AT_ONCE * DAP_LINE <= bytes; at += AT_ONCE * DAP_LINE)
    stream_lines(to + at, from + at, from_ahead, AT_ONCE);
  for (; at + DAP_LINE <= bytes; at += DAP_LINE) stream_lines(to + at, from + at, from_ahead, 1);
  if (at < bytes) {
    if (to_ahead) fetch(to + at + to_ahead);
    copy_part(to + at, from + at, 0, bytes - at);
  }
}

/* Rows that follow each other in the destination: the line that one ends in and the next begins in is put
 * together. */
AVX512 static void stream_joined_rows(const dap_rows *rows)
{
  char *to = rows->to;
  int64_t at = (int64_t)(-(uintptr_t)to % DAP_LINE); /* in the row */
  if (at > 0) copy_part(to - (DAP_LINE - at), rows->from - (DAP_LINE - at), DAP_LINE - at, DAP_LINE);
  to += at;
  for (int64_t i = 0; i < rows->count; i++) {
    const char *from = rows->from + i * rows->from_step;
    const int64_t ahead = distance(rows, i, READ_AHEAD, rows->from_step, rows->from_next);
    for (; at + AT_ONCE * DAP_LINE <= rows->bytes; at += AT_ONCE * DAP_LINE, to += AT_ONCE * DAP_LINE)
      stream_lines(to, from + at, ahead, AT_ONCE);
    for (; at + DAP_LINE <= rows->bytes; at += DAP_LINE, to += DAP_LINE)
      stream_lines(to, from + at, ahead, 1);
    const int64_t left = rows->bytes - at;
    at = 0;
    if (left == 0) continue;
    if (i + 1 == rows->count) {
      copy_part(to, from + rows->bytes - left, 0, left);
      continue;
    }
    const __m512i end = _mm512_maskz_loadu_epi8(some_bytes(0, left), from + rows->bytes - left);
    const __m512i line =
        _mm512_mask_loadu_epi8(end, some_bytes(left, DAP_LINE), from + rows->from_step - left);
    store_line(to, line, true);
    to += DAP_LINE;
    at = DAP_LINE - left;
  }
}

/* A row is long enough for its head. */
AVX512 static void stream_rows(const dap_rows *rows)
{
  if (rows->to_step == rows->bytes && rows->count > 1) {
    stream_joined_rows(rows);
    return;
  }
  for (int64_t i = 0; i < rows->count; i++)
    stream_row(rows->to + i * rows->to_step, rows->from + i * rows->from_step, rows->bytes,
               distance(rows, i, READ_AHEAD, rows->from_step, rows->from_next),
               distance(rows, i, WRITE_AHEAD, rows->to_step, rows->to_next));
}

/* ---- the set ------------------------------------------------------------------------------------ */

static const dap_moves moves = {
    .stream_rows = stream_rows,
    .transpose = {[DAP_WIDTH_4] = dap_avx512_transpose_4,
                  [DAP_WIDTH_8] = dap_avx512_transpose_8,
                  [DAP_WIDTH_16] = dap_avx512_transpose_16},
    .gather = {[DAP_WIDTH_4] = dap_avx512_gather_4,
               [DAP_WIDTH_8] = dap_avx512_gather_8,
               [DAP_WIDTH_16] = dap_avx512_gather_16},
    .interleave = {[DAP_FROM_2] = {[DAP_WIDTH_4] = dap_avx512_interleave_2_4,
                                   [DAP_WIDTH_8] = dap_avx512_interleave_2_8,
                                   [DAP_WIDTH_16] = dap_avx512_interleave_2_16},
                   [DAP_FROM_4] = {[DAP_WIDTH_4] = dap_avx512_interleave_4_4,
                                   [DAP_WIDTH_8] = dap_avx512_interleave_4_8,
                                   [DAP_WIDTH_16] = dap_avx512_interleave_4_16}},
};

static void copy(const dap_block *block)
{
  dap_block_copy(block, &moves);
}

static void interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize,
                       bool stream)
{
  dap_block_interleave(to, from, sources, count, itemsize, stream, &moves);
}

static void fence(void)
{
  _mm_sfence();
}

const dap_kernels dap_kernels_avx512 = {
    .name = "avx512", .is_usable = is_usable, .copy = copy, .interleave = interleave, .fence = fence};

#endif
