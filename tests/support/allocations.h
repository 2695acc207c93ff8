/* Counts all allocations of the program and the library, and can refuse one of them. The linker replaces
 * the usual functions only in code that is linked statically (-Wl,--wrap). So allocations of MPI and other
 * shared libraries are not counted. */
#ifndef DAP_TEST_ALLOCATIONS_H
#define DAP_TEST_ALLOCATIONS_H

#include <stdint.h>

/* Counts from 0 again. Allocation number `refused`, from 1 on, gives NULL; 0: none. */
void allocations_start(int64_t refused);

/* Goes on counting. Allocation number `number` from now on gives NULL; 0: none. */
void allocations_refuse(int64_t number);

/* Made since then, the one refused among them. */
int64_t allocations_count(void);

/* Bytes allocated and not freed since then, and the most of them at a time; memory that changes its size
 * counts twice while it does. */
int64_t allocations_held(void);
int64_t allocations_peak(void);

/* Open files, and mapped stretches of memory that has a name, of this process; -1: the system does not
 * tell. */
int64_t open_files(void);
int64_t mapped_files(void);

/* Bytes of this process that are in memory; -1: the system does not tell, or a sanitizer keeps what is
 * freed. */
int64_t resident_bytes(void);

#endif
