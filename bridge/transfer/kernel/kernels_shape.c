/* What a block is: rows, a transposition, a strided line, or just elements; and how it is cut up for the
 * moves that do it. */
#include "kernel_sets.h"

/* ---- sizes and alignment ------------------------------------------------------------------------ */

static int64_t min(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* DAP_WIDTH_COUNT: none. */
static int width_of(int64_t itemsize)
{
  switch (itemsize) {
  case 4:
    return DAP_WIDTH_4;
  case 8:
    return DAP_WIDTH_8;
  case 16:
    return DAP_WIDTH_16;
  default:
    return DAP_WIDTH_COUNT;
  }
}

/* Bytes up to the next line. */
static int64_t bytes_to_line(const char *to)
{
  return (int64_t)(-(uintptr_t)to % DAP_LINE);
}

/* ---- normal form -------------------------------------------------------------------------------- */

static void swap_axes(dap_block *block)
{
  const dap_block old = *block;
  for (int k = 0; k < 2; k++) {
    block->n[k] = old.n[1 - k];
    block->from_step[k] = old.from_step[1 - k];
    block->to_step[k] = old.to_step[1 - k];
  }
}

/* The same elements with the destination ascending along both axes, axis 1 the one with the smaller steps
 * there. An axis of one element comes first, and its steps do not matter. */
static void normalize(dap_block *block)
{
  for (int k = 0; k < 2; k++) {
    if (block->to_step[k] >= 0) continue;
    block->from += (block->n[k] - 1) * block->from_step[k];
    block->to += (block->n[k] - 1) * block->to_step[k];
    block->from_step[k] = -block->from_step[k];
    block->to_step[k] = -block->to_step[k];
  }
  if (block->n[1] == 1 || (block->n[0] > 1 && block->to_step[0] < block->to_step[1])) swap_axes(block);
}

/* Elements [start, start + n) along an axis. */
static dap_block part_of(const dap_block *block, int axis, int64_t start, int64_t n)
{
  dap_block part = *block;
  part.from += start * block->from_step[axis];
  part.to += start * block->to_step[axis];
  part.n[axis] = n;
  return part;
}

/* ---- rows: contiguous on both sides ------------------------------------------------------------- */

/* Of rows, a line of elements as long as a row; of one that follows another, a single element. */
static void widen(dap_block *block)
{
  for (int k = 1; k >= 0; k--) {
    if (block->from_step[1] != block->itemsize || block->to_step[1] != block->itemsize) return;
    block->itemsize *= block->n[1];
    block->n[1] = 1;
    swap_axes(block);
  }
}

static bool is_rows(const dap_block *block)
{
  return block->itemsize >= 2 * DAP_LINE;
}

static void stream_rows(const dap_block *block, const dap_moves *moves)
{
  dap_rows rows = {.from_step = block->from_step[1],
                   .to_step = block->to_step[1],
                   .count = block->n[1],
                   .bytes = block->itemsize,
                   .from_next = block->from_step[0],
                   .to_next = block->to_step[0]};
  for (int64_t i = 0; i < block->n[0]; i++) {
    rows.from = block->from + i * block->from_step[0];
    rows.to = block->to + i * block->to_step[0];
    if (i + 1 == block->n[0]) rows.from_next = rows.to_next = 0;
    moves->stream_rows(&rows);
  }
}

/* ---- transpositions: the destination contiguous along axis 1, the source along axis 0 ------------- */

/* Elements of a panel along the destination's lines and along the source's. More of the former evict each
 * other where leading dimensions are powers of two; more of the latter are more pages than the processor
 * knows. */
enum { PANEL_ROWS = 16, PANEL_COLUMNS = 1024 };

static void transpose_columns(const dap_block *block, void (*transpose)(const dap_panel *), bool stream)
{
  const int64_t rows = block->n[1], per_line = DAP_LINE / block->itemsize;
  dap_panel panel = {.from_step = block->from_step[1], .to_step = block->to_step[0], .columns = block->n[0]};
  int64_t head = stream ? min(bytes_to_line(block->to) / block->itemsize, rows) : 0;
  for (int64_t i = 0; i < rows; i += panel.rows) {
    panel.from = block->from + i * block->from_step[1];
    panel.to = block->to + i * block->itemsize;
    panel.rows = min(PANEL_ROWS, rows - i);
    if (stream && head > 0)
      panel.rows = head;
    else if (stream && panel.rows > per_line)
      panel.rows -= panel.rows % per_line;
    panel.stream = stream && head == 0 && panel.rows % per_line == 0;
    head = 0;
    panel.next = i + panel.rows < rows ? panel.rows * block->from_step[1]
                 : block->next         ? block->next - i * block->from_step[1]
                                       : 0;
    transpose(&panel);
  }
}

/* Where each line of the destination begins elsewhere in a cache line: through memory that stays in the
 * cache, and from there as rows, each of which finds its own way to a line. */
static void transpose_by_rows(const dap_block *block, void (*transpose)(const dap_panel *),
                              const dap_moves *moves)
{
  enum { ROW = 16 * DAP_LINE, ROWS = 64 };
  _Alignas(DAP_LINE) char cached[ROWS * ROW];
  const int64_t per_row = ROW / block->itemsize;
  for (int64_t i = 0; i < block->n[1]; i += per_row)
    for (int64_t j = 0; j < block->n[0]; j += ROWS) {
      const dap_block columns = part_of(block, 0, j, min(ROWS, block->n[0] - j));
      dap_block part = part_of(&columns, 1, i, min(per_row, block->n[1] - i));
      const dap_rows rows = {.from = cached,
                             .to = part.to,
                             .from_step = ROW,
                             .to_step = part.to_step[0],
                             .count = part.n[0],
                             .bytes = part.n[1] * part.itemsize};
      if (rows.bytes >= 2 * DAP_LINE) {
        part.to = cached;
        part.to_step[0] = ROW;
      }
      transpose_columns(&part, transpose, false);
      if (rows.bytes >= 2 * DAP_LINE) moves->stream_rows(&rows);
    }
}

static void copy_transposed(const dap_block *block, void (*transpose)(const dap_panel *),
                            const dap_moves *moves)
{
  enum { LONG = 4 * DAP_LINE };
  const bool all_at_lines =
      bytes_to_line(block->to) % block->itemsize == 0 && block->to_step[0] % DAP_LINE == 0;
  if (block->stream && !all_at_lines && moves->stream_rows && block->n[1] * block->itemsize >= LONG) {
    transpose_by_rows(block, transpose, moves);
    return;
  }
  for (int64_t j = 0; j < block->n[0]; j += PANEL_COLUMNS) {
    const dap_block columns = part_of(block, 0, j, min(PANEL_COLUMNS, block->n[0] - j));
    transpose_columns(&columns, transpose, block->stream && all_at_lines);
  }
}

/* ---- strided lines: the destination contiguous along axis 1 --------------------------------------- */

typedef void gather_lines(char *to, const char *from, int64_t from_step, int64_t lines, bool stream);

static void gather_row(const dap_block *row, gather_lines *gather)
{
  const int64_t per_line = DAP_LINE / row->itemsize;
  const bool stream = row->stream && bytes_to_line(row->to) % row->itemsize == 0;
  const int64_t head = stream ? min(bytes_to_line(row->to) / row->itemsize, row->n[1]) : 0;
  const int64_t lines = (row->n[1] - head) / per_line, tail = head + lines * per_line;
  dap_block problem = part_of(row, 1, 0, head);
  dap_items_copy(&problem);
  if (lines > 0)
    gather(row->to + head * row->itemsize, row->from + head * row->from_step[1], row->from_step[1], lines,
           stream);
  problem = part_of(row, 1, tail, row->n[1] - tail);
  dap_items_copy(&problem);
}

static void copy_gathered(const dap_block *block, gather_lines *gather)
{
  for (int64_t i = 0; i < block->n[0]; i++) {
    const dap_block row = part_of(block, 0, i, 1);
    gather_row(&row, gather);
  }
}

/* ---- all others --------------------------------------------------------------------------------- */

/* The source's steps are the smaller ones along axis 1, or there is no other. */
static bool is_in_order(const dap_block *block)
{
  return block->n[0] == 1 || dap_magnitude(block->from_step[1]) <= dap_magnitude(block->from_step[0]);
}

/* Panels where the source's neighbours lie along the other axis, so that each of its lines is read once. */
static void copy_items(const dap_block *block)
{
  enum { PANEL = 8 };
  if (is_in_order(block)) {
    dap_items_copy(block);
    return;
  }
  for (int64_t j = 0; j < block->n[0]; j += PANEL_COLUMNS)
    for (int64_t i = 0; i < block->n[1]; i += PANEL) {
      const dap_block columns = part_of(block, 0, j, min(PANEL_COLUMNS, block->n[0] - j));
      const dap_block panel = part_of(&columns, 1, i, min(PANEL, block->n[1] - i));
      dap_items_copy(&panel);
    }
}

void dap_block_copy(const dap_block *block, const dap_moves *moves)
{
  if (block->n[0] <= 0 || block->n[1] <= 0) return;
  dap_block normal = *block;
  normalize(&normal);
  widen(&normal);
  const int width = width_of(normal.itemsize);
  const bool makes_lines = width < DAP_WIDTH_COUNT && normal.to_step[1] == normal.itemsize;
  if (normal.stream && moves->stream_rows && is_rows(&normal))
    stream_rows(&normal, moves);
  else if (makes_lines && moves->gather[width] && is_in_order(&normal) &&
           normal.n[1] * normal.itemsize >= DAP_LINE)
    copy_gathered(&normal, moves->gather[width]);
  else if (makes_lines && moves->transpose[width] && normal.from_step[0] == normal.itemsize)
    copy_transposed(&normal, moves->transpose[width], moves);
  else
    copy_items(&normal);
}

/* ---- interleaving ------------------------------------------------------------------------------- */

enum { MAX_SOURCES = 16 };

/* After `done` elements it is the turn of another source, and each has fewer elements left. */
static void turn_sources(const char *const from[], int sources, int64_t done, int64_t itemsize,
                         const char *turned[])
{
  for (int k = 0; k < sources; k++) turned[k] = from[(done + k) % sources] + (done + k) / sources * itemsize;
}

typedef void interleave_lines(char *to, const char *const from[], int64_t lines, bool stream);

static interleave_lines *lines_of(const dap_moves *moves, int sources, int64_t itemsize)
{
  const int width = width_of(itemsize);
  if (width == DAP_WIDTH_COUNT || (sources != 2 && sources != 4)) return NULL;
  return moves->interleave[sources == 2 ? DAP_FROM_2 : DAP_FROM_4][width];
}

/* Past the caches: element by element into memory that stays in the cache, and from there in whole lines.
 * That is faster than lines put together in registers, which take an instruction for each source and line. */
static void interleave_through(char *to, const char *const from[], int sources, int64_t count,
                               int64_t itemsize, const dap_moves *moves)
{
  enum { PART = 64 /* elements, or a multiple: whole lines */, CACHED = 4096 };
  _Alignas(DAP_LINE) char cached[CACHED];
  const char *turned[MAX_SOURCES];
  const int64_t part = CACHED / itemsize / PART * PART;
  for (int64_t done = 0, n; done < count; done += n) {
    const int64_t head = done == 0 ? bytes_to_line(to) / itemsize : 0;
    n = min(part - head, count - done);
    turn_sources(from, sources, done, itemsize, turned);
    const bool is_short = n * itemsize < 2 * DAP_LINE;
    dap_items_interleave(is_short ? to + done * itemsize : cached, turned, sources, n, itemsize);
    if (is_short) continue;
    moves->stream_rows(
        &(const dap_rows){.from = cached, .to = to + done * itemsize, .count = 1, .bytes = n * itemsize});
  }
}

void dap_block_interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize,
                          bool stream, const dap_moves *moves)
{
  const char *turned[MAX_SOURCES];
  interleave_lines *const lines = lines_of(moves, sources, itemsize);
  if (!lines && stream && moves->stream_rows && itemsize <= DAP_LINE) {
    interleave_through(to, from, sources, count, itemsize, moves);
    return;
  }
  stream = stream && bytes_to_line(to) % itemsize == 0;
  const int64_t head = stream ? min(bytes_to_line(to) / itemsize, count) : 0;
  const int64_t turn = sources * (DAP_LINE / itemsize), body = lines ? (count - head) / turn * turn : 0;
  dap_items_interleave(to, from, sources, head, itemsize);
  turn_sources(from, sources, head, itemsize, turned);
  if (body > 0) lines(to + head * itemsize, turned, body / turn * sources, stream);
  turn_sources(from, sources, head + body, itemsize, turned);
  dap_items_interleave(to + (head + body) * itemsize, turned, sources, count - head - body, itemsize);
}
