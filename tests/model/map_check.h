/* Compares a layout's answers about every process with elements that are dealt out one at a time. Uses
 * private functions, because no public function returns the runs of transfers. */
#ifndef DAP_TEST_MAP_CHECK_H
#define DAP_TEST_MAP_CHECK_H

#include "random_array.h"

void check_ranks(const dap_layout *layout, const random_array *array);
/* Checks widths, extents, runs of owned elements, and the dictionaries of all processes of an axis. */
void check_axis(const dap_layout *layout, const random_array *array, int k);
/* Check each element, and each position of a process's buffer: one by one, all at once, and one outside. */
void check_elements(const dap_layout *layout, const random_array *array, test_random *random);
void check_positions(const dap_layout *layout, const random_array *array, int rank, test_random *random);

#endif
