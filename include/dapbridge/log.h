/* dapbridge/log.h: a callback that gets one line for each decision of the library.
 *
 * The library prints one line of its own, on standard error: that another MPI's launcher started the
 * program. A callback gets this line instead. DAPBRIDGE_LOG=off in the environment silences it.
 *
 * Nothing in this header is collective. */
#ifndef DAPBRIDGE_LOG_H
#define DAPBRIDGE_LOG_H

#include <dapbridge/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives one line, without a newline: "plan: sends 800 bytes, ...", "matrix got: moved, 9600 bytes,
 * 0.0013 s: dim 0 is cyclic", "matrix restored: ...". The line is valid during the call. Called from within
 * the library, on the thread that called it; must not call the library. */
typedef void dap_log_function(void *context, const char *line);

/* Sets the callback of this process, for all its threads, of which no other may be in the library
 * meanwhile. It is called with `context` for each plan created (bytes, transports, seconds) and each view
 * taken, restored or discarded (shared or moved, bytes, seconds, and why). NULL, the default: no log.
 * Usually set on one process.
 *
 *     static void print(void *file, const char *line) { fprintf((FILE *)file, "%s\n", line); }
 *     if (rank == 0) dap_log_set(print, stderr); */
DAP_API void dap_log_set(dap_log_function *function, void *context);

/* For adapters: whether a callback is set; and a line for it, formatted as by printf() and truncated to 1023
 * bytes. */
DAP_API bool dap_log_is_on(void);
DAP_API void dap_log(const char *format, ...) DAP_PRINTF(1, 2);

#ifdef __cplusplus
}
#endif

#endif
