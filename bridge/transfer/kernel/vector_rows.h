/* Streams rows in whole lines. This is a template, see vector_lines.h. */
#ifndef DAP_VECTOR_ROWS_H
#define DAP_VECTOR_ROWS_H

#include "kernel_sets.h"

#ifdef VECTOR

/* Short rows end before the processor has seen that they go on. So lines that a later row reads, or writes in
 * part, are fetched ahead. */
enum { SHORT_ROW = 4096, READ_AHEAD = 4, WRITE_AHEAD = 8, AT_ONCE = 4 };

/* Returns the bytes from row i to the row that is fetched with it, `ahead` rows on; 0: no row is. `next` is
 * the step to the rows that follow. */
INLINE int64_t distance(const dap_block *rows, int64_t i, int64_t ahead, int64_t step, int64_t next)
{
  const int64_t count = rows->in.count;
  if (rows->bytes > SHORT_ROW) return 0;
  if (i + ahead < count) return ahead * step;
  return next != 0 && count >= ahead ? next + (ahead - count) * step : 0;
}

/* Streams `count` lines. All are loaded before one is stored. A load would wait for a store under way if
 * the last 12 bits of their addresses are equal. */
INLINE void stream_some(char *to, const char *from, int64_t ahead, int count)
{
  line lines[AT_ONCE];
  UNROLL for (int l = 0; l < count; l++)
  {
    if (ahead) fetch(from + l * DAP_LINE + ahead);
    lines[l] = load_line(from + l * DAP_LINE);
  }
  UNROLL for (int l = 0; l < count; l++) put_line(to + l * DAP_LINE, lines[l], true);
}

/* Streams the whole lines of a row to the beginning of a line. Returns the bytes. */
INLINE int64_t stream_lines(char *to, const char *from, int64_t bytes, int64_t ahead)
{
  int64_t at = 0;
  for (; at + AT_ONCE * DAP_LINE <= bytes; at += AT_ONCE * DAP_LINE)
    stream_some(to + at, from + at, ahead, AT_ONCE);
  for (; at + DAP_LINE <= bytes; at += DAP_LINE) stream_some(to + at, from + at, ahead, 1);
  return at;
}

/* Stores a row's beginning, up to the first line. Returns the bytes. A store that reaches into the next line
 * would fetch that one as well, so the store is masked from the beginning of its line. */
INLINE int64_t store_head(char *to, const char *from)
{
  const int64_t head = dap_bytes_to_line(to), before = DAP_LINE - head;
  if (head > 0) copy_some(to - before, from - before, before, DAP_LINE);
  return head;
}

/* Streams a row. It is not inline, because a short row takes a tenth less time with all its pointers in
 * registers. */
__attribute__((noinline)) TARGET static void stream_row(char *to, const char *from, int64_t bytes,
                                                        int64_t from_ahead, int64_t to_ahead)
{
  if (to_ahead && dap_bytes_to_line(to) > 0) fetch(to + to_ahead);
  int64_t at = store_head(to, from);
  at += stream_lines(to + at, from + at, bytes - at, from_ahead);
  if (at == bytes) return;
  if (to_ahead) fetch(to + at + to_ahead);
  copy_some(to + at, from + at, 0, bytes - at);
}

/* Streams rows that follow each other in the destination. A line in which one row ends and the next begins is
 * put together. */
TARGET static void stream_joined_rows(const dap_block *rows)
{
  const int64_t bytes = rows->bytes, count = rows->in.count;
  char *to = rows->to;
  int64_t at = store_head(to, rows->from); /* bytes of the row that are stored */
  to += at;
  for (int64_t i = 0; i < count; i++) {
    const char *from = rows->from + i * rows->in.from;
    const int64_t ahead = distance(rows, i, READ_AHEAD, rows->in.from, rows->out.from);
    const int64_t done = stream_lines(to, from + at, bytes - at, ahead);
    const int64_t left = bytes - at - done;
    to += done;
    at = 0;
    if (left == 0) continue;
    if (i + 1 == count) {
      copy_some(to, from + bytes - left, 0, left);
      continue;
    }
    line l = load_some(from + bytes - left, 0, left);
    const line begin = load_some(from + rows->in.from - left, left, DAP_LINE);
    UNROLL for (int k = 0; k < PARTS; k++) l.part[k] = l.part[k] | begin.part[k];
    put_line(to, l, true);
    to += DAP_LINE;
    at = DAP_LINE - left;
  }
}

TARGET static void stream_rows(const dap_block *rows)
{
  const dap_loop in = rows->in, out = rows->out;
  if (in.to == rows->bytes && in.count > 1) {
    stream_joined_rows(rows);
    return;
  }
  for (int64_t i = 0; i < in.count; i++)
    stream_row(rows->to + i * in.to, rows->from + i * in.from, rows->bytes,
               distance(rows, i, READ_AHEAD, in.from, out.from),
               distance(rows, i, WRITE_AHEAD, in.to, out.to));
}

#endif
#endif
