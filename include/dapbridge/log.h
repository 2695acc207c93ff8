/* dapbridge/log.h: a callback that gets one line for each decision of the library.
 *
 * The library prints two lines of its own, on standard error: that another MPI's launcher started the
 * program, and that a process waits for another for 10 s. A callback gets these lines instead. DAPBRIDGE_LOG
 * in the environment is read once. "off": the library prints nothing. "info": process 0 prints all lines for
 * which there is no callback. "progress": it also prints how much of a long run it has moved.
 *
 * Nothing in this header is collective. */
#ifndef DAPBRIDGE_LOG_H
#define DAPBRIDGE_LOG_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stddef.h>

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

/**
 * Writes where the program called the library, for the line about a long wait.
 *
 * A process that waits for 10 s says so in one line: "dapbridge: rank 1 has waited for 10 s in
 * dap_array_alloc: rank 2 has not come". The text of this function takes the place of the name. Python's
 * package gives function, file and line.
 *
 * @param context   as given to dap_call_site_set()
 * @param text      receives the text, with a closing NUL; an empty one changes nothing
 * @param capacity  bytes of `text`
 */
typedef void dap_call_site(void *context, char *text, size_t capacity);

/**
 * Sets the function that names the place of a call, for all threads of this process.
 *
 * No other thread may be in the library meanwhile. The function is called by a thread that waits. It must not
 * call the library.
 *
 * @param find     NULL, the default: the line names the function of the library
 * @param context  is passed to `find`
 * @see docs/reliability.md, dap_wait_limit()
 */
DAP_API void dap_call_site_set(dap_call_site *find, void *context);

/* For adapters: whether a callback is set; and a line for it, formatted as by printf() and truncated to 1023
 * bytes. */
DAP_API bool dap_log_is_on(void);
DAP_API void dap_log(const char *format, ...) DAP_PRINTF(1, 2);

#ifdef __cplusplus
}
#endif

#endif
