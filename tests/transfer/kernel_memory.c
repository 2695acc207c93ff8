#include "kernel_memory.h"

#include "mpi_test.h"

enum { GUARD = 192 };

const int64_t kernel_itemsizes[] = {1, 2, 3, 4, 5, 8, 12, 13, 16, 20, 24, 32, 40, 92, 130};
const size_t kernel_offsets[] = {0, 8, 16, 1, 48, 4};

/* The bytes of memory number `seed`: random, from a table whose length is no multiple of anything. */
static void fill(char *memory, size_t size, size_t seed)
{
  enum { PERIOD = 8191 };
  static char bytes[2 * PERIOD];
  if (!bytes[0]) {
    test_random random = test_random_init(42);
    for (int i = 0; i < PERIOD; i++)
      bytes[i] = bytes[i + PERIOD] = (char)(test_random_bits(&random) | (i == 0));
  }
  for (size_t at = 0; at < size; at += PERIOD)
    memcpy(memory + at, bytes + seed * 397 % PERIOD, size - at < PERIOD ? size - at : PERIOD);
}

static char *allocate(size_t size, size_t seed)
{
  char *memory = malloc(size > 0 ? size : 1);
  if (!memory) abort();
  fill(memory, size, seed);
  return memory;
}

place place_source(size_t bytes, size_t offset, size_t seed)
{
  char *memory = allocate(bytes + offset, seed);
  return (place){.memory = memory, .start = memory + offset, .size = bytes + offset};
}

place place_destination(size_t bytes, size_t offset)
{
  place to = {.size = bytes + offset + (size_t)2 * GUARD};
  to.memory = allocate(to.size, 2);
  to.start = to.memory + GUARD / 2;
  to.start += (64 - (uintptr_t)to.start % 64) + offset;
  return to;
}

place place_expected(const place *to)
{
  place want = {.memory = allocate(to->size, 2), .size = to->size};
  want.start = want.memory + (to->start - to->memory);
  return want;
}

void place_check(const place *got, const place *want)
{
  if (memcmp(got->memory, want->memory, got->size) == 0) return;
  size_t at = 0;
  while (got->memory[at] == want->memory[at]) at++;
  EXPECT_MSG(false, "byte %td of the destination is %d, not %d", got->memory + at - got->start,
             got->memory[at], want->memory[at]);
}

void place_free(place *old)
{
  free(old->memory);
}
