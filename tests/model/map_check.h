/* What a layout answers about every process, against elements dealt out one at a time.
 * Private: the runs that transfers ask for have no public function. */
#ifndef DAP_TEST_MAP_CHECK_H
#define DAP_TEST_MAP_CHECK_H

#include "random_array.h"

void check_ranks(const dap_layout *layout, const random_array *array);
/* Widths, extents, runs of what is owned, and the dictionaries of all its processes. */
void check_axis(const dap_layout *layout, const random_array *array, int k);
/* Each element, and each position of a process's buffer: one by one, all at once, and one outside. */
void check_elements(const dap_layout *layout, const random_array *array, test_random *random);
void check_positions(const dap_layout *layout, const random_array *array, int rank, test_random *random);

#endif
