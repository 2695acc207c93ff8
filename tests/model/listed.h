/* An axis of lists for the tests of sections: small enough to say by hand who has what. */
#ifndef DAP_TEST_LISTED_H
#define DAP_TEST_LISTED_H

#include <dapbridge/layout.h>

/* 6 indices on 3 processes: (5, 0, 3), (3, 1) and (4, 2, 1), so that 1 and 3 are held twice. */
static inline dap_dist listed_axis(void)
{
  static const int64_t list_0[] = {5, 0, 3}, list_1[] = {3, 1}, list_2[] = {4, 2, 1};
  static const int64_t *const lists[] = {list_0, list_1, list_2};
  static const int64_t lengths[] = {3, 2, 3};
  return dap_dist_unstructured(6, 3, lengths, lists);
}

#endif
