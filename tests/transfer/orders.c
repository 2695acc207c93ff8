#include "orders.h"

#include "mpi_test.h"

#include <stdlib.h>

bool is_own_order(const int ranks[], int count)
{
  for (int q = 0; q < count; q++)
    if (ranks[q] != q) return false;
  return true;
}

bool are_different_ranks(const int ranks[], int count, int limit)
{
  bool *seen = calloc((size_t)limit, sizeof *seen);
  bool different = EXPECT(seen != NULL);
  for (int q = 0; q < count && different; q++) {
    different = EXPECT_MSG(ranks[q] >= 0 && ranks[q] < limit && !seen[ranks[q]],
                           "ranks[%d] = %d is outside or there twice", q, ranks[q]);
    if (different) seen[ranks[q]] = true;
  }
  free(seen);
  return different;
}
