/**
 * @file
 * Functions for the log, which contains a line of text for each decision that dapbridge makes.
 *
 * If no callback is set, dapbridge prints messages to standard error. By default, there are only two kinds of
 * messages. The first kind reports that the launcher of a different MPI library started the program. The
 * second kind reports that a process has waited for another process for 10 s, or for the number of seconds in
 * the environment variable DAPBRIDGE_WAIT_REPORT. The environment variable DAPBRIDGE_LOG, which is read once,
 * changes what is printed:
 *
 * - "off": dapbridge prints nothing.
 * - "info": process 0 of MPI_COMM_WORLD also prints a line for each decision.
 * - "progress": like "info", and process 0 also prints the progress of long runs of plans and of long file
 *   transfers.
 *
 * If a callback is set, nothing is printed. The callback receives the lines that "info" prints. If
 * DAPBRIDGE_LOG is "progress", the callback also receives the lines about progress.
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
 * dapbridge calls this function in the thread that called dapbridge. The function must not call dapbridge.
 *
 * @param context  context that was passed to dap_log_set()
 * @param line     text without a newline, valid only during the call
 */
typedef void dap_log_function(void *context, const char *line);

/**
 * Sets the log callback for all threads of this process.
 *
 * For example, the log contains a line for each new plan, and for each call that gets, restores or discards a
 * view. The lines report byte counts, times and transports, and the reason why a view is shared or moved.
 *
 *     static void print(void *file, const char *line) { fprintf((FILE *)file, "%s\n", line); }
 *     if (rank == 0) dap_log_set(print, stderr);
 *
 * No other thread may be inside a function of dapbridge during this call. Not collective.
 *
 * @param function  the callback; NULL (the default) means none
 * @param context   passed to `function`
 */
DAP_API void dap_log_set(dap_log_function *function, void *context);

/**
 * Describes where the program called dapbridge, for the message that reports a long wait.
 *
 * By default, a process that has waited for another process for 10 s prints a message, such as "dapbridge:
 * rank 1 has waited for 10 s in dap_array_alloc: rank 2 has not come". The environment variable
 * DAPBRIDGE_WAIT_REPORT changes this time. In the message, the text from this callback replaces the name of
 * the dapbridge function. The Python package sets a callback that gives the name of the called function, and
 * the file and line of the call.
 *
 * @param context   context that was passed to dap_call_site_set()
 * @param text      receives the NUL-terminated text; if it is empty, the message contains the name of the
 *                  dapbridge function
 * @param capacity  size of `text` in bytes
 */
typedef void dap_call_site(void *context, char *text, size_t capacity);

/**
 * Sets the callback that describes where dapbridge was called, for all threads of this process.
 *
 * A waiting thread calls `find`, which must not call dapbridge. No other thread may be inside a function of
 * dapbridge during this call. Not collective.
 *
 * @param find     the callback; if NULL (the default), the message contains the name of the dapbridge
 *                 function
 * @param context  passed to `find`
 * @see dap_wait_limit(); bridge/docs/reliability.md, "A program hangs"
 */
DAP_API void dap_call_site_set(dap_call_site *find, void *context);

/**
 * Returns whether the log is on.
 *
 * Adapters call this function before dap_log(), so that they format lines only if the log is on. Not
 * collective.
 *
 * @return true if a callback is set, or if DAPBRIDGE_LOG is "info" or "progress"
 */
DAP_API bool dap_log_is_on(void);

/**
 * Writes one line to the log.
 *
 * Adapters call this function. If a callback is set, it receives the line. Otherwise process 0 of
 * MPI_COMM_WORLD prints the line if DAPBRIDGE_LOG is "info" or "progress". Lines are truncated to 1023 bytes.
 * Not collective.
 *
 * @param format  printf() format of the line, without a trailing newline; the values to format follow
 */
DAP_API void dap_log(const char *format, ...) DAP_PRINTF(1, 2);

#ifdef __cplusplus
}
#endif

#endif
