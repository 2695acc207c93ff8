/* Handles orders of ranks, such as those that dap_plan_relabel() returns. */
#ifndef DAP_TEST_ORDERS_H
#define DAP_TEST_ORDERS_H

#include <stdbool.h>

/* Process q is rank q. */
bool is_own_order(const int ranks[], int count);

/* Records a failure, and returns false, unless all ranks are within 0 .. limit - 1 and none is there
 * twice. */
bool are_different_ranks(const int ranks[], int count, int limit);

#endif
