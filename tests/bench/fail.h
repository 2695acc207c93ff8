/* Ends a benchmark when something fails, at once and on all processes. */
#ifndef DAP_BENCH_FAIL_H
#define DAP_BENCH_FAIL_H

#include <dapbridge/status.h>
#include <stdint.h>

/* Prints the reason, and ends the program. */
_Noreturn void bench_fail(const char *format, ...) DAP_PRINTF(1, 2);

/* Ends the program if the status is not DAP_OK. */
void bench_require(dap_status status, const dap_error *err);

/* Allocates at least one byte, or ends the program. */
void *bench_alloc(int64_t bytes);

#endif
