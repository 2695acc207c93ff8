/* dapbridge/log.h: what the library decides, one line each, told to a function of the caller's. The library itself
 * prints nothing. */
#ifndef DAPBRIDGE_LOG_H
#define DAPBRIDGE_LOG_H

#include <dapbridge/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes one line, without an end of line: "plan: sends 800 bytes, ...", "matrix got: moved, 9600 bytes,
 * 0.0013 s: dim 0 is cyclic", "matrix restored: ...". The line is the library's and ends with the call.
 * Called on the thread that decides, within the library, which must not be called back. */
typedef void dap_log_function(void *context, const char *line);

/* From now on `function` is told, with `context`, what is decided on this process: each plan that is made
 * (bytes, transports, seconds), each view that is got, restored or discarded (shared or moved, bytes,
 * seconds, and why). NULL, as at the beginning: nobody is. Usually set on one process. Not collective.
 * Holds for all threads, of which no other may be in the library during the call.
 *
 *     static void print(void *file, const char *line) { fprintf((FILE *)file, "%s\n", line); }
 *     if (rank == 0) dap_log_set(print, stderr); */
DAP_API void dap_log_set(dap_log_function *function, void *context);

/* For adapters: whether anybody is told, so that figures need only be found then; and one line to be told, as printf
 * has it, which is cut after 1023 bytes. Not collective. */
DAP_API bool dap_log_is_on(void);
DAP_API void dap_log(const char *format, ...) DAP_PRINTF(1, 2);

#ifdef __cplusplus
}
#endif

#endif
