/* Brings the loops of a copy between two strided buffers into one form, whose innermost loops tell how to
 * copy it. FFTW does the same with its tensors. */
#include "kernel_impl.h"

void dap_nest_add(dap_nest *nest, int64_t count, int64_t from, int64_t to)
{
  nest->loops[nest->depth++] = (dap_loop){count, from, to};
}

static bool is_inner(const dap_loop *a, const dap_loop *b)
{
  return a->to != b->to ? a->to < b->to : dap_magnitude(a->from) < dap_magnitude(b->from);
}

/* Adds a loop with ascending destination to the sorted ones. */
static void insert(dap_nest *nest, dap_loop loop)
{
  int at = nest->depth++;
  for (; at > 0 && is_inner(&loop, &nest->loops[at - 1]); at--) nest->loops[at] = nest->loops[at - 1];
  nest->loops[at] = loop;
}

static void merge(dap_nest *nest)
{
  int last = 0;
  for (int i = 1; i < nest->depth; i++) {
    dap_loop *inner = &nest->loops[last];
    const dap_loop outer = nest->loops[i];
    if (outer.from == inner->count * inner->from && outer.to == inner->count * inner->to)
      inner->count *= outer.count;
    else
      nest->loops[++last] = outer;
  }
  if (nest->depth > 0) nest->depth = last + 1;
}

void dap_nest_sort(const dap_nest *nest, dap_nest *sorted)
{
  sorted->from = nest->from;
  sorted->to = nest->to;
  sorted->bytes = nest->bytes;
  sorted->depth = 0;
  for (int i = 0; i < nest->depth; i++) {
    dap_loop loop = nest->loops[i];
    if (loop.count == 1) continue;
    if (loop.to < 0) { /* begin with the last iteration */
      sorted->from += (loop.count - 1) * loop.from;
      sorted->to += (loop.count - 1) * loop.to;
      loop = (dap_loop){loop.count, -loop.from, -loop.to};
    }
    insert(sorted, loop);
  }
  merge(sorted);
}

void dap_nest_widen(dap_nest *nest)
{
  if (nest->depth == 0) return;
  const dap_loop first = nest->loops[0];
  if (first.from != nest->bytes || first.to != nest->bytes) return;
  nest->bytes *= first.count;
  nest->depth--;
  for (int i = 0; i < nest->depth; i++) nest->loops[i] = nest->loops[i + 1];
}
