/* The set for processors with AVX2: a register is half a cache line. The halves of a line are stored one
 * after the other, so that a streamed line leaves the processor as a whole. */
#include "kernel_sets.h"

#ifdef DAP_KERNELS_X86

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) AVX2

enum { HALF = DAP_LINE / 2 };

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx2");
}

INLINE __m256i load_half(const char *from)
{
  return _mm256_loadu_si256((const void *)from);
}

INLINE void store_line(char *to, __m256i low, __m256i high, bool stream)
{
  if (stream) {
    _mm256_stream_si256((void *)to, low);
    _mm256_stream_si256((void *)(to + HALF), high);
  } else {
    _mm256_storeu_si256((void *)to, low);
    _mm256_storeu_si256((void *)(to + HALF), high);
  }
}

/* ---- rows --------------------------------------------------------------------------------------- */

AVX2 static void stream_row(char *to, const char *from, int64_t bytes)
{
  int64_t at = (int64_t)(-(uintptr_t)to % DAP_LINE);
  memcpy(to, from, (size_t)at);
  for (; at + DAP_LINE <= bytes; at += DAP_LINE)
    store_line(to + at, load_half(from + at), load_half(from + at + HALF), true);
  memcpy(to + at, from + at, (size_t)(bytes - at));
}

AVX2 static void stream_rows(const dap_rows *rows)
{
  for (int64_t i = 0; i < rows->count; i++)
    stream_row(rows->to + i * rows->to_step, rows->from + i * rows->from_step, rows->bytes);
}

/* ---- transpositions: squares of half a line, two of them for whole lines ---------------------------- */

/* out[j] is column j of the square at `from`. */
typedef void transpose_square(const char *from, int64_t step, __m256i out[]);

INLINE void transpose_square_16(const char *from, int64_t step, __m256i out[])
{
  const __m256i a = load_half(from), b = load_half(from + step);
  out[0] = _mm256_permute2x128_si256(a, b, 0x20);
  out[1] = _mm256_permute2x128_si256(a, b, 0x31);
}

INLINE void transpose_square_8(const char *from, int64_t step, __m256i out[])
{
  const __m256i a = load_half(from), b = load_half(from + step);
  const __m256i c = load_half(from + 2 * step), d = load_half(from + 3 * step);
  const __m256i ab02 = _mm256_unpacklo_epi64(a, b), ab13 = _mm256_unpackhi_epi64(a, b);
  const __m256i cd02 = _mm256_unpacklo_epi64(c, d), cd13 = _mm256_unpackhi_epi64(c, d);
  out[0] = _mm256_permute2x128_si256(ab02, cd02, 0x20);
  out[1] = _mm256_permute2x128_si256(ab13, cd13, 0x20);
  out[2] = _mm256_permute2x128_si256(ab02, cd02, 0x31);
  out[3] = _mm256_permute2x128_si256(ab13, cd13, 0x31);
}

/* Four rows become lanes: lanes[c][k] has columns c and 4 + c of rows 4k to 4k + 3. */
INLINE void transpose_square_4(const char *from, int64_t step, __m256i out[])
{
  __m256i lanes[4][2];
  for (int k = 0; k < 2; k++, from += 4 * step) {
    const __m256i a = load_half(from), b = load_half(from + step);
    const __m256i c = load_half(from + 2 * step), d = load_half(from + 3 * step);
    const __m256i ab01 = _mm256_unpacklo_epi32(a, b), ab23 = _mm256_unpackhi_epi32(a, b);
    const __m256i cd01 = _mm256_unpacklo_epi32(c, d), cd23 = _mm256_unpackhi_epi32(c, d);
    lanes[0][k] = _mm256_unpacklo_epi64(ab01, cd01);
    lanes[1][k] = _mm256_unpackhi_epi64(ab01, cd01);
    lanes[2][k] = _mm256_unpacklo_epi64(ab23, cd23);
    lanes[3][k] = _mm256_unpackhi_epi64(ab23, cd23);
  }
  for (int c = 0; c < 4; c++) {
    out[c] = _mm256_permute2x128_si256(lanes[c][0], lanes[c][1], 0x20);
    out[4 + c] = _mm256_permute2x128_si256(lanes[c][0], lanes[c][1], 0x31);
  }
}

/* What is no whole line, or less than half a line of the source. */
static void transpose_rest(const dap_panel *panel, int64_t itemsize, int64_t rows, int64_t columns)
{
  dap_panel rest = *panel;
  rest.from += rows * panel->from_step;
  rest.to += rows * itemsize;
  rest.rows -= rows;
  rest.columns = columns;
  dap_items_transpose(&rest, itemsize);
  rest = *panel;
  rest.from += columns * itemsize;
  rest.to += columns * panel->to_step;
  rest.columns -= columns;
  dap_items_transpose(&rest, itemsize);
}

/* Called with constants only, so that each becomes a loop of its own. */
INLINE void transpose_panel(const dap_panel *panel, int64_t itemsize, transpose_square *transpose)
{
  enum { MOST = HALF / 4 };
  const int64_t side = HALF / itemsize;
  const int64_t rows = panel->rows - panel->rows % (2 * side),
                columns = panel->columns - panel->columns % side;
  for (int64_t j = 0; j < columns; j += side)
    for (int64_t i = 0; i < rows; i += 2 * side) {
      const char *from = panel->from + i * panel->from_step + j * itemsize;
      char *to = panel->to + i * itemsize + j * panel->to_step;
      __m256i low[MOST], high[MOST];
      transpose(from, panel->from_step, low);
      transpose(from + side * panel->from_step, panel->from_step, high);
      for (int64_t k = 0; k < side; k++) store_line(to + k * panel->to_step, low[k], high[k], panel->stream);
    }
  transpose_rest(panel, itemsize, rows, columns);
}

#define TRANSPOSE(size)                                                                                      \
  AVX2 static void transpose_##size(const dap_panel *panel)                                                  \
  {                                                                                                          \
    transpose_panel(panel, size, transpose_square_##size);                                                   \
  }
TRANSPOSE(4)
TRANSPOSE(8)
TRANSPOSE(16)

/* ---- interleaving two sources ------------------------------------------------------------------- */

INLINE void unpack(__m256i a, __m256i b, int64_t itemsize, __m256i *low, __m256i *high)
{
  *low = itemsize == 4 ? _mm256_unpacklo_epi32(a, b) : itemsize == 8 ? _mm256_unpacklo_epi64(a, b) : a;
  *high = itemsize == 4 ? _mm256_unpackhi_epi32(a, b) : itemsize == 8 ? _mm256_unpackhi_epi64(a, b) : b;
}

INLINE void interleave_lines(char *to, const char *const from[], int64_t lines, bool stream, int64_t itemsize)
{
  for (int64_t l = 0; l < lines; l++) {
    __m256i low, high;
    unpack(load_half(from[0] + l * HALF), load_half(from[1] + l * HALF), itemsize, &low, &high);
    store_line(to + l * DAP_LINE, _mm256_permute2x128_si256(low, high, 0x20),
               _mm256_permute2x128_si256(low, high, 0x31), stream);
  }
}

#define INTERLEAVE(size)                                                                                     \
  AVX2 static void interleave_##size(char *to, const char *const from[], int64_t lines, bool stream)         \
  {                                                                                                          \
    interleave_lines(to, from, lines, stream, size);                                                         \
  }
INTERLEAVE(4)
INTERLEAVE(8)
INTERLEAVE(16)

/* ---- the set ------------------------------------------------------------------------------------ */

static const dap_moves moves = {
    .stream_rows = stream_rows,
    .transpose = {[DAP_WIDTH_4] = transpose_4, [DAP_WIDTH_8] = transpose_8, [DAP_WIDTH_16] = transpose_16},
    .interleave =
        {[DAP_FROM_2] =
             {[DAP_WIDTH_4] = interleave_4, [DAP_WIDTH_8] = interleave_8, [DAP_WIDTH_16] = interleave_16}},
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

const dap_kernels dap_kernels_avx2 = {
    .name = "avx2", .is_usable = is_usable, .copy = copy, .interleave = interleave, .fence = fence};

#endif
