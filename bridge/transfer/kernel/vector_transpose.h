/* Transposes by pieces, as a template, see vector_lines.h. A piece has a register's elements along the
 * source and a line's along the destination. */
#ifndef DAP_VECTOR_TRANSPOSE_H
#define DAP_VECTOR_TRANSPOSE_H

#include "kernel_sets.h"

#ifdef VECTOR

typedef enum piece_mode { MODE_STORE, MODE_STREAM, MODE_PART } piece_mode;

typedef struct piece {
  const char *from;
  char *to;
  int64_t from_step, to_step;
  int64_t first, rows, columns; /* MODE_PART: rows [first, rows) */
} piece;

INLINE vector load_row(const piece *at, int64_t i, int64_t bytes, piece_mode mode)
{
  const char *from = at->from + i * at->from_step;
  if (mode != MODE_PART) return load(from);
  return i >= at->first && i < at->rows ? load_part(from, 0, at->columns * bytes) : (vector){0};
}

INLINE void store_column(const piece *at, int64_t j, int64_t bytes, piece_mode mode, line column)
{
  char *to = at->to + j * at->to_step;
  if (mode != MODE_PART)
    put_line(to, column, mode == MODE_STREAM);
  else if (j < at->columns)
    store_some(to, at->first * bytes, at->rows * bytes, column);
}

/* Makes registers of whole lanes from rows that fill a lane: lanes[c] has column c of each lane. */
INLINE void make_lanes(const vector rows[4], int64_t bytes, vector lanes[4])
{
  if (bytes == 16) {
    lanes[0] = rows[0];
  } else if (bytes == 8) {
    lanes[0] = low_8(rows[0], rows[1]), lanes[1] = high_8(rows[0], rows[1]);
  } else {
    const vector ab_low = low_4(rows[0], rows[1]), ab_high = high_4(rows[0], rows[1]);
    const vector cd_low = low_4(rows[2], rows[3]), cd_high = high_4(rows[2], rows[3]);
    lanes[0] = low_8(ab_low, cd_low), lanes[1] = high_8(ab_low, cd_low);
    lanes[2] = low_8(ab_high, cd_high), lanes[3] = high_8(ab_high, cd_high);
  }
}

INLINE void transpose_piece(const piece *at, int64_t bytes, piece_mode mode)
{
  const int per_lane = (int)(16 / bytes), side = (int)(VECTOR / bytes);
  vector lanes[PARTS][4][LANES], rows[4], columns[4];
  UNROLL for (int p = 0; p < PARTS; p++) UNROLL for (int k = 0; k < LANES; k++)
  {
    UNROLL for (int r = 0; r < per_lane; r++) rows[r] =
        load_row(at, p * side + k * per_lane + r, bytes, mode);
    make_lanes(rows, bytes, columns);
    UNROLL for (int c = 0; c < per_lane; c++) lanes[p][c][k] = columns[c];
  }
  UNROLL for (int c = 0; c < per_lane; c++)
  {
    UNROLL for (int p = 0; p < PARTS; p++) transpose_lanes(lanes[p][c]);
    UNROLL for (int k = 0; k < LANES; k++)
    {
      line column;
      UNROLL for (int p = 0; p < PARTS; p++) column.part[p] = lanes[p][c][k];
      store_column(at, k * per_lane + c, bytes, mode, column);
    }
  }
}

INLINE piece piece_at(const dap_block *panel, int64_t i, int64_t j)
{
  return (piece){.from = panel->from + i * panel->in.from + j * panel->bytes,
                 .to = panel->to + i * panel->bytes + j * panel->out.to,
                 .from_step = panel->in.from,
                 .to_step = panel->out.to};
}

/* Transposes less than a piece. It is moved to the end of its line if it reaches no further: see
 * store_head(). */
INLINE void transpose_part(piece at, int64_t rows, int64_t columns, int64_t bytes)
{
  const int64_t before = (int64_t)((uintptr_t)at.to % DAP_LINE) / bytes;
  at.first = rows + before <= DAP_LINE / bytes ? before : 0;
  at.rows = rows + at.first;
  at.columns = columns;
  at.from -= at.first * at.from_step;
  at.to -= at.first * bytes;
  transpose_piece(&at, bytes, MODE_PART);
}

/* Transposes the last rows and columns. It is not inline, so that the loop over whole pieces keeps its
 * registers. */
__attribute__((noinline)) TARGET static void transpose_rest(const dap_block *panel)
{
  const int64_t bytes = panel->bytes, width = VECTOR / bytes, height = DAP_LINE / bytes;
  for (int64_t j = 0; j < panel->out.count; j += width)
    for (int64_t i = 0; i < panel->in.count; i += height) {
      const int64_t rows = dap_smaller(panel->in.count - i, height);
      const int64_t columns = dap_smaller(panel->out.count - j, width);
      const piece at = piece_at(panel, i, j);
      const dap_block rest = {
          at.from, at.to, bytes, {rows, at.from_step, bytes}, {columns, bytes, at.to_step}};
      if (rows == height && columns == width) continue;
      if (!MASKS)
        dap_items_copy(&rest);
      else if (bytes == 4)
        transpose_part(at, rows, columns, 4);
      else if (bytes == 8)
        transpose_part(at, rows, columns, 8);
      else
        transpose_part(at, rows, columns, 16);
    }
}

/* Transposes a panel. Calls have constants, so that each size and mode becomes a loop of its own. */
INLINE void transpose_panel(const dap_block *panel, int64_t bytes, piece_mode mode)
{
  const int64_t width = VECTOR / bytes, height = DAP_LINE / bytes;
  const int64_t rows = panel->in.count, columns = panel->out.count;
  for (int64_t j = 0; j + width <= columns; j += width)
    for (int64_t i = 0; i + height <= rows; i += height) {
      const piece at = piece_at(panel, i, j);
      transpose_piece(&at, bytes, mode);
    }
  if (columns % width != 0 || rows % height != 0) transpose_rest(panel);
}

#define TRANSPOSE(size)                                                                                      \
  TARGET static void transpose_##size(const dap_block *panel, bool past_caches)                              \
  {                                                                                                          \
    if (past_caches)                                                                                         \
      transpose_panel(panel, size, MODE_STREAM);                                                             \
    else                                                                                                     \
      transpose_panel(panel, size, MODE_STORE);                                                              \
  }
TRANSPOSE(4)
TRANSPOSE(8)
TRANSPOSE(16)

#endif
#endif
