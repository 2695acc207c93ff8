/* Compares a layout's answers about every process with elements that are dealt out one at a time. */
#ifndef DAP_TEST_MAP_CHECK_H
#define DAP_TEST_MAP_CHECK_H

#include "random_array.h"

/* Checks all answers about all axes, elements, and processes. `random` draws indices that are out of range.
 * */
void check_layout(const dap_layout *layout, const random_array *array, test_random *random);

#endif
