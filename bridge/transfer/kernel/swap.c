/* Reverses the bytes of numbers. */
#include "kernel_impl.h"

#include <string.h>

/* Reverses the bytes of one number of 1, 2, 4, 8 or 16 bytes. */
static inline void reverse(const char *from, char *to, int width)
{
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  if (width == 1) {
    *to = *from;
  } else if (width == 2) {
    memcpy(&two, from, sizeof two);
    two = __builtin_bswap16(two);
    memcpy(to, &two, sizeof two);
  } else if (width == 4) {
    memcpy(&four, from, sizeof four);
    four = __builtin_bswap32(four);
    memcpy(to, &four, sizeof four);
  } else {
    for (int done = 0; done < width; done += 8) {
      memcpy(&eight, from + done, sizeof eight);
      eight = __builtin_bswap64(eight);
      memcpy(to + width - 8 - done, &eight, sizeof eight);
    }
  }
}

/* The compiler makes a copy of this for each width. */
static inline void swap_all(const char *from, int64_t from_stride, char *to, int64_t to_stride, int64_t count,
                            int width)
{
  for (int64_t i = 0; i < count; i++) reverse(from + i * from_stride, to + i * to_stride, width);
}

void dap_swap_row(const char *from, int64_t from_stride, char *to, int64_t to_stride, int64_t count,
                  int width)
{
  if (width == 1)
    swap_all(from, from_stride, to, to_stride, count, 1);
  else if (width == 2)
    swap_all(from, from_stride, to, to_stride, count, 2);
  else if (width == 4)
    swap_all(from, from_stride, to, to_stride, count, 4);
  else if (width == 8)
    swap_all(from, from_stride, to, to_stride, count, 8);
  else
    swap_all(from, from_stride, to, to_stride, count, 16);
}
