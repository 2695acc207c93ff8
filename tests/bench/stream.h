/* Copies memory past the caches. */
#ifndef DAP_BENCH_STREAM_H
#define DAP_BENCH_STREAM_H

#include <stdint.h>

enum { BENCH_LINE = 64 /* bytes of a cache line */ };

/* Copies by the widest non-temporal stores of the processor, or by memcpy() if these are unknown. `bytes`
 * is a multiple of a line, and so is the address `to`. */
void bench_stream(char *to, const char *from, int64_t bytes);

#endif
