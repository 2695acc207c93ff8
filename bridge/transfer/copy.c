/* The copy kernel: every element of a product of overlaps, from one strided place to another. Element
 * types do not exist here, only their size. */
#include "transfer_impl.h"

#include <string.h>

/* memcpy with a constant size becomes one load and one store. */
#define COPY_STRIDED(size)                                                                                   \
  for (int64_t i = 0; i < count; i++, from += from_stride, to += to_stride) memcpy(to, from, (size))

/* `count` elements at constant strides. */
static void copy_row(const char *from, int64_t from_stride, char *to, int64_t to_stride, int64_t count,
                     int64_t itemsize)
{
  if (from_stride == itemsize && to_stride == itemsize) {
    memcpy(to, from, (size_t)(count * itemsize));
    return;
  }
  switch (itemsize) {
  case 1:
    COPY_STRIDED(1);
    break;
  case 2:
    COPY_STRIDED(2);
    break;
  case 4:
    COPY_STRIDED(4);
    break;
  case 8:
    COPY_STRIDED(8);
    break;
  case 16:
    COPY_STRIDED(16);
    break;
  default:
    COPY_STRIDED((size_t)itemsize);
    break;
  }
}

/* One comb of the innermost axis: rows of `length`, or one row across the steps when they are single
 * elements. */
static void copy_comb(const dap_comb *comb, const char *from, int64_t from_stride, char *to,
                      int64_t to_stride, int64_t itemsize)
{
  from += comb->from * from_stride;
  to += comb->to * to_stride;
  if (comb->length == 1) {
    copy_row(from, comb->from_step * from_stride, to, comb->to_step * to_stride, comb->count, itemsize);
    return;
  }
  for (int64_t i = 0; i < comb->count; i++)
    copy_row(from + i * comb->from_step * from_stride, from_stride, to + i * comb->to_step * to_stride,
             to_stride, comb->length, itemsize);
}

static void copy_axis(const dap_copy *copy, int level, const char *from, char *to)
{
  const dap_overlap *axis = copy->axes[level];
  const int64_t from_stride = copy->from_strides[level], to_stride = copy->to_strides[level];
  const bool innermost = level == copy->ndim - 1;
  for (int64_t c = 0; c < axis->size; c++) {
    const dap_comb *comb = &axis->combs[c];
    if (innermost) {
      copy_comb(comb, from, from_stride, to, to_stride, copy->itemsize);
      continue;
    }
    for (int64_t i = 0; i < comb->count; i++)
      for (int64_t j = 0; j < comb->length; j++)
        copy_axis(copy, level + 1, from + (comb->from + i * comb->from_step + j) * from_stride,
                  to + (comb->to + i * comb->to_step + j) * to_stride);
  }
}

void dap_copy_run(const dap_copy *copy, const char *from, char *to)
{
  if (copy->ndim == 0)
    memcpy(to, from, (size_t)copy->itemsize);
  else
    copy_axis(copy, 0, from, to);
}
