/* Interleaves elements of several sources, by whole lines where a set has instructions for that. */
#include "kernel_sets.h"

/* Sets turned[] to the sources after `done` elements: another source comes first, and each has fewer elements
 * left. */
static void turn_sources(const char *const from[], int sources, int64_t done, int64_t itemsize,
                         const char *turned[])
{
  for (int k = 0; k < sources; k++) turned[k] = from[(done + k) % sources] + (done + k) / sources * itemsize;
}

static dap_interleave *find_lines(const dap_moves *moves, int sources, int64_t itemsize)
{
  const int width = dap_width_of(itemsize);
  if (width == DAP_WIDTH_COUNT || (sources != 2 && sources != 4)) return NULL;
  return moves->interleave[sources == 2 ? DAP_FROM_2 : DAP_FROM_4][width];
}

/* Interleaves past the caches: element by element into memory that stays in the cache, and from there in
 * whole lines. Lines put together in registers take an instruction for each source and line, which is
 * slower. */
static void interleave_through(char *to, const char *const from[], int sources, int64_t count,
                               int64_t itemsize, const dap_moves *moves)
{
  enum { PART = 64 /* this number of elements of any size fills whole lines */, CACHED = 4096 };
  _Alignas(DAP_LINE) char cached[CACHED];
  const char *turned[DAP_MOST_SOURCES];
  const int64_t part = CACHED / itemsize / PART * PART;
  for (int64_t done = 0, n; done < count; done += n) {
    const int64_t head = done == 0 ? dap_bytes_to_line(to) / itemsize : 0;
    n = dap_smaller(part - head, count - done);
    turn_sources(from, sources, done, itemsize, turned);
    const dap_block row = {cached, to + done * itemsize, n * itemsize, {.count = 1}, {.count = 1}};
    const bool is_short = row.bytes < 2 * DAP_LINE;
    dap_items_interleave(is_short ? row.to : cached, turned, sources, n, itemsize);
    if (!is_short) moves->stream_rows(&row);
  }
}

void dap_interleave_copy(const dap_kernels *set, char *to, const char *const from[], int sources,
                         int64_t count, int64_t itemsize, bool stream)
{
  const char *turned[DAP_MOST_SOURCES];
  const dap_moves *moves = set->moves;
  dap_interleave *const lines = find_lines(moves, sources, itemsize);
  if (!lines && stream && moves->stream_rows && itemsize <= DAP_LINE) {
    interleave_through(to, from, sources, count, itemsize, moves);
    return;
  }
  stream = stream && dap_bytes_to_line(to) % itemsize == 0;
  const int64_t head = stream ? dap_smaller(dap_bytes_to_line(to) / itemsize, count) : 0;
  const int64_t turn = sources * (DAP_LINE / itemsize), body = lines ? (count - head) / turn * turn : 0;
  dap_items_interleave(to, from, sources, head, itemsize);
  turn_sources(from, sources, head, itemsize, turned);
  if (body > 0) lines(to + head * itemsize, turned, body / turn * sources, stream);
  turn_sources(from, sources, head + body, itemsize, turned);
  dap_items_interleave(to + (head + body) * itemsize, turned, sources, count - head - body, itemsize);
}
