/* Counts all allocations of the program and the library, and can refuse one of them. The linker replaces
 * the usual functions only in code that is linked statically (-Wl,--wrap). So allocations of MPI and other
 * shared libraries are not counted. */
#ifndef DAP_TEST_ALLOCATIONS_H
#define DAP_TEST_ALLOCATIONS_H

#include <stdint.h>

/* Counts from 0 again. The allocation with the number `refused`, 1 for the first, gives NULL. 0: none
 * does. */
void allocations_start(int64_t refused);

/* Goes on counting. The allocation with this number from now on gives NULL. 0: none does. */
void allocations_refuse(int64_t number);

/* Returns the number of allocations since the start, including the refused one. */
int64_t allocations_count(void);

/* Return the bytes that were allocated and not freed since the start, and the most at any time. Memory counts
 * twice while it changes its size. */
int64_t allocations_held(void);
int64_t allocations_peak(void);

#endif
