/**
 * @file
 * Sets a callback that receives one line of text for each decision of dapbridge.
 *
 * Without a callback, dapbridge prints only two kinds of lines, on standard error. The first kind reports
 * that the launcher of another MPI started the program. The second kind reports that a process has waited for
 * 10 s. The environment variable DAPBRIDGE_LOG, which is read once, selects the lines that are printed:
 *
 * - "off": the library prints nothing.
 * - "info": process 0 prints all lines.
 * - "progress": process 0 prints all lines, and also how much of a long run is complete.
 *
 * If a callback is set, it receives all these lines instead.
 */
#ifndef DAPBRIDGE_LOG_H
#define DAPBRIDGE_LOG_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Receives one line of the log, such as "plan: sends 800 bytes, ...".
 *
 * dapbridge calls this function on the thread that called dapbridge. The function must not call dapbridge.
 *
 * @param context  context that was passed to dap_log_set()
 * @param line     text without a newline, valid during the call
 */
typedef void dap_log_function(void *context, const char *line);

/**
 * Sets the callback of this process, for all its threads.
 *
 * The log contains a line for each new plan, and for each call that gets, restores or discards a view. The
 * lines report bytes, seconds and transports, and why a view is shared or moved.
 *
 *     static void print(void *file, const char *line) { fprintf((FILE *)file, "%s\n", line); }
 *     if (rank == 0) dap_log_set(print, stderr);
 *
 * No other thread may be inside a function of dapbridge during this call. Not collective.
 *
 * @param function  the callback; NULL, the default, means none
 * @param context   passed to `function`
 */
DAP_API void dap_log_set(dap_log_function *function, void *context);

/**
 * Describes the place where the program called dapbridge, for the line about a long wait.
 *
 * A process that waits for 10 s writes one line: "dapbridge: rank 1 has waited for 10 s in dap_array_alloc:
 * rank 2 has not come". The text from this callback replaces the name of dapbridge's function in that line.
 * The Python package sets a callback that writes function, file and line.
 *
 * @param context   context that was passed to dap_call_site_set()
 * @param text      buffer for the text, which the callback must end with NUL; if the text is empty, the line
 *                  keeps the name of dapbridge's function
 * @param capacity  size of `text` in bytes
 */
typedef void dap_call_site(void *context, char *text, size_t capacity);

/**
 * Sets the callback that describes the place of a call, for all threads of this process.
 *
 * A thread that waits calls `find`, which must not call dapbridge. No other thread may be inside a function
 * of dapbridge during this call. Not collective.
 *
 * @param find     the callback; NULL, the default, means that the line names dapbridge's function
 * @param context  passed to `find`
 * @see dap_wait_limit(); bridge/docs/reliability.md, "A program hangs"
 */
DAP_API void dap_call_site_set(dap_call_site *find, void *context);

/**
 * Returns whether dap_log() passes lines to a callback or prints them.
 *
 * Adapters call this function before dap_log(), and format a line only if it will be used. Not collective.
 *
 * @return true if a callback is set, or if DAPBRIDGE_LOG is "info" or "progress"
 */
DAP_API bool dap_log_is_on(void);

/**
 * Writes one line to the log.
 *
 * Adapters call this function. The callback receives the line. If no callback is set, and DAPBRIDGE_LOG is
 * "info" or "progress", process 0 of the job prints the line. Lines are truncated to 1023 bytes. Not
 * collective.
 *
 * @param format  printf() format of the line, without a trailing newline; the values to format follow
 */
DAP_API void dap_log(const char *format, ...) DAP_PRINTF(1, 2);

#ifdef __cplusplus
}
#endif

#endif
