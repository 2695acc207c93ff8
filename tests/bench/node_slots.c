/* What one process writes and another reads: a slot in memory that both see, again and again as in a long
 * run; or the other's own memory, by the kernel. Of each pair the even one writes. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): process_vm_readv() */
#include "node.h"

#include "numbers.h"
#include "stream.h"

#include <string.h>
#ifdef __linux__
#include <sys/uio.h>
#endif

/* ---- slots --------------------------------------------------------------------------------------------- */

/* Seconds in which a slot is written, or read. */
static double move_slots(const node *n, bool past)
{
  enum { TIMES = 8 };
  double seconds = 0;
  for (int i = 0; i < TIMES; i++) {
    node_await(n, n->is_even);
    const double begun = bench_now();
    if (!n->is_even)
      memcpy(n->to, n->shared->slot, NODE_CACHED);
    else if (past)
      bench_stream(n->shared->slot, n->from, NODE_CACHED);
    else
      memcpy(n->shared->slot, n->from, NODE_CACHED);
    seconds += bench_now() - begun;
    node_pass(n);
  }
  node_end_turns(n);
  return seconds / TIMES;
}

static double side_of(const node *n, bool past, bool is_written)
{
  if (n->partner < 0) return 0;
  const double seconds = move_slots(n, past);
  return n->is_even == is_written ? seconds : 0;
}

double node_through_written(const node *n)
{
  return side_of(n, false, true);
}

double node_through_read(const node *n)
{
  return side_of(n, false, false);
}

double node_past_written(const node *n)
{
  return side_of(n, true, true);
}

double node_past_read(const node *n)
{
  return side_of(n, true, false);
}

/* ---- the kernel's reads -------------------------------------------------------------------------------- */

#ifdef __linux__
/* `count` pieces at equal steps; false: the system does not permit it. */
static bool read_pieces(const node *n, int count, size_t bytes, size_t step)
{
  struct iovec from[NODE_PIECES], to[NODE_PIECES];
  char *const theirs = (char *)(uintptr_t)n->shared->address; /* NOLINT(performance-no-int-to-ptr) */
  for (int i = 0; i < count; i++) {
    from[i] = (struct iovec){theirs + (size_t)i * step, bytes};
    to[i] = (struct iovec){n->to + (size_t)i * step, bytes};
  }
  return process_vm_readv((pid_t)n->shared->process, to, (unsigned long)count, from, (unsigned long)count,
                          0) == (ssize_t)((size_t)count * bytes);
}
#else
static bool read_pieces(const node *n, int count, size_t bytes, size_t step)
{
  (void)n, (void)count, (void)bytes, (void)step;
  return false;
}
#endif

static double read_times(const node *n, int times, int count, size_t bytes, size_t step)
{
  if (n->partner < 0 || n->is_even) return 0;
  const double begun = bench_now();
  for (int i = 0; i < times; i++)
    if (!read_pieces(n, count, bytes, step)) return -1;
  return (bench_now() - begun) / times;
}

/* What was written since it was read last, as slots are. */
double node_fetch(const node *n)
{
  enum { TIMES = 8 };
  double seconds = 0;
  for (int i = 0; i < TIMES && n->partner >= 0; i++) {
    node_await(n, n->is_even);
    if (n->is_even) memset(n->from, i, NODE_CACHED);
    const double once = read_times(n, 1, 1, NODE_CACHED, 0);
    seconds = seconds < 0 || once < 0 ? -1 : seconds + once;
    node_pass(n);
  }
  if (n->partner >= 0) node_end_turns(n);
  return seconds / TIMES;
}

double node_fetch_call(const node *n)
{
  return read_times(n, NODE_CALLS, 1, NODE_PIECE, 0);
}

/* More than what the call takes: of pieces, each on a page of its own. */
double node_fetch_piece(const node *n)
{
  const double one = node_fetch_call(n), all = read_times(n, 8, NODE_PIECES, NODE_PIECE, 4096);
  return one < 0 || all < 0 ? -1 : n->is_even || n->partner < 0 ? 0 : all - one;
}
