/* Measures a slot in shared memory that one process writes and another reads, again and again as in a long
 * run. The even process of each pair writes. */
#include "node.h"

#include "numbers.h"
#include "stream.h"

#include <string.h>

/* ---- slots --------------------------------------------------------------------------------------------- */

/* Returns the seconds in which a slot is written, or read. */
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
