/* Copies element by element, where no set has a better way, and elements that are listed at either end. */
#include "kernel_sets.h"
#include "places.h"

void dap_items_copy(const dap_block *block)
{
  const bool is_flat = block->in.count == 1;
  const dap_loop *in = is_flat ? &block->out : &block->in, *out = is_flat ? &block->in : &block->out;
  const int64_t outer = out->count, from_outer = out->from, to_outer = out->to;
  const int64_t inner = in->count, from_inner = in->from, to_inner = in->to;
#define COPY(copy, bytes)                                                                                    \
  for (int64_t i = 0; i < outer; i++) {                                                                      \
    const char *from = block->from + i * from_outer;                                                         \
    char *to = block->to + i * to_outer;                                                                     \
    for (int64_t j = 0; j < inner; j++) copy(from + j * from_inner, to + j * to_inner, (bytes));             \
  }
  DAP_BY_SIZE(COPY, block->bytes)
#undef COPY
}

void dap_items_interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize)
{
#define COPY(copy, bytes)                                                                                    \
  for (int64_t i = 0, at = 0; i < count; at += (bytes))                                                      \
    for (int k = 0; k < sources && i < count; k++, i++) copy(from[k] + at, to + i * (bytes), (bytes))
  DAP_BY_SIZE(COPY, itemsize)
#undef COPY
}

/* Copies a few bytes at each place, such as the components of a node. */
void dap_copy_pairs(const dap_pairs *pairs, int64_t itemsize)
{
  const int64_t bytes = pairs->each * itemsize;
  if (dap_pairs_are_dense(pairs, itemsize)) {
    memcpy(pairs->to, pairs->from, (size_t)(pairs->count * bytes));
    return;
  }
#define COPY(copy, bytes) dap_pairs_run(pairs, 1, copy, (bytes))
  DAP_BY_SIZE(COPY, bytes)
#undef COPY
}
