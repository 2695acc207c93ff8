/* Cuts transpositions into panels for the sets. */
#include "kernel_sets.h"

/* Elements of a panel along the destination's lines (rows) and along the source's (columns). More rows evict
 * each other where leading dimensions are powers of two. More columns touch more pages than the processor's
 * tables hold. */
enum { PANEL_ROWS = 16, PANEL_COLUMNS = 1024 };

static void transpose_columns(dap_transpose *transpose, const dap_block *block, bool stream)
{
  const int64_t bytes = block->bytes, rows = block->in.count, per_line = DAP_LINE / bytes;
  dap_block panel = *block;
  int64_t head = stream ? dap_smaller(dap_bytes_to_line(block->to) / bytes, rows) : 0;
  for (int64_t i = 0; i < rows; i += panel.in.count) {
    panel.from = block->from + i * block->in.from;
    panel.to = block->to + i * bytes;
    panel.in.count = dap_smaller(PANEL_ROWS, rows - i);
    if (head > 0)
      panel.in.count = head;
    else if (stream && panel.in.count > per_line)
      panel.in.count -= panel.in.count % per_line;
    transpose(&panel, stream && head == 0 && panel.in.count % per_line == 0);
    head = 0;
  }
}

/* Bytes and number of rows that stay in the first cache, and are streamed from there. */
enum { ROW = 16 * DAP_LINE, ROWS = 64 };

/* Transposes elements [first, first + n) of block->in and `joined` to rows at `to`, `to_step` apart. */
static void fill_rows(dap_transpose *transpose, const dap_block *block, const dap_loop *joined, int64_t first,
                      int64_t n, char *to, int64_t to_step)
{
  const int64_t length = block->in.count;
  dap_block part = *block;
  part.out.to = to_step;
  for (int64_t done = 0; done < n; done += part.in.count) {
    const int64_t turn = (first + done) / length, at = (first + done) % length;
    part.in.count = dap_smaller(n - done, length - at);
    part.from = block->from + turn * joined->from + at * block->in.from;
    part.to = to + done * block->bytes;
    transpose_columns(transpose, &part, false);
  }
}

/* Transposes elements [first, first + n) of block->in and `joined` to rows in the cache, and streams these to
 * the destination. */
static void transpose_cached(const dap_moves *moves, dap_transpose *transpose, const dap_block *block,
                             const dap_loop *joined, int64_t first, int64_t n)
{
  _Alignas(DAP_LINE) char cached[ROWS * ROW];
  const int64_t row = n * block->bytes;
  const bool is_line = row == DAP_LINE && dap_bytes_to_line(block->to + first * block->bytes) == 0;
  dap_block part = *block;
  for (int64_t j = 0; j < block->out.count; j += ROWS) {
    char *const to = block->to + first * block->bytes + j * block->out.to;
    part.from = block->from + j * block->out.from;
    part.out.count = dap_smaller(ROWS, block->out.count - j);
    if (row >= 2 * DAP_LINE || is_line) {
      const dap_block rows = {cached, to, row, {part.out.count, ROW, block->out.to}, {.count = 1}};
      fill_rows(transpose, &part, joined, first, n, cached, ROW);
      moves->stream_rows(&rows);
    } else {
      fill_rows(transpose, &part, joined, first, n, to, block->out.to);
    }
  }
}

/* Transposes by whole lines where these lie in one iteration of `joined`, and through the cache elsewhere:
 * lines that two iterations share, and all lines if columns begin at different bytes of a line. */
static void transpose_by_rows(const dap_moves *moves, dap_transpose *transpose, const dap_block *block,
                              const dap_loop *joined, bool are_alike)
{
  const int64_t bytes = block->bytes, length = block->in.count, total = length * joined->count;
  for (int64_t i = 0, n; i < total; i += n) {
    const int64_t over = (int64_t)((uintptr_t)(block->to + i * bytes) % DAP_LINE), left = length - i % length;
    const int64_t whole = left - left % (DAP_LINE / bytes);
    if (are_alike && over == 0 && whole > 0) {
      dap_block part = *block;
      part.from += i / length * joined->from + i % length * block->in.from;
      part.to += i * bytes;
      part.in.count = n = whole;
      transpose_columns(transpose, &part, true);
    } else {
      n = dap_smaller(((are_alike ? DAP_LINE : ROW) - over) / bytes, total - i);
      transpose_cached(moves, transpose, block, joined, i, n);
    }
  }
}

static void transpose_joined(dap_transpose *transpose, const dap_block *block, const dap_loop *joined,
                             bool stream)
{
  dap_block part = *block;
  for (int64_t k = 0; k < joined->count; k++) {
    part.from = block->from + k * joined->from;
    part.to = block->to + k * joined->to;
    transpose_columns(transpose, &part, stream);
  }
}

void dap_block_transpose(const dap_moves *moves, const dap_block *block, const dap_loop *joined, bool stream)
{
  enum { LONG = 4 * DAP_LINE };
  dap_transpose *const transpose = moves->transpose[dap_width_of(block->bytes)];
  const int64_t before = dap_bytes_to_line(block->to), length = block->in.count * block->bytes;
  const bool are_alike = before % block->bytes == 0 && block->out.to % DAP_LINE == 0;
  const bool shares_lines = joined->count > 1 && (before != 0 || length % DAP_LINE != 0);
  const bool by_rows =
      stream && (!are_alike || shares_lines) && moves->stream_rows && joined->count * length >= LONG;
  dap_block part = *block;
  for (int64_t j = 0; j < block->out.count; j += PANEL_COLUMNS) {
    part.from = block->from + j * block->out.from;
    part.to = block->to + j * block->out.to;
    part.out.count = dap_smaller(PANEL_COLUMNS, block->out.count - j);
    if (by_rows)
      transpose_by_rows(moves, transpose, &part, joined, are_alike);
    else
      transpose_joined(transpose, &part, joined, stream && are_alike);
  }
}
