/* Copies element by element, for what has no better way. */
#include "kernel_sets.h"
#include "sizes.h"

void dap_items_copy(const dap_block *block)
{
  const int in = block->n[1] > 1 ? 1 : 0, out = 1 - in;
  const int64_t outer = block->n[out], inner = block->n[in];
  const int64_t from_outer = block->from_step[out], to_outer = block->to_step[out];
  const int64_t from_inner = block->from_step[in], to_inner = block->to_step[in];
#define COPY(copy, bytes)                                                                                    \
  for (int64_t i = 0; i < outer; i++) {                                                                      \
    const char *from = block->from + i * from_outer;                                                         \
    char *to = block->to + i * to_outer;                                                                     \
    for (int64_t j = 0; j < inner; j++) copy(from + j * from_inner, to + j * to_inner, (bytes));             \
  }
  DAP_BY_SIZE(COPY, block->itemsize)
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

void dap_items_transpose(const dap_panel *panel, int64_t itemsize)
{
  dap_items_copy(&(const dap_block){.from = panel->from,
                                    .to = panel->to,
                                    .n = {panel->columns, panel->rows},
                                    .from_step = {itemsize, panel->from_step},
                                    .to_step = {panel->to_step, itemsize},
                                    .itemsize = itemsize});
}
