/* Transpositions with AVX-512: squares of a line by a line. */
#include "kernels_avx512.h"

#ifdef DAP_KERNELS_X86

typedef enum square_mode { MODE_STORE, MODE_STREAM, MODE_PART } square_mode;

typedef struct square {
  const char *from;
  char *to;
  int64_t from_step, to_step;
  int64_t first, rows, columns; /* MODE_PART: rows [first, rows) */
} square;

INLINE __m512i load_row(const square *at, int64_t i, int64_t itemsize, square_mode mode)
{
  const char *from = at->from + i * at->from_step;
  if (mode != MODE_PART) return _mm512_loadu_si512(from);
  return i >= at->first && i < at->rows ? _mm512_maskz_loadu_epi8(first_bytes(at->columns * itemsize), from)
                                        : _mm512_setzero_si512();
}

INLINE void store_column(const square *at, int64_t j, int64_t itemsize, square_mode mode, __m512i column)
{
  char *to = at->to + j * at->to_step;
  if (mode != MODE_PART)
    store_line(to, column, mode == MODE_STREAM);
  else if (j < at->columns)
    _mm512_mask_storeu_epi8(to, some_bytes(at->first * itemsize, at->rows * itemsize), column);
}

/* out[l] is lane l of a, b, c and d. */
INLINE void transpose_lanes(__m512i a, __m512i b, __m512i c, __m512i d, __m512i out[4])
{
  const __m512i ab01 = _mm512_shuffle_i64x2(a, b, 0x44), ab23 = _mm512_shuffle_i64x2(a, b, 0xEE);
  const __m512i cd01 = _mm512_shuffle_i64x2(c, d, 0x44), cd23 = _mm512_shuffle_i64x2(c, d, 0xEE);
  out[0] = _mm512_shuffle_i64x2(ab01, cd01, 0x88);
  out[1] = _mm512_shuffle_i64x2(ab01, cd01, 0xDD);
  out[2] = _mm512_shuffle_i64x2(ab23, cd23, 0x88);
  out[3] = _mm512_shuffle_i64x2(ab23, cd23, 0xDD);
}

INLINE void transpose_square_16(const square *at, square_mode mode)
{
  __m512i out[4];
  transpose_lanes(load_row(at, 0, 16, mode), load_row(at, 1, 16, mode), load_row(at, 2, 16, mode),
                  load_row(at, 3, 16, mode), out);
  for (int l = 0; l < 4; l++) store_column(at, l, 16, mode, out[l]);
}

/* Pairs of rows become lanes of one column each: columns 0, 2, 4, 6 in one register, 1, 3, 5, 7 in
 * another. */
INLINE void transpose_square_8(const square *at, square_mode mode)
{
  __m512i even[4], odd[4], out[4];
  for (int k = 0; k < 4; k++) {
    const __m512i a = load_row(at, 2 * k, 8, mode), b = load_row(at, 2 * k + 1, 8, mode);
    even[k] = _mm512_unpacklo_epi64(a, b);
    odd[k] = _mm512_unpackhi_epi64(a, b);
  }
  transpose_lanes(even[0], even[1], even[2], even[3], out);
  for (int l = 0; l < 4; l++) store_column(at, 2 * l, 8, mode, out[l]);
  transpose_lanes(odd[0], odd[1], odd[2], odd[3], out);
  for (int l = 0; l < 4; l++) store_column(at, 2 * l + 1, 8, mode, out[l]);
}

/* Four rows become lanes of one column each: lanes[c][k] has columns c, 4 + c, 8 + c, 12 + c of rows 4k.. */
INLINE void transpose_square_4(const square *at, square_mode mode)
{
  __m512i lanes[4][4], out[4];
  for (int k = 0; k < 4; k++) {
    const __m512i a = load_row(at, 4 * k, 4, mode), b = load_row(at, 4 * k + 1, 4, mode);
    const __m512i c = load_row(at, 4 * k + 2, 4, mode), d = load_row(at, 4 * k + 3, 4, mode);
    const __m512i ab01 = _mm512_unpacklo_epi32(a, b), ab23 = _mm512_unpackhi_epi32(a, b);
    const __m512i cd01 = _mm512_unpacklo_epi32(c, d), cd23 = _mm512_unpackhi_epi32(c, d);
    lanes[0][k] = _mm512_unpacklo_epi64(ab01, cd01);
    lanes[1][k] = _mm512_unpackhi_epi64(ab01, cd01);
    lanes[2][k] = _mm512_unpacklo_epi64(ab23, cd23);
    lanes[3][k] = _mm512_unpackhi_epi64(ab23, cd23);
  }
  for (int c = 0; c < 4; c++) {
    transpose_lanes(lanes[c][0], lanes[c][1], lanes[c][2], lanes[c][3], out);
    for (int l = 0; l < 4; l++) store_column(at, 4 * l + c, 4, mode, out[l]);
  }
}

/* Moves a part to the end of its line, if it reaches no further: see some_bytes(). */
INLINE void align_part(square *at, int64_t itemsize)
{
  const int64_t before = (int64_t)((uintptr_t)at->to % DAP_LINE) / itemsize;
  at->first = at->rows + before <= DAP_LINE / itemsize ? before : 0;
  at->rows += at->first;
  at->from -= at->first * at->from_step;
  at->to -= at->first * itemsize;
}

/* Short rows end before the processor has seen that they go on: those of the next panel are asked for. Of
 * rows that are a power of two apart the first cache holds WAYS lines; more go to the second. */
enum { SHORT_ROW = 1024, WAYS = 8 };

INLINE void fetch_rows(const char *from, int64_t step, int64_t count, bool are_many)
{
  for (int64_t k = 0; k < count; k++)
    if (are_many)
      _mm_prefetch(from + k * step, _MM_HINT_T1);
    else
      fetch(from + k * step);
}

/* Called with constants only, so that each becomes a loop of its own. */
INLINE void transpose_panel(const dap_panel *panel, int64_t itemsize,
                            void (*transpose)(const square *, square_mode))
{
  const int64_t side = DAP_LINE / itemsize;
  const bool is_short = panel->next != 0 && panel->columns * itemsize <= SHORT_ROW;
  square at = {.from_step = panel->from_step, .to_step = panel->to_step};
  for (int64_t j = 0; j < panel->columns; j += side)
    for (int64_t i = 0; i < panel->rows; i += side) {
      at.from = panel->from + i * panel->from_step + j * itemsize;
      at.to = panel->to + i * itemsize + j * panel->to_step;
      if (is_short) fetch_rows(at.from + panel->next, at.from_step, side, panel->rows > WAYS);
      at.rows = panel->rows - i < side ? panel->rows - i : side;
      at.columns = panel->columns - j < side ? panel->columns - j : side;
      if (at.rows < side || at.columns < side) {
        align_part(&at, itemsize);
        transpose(&at, MODE_PART);
      } else
        transpose(&at, panel->stream ? MODE_STREAM : MODE_STORE);
    }
}

#define TRANSPOSE(size)                                                                                      \
  AVX512 void dap_avx512_transpose_##size(const dap_panel *panel)                                            \
  {                                                                                                          \
    transpose_panel(panel, size, transpose_square_##size);                                                   \
  }
TRANSPOSE(4)
TRANSPOSE(8)
TRANSPOSE(16)

#endif
