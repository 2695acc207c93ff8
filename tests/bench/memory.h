/* How much memory a stretch of the program takes at its peak, beyond what was there before. */
#ifndef DAP_BENCH_MEMORY_H
#define DAP_BENCH_MEMORY_H

#include <stdint.h>

typedef struct bench_memory {
  int64_t resident, shared, share; /* bytes when it began */
} bench_memory;

/* Begins. Forgets the process's earlier peak. */
bench_memory bench_memory_begin(void);

/* The most that was resident since, less what was then, in private memory; and what it has more in memory
 * that it shares with other processes, each page divided by those who map it. So a page of another
 * process's array, which counts as resident wherever it is read, is no extra memory. -1: this system does
 * not tell. */
int64_t bench_memory_end(const bench_memory *begun);

#endif
