/* Measures the peak of memory that a part of the program takes beyond its earlier memory. */
#ifndef DAP_BENCH_MEMORY_H
#define DAP_BENCH_MEMORY_H

#include <stdint.h>

typedef struct bench_memory {
  int64_t resident, shared, share; /* bytes at the begin */
} bench_memory;

/* Begins a measurement. Resets the process's earlier peak. */
bench_memory bench_memory_begin(void);

/* Returns the peak of resident private memory minus its earlier size, plus the growth of memory that is
 * shared with other processes. Each shared page is divided by the number of processes that map it. So
 * pages of another process's array, which count as resident when they are read, are not extra memory.
 * Returns -1 if the system does not tell. */
int64_t bench_memory_end(const bench_memory *begun);

#endif
