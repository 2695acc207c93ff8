/* Copies element by element, for what has no better way. */
#include "kernel_sets.h"

#include <string.h>

/* memcpy with a constant size becomes one load and one store. */
#define FOR_SIZE(LOOP, itemsize)                                                                             \
  switch (itemsize) {                                                                                        \
  case 1:                                                                                                    \
    LOOP(1);                                                                                                 \
    break;                                                                                                   \
  case 2:                                                                                                    \
    LOOP(2);                                                                                                 \
    break;                                                                                                   \
  case 4:                                                                                                    \
    LOOP(4);                                                                                                 \
    break;                                                                                                   \
  case 8:                                                                                                    \
    LOOP(8);                                                                                                 \
    break;                                                                                                   \
  case 16:                                                                                                   \
    LOOP(16);                                                                                                \
    break;                                                                                                   \
  case 24:                                                                                                   \
    LOOP(24);                                                                                                \
    break;                                                                                                   \
  case 32:                                                                                                   \
    LOOP(32);                                                                                                \
    break;                                                                                                   \
  default:                                                                                                   \
    LOOP(itemsize);                                                                                          \
    break;                                                                                                   \
  }

void dap_items_copy(const dap_block *block)
{
  const int64_t outer = block->n[0], inner = block->n[1];
  const int64_t from_outer = block->from_step[0], to_outer = block->to_step[0];
  const int64_t from_inner = block->from_step[1], to_inner = block->to_step[1];
#define COPY(size)                                                                                           \
  for (int64_t i = 0; i < outer; i++) {                                                                      \
    const char *from = block->from + i * from_outer;                                                         \
    char *to = block->to + i * to_outer;                                                                     \
    for (int64_t j = 0; j < inner; j++) memcpy(to + j * to_inner, from + j * from_inner, (size_t)(size));    \
  }
  FOR_SIZE(COPY, block->itemsize)
#undef COPY
}

void dap_items_interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize)
{
#define COPY(size)                                                                                           \
  for (int64_t i = 0, at = 0; i < count; at += (size))                                                       \
    for (int k = 0; k < sources && i < count; k++, i++)                                                      \
  memcpy(to + i * itemsize, from[k] + at, (size_t)(size))
  FOR_SIZE(COPY, itemsize)
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
