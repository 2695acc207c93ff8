/* Copies past the caches. */
#ifndef DAP_BENCH_STREAM_H
#define DAP_BENCH_STREAM_H

#include <stdint.h>

enum { BENCH_LINE = 64 /* bytes of a line of the cache */ };

/* By the widest non-temporal stores that the processor has; by memcpy() where that is not known. `bytes` is a
 * multiple of a line, and so is the address `to`. */
void bench_stream(char *to, const char *from, int64_t bytes);

#endif
