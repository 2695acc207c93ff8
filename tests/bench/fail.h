/* How the benchmark ends when something fails: at once, on all processes. */
#ifndef DAP_BENCH_FAIL_H
#define DAP_BENCH_FAIL_H

#include <dapbridge/status.h>
#include <stdint.h>

/* Says why, and ends the program. */
_Noreturn void bench_fail(const char *format, ...) DAP_PRINTF(1, 2);

/* The same if the status is not DAP_OK. */
void bench_require(dap_status status, const dap_error *err);

/* malloc() of at least one byte that succeeds. */
void *bench_alloc(int64_t bytes);

#endif
