/* Measures how fast processes copy in their own memory, all at once. */
#include "node.h"

#include "numbers.h"
#include "stream.h"

#include <string.h>

/* Reads a byte, so that the compiler cannot remove unused copies. */
static void look(const char *at)
{
  (void)*(const volatile char *)at;
}

double node_copy_cached(const node *n)
{
  enum { TIMES = 16 };
  memcpy(n->to, n->from, NODE_CACHED);
  const double begun = bench_now();
  for (int i = 0; i < TIMES; i++) {
    memcpy(n->to, n->from, NODE_CACHED);
    look(n->to + i);
  }
  return (bench_now() - begun) / TIMES;
}

double node_copy(const node *n)
{
  const double begun = bench_now();
  memcpy(n->to, n->from, NODE_LARGE);
  look(n->to);
  return bench_now() - begun;
}

double node_copy_past(const node *n)
{
  const double begun = bench_now();
  bench_stream(n->to, n->from, NODE_LARGE);
  return bench_now() - begun;
}

/* Copies one line of each NODE_STEP bytes to adjacent lines. */
double node_gather(const node *n)
{
  const double begun = bench_now();
  for (int64_t i = 0; i < NODE_LARGE / NODE_STEP; i++)
    memcpy(n->to + i * BENCH_LINE, n->from + i * NODE_STEP, BENCH_LINE);
  look(n->to);
  return bench_now() - begun;
}
