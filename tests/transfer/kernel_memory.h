/* Provides memory for tests of copy kernels. Sources end with their last element, and destinations lie
 * between guards. */
#ifndef DAP_TEST_KERNEL_MEMORY_H
#define DAP_TEST_KERNEL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of elements that have a way of their own, and those around; bytes from a multiple of 64. */
enum { KERNEL_ITEMSIZES = 15, KERNEL_OFFSETS = 6 };
extern const int64_t kernel_itemsizes[KERNEL_ITEMSIZES];
extern const size_t kernel_offsets[KERNEL_OFFSETS];

/* A place for elements. */
typedef struct place {
  char *memory, *start;
  size_t size;
} place;

/* Of random bytes, numbered by `seed`, at `offset`; as large as the elements, so that a sanitizer sees what
 * is read beyond. Ended with place_free(), as all are. */
place place_source(size_t bytes, size_t offset, size_t seed);

/* With guards around it; `start` is `offset` bytes beyond a multiple of 64. */
place place_destination(size_t bytes, size_t offset);

/* What a destination must become: its old bytes, until elements are copied there. */
place place_expected(const place *to);

/* Records a failure unless all bytes are as expected, the guards' too. */
void place_check(const place *got, const place *want);

void place_free(place *old);

#endif
