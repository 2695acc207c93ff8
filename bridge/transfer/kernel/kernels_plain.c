/* The plain set: for any processor. */
#include "kernel_sets.h"

static const dap_moves no_moves = {0};

static bool is_usable(void)
{
  return true;
}

static void copy(const dap_block *block)
{
  dap_block_copy(block, &no_moves);
}

static void interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize,
                       bool stream)
{
  dap_block_interleave(to, from, sources, count, itemsize, stream, &no_moves);
}

static void fence(void)
{
  /* Nothing is streamed, and whoever stores a count with release stores it behind all plain stores, on every
   * processor. */
}

const dap_kernels dap_kernels_plain = {
    .name = "plain", .is_usable = is_usable, .copy = copy, .interleave = interleave, .fence = fence};
